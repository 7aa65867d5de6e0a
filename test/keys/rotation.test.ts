/**
 * Tests signing keys that change while servers run. The keys are stored in a file, and every process that reads the
 * file detects the change.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Logger } from '../../src/base/kernel/log.ts';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { configFrom } from '../../src/platform/config/index.ts';
import {
  createKeys,
  generateSigningKey,
  type KeyFile,
  keyFileOf,
  revoke,
  rotate,
  withStandby,
} from '../../src/platform/keys/index.ts';
import { lookEveryMs } from '../../src/platform/keys/key-ring.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-rotation-'));
  dirs.push(dir);
  return dir;
}

const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
const publishedBy = (keys: ReturnType<typeof createKeys>) => keys.publicJwks().keys.map(({ kid }) => kid);

/** Simulates two servers that share a data folder. */
function twoServers(log: Logger = silentLogger) {
  const dataDir = folder();
  const options = {
    mode: 'production',
    config: configFrom({}, dataDir),
    supabaseDir: dataDir,
    dataDir,
    monotonicMs,
  } as const;
  const [one, other] = [createKeys({ ...options, log }), createKeys({ ...options, log })];
  const file = keyFileOf({ ...options, signingKeysPath: undefined }) as KeyFile;
  return { dataDir, file, one, other };
}

let nowMs = 0;
const monotonicMs = () => nowMs;
/** Advances the clock by the maximum time for which a server may continue to use outdated keys. */
const aSecond = () => {
  nowMs += lookEveryMs;
};

describe('several processes', () => {
  test('agree on a key from standby to revocation, without signing users out too early', () => {
    const { file, one, other } = twoServers();
    const old = one.sign({ sub: 'old' });
    const standby = generateSigningKey('ES256');
    file.update((keys) => withStandby(keys, standby));
    aSecond();
    // All servers publish the standby key, but no server signs tokens with it yet.
    expect(publishedBy(one)).toEqual([kidOf(old), standby.kid]);
    expect(publishedBy(other)).toEqual(publishedBy(one));
    expect(kidOf(one.sign({}))).toBe(kidOf(old));

    file.update((keys) => rotate(keys));
    aSecond();
    const fresh = one.sign({ sub: 'new' });
    expect(kidOf(fresh)).toBe(standby.kid);
    for (const keys of [one, other]) {
      expect(keys.verify(fresh)).toMatchObject({ ok: true });
      expect(keys.verify(old)).toMatchObject({ ok: true });
    }

    file.update((keys) => revoke(keys, kidOf(old)));
    aSecond();
    for (const keys of [one, other]) {
      // Both servers reject the token even though it is in their token caches.
      expect(keys.verify(old)).toMatchObject({ ok: false, reason: 'no-key' });
      expect(keys.verify(fresh)).toMatchObject({ ok: true });
      expect(publishedBy(keys)).toEqual([standby.kid]);
    }
  });

  test('a token signed with another process’s new key is accepted immediately', () => {
    const { file, one, other } = twoServers();
    nowMs += 50;
    const standby = generateSigningKey('EdDSA');
    file.update((keys) => rotate(withStandby(keys, standby)));
    const third = createKeysOf(file);
    const token = third.sign({ sub: 'x' });
    expect(kidOf(token)).toBe(standby.kid);
    expect(other.verify(token)).toMatchObject({ ok: true });
    expect(one.verifyOwn(token)).toMatchObject({ ok: true });
  });

  test('production API keys remain valid after a rotation', () => {
    const { file, one } = twoServers();
    const { anonKey } = one;
    file.update((keys) => rotate(withStandby(keys, generateSigningKey('ES256'))));
    aSecond();
    expect(one.anonKey).toBe(anonKey);
    expect(one.areLegacyKeysRotated).toBe(false);
    expect(one.verify(anonKey)).toMatchObject({ ok: true });
  });
});

/** Creates the keys of a server that starts now. */
function createKeysOf(file: KeyFile) {
  const dataDir = join(file.path, '..');
  return createKeys({ mode: 'production', config: configFrom({}, dataDir), supabaseDir: dataDir, dataDir });
}

describe('an invalid file', () => {
  test.each([
    ['half written', '{"version":1,"signingKeys":['],
    ['without keys', '{"version":1,"signingKeys":[]}'],
    ['with a key twice', 'twice'],
    ['gone', undefined],
  ])('%s: the previous keys stay in use, and the problem is logged once', (_name, text) => {
    const told: string[] = [];
    const log: Logger = { ...silentLogger, error: (_fields, message) => void told.push(message) };
    const { file, one } = twoServers(log);
    const token = one.sign({ sub: 'x' });
    if (text === undefined) rmSync(file.path);
    else if (text === 'twice') {
      const content = JSON.parse(readFileSync(file.path, 'utf8'));
      writeFileSync(
        file.path,
        JSON.stringify({ ...content, signingKeys: [...content.signingKeys, ...content.signingKeys] }),
      );
    } else writeFileSync(file.path, text);
    aSecond();
    for (let i = 0; i < 3; i++) expect(one.verify(token)).toMatchObject({ ok: true });
    expect(kidOf(one.sign({}))).toBe(kidOf(token));
    expect(told).toHaveLength(1);
  });

  test.each([
    ['a duplicate key', [{ kid: 'a' }, { kid: 'a' }], /two keys have the kid a/],
    [
      'a short secret',
      [{ kty: 'oct', alg: 'HS256', k: 'c2hvcnQ', kid: 'b' }],
      /requires a secret of at least 32 bytes/,
    ],
    ['a key for another algorithm', [{ alg: 'RS256' }], /RS256 needs kty RSA/],
  ])('%s is reported at the start with the file name and without the key', (_name, changes, said) => {
    const dir = folder();
    const key = generateSigningKey('ES256');
    writeFileSync(join(dir, 'keys.json'), JSON.stringify(changes.map((change) => ({ ...key, ...change }))));
    const config = configFrom({ auth: { signing_keys_path: join(dir, 'keys.json') } });
    const start = () => createKeys({ mode: 'development', config, supabaseDir: dir, dataDir: dir });
    expect(start).toThrow(said);
    expect(start).toThrow(/keys\.json/);
    try {
      start();
    } catch (error) {
      expect((error as Error).message).not.toContain(String(key.d));
    }
  });
});

describe('changing the file', () => {
  test('keeps its mode and all other content, and doesn’t leave temporary files behind', () => {
    const { dataDir, file } = twoServers();
    const before = JSON.parse(readFileSync(file.path, 'utf8'));
    chmodSync(file.path, 0o640);
    file.update((keys) => withStandby(keys, generateSigningKey('ES256')));
    const after = JSON.parse(readFileSync(file.path, 'utf8'));
    expect({ ...after, signingKeys: [] }).toEqual({ ...before, signingKeys: [] });
    expect(after.signingKeys).toHaveLength(2);
    expect(statSync(file.path).mode & 0o777).toBe(0o640);
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  });

  test('is possible for one process at a time, and never results in a file that can’t be loaded', () => {
    const { dataDir, file } = twoServers();
    const before = readFileSync(file.path, 'utf8');
    expect(() => file.update((keys) => [...keys, { kty: 'EC', alg: 'ES256' }])).toThrow(/ES256/);
    writeFileSync(`${file.path}.lock`, '');
    expect(() => file.update((keys) => keys)).toThrow('Another command is changing the keys.');
    rmSync(`${file.path}.lock`);
    expect(readFileSync(file.path, 'utf8')).toBe(before);
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  });

  test('is possible again a minute after a process was killed during a change', () => {
    const { dataDir, file } = twoServers();
    const lock = `${file.path}.lock`;
    writeFileSync(lock, '');
    const minuteAgo = Date.now() / 1000 - 61;
    utimesSync(lock, minuteAgo, minuteAgo);
    file.update((keys) => withStandby(keys, generateSigningKey('ES256')));
    expect(JSON.parse(readFileSync(file.path, 'utf8')).signingKeys).toHaveLength(2);
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  });
});

describe('plinth keys', () => {
  const plinth = (projectDir: string, ...args: string[]) => {
    const command = ['bin/plinth-built.mjs', 'keys', ...args, '--workdir', projectDir];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  test('can list, create, rotate and revoke keys in a project file', () => {
    const projectDir = folder();
    const init = spawnSync(process.execPath, ['bin/plinth-built.mjs', 'init', '--workdir', projectDir]);
    expect(init.status).toBe(0);
    const none = plinth(projectDir, 'list');
    expect(none.status).not.toBe(0);
    expect(none.stderr).toContain('well-known key');

    const configFile = join(projectDir, 'supabase', 'config.toml');
    const config = readFileSync(configFile, 'utf8');
    writeFileSync(
      configFile,
      config.replace(/^\[auth\]$/m, '[auth]\nsigning_keys_path = "./signing_keys.json"'),
    );
    const keysFile = join(projectDir, 'supabase', 'signing_keys.json');
    const first = generateSigningKey('ES256');
    writeFileSync(keysFile, JSON.stringify([first]), { mode: 0o600 });

    expect(plinth(projectDir, 'rotate').stderr).toContain('No standby key exists.');
    expect(plinth(projectDir, 'standby', '--algorithm', 'RS256').status).toBe(0);
    expect(plinth(projectDir, 'standby', '--algorithm', 'none').status).not.toBe(0);
    expect(plinth(projectDir, 'list').stdout).toMatch(/ES256 +in use\n.*RS256 +standby/);
    expect(plinth(projectDir, 'revoke', String(first.kid)).stderr).toContain('is in use');
    expect(plinth(projectDir, 'rotate').status).toBe(0);
    expect(plinth(projectDir, 'list').stdout).toMatch(/RS256 +in use\n.*ES256 +previous/);
    expect(plinth(projectDir, 'revoke', String(first.kid)).status).toBe(0);
    expect(plinth(projectDir, 'list').stdout).not.toContain(String(first.kid));
    expect(readFileSync(keysFile, 'utf8')).not.toContain(String(first.d));
  });
});
