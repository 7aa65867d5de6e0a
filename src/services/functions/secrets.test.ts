import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createSecretStore, type SecretStore } from './secrets.ts';

const root = mkdtempSync(join(tmpdir(), 'plinth-secrets-'));
afterAll(() => rmSync(root, { recursive: true }));

let dir: string;
let changes: number;
beforeEach(() => {
  dir = mkdtempSync(join(root, 'x-'));
  changes = 0;
});
const open = (): SecretStore =>
  createSecretStore({
    file: join(dir, 'secrets.json'),
    keyFile: join(dir, 'secrets.key'),
    now: () => Date.UTC(2026, 0, 2),
    onChange: () => {
      changes += 1;
    },
  });

test('secrets are encrypted, private, and available after a restart', () => {
  const secrets = [
    { name: 'B', value: 'very-secret' },
    { name: 'A', value: 'test' },
  ];
  open().set(secrets);
  expect(changes).toBe(1);
  const text = readFileSync(join(dir, 'secrets.json'), 'utf8');
  expect(text).not.toContain('very-secret');
  expect(text).not.toContain(Buffer.from('very-secret').toString('base64').slice(0, 10));
  for (const name of ['secrets.json', 'secrets.key'])
    expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  expect(open().values()).toEqual({ A: 'test', B: 'very-secret' });
  expect(open().list()).toEqual([
    {
      name: 'A',
      digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      updatedAt: '2026-01-02T00:00:00.000Z',
    },
    expect.objectContaining({ name: 'B' }),
  ]);
});

test('several secrets are set together or not at all', () => {
  const store = open();
  const bad = [
    { name: 'A', value: 'x' },
    { name: 'SUPABASE_URL', value: 'x' },
  ];
  expect(() => store.set(bad)).toThrow('SUPABASE_');
  expect([store.list(), changes]).toEqual([[], 0]);
  const many = Array.from({ length: 101 }, (_, index) => ({ name: `S${index}`, value: 'x' }));
  expect(() => store.set(many)).toThrow('At most 100');
  expect([store.list(), changes]).toEqual([[], 0]);
});

test('secrets are removed, and unknown names are ignored', () => {
  const store = open();
  store.set([{ name: 'A', value: 'x' }]);
  store.unset(['B']);
  expect(changes).toBe(1);
  store.unset(['A', 'B']);
  expect([store.values(), open().values(), changes]).toEqual([{}, {}, 2]);
});

test('a value can’t be moved to another name, and a wrong key is reported', () => {
  open().set([{ name: 'A', value: 'x' }]);
  const file = join(dir, 'secrets.json');
  copyFileSync(file, `${file}.kept`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"A"', '"B"'));
  expect(() => open()).toThrow('The secret B in');
  copyFileSync(`${file}.kept`, file);
  expect(open().values()).toEqual({ A: 'x' });
  writeFileSync(join(dir, 'secrets.key'), `${Buffer.alloc(32).toString('base64url')}\n`);
  expect(() => open()).toThrow("can't be decrypted");
  writeFileSync(file, '{');
  expect(() => open()).toThrow('is damaged');
});

test('a file that another node has changed is read again', () => {
  const [one, other] = [open(), open()];
  one.set([{ name: 'A', value: 'x' }]);
  changes = 0;
  other.reload();
  expect([other.values(), changes]).toEqual([{ A: 'x' }, 1]);
});
