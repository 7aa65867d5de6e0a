import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSeal } from './seal.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-seal-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = join(dir, 'console.key');

test('opens a sealed value, even after a restart', () => {
  const sealed = createSeal(file).close('SECRET', 'ada');
  expect(sealed.toString('latin1')).not.toContain('SECRET');
  expect(createSeal(file).open(sealed, 'ada')).toBe('SECRET');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('rejects other users’ values, changed values and values sealed with a different key', () => {
  const seal = createSeal(file);
  const sealed = seal.close('SECRET', 'ada');
  const changed = Buffer.from(sealed);
  changed[14] = (changed[14] ?? 0) ^ 1;
  expect(seal.open(sealed, 'bob')).toBeUndefined();
  expect(seal.open(changed, 'ada')).toBeUndefined();
  expect(seal.open(Buffer.from('short'), 'ada')).toBeUndefined();
  expect(createSeal(join(dir, 'other.key')).open(sealed, 'ada')).toBeUndefined();
});

test('the error names a damaged key file', () => {
  const damaged = join(dir, 'damaged.key');
  writeFileSync(damaged, 'x');
  expect(() => createSeal(damaged).close('x', 'y')).toThrow('damaged.key is damaged');
});

test('a replaced key is used, and a removed key isn’t replaced by a new one', () => {
  const [mine, other] = [join(dir, 'mine.key'), join(dir, 'theirs.key')];
  const seal = createSeal(mine);
  seal.close('x', 'y');
  const sealed = createSeal(other).close('SECRET', 'ada');
  renameSync(other, mine);
  expect(seal.open(sealed, 'ada')).toBe('SECRET');
  rmSync(mine);
  expect(seal.open(sealed, 'ada')).toBe('SECRET');
  expect(existsSync(mine)).toBe(false);
});
