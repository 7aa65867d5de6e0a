/**
 * Tests the Console's API and the Management API on a server that saves changed settings in a layer above the project's
 * files. The project's files must stay the same.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { configSourceOf } from '../../src/entry/main.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-saved-'));
const dataDir = join(projectDir, '.plinth');
const savedDir = join(dataDir, 'saved-settings');
const project = {
  'config.toml': `project_id = "demo"

[auth]
jwt_expiry = 3600
site_url = "http://project"

[auth.external.github]
enabled = false
client_id = "app"
secret = "env(GITHUB)"

[auth.sms.test_otp]
15550100 = "424242"

[auth.email.template.recovery]
content_path = "./supabase/recovery.html"
`,
  'recovery.html': '<p>Code {{ .Token }}</p>',
  '.env': 'GITHUB=project-secret\n',
};
const savedPath = join(savedDir, 'config.toml');
const savedText = (): string => (existsSync(savedPath) ? readFileSync(savedPath, 'utf8') : '');

let backend: Backend;
let owner: Operator;
let looker: Operator;
beforeAll(async () => {
  mkdirSync(join(projectDir, 'supabase'));
  for (const [name, text] of Object.entries(project)) writeFileSync(join(projectDir, 'supabase', name), text);
  backend = await startBackend({ projectDir, dataDir, hasSavedSettings: true });
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  looker = await operator(backend, 'looker');
});
afterEach(async () => {
  for (const [name, text] of Object.entries(project))
    expect(readFileSync(join(projectDir, 'supabase', name), 'utf8')).toBe(text);
  expect(existsSync(join(projectDir, 'supabase/templates'))).toBe(false);
  rmSync(savedDir, { recursive: true, force: true });
  await backend.configuration?.reload();
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true });
});

const change = (key: string, value: unknown, more: object = {}) => ({
  file: 'config.toml',
  path: key.split('.'),
  value,
  ...more,
});

async function send(where: string, changes: object[], { by = owner, templates = [] as object[] } = {}) {
  const { stamps } = (await by.call('GET', '/settings')).body;
  return by.call('POST', `/settings${where}`, { changes, templates, stamps });
}

async function shown(key: string, by = owner) {
  const { body } = await by.call('GET', '/settings');
  const all = body.sections.flatMap((section: { settings: { path: string[] }[] }) => section.settings);
  return all.find((setting: { path: string[] }) => setting.path.join('.') === key);
}

/** The configuration with which the server would start. */
const loaded = () => configSourceOf({ projectDir, savedDir }).load().config;

test('a saved value applies immediately, and removing it restores the project’s value', async () => {
  expect((await owner.call('GET', '/settings')).body.savedIn).toBe('node');
  expect(await shown('auth.jwt_expiry')).toMatchObject({ value: 3600, isSet: true, project: null });
  const saved = await send('', [change('auth.jwt_expiry', 7200)]);
  expect(saved).toMatchObject({ status: 200, body: { applied: ['auth.jwt_expiry'] } });
  expect(loaded().auth.jwt_expiry).toBe(7200);
  expect(savedText()).toMatch(/^# .*\n\n\[auth\]\njwt_expiry = 7200\n$/);
  expect(statSync(savedPath).mode & 0o777).toBe(0o600);
  expect(await shown('auth.jwt_expiry')).toMatchObject({
    value: 7200,
    isSet: true,
    project: { value: 3600, isSet: true },
  });
  await send('', [change('auth.jwt_expiry', null, { usesProject: true })]);
  expect(loaded().auth.jwt_expiry).toBe(3600);
  expect(await shown('auth.jwt_expiry')).toMatchObject({ value: 3600, project: null });
});

test('resetting to the default hides the project’s value', async () => {
  await send('', [change('auth.site_url', null), change('auth.jwt_expiry', 60)]);
  expect(savedText()).toContain('unset = ["auth.site_url"]');
  expect(loaded().auth).toMatchObject({ site_url: 'http://127.0.0.1:3000', jwt_expiry: 60 });
  expect(await shown('auth.site_url')).toMatchObject({
    value: null,
    isSet: false,
    project: { value: 'http://project', isSet: true },
  });
  // The project doesn't contain this setting, so that removing the value is enough.
  await send('', [change('auth.sms.max_frequency', '9s')]);
  expect(await shown('auth.sms.max_frequency')).toMatchObject({ project: { value: null, isSet: false } });
  await send('', [change('auth.sms.max_frequency', null), change('auth.site_url', 'http://saved')]);
  expect(savedText()).not.toContain('unset');
  expect(savedText()).not.toContain('max_frequency');
  expect(loaded().auth.site_url).toBe('http://saved');
});

test('the preview, conflicts and the audit log refer to the layer’s file', async () => {
  const preview = await send('/preview', [change('auth.jwt_expiry', 60)]);
  expect(preview.body.diffs).toEqual([
    { file: '.plinth/saved-settings/config.toml', lines: expect.any(Array) },
  ]);
  expect(preview.body.diffs[0].lines).toContainEqual({ kind: 'added', text: 'jwt_expiry = 60' });
  expect(existsSync(savedDir)).toBe(false);
  const { stamps } = (await owner.call('GET', '/settings')).body;
  await send('', [change('auth.jwt_expiry', 60)]);
  const body = { changes: [change('auth.jwt_expiry', 70)], stamps };
  expect((await owner.call('POST', '/settings', body)).status).toBe(409);
  const [entry] = (await owner.call('GET', '/audit')).body.entries;
  expect(entry).toMatchObject({
    action: 'settings.change',
    target: '.plinth/saved-settings/config.toml',
    detail: { changes: [{ name: 'auth.jwt_expiry', from: '3600', to: '60' }] },
  });
});

test('invalid values are rejected, and nothing is saved', async () => {
  const refused = await send('', [change('auth.email.smtp.enabled', true)]);
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain('auth.email.smtp.host');
  expect(existsSync(savedDir)).toBe(false);
});

test('a secret is saved in the layer’s own variable, and the project’s variable keeps its value', async () => {
  const key = 'auth.external.github.secret';
  await send('', [change(key, 'new-secret')]);
  expect(savedText()).toContain('secret = "env(AUTH_EXTERNAL_GITHUB_SECRET)"');
  expect(readFileSync(join(savedDir, '.env'), 'utf8')).toBe("AUTH_EXTERNAL_GITHUB_SECRET='new-secret'\n");
  expect(statSync(join(savedDir, '.env')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(savedDir, '.gitignore'))).toBe(false);
  expect(loaded().auth.external.github.secret).toBe('new-secret');
  expect(await shown(key)).toMatchObject({
    value: 'env(AUTH_EXTERNAL_GITHUB_SECRET)',
    reference: { isSet: true },
    project: { value: 'env(GITHUB)', isSet: true },
  });
  await send('', [change(key, null, { usesProject: true })]);
  expect(loaded().auth.external.github.secret).toBe('project-secret');
  expect(readFileSync(join(savedDir, '.env'), 'utf8')).toBe('');
});

test('read-only operators see neither value of a test code', async () => {
  const key = 'auth.sms.test_otp.15550100';
  await send('', [change(key, '999999')]);
  expect(await shown(key)).toMatchObject({ value: '999999', project: { value: '424242', isSet: true } });
  const limited = await shown(key, looker);
  expect(limited).toMatchObject({ value: null, project: { value: null, isSet: true } });
  await send('', [change(key, null)]);
  expect(loaded().auth.sms.test_otp).toEqual({});
});

test('an edited template of the project is saved as a copy, and can be restored', async () => {
  const key = 'auth.email.template.recovery.content_path';
  const source = async () => (await owner.call('GET', '/settings/mails/recovery')).body;
  const before = await source();
  expect(before).toMatchObject({ file: 'supabase/recovery.html', html: project['recovery.html'] });
  const edit = { name: 'recovery', html: '<p>Saved {{ .Token }}</p>', stamp: before.stamp };
  const preview = await send('/preview', [], { templates: [edit] });
  const file = '.plinth/saved-settings/templates/recovery.html';
  expect(preview.body.diffs.at(-1)).toEqual({
    file,
    lines: [
      { kind: 'removed', text: project['recovery.html'] },
      { kind: 'added', text: edit.html },
    ],
  });
  expect((await send('', [], { templates: [edit] })).status).toBe(200);
  expect(savedText()).toContain('content_path = "saved:recovery.html"');
  expect(await source()).toMatchObject({ file, html: edit.html });
  expect(await shown(key)).toMatchObject({
    value: 'saved:recovery.html',
    project: { value: './supabase/recovery.html', isSet: true },
  });
  // The edit was made to the project's file, which isn't the template anymore.
  expect((await send('', [], { templates: [edit] })).status).toBe(409);
  const second = { ...edit, html: '<p>Second</p>', stamp: (await source()).stamp };
  expect((await send('', [], { templates: [second] })).status).toBe(200);
  expect(await source()).toMatchObject({ file, html: second.html });
  await send('', [change(key, null, { usesProject: true })]);
  expect(await source()).toMatchObject({ file: 'supabase/recovery.html' });
});

test('a setting that needs a restart is pending, and the reason isn’t a change on disk', async () => {
  await send('', [change('api.port', 1234)]);
  expect(backend.configuration?.status().needsRestart.map(({ key }) => key)).toEqual(['api.port']);
  expect(backend.configuration?.health()).toEqual({
    status: 'degraded',
    message: expect.stringMatching(
      /^Settings were changed in the Console or by the management API at .+\. Restart the server to apply them\.$/,
    ),
  });
  const path = join(projectDir, 'supabase/config.toml');
  writeFileSync(path, `${project['config.toml']}[db]\nport = 1\n`);
  expect(backend.configuration?.health().message).toMatch(/^Settings were changed on disk at /);
  writeFileSync(path, project['config.toml']);
});

test('config push saves a template in the layer, and hides the project’s template', async () => {
  const config = (path: string) => `[auth.email.template.recovery]\ncontent_path = "${path}"\n`;
  const push = async (path: string, html?: string) =>
    (await backend.manage('pushConfig', {
      config: config(path),
      templates: html === undefined ? {} : { recovery: html },
    })) as { keys: string[]; skipped: string[] };
  const key = 'auth.email.template.recovery.content_path';
  const source = async () => (await owner.call('GET', '/settings/mails/recovery')).body;
  expect(await push('./mail.html')).toMatchObject({ keys: [], skipped: [key] });
  expect((await push('./mail.html', project['recovery.html'])).keys).toEqual([]);
  expect((await push('./mail.html', '<p>Pushed</p>')).keys).toEqual([key]);
  expect(savedText()).toContain('content_path = "saved:recovery.html"');
  expect(await source()).toMatchObject({
    file: '.plinth/saved-settings/templates/recovery.html',
    html: '<p>Pushed</p>',
  });
  expect((await push('./mail.html', '<p>Pushed</p>')).keys).toEqual([]);
  expect((await push('')).keys).toEqual([key]);
  expect(await source()).toMatchObject({ file: null });
  expect((await push('')).keys).toEqual([]);
});

test('config push and the Management API change the layer', async () => {
  const pushed = (await backend.manage('pushConfig', {
    config: '[auth]\njwt_expiry = 3600\nsite_url = "http://pushed"\n',
  })) as { keys: string[] };
  expect(pushed.keys).toEqual(['auth.site_url']);
  expect(loaded().auth.site_url).toBe('http://pushed');
  await backend.manage('changeHostedService', { service: 'auth', fields: { disable_signup: true } });
  expect(loaded().auth.enable_signup).toBe(false);
  expect(savedText()).toContain('site_url = "http://pushed"\nenable_signup = false\n');
  // A setting without an effect is also saved, so that the next push doesn't contain it.
  const withoutEffect = '[storage.analytics]\nenabled = false\nmax_namespaces = 5\n';
  expect(await backend.manage('pushConfig', { config: withoutEffect })).toMatchObject({
    keys: expect.arrayContaining(['storage.analytics.max_namespaces']),
  });
  expect(await backend.manage('pushConfig', { config: withoutEffect })).toMatchObject({ keys: [] });
});
