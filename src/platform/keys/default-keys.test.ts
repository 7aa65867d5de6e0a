import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configFrom, type PartialConfig } from '../config/index.ts';
import { createKeys } from './index.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plinth-default-keys-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

let clock = 0;
const open = (config: PartialConfig = {}, mode: 'development' | 'production' = 'production') =>
  createKeys({
    mode,
    config: configFrom(config, dir),
    supabaseDir: dir,
    dataDir: dir,
    monotonicMs: () => clock,
  });
type Store = ReturnType<typeof open>;
/** Whether the process accepts the secret key. This check is the same as the gateway's check. */
const accepts = (keys: Store, key: string): boolean =>
  key === keys.secretKey || keys.kindOfApiKey(key) === 'secret';

test('the old and the new key are valid in every process, and the new one is the default after a restart', () => {
  const [one, other] = [open(), open()];
  const old = one.secretKey;
  let changes = 0;
  one.onDefaultKeyChange(() => changes++);
  expect(accepts(other, old)).toBe(true);
  // The other process last read each of its two files at a different time.
  clock += 500;
  other.kindOfApiKey('x');
  const { key, previous } = one.defaultKeys.rotate('secret', 'ada');
  expect(changes).toBe(1);
  expect([one.secretKey, open().secretKey]).toEqual([key, key]);
  expect(one.publishableKey).toBe(other.publishableKey);
  for (const keys of [one, other]) expect([accepts(keys, old), accepts(keys, key)]).toEqual([true, true]);
  clock += 500;
  expect(accepts(other, old)).toBe(true);
  clock += 1000;
  expect([accepts(other, old), other.secretKey]).toEqual([true, key]);
  expect(one.apiKeys.list()).toEqual([
    expect.objectContaining({ id: previous.id, kind: 'secret', createdBy: 'ada', wasDefault: true }),
  ]);
  one.apiKeys.revoke(previous.id);
  clock += 1000;
  for (const keys of [one, other]) expect([accepts(keys, old), accepts(keys, key)]).toEqual([false, true]);
  expect(readFileSync(join(dir, 'secrets.json'), 'utf8')).not.toContain(old);
});

test('an interrupted rotation leaves the old key valid, and the next one completes', () => {
  const keys = open();
  const old = keys.secretKey;
  const before = readFileSync(join(dir, 'secrets.json'));
  keys.defaultKeys.rotate('secret', 'ada');
  // The process was killed after the first of the rotation's two writes.
  writeFileSync(join(dir, 'secrets.json'), before);
  const restarted = open();
  expect([restarted.secretKey, accepts(restarted, old)]).toEqual([old, true]);
  // The key isn't listed as replaced, because it is still the default.
  expect(restarted.apiKeys.list()).toEqual([]);
  const { key } = restarted.defaultKeys.rotate('secret', 'ada');
  expect([accepts(restarted, old), accepts(restarted, key)]).toEqual([true, true]);
  expect(restarted.apiKeys.list()).toHaveLength(1);
});

test('an invalid secrets file doesn’t change the keys of a running server', () => {
  const keys = open();
  const { secretKey } = keys;
  for (const text of ['{', '{}', '']) {
    writeFileSync(join(dir, 'secrets.json'), text);
    clock += 1000;
    expect(keys.secretKey).toBe(secretKey);
    expect(() => keys.defaultKeys.rotate('secret', 'ada')).toThrow('damaged');
  }
  expect(keys.apiKeys.list()).toEqual([]);
});

test('only a generated key can be rotated', () => {
  const known = open({}, 'development');
  const set = open({ auth: { secret_key: 'sb_secret_own' } });
  expect([known.defaultKeys.sourceOf('secret'), set.defaultKeys.sourceOf('secret')]).toEqual([
    'well-known',
    'setting',
  ]);
  for (const keys of [known, set]) {
    expect(() => keys.defaultKeys.rotate('secret', 'ada')).toThrow("can't rotate it");
    expect(keys.apiKeys.list()).toEqual([]);
  }
  expect(set.defaultKeys.sourceOf('publishable')).toBe('generated');
});

test('API workers report which additional keys they used', () => {
  const [main, worker] = [open(), open()];
  const { entry, key } = main.apiKeys.create('secret', 'CI', 'ada');
  clock += 1000;
  worker.kindOfApiKey(key);
  expect(main.apiKeys.list()[0]?.lastUsedAt).toBeNull();
  main.addKeyUses(worker.takeKeyUses());
  expect(main.apiKeys.list()).toEqual([{ ...entry, lastUsedAt: expect.any(String) }]);
  expect(worker.takeKeyUses().apiKeys.size).toBe(0);
});
