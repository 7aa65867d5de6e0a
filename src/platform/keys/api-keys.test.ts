import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { silentLogger } from '../../base/kernel/log.ts';
import { createApiKeys } from './api-keys.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-keys-'));
afterAll(() => rmSync(dir, { recursive: true }));

let clock = 0;
const open = (name: string) =>
  createApiKeys({ file: join(dir, name), monotonicMs: () => clock, now: () => clock, log: silentLogger });

test('a key keeps its type until it is revoked, in every process', () => {
  const one = open('a.json');
  const other = open('a.json');
  expect(one.kindOf('sb_secret_x')).toBeUndefined();
  const { entry, key } = one.create('secret', 'CI', 'ada');
  expect(key).toMatch(/^sb_secret_[\w-]{32}$/);
  expect(one.kindOf(key)).toBe('secret');
  clock += 1000;
  expect(other.kindOf(key)).toBe('secret');
  expect(other.kindOf(`${key}x`)).toBeUndefined();
  expect(one.list()).toEqual([{ ...entry, lastUsedAt: new Date(0).toISOString() }]);
  expect(other.revoke(entry.id)).toEqual(entry);
  expect(other.revoke(entry.id)).toBeUndefined();
  expect(other.kindOf(key)).toBeUndefined();
  clock += 1000;
  expect(one.kindOf(key)).toBeUndefined();
});

test('only its owner can read the file', () => {
  const { key } = open('b.json').create('publishable', 'web', 'ada');
  const text = readFileSync(join(dir, 'b.json'), 'utf8');
  expect(text).not.toContain(key);
  expect(statSync(join(dir, 'b.json')).mode & 0o777).toBe(0o600);
});

test.each(['not JSON', '{}', '{"version":1,"keys":[{"id":"x"}]}'])(
  'no key in a damaged file is accepted: %s',
  (text) => {
    const keys = open('c.json');
    const { key } = keys.create('secret', 'x', 'ada');
    writeFileSync(join(dir, 'c.json'), text);
    clock += 1000;
    expect(keys.kindOf(key)).toBeUndefined();
    rmSync(join(dir, 'c.json'));
  },
);
