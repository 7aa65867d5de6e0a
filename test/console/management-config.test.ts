/** Tests how settings are pushed with the Management API. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import type { Backend } from './harness.ts';

const before = `# The server's settings.
project_id = "server"
[api]
max_rows = 100
[auth]
site_url = "https://server.example"
`;

let projectDir: string;
let backend: Backend;
let path: string;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-push-'));
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(join(projectDir, 'supabase/config.toml'), before);
  backend = await createTestBackend({ projectDir });
  await backend.operators.createOperator('owner', 'owner');
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  for (const name of ['owner', 'dev', 'looker'])
    tokens[name] = (await backend.operators.tokens.create(name, name, 3600)).token;
  const response = await backend.console.fetch('/v1/projects', {
    headers: { authorization: `Bearer ${tokens.owner}` },
  });
  const [{ ref }] = (await response.json()) as [{ ref: string }];
  path = `/v1/projects/${ref}/config`;
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

async function push(config: string, more: object = {}, as = 'owner') {
  const response = await backend.console.fetch(path, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${tokens[as]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ config, ...more }),
  });
  return { status: response.status, body: await response.json() };
}
const fileNow = (): string => readFileSync(join(projectDir, 'supabase/config.toml'), 'utf8');

const pushed = `project_id = "app"
[api]
port = 1
max_rows = 50
[auth]
site_url = "https://app.example"
`;

test('pushing settings is allowed only for owners', async () => {
  expect((await push(pushed, {}, 'dev')).status).toBe(403);
  expect(fileNow()).toBe(before);
});

test('a push shows the changes first, and then applies them without a restart', async () => {
  const shown = await push(pushed, { dry_run: true });
  expect(shown.body).toMatchObject({
    keys: ['api.max_rows', 'auth.site_url'],
    skipped: ['api.port'],
    applied: [],
  });
  expect(shown.body.diff).toContainEqual({ kind: 'added', text: 'max_rows = 50' });
  expect(fileNow()).toBe(before);

  const made = await push(pushed);
  expect([made.status, made.body.applied]).toEqual([
    200,
    expect.arrayContaining(['api.max_rows', 'auth.site_url']),
  ]);
  expect(fileNow()).toBe(
    before.replace('max_rows = 100', 'max_rows = 50').replace('server.example', 'app.example'),
  );
  expect(backend.configuration?.status().unapplied).toEqual([]);
  expect((await push(pushed)).body.keys).toEqual([]);
});

test('stores a secret in supabase/.env, and its name in the file', async () => {
  const secret = '[auth.external.github]\nenabled = true\nclient_id = "app"\nsecret = "plain-text"';
  const shown = await push(secret, { dry_run: true });
  expect(JSON.stringify(shown.body)).not.toContain('plain-text');
  expect((await push(secret)).status).toBe(200);
  expect((await push(secret)).body.keys).toEqual([]);
  const [, name = ''] = /secret = "env\((\w+)\)"/.exec(fileNow()) ?? [];
  expect(fileNow()).not.toContain('plain-text');
  expect(readFileSync(join(projectDir, 'supabase/.env'), 'utf8')).toContain(`${name}=`);
  expect(loadConfig({ projectDir }).config.auth.external.github?.secret).toBe('plain-text');
});

test('the names of upstream’s newer config.toml are the same settings', async () => {
  const newer = `[auth.email]\nenabled = false\n[auth.sms]\nenabled = true\n[remotes.live]\nproject_id = "${path.split('/')[3]}"\n[remotes.live.auth.sms]\nenabled = false\n`;
  const made = await push(newer);
  expect(made).toMatchObject({
    status: 200,
    body: { keys: ['auth.email.enable_signup', 'auth.sms.enable_signup'] },
  });
  expect(loadConfig({ projectDir }).config.auth.email.enable_signup).toBe(false);
  expect((await push(newer)).body.keys).toEqual([]);

  // A file on the server that uses the newer name keeps it.
  writeFileSync(
    join(projectDir, 'supabase/config.toml'),
    fileNow().replace(/enable_signup = false/, 'enabled = false'),
  );
  expect((await push('[auth.email]\nenable_signup = false')).body.keys).toEqual([]);
  expect((await push('[auth.email]\nenable_signup = true')).status).toBe(200);
  expect(fileNow()).toContain('[auth.email]\nenabled = true\n');
  expect(loadConfig({ projectDir }).config.auth.email.enable_signup).toBe(true);
});

test('a setting that can’t be a secret is shown, whatever its name is', async () => {
  const { body } = await push('[auth]\npassword_requirements = "letters_digits"', { dry_run: true });
  expect(body.diff).toContainEqual({ kind: 'added', text: 'password_requirements = "letters_digits"' });
});

test('a push changes the app’s settings in plinth.toml, and keeps those of the machine', async () => {
  const own = '[server]\nmax_wait = "2s"\n';
  writeFileSync(join(projectDir, 'supabase/plinth.toml'), own);
  const plinth = '[branding]\nname = "Notes"\n[server]\nmax_wait = "9s"\n[auth.saml]\nprivate_key = "x"\n';
  const shown = await push('', { plinth, dry_run: true });
  expect(shown.body).toMatchObject({ keys: ['branding.name'], skipped: ['auth.saml.private_key'] });
  expect(shown.body.diff[0]).toEqual({ kind: 'file', text: 'plinth.toml' });
  expect(shown.body.diff).toContainEqual({ kind: 'added', text: 'name = "Notes"' });
  expect((await push('', { plinth })).body.applied).toEqual(['branding.name']);
  expect(readFileSync(join(projectDir, 'supabase/plinth.toml'), 'utf8')).toBe(
    `${own}\n[branding]\nname = "Notes"\n`,
  );
  expect((await push('', { plinth })).body.keys).toEqual([]);
});

test('a push to a project uses its table in [remotes], and never addresses of another machine', async () => {
  const ref = path.split('/')[3];
  const config = `[auth]
site_url = "http://localhost:3000"
jwt_expiry = 1200
[remotes.live]
project_id = "${ref}"
[remotes.live.auth]
jwt_expiry = 1300
[remotes.other]
project_id = "aaaaaaaaaaaaaaaaaaaa"
auth.jwt_expiry = 1400
`;
  const { body } = await push(config);
  expect(body).toMatchObject({ keys: ['auth.jwt_expiry'], skipped: ['auth.site_url'] });
  expect(loadConfig({ projectDir }).config.auth).toMatchObject({
    jwt_expiry: 1300,
    site_url: 'https://app.example',
  });
});

test('buckets are created and changed by developers', async () => {
  const buckets = path.replace(/config$/, 'storage/buckets');
  const send = async (method: string, address: string, body?: object, as = 'dev') => {
    const response = await backend.console.fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${tokens[as]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const settings = { public: true, file_size_limit: 1000, allowed_mime_types: ['image/png'] };
  for (const each of [settings, { ...settings, file_size_limit: null, allowed_mime_types: null }]) {
    expect(await send('PUT', `${buckets}/my%20images`, each)).toEqual({
      status: 200,
      body: { name: 'my images' },
    });
    expect((await send('GET', buckets)).body).toMatchObject([{ name: 'my images', ...each }]);
  }
  expect((await send('PUT', `${buckets}/..%2Fx`, settings)).status).toBe(400);
  expect((await send('PUT', `${buckets}/y`, { ...settings, public: 'yes' })).status).toBe(400);
  expect((await send('PUT', `${buckets}/y`, settings, 'looker')).status).toBe(403);
  expect((await send('GET', buckets)).body).toHaveLength(1);
});

test.each([
  ['an invalid value', '[api]\nmax_rows = "many"', 'api.max_rows'],
  ['an unknown setting', '[auth]\nunknown_setting = 1', "doesn't exist"],
  ['a file that isn’t TOML', '[auth', "can't be read"],
])('a push rejects %s and changes nothing', async (_what, config, reason) => {
  const current = fileNow();
  const response = await push(config);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expect(response.body.message).toContain(reason);
  expect(fileNow()).toBe(current);
});
