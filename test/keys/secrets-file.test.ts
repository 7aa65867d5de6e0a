/** Tests that the generated keys are created once, kept, and private. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { configFrom, type PartialConfig } from '../../src/platform/config/index.ts';
import { createKeys } from '../../src/platform/keys/index.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-secrets-'));
  dirs.push(dir);
  return dir;
}
const production = (dataDir: string, config: PartialConfig = {}) =>
  createKeys({ mode: 'production', config: configFrom(config, dataDir), supabaseDir: dataDir, dataDir });

it('the generated keys are created once, kept, and private', () => {
  const dir = folder();
  const first = production(dir);
  const second = production(dir);
  for (const name of ['jwtSecret', 'publishableKey', 'secretKey', 'anonKey', 'serviceRoleKey'] as const) {
    expect(second[name]).toBe(first[name]);
  }
  expect(second.verify(first.sign({ sub: 'x' }))).toMatchObject({ ok: true });
  expect(statSync(join(dir, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['secrets.json']);
});

it('the generated keys are unique per installation, and not the well-known ones', () => {
  const [one, two] = [production(folder()), production(folder())];
  const development = createKeys({
    mode: 'development',
    config: configFrom({}),
    supabaseDir: '/nowhere',
    dataDir: '/nowhere',
  });
  for (const name of [
    'jwtSecret',
    'publishableKey',
    'secretKey',
    'anonKey',
    'serviceRoleKey',
    'databasePassword',
  ] as const) {
    expect(new Set([one[name], two[name], development[name]]).size).toBe(3);
  }
  expect(one.s3.secretAccessKey).not.toBe(development.s3.secretAccessKey);
  for (const token of [
    development.serviceRoleKey,
    development.sign({ role: 'service_role' }),
    two.serviceRoleKey,
  ]) {
    expect(one.verify(token).ok).toBe(false);
  }
});

it('a damaged file is reported and remains unchanged', () => {
  for (const text of ['', '{', 'null', '[]', '{"version":1}', '{"version":2,"jwtSecret":"x"}']) {
    const dir = folder();
    writeFileSync(join(dir, 'secrets.json'), text);
    expect(() => production(dir), text).toThrow(/secrets\.json is damaged/);
    expect(readFileSync(join(dir, 'secrets.json'), 'utf8')).toBe(text);
  }
});

it('an incomplete file that a crash left behind doesn’t interfere', () => {
  const dir = folder();
  writeFileSync(join(dir, `secrets.json.${process.pid}.tmp`), '{"version":1,"jw');
  expect(production(dir).publishableKey).toBe(production(dir).publishableKey);
});

it('a folder that isn’t writable causes an error and no other keys are used', () => {
  const dir = folder();
  const file = join(dir, 'no-folder');
  writeFileSync(file, '');
  chmodSync(file, 0o400);
  expect(() => production(file)).toThrow();
});

it('concurrent starts agree on one set of keys', async () => {
  const dir = folder();
  const source = (path: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));
  const script = `
    import { loadOrCreateSecrets } from ${source('platform/keys/secrets-file.ts')};
    console.log(loadOrCreateSecrets(${JSON.stringify(join(dir, 'secrets.json'))}).publishableKey);`;
  const keys = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      for await (const data of child.stdout) output += data;
      return output.trim();
    }),
  );
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^sb_publishable_/);
  expect(readdirSync(dir)).toEqual(['secrets.json']);
});
