/**
 * Tests settings in the Console API: how they are listed without secrets, validated, shown as a diff, and written
 * without losing comments.
 */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { languageTags } from '../../src/base/shared/languages.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-settings-'));
const path = join(projectDir, 'supabase/config.toml');
const template = join(projectDir, 'supabase/recovery.html');
const text = `# Ours
project_id = "demo"

[auth]
# An hour.
jwt_expiry = 3600 # seconds
site_url = "http://127.0.0.1:3000"

[auth.email.smtp]
enabled = false
pass = "hunter2-in-clear"

[auth.sms.test_otp]
15550100 = "424242"

[auth.email.template.recovery]
content_path = "./supabase/recovery.html"
subject = "Again, {{ .Data.name }}"

[edge_runtime.secrets]
STRIPE = "sk_live_in_clear"

[functions.hello]
verify_jwt = false
`;

let backend: Backend;
let restarts = 0;
let owner: Operator;
let dev: Operator;
beforeAll(async () => {
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(path, text);
  writeFileSync(template, '<p>Code {{ .Token }} for {{ .Email }}</p>');
  backend = await startBackend({ projectDir, restart: () => void restarts++ });
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  dev = await operator(backend, 'dev');
});
beforeEach(() => writeFileSync(path, text));
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true });
});

const change = (key: string, value: unknown, file = 'config.toml') => ({ file, path: key.split('.'), value });

async function send(where: string, changes: object[], by = owner) {
  const { stamps } = (await by.call('GET', '/settings')).body;
  return by.call('POST', `/settings${where}`, { changes, stamps });
}

test('each setting is listed with its help, default and value, without secrets', async () => {
  const { body } = await dev.call('GET', '/settings');
  const all = body.sections.flatMap((section: { settings: object[] }) => section.settings) as {
    path: string[];
    value: unknown;
    isSet: boolean;
    help: string;
    default: string | null;
  }[];
  const find = (key: string) => all.find((setting) => setting.path.join('.') === key);
  expect(find('auth.jwt_expiry')).toMatchObject({ value: 3600, isSet: true, default: '3600' });
  expect(find('auth.email.smtp.pass')).toMatchObject({ value: null, isSet: true });
  expect(find('branding.name')).toMatchObject({ isSet: false });
  for (const { help } of all) expect(help).not.toBe('');
  for (const secret of ['hunter2', 'sk_live']) expect(JSON.stringify(body)).not.toContain(secret);
});

test('the preview of a change masks secrets and doesn’t change anything', async () => {
  const { status, body } = await send('/preview', [
    change('auth.jwt_expiry', 7200),
    change('auth.email.smtp.enabled', false),
    change('auth.email.smtp.pass', 'env(SMTP_PASS)'),
  ]);
  expect(status).toBe(200);
  const lines = body.diffs[0].lines.map(
    ({ kind, text: line }: { kind: string; text: string }) => `${kind} ${line}`,
  );
  expect(lines).toContain('removed jwt_expiry = 3600 # seconds');
  expect(lines).toContain('added jwt_expiry = 7200 # seconds');
  expect(lines).toContain('removed pass = "••••••"');
  expect(lines).toContain('added pass = "env(SMTP_PASS)"');
  expect(JSON.stringify(body)).not.toContain('in_clear');
  expect(JSON.stringify(body)).not.toContain('in-clear');
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a change is written without changing the rest of the file, and recorded with old and new values', async () => {
  const { status, body } = await send('', [
    change('auth.jwt_expiry', 7200),
    change('branding.name', 'Ada’s "shop"', 'plinth.toml'),
  ]);
  expect(status).toBe(200);
  expect(body).toEqual({ applied: ['auth.jwt_expiry', 'branding.name'], needsRestart: [], problems: [] });
  expect((await dev.call('GET', '/settings/running')).body).toMatchObject({ changedAt: null, unapplied: [] });
  expect(readFileSync(path, 'utf8')).toBe(text.replace('jwt_expiry = 3600', 'jwt_expiry = 7200'));
  writeFileSync(path, text);
  const plinth = join(projectDir, 'supabase/plinth.toml');
  expect(readFileSync(plinth, 'utf8')).toBe('[branding]\nname = "Ada’s \\"shop\\""\n');
  rmSync(plinth);
  const { body: running } = await dev.call('GET', '/settings/running');
  expect(running.unapplied).toEqual(['auth.jwt_expiry', 'branding.name']);
  expect(Date.parse(running.changedAt)).toBeGreaterThan(Date.now() - 60_000);
  expect((await owner.call('POST', '/settings/reload')).body.applied).toEqual([
    'auth.jwt_expiry',
    'branding.name',
  ]);
  const { entries } = (await owner.call('GET', '/audit?action=settings')).body;
  expect(entries[0]).toMatchObject({ action: 'settings.reload' });
  expect(entries[1]).toMatchObject({
    action: 'settings.change',
    detail: {
      keys: ['auth.jwt_expiry', 'branding.name'],
      changes: [
        { name: 'auth.jwt_expiry', from: '3600', to: '7200' },
        { name: 'branding.name', from: null, to: 'Ada’s "shop"' },
      ],
    },
  });
});

test('settings have labels, pages and search words, and the pages contain every setting', async () => {
  const { pages, sections, callbackUrl } = (await dev.call('GET', '/settings')).body;
  const all = sections.flatMap((section: { settings: object[] }) => section.settings);
  const find = (key: string) => all.find(({ path }: { path: string[] }) => path.join('.') === key);
  expect(find('auth.minimum_password_length')).toMatchObject({
    label: 'Minimum password length',
    unit: 'characters',
    min: 1,
    max: 72,
    override: null,
  });
  const listed = pages.flatMap(({ parts }: { parts: { keys: string[] }[] }) =>
    parts.flatMap(({ keys }) => keys),
  );
  expect(listed).toContain('storage.file_size_limit');
  expect(callbackUrl).toBe(`${backend.url}/auth/v1/callback`);
});

test('values from environment variables are marked as such', async () => {
  process.env.PLINTH_BRANDING_NAME = 'From outside';
  process.env.SETTINGS_TEST_SECRET = 'x';
  writeFileSync(path, `${text}\n[auth.external.github]\nsecret = "env(SETTINGS_TEST_SECRET)"\n`);
  const { body } = await dev.call('GET', '/settings');
  delete process.env.PLINTH_BRANDING_NAME;
  delete process.env.SETTINGS_TEST_SECRET;
  const all = body.sections.flatMap((section: { settings: object[] }) => section.settings);
  const find = (key: string) => all.find((one: { path: string[] }) => one.path.join('.') === key);
  expect(find('branding.name')).toMatchObject({ override: { variable: 'PLINTH_BRANDING_NAME' } });
  expect(find('branding.color')).toMatchObject({ override: null });
  expect(find('auth.external.github.secret')).toMatchObject({
    value: 'env(SETTINGS_TEST_SECRET)',
    reference: { name: 'SETTINGS_TEST_SECRET', isSet: true },
  });
  expect(JSON.stringify(body)).not.toContain('From outside');
});

test('changes are checked with the schema’s own rules while they are edited', async () => {
  const check = async (changes: object[], by = owner) =>
    (await by.call('POST', '/settings/check', { changes })).body;
  expect(await check([change('auth.jwt_expiry', 60)])).toEqual({ faults: [] });
  expect(
    await check([
      change('auth.jwt_expiry', 'abc'),
      change('auth.sessions.timebox', '2 fortnights'),
      change('auth.captcha.enabled', true),
    ]),
  ).toEqual({
    faults: expect.arrayContaining([
      { key: 'auth.jwt_expiry', message: '"abc" isn\'t a whole number' },
      { key: 'auth.sessions.timebox', message: expect.stringContaining("isn't a duration") },
    ]),
  });
  expect(await check([change('auth.jwt_secret', 'env(X)')], dev)).toEqual({
    faults: [{ key: 'auth.jwt_secret', message: 'Only owners can change auth.jwt_secret.' }],
  });
  const looker = await operator(backend, 'looker');
  expect(
    (await looker.call('POST', '/settings/check', { changes: [change('api.max_rows', 5)] })).status,
  ).toBe(403);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a setting that requires a restart is listed with the reason, and the server can be restarted', async () => {
  const { body } = await send('', [change('api.port', 1234), change('api.max_rows', 5)]);
  expect(body).toEqual({
    applied: ['api.max_rows'],
    needsRestart: [{ key: 'api.port', reason: 'ports are opened at startup' }],
    problems: [],
  });
  const { body: running } = await dev.call('GET', '/settings/running');
  expect(running).toMatchObject({
    unapplied: [],
    needsRestart: [{ key: 'api.port' }],
    canReload: true,
    canRestart: true,
  });
  const looker = await operator(backend, 'looker');
  for (const route of ['/settings/reload', '/settings/restart'])
    expect((await looker.call('POST', route)).status).toBe(403);
  expect(restarts).toBe(0);
  expect((await dev.call('POST', '/settings/restart')).status).toBe(403);
  expect((await owner.call('POST', '/settings/restart')).status).toBe(204);
  await expect.poll(() => restarts).toBe(1);
  const { entries } = (await owner.call('GET', '/audit?action=server')).body;
  expect(entries[0]).toMatchObject({ action: 'server.restart', operator_name: 'owner' });
});

test('the server isn’t restarted while the files are invalid', async () => {
  writeFileSync(path, '[auth]\njwt_expiry = 0\n');
  const { body } = await dev.call('GET', '/settings/running');
  expect(body.faults).toEqual(['supabase/config.toml:2: auth.jwt_expiry: 0 is not between 1 and 604800']);
  for (const route of ['/settings/reload', '/settings/restart'])
    expect((await owner.call('POST', route)).status).toBe(400);
  expect(restarts).toBe(1);
});

test('a change that the running server rejects isn’t written', async () => {
  const { status, body } = await send('', [change('branding.logo_path', './recovery.html', 'plinth.toml')]);
  expect([status, body.message]).toEqual([400, expect.stringContaining("isn't an SVG")]);
  expect(existsSync(join(projectDir, 'supabase/plinth.toml'))).toBe(false);
});

test('a number of processes can also be "auto"', async () => {
  const plinthToml = join(projectDir, 'supabase/plinth.toml');
  const refused = await send('', [change('server.workers', 'many', 'plinth.toml')]);
  expect(refused.body.message).toContain('isn\'t a whole number or "auto"');
  const { status, body } = await send('', [change('server.workers', 'auto', 'plinth.toml')]);
  expect([status, body.needsRestart]).toEqual([200, [expect.objectContaining({ key: 'server.workers' })]]);
  expect(readFileSync(plinthToml, 'utf8')).toBe('[server]\nworkers = "auto"\n');
  expect((await send('', [change('server.workers', 3, 'plinth.toml')])).status).toBe(200);
  expect(readFileSync(plinthToml, 'utf8')).toBe('[server]\nworkers = 3\n');
  rmSync(plinthToml);
});

test('resetting a setting to its default removes the line', async () => {
  await send('', [change('auth.site_url', null)]);
  expect(readFileSync(path, 'utf8')).toBe(text.replace('site_url = "http://127.0.0.1:3000"\n', ''));
});

describe('a secret', () => {
  const dotenv = () => join(projectDir, 'supabase/.env');
  const key = 'auth.external.github.secret';
  const name = 'AUTH_EXTERNAL_GITHUB_SECRET';
  const value = `hush'"\\ $HOME\n#x`;
  const github = (secret: unknown) => [
    change('auth.external.github.enabled', true),
    change('auth.external.github.client_id', 'abc'),
    change(key, secret),
  ];
  afterEach(() => {
    rmSync(dotenv(), { recursive: true, force: true });
    writeFileSync(path, text);
  });

  test('is stored in .env, can be replaced and removed, and is never returned', async () => {
    writeFileSync(dotenv(), '# Mine\nexport OTHER=1 # one\n');
    const preview = await send('/preview', github(value));
    expect(preview.body.diffs[0]).toMatchObject({ file: 'supabase/.env' });
    expect(readFileSync(dotenv(), 'utf8')).not.toContain('hush');
    const saved = await send('', github(value));
    expect([saved.status, saved.body.needsRestart]).toEqual([200, []]);
    expect(readFileSync(dotenv(), 'utf8')).toMatch(
      /^# Mine\nexport OTHER=1 # one\nAUTH_EXTERNAL_GITHUB_SECRET=/,
    );
    expect(readFileSync(path, 'utf8')).toContain(`secret = "env(${name})"`);
    expect(loadConfig({ projectDir }).config.auth.external.github.secret).toBe(value);
    const shown = await owner.call('GET', '/settings');
    const replaced = await send('', [change(key, 'hush-2')]);
    expect(replaced.status).toBe(200);
    expect(loadConfig({ projectDir }).environment).toMatchObject({ OTHER: '1', [name]: 'hush-2' });
    const audit = await owner.call('GET', '/audit?action=settings');
    for (const { body } of [preview, saved, shown, replaced, audit])
      expect(JSON.stringify(body)).not.toContain('hush');
    expect(audit.body.entries[0].detail).toMatchObject({
      keys: [key],
      changes: [{ name: key, hidden: 'changed' }],
    });
    await send('', [change('auth.external.github.enabled', false), change(key, null)]);
    expect(readFileSync(dotenv(), 'utf8')).toBe('# Mine\nexport OTHER=1 # one\n');
    expect(readFileSync(path, 'utf8')).not.toContain(name);
  });

  test('is stored in a new file that only the server’s user can read and that Git ignores', async () => {
    mkdirSync(join(projectDir, '.git'), { recursive: true });
    expect((await send('', github('hush'))).status).toBe(200);
    expect(statSync(dotenv()).mode & 0o777).toBe(0o600);
    expect((await send('', [change(key, 'hush-2')])).status).toBe(200);
    expect(readFileSync(join(projectDir, 'supabase/.gitignore'), 'utf8')).toBe('.env\n');
  });

  test('gets its own variable, whatever other settings and variables are called', async () => {
    const vault = (names: Record<string, string | null>) =>
      Object.entries(names).map(([one, secret]) => ({
        file: 'config.toml',
        path: ['db', 'vault', one],
        value: secret,
      }));
    writeFileSync(dotenv(), 'DB_VAULT_A_B_2=mine\n');
    const values = { 'a-b': 'first', a_b: 'second', A_B: 'third' };
    expect((await send('', vault(values))).status).toBe(200);
    expect(loadConfig({ projectDir }).config.db.vault).toEqual(values);
    expect(loadConfig({ projectDir }).environment.DB_VAULT_A_B_2).toBe('mine');
    expect((await send('', vault({ 'a.b': 'fourth', a_b: 'fifth', 'a-b': null }))).status).toBe(200);
    expect(loadConfig({ projectDir }).config.db.vault).toEqual({
      a_b: 'fifth',
      A_B: 'third',
      'a.b': 'fourth',
    });
    await send('', vault({ 'a.b': null, a_b: null, A_B: null }));
    expect(readFileSync(dotenv(), 'utf8')).toBe('DB_VAULT_A_B_2=mine\n');
  });

  test.each([
    ['another setting', 'SHARED=old\n', '[db.vault]\nmine = "env(SHARED)"\n'],
    ['a list', 'SHARED=old\n', '[db.seed]\nsql_paths = ["env(SHARED)"]\n'],
    ['another variable', 'SHARED=old\nMINE="$SHARED"\n', '[db.vault]\nmine = "env(MINE)"\n'],
  ])('leaves a variable alone that %s uses', async (_what, variables, settings) => {
    writeFileSync(dotenv(), variables);
    writeFileSync(path, `${text}${settings}[auth.external.github]\nsecret = "env(SHARED)"\n`);
    expect((await send('', github('hush'))).status).toBe(200);
    expect(readFileSync(dotenv(), 'utf8')).toBe(`${variables}${name}='hush'\n`);
    expect(readFileSync(path, 'utf8')).toContain(`secret = "env(${name})"`);
  });

  test('can be entered only by owners', async () => {
    const { status, body } = await send('', [change(key, 'hush')], dev);
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect(existsSync(dotenv())).toBe(false);
  });

  test('isn’t stored if it would have no effect, or if the file can’t be written', async () => {
    const local = join(projectDir, 'supabase/.env.local');
    writeFileSync(local, `${name}=theirs\n`);
    const hidden = await send('', github('hush'));
    expect([hidden.status, hidden.body.message]).toEqual([409, expect.stringContaining('already sets')]);
    rmSync(local);
    mkdirSync(dotenv());
    const { status, body } = await send('', github('hush'));
    expect([status, body.hint]).toEqual([409, expect.stringContaining(name)]);
    expect(JSON.stringify(body)).not.toContain('hush');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('a change to several files', () => {
  const folder = join(projectDir, 'supabase/templates');
  const dotenv = join(projectDir, 'supabase/.env');
  const invite = (html: string) => ({ name: 'invite', html, stamp: '' });
  afterEach(() => {
    for (const file of [folder, dotenv]) rmSync(file, { recursive: true, force: true });
    writeFileSync(path, text);
  });

  test('that was made at the same time as another one is rejected as a whole', async () => {
    const { stamps } = (await owner.call('GET', '/settings')).body;
    const seconds = [601, 602, 603, 604];
    const saved = await Promise.all(
      seconds.map((value) =>
        owner.call('POST', '/settings', {
          changes: [change('auth.jwt_expiry', value)],
          stamps,
          templates: [invite(`<b>${value}</b>`)],
        }),
      ),
    );
    expect(saved.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const value = seconds[saved.findIndex(({ status }) => status === 200)];
    expect(readFileSync(path, 'utf8')).toContain(`jwt_expiry = ${value} #`);
    expect(readFileSync(join(folder, 'invite.html'), 'utf8')).toBe(`<b>${value}</b>`);
  });

  test('waits until the previous one is finished', async () => {
    const save = async (value: number) =>
      owner.call('POST', '/settings', {
        changes: [change('auth.jwt_expiry', value)],
        stamps: (await owner.call('GET', '/settings')).body.stamps,
      });
    const blocker = await backend.database.pool('supabase_admin').connect();
    try {
      await blocker.exec('begin; lock table _plinth.audit_log in access exclusive mode');
      const first = save(601);
      await expect.poll(() => readFileSync(path, 'utf8')).toContain('jwt_expiry = 601');
      const second = save(602);
      for (let count = 0; count < 20; count++) await owner.call('GET', '/settings');
      expect(readFileSync(path, 'utf8')).toContain('jwt_expiry = 601');
      await blocker.exec('commit');
      expect([(await first).status, (await second).status]).toEqual([200, 200]);
    } finally {
      blocker.release();
    }
    expect(readFileSync(path, 'utf8')).toContain('jwt_expiry = 602');
  });

  test('isn’t written partially if one of the files can’t be written', async () => {
    writeFileSync(dotenv, 'MINE=1\n');
    symlinkSync(join(projectDir, 'missing/templates'), folder);
    const { stamps } = (await owner.call('GET', '/settings')).body;
    const { status, body } = await owner.call('POST', '/settings', {
      changes: [
        change('auth.external.github.client_id', 'abc'),
        change('auth.external.github.secret', 'hush'),
      ],
      stamps,
      templates: [invite('<b></b>')],
    });
    expect([status, body.message]).toEqual([409, expect.stringContaining('templates/invite.html can')]);
    expect(readFileSync(dotenv, 'utf8')).toBe('MINE=1\n');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('a change is rejected without writing anything:', () => {
  test.each([
    ['a value that the schema doesn’t accept', [change('auth.jwt_expiry', 'soon')], "isn't a whole number"],
    ['an unknown setting', [change('auth.no_such', 1)], "The setting auth.no_such doesn't exist"],
    [
      'one invalid value among valid ones',
      [change('auth.jwt_expiry', 60), change('api.port', 99_999)],
      "isn't a port",
    ],
    ['a prototype property', [change('__proto__.x', 1)], "The setting __proto__.x doesn't exist"],
    ['another file', [change('auth.jwt_expiry', 1, '../../etc/passwd')], 'file'],
  ])('%s', async (_what, changes, message) => {
    for (const where of ['/preview', '']) {
      const { status, body } = await send(where, changes);
      expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('a file that was changed on disk in the meantime', async () => {
    const { stamps } = (await owner.call('GET', '/settings')).body;
    writeFileSync(path, `${text}# theirs\n`);
    const { status, body } = await owner.call('POST', '/settings', {
      changes: [change('auth.jwt_expiry', 60)],
      stamps,
    });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(readFileSync(path, 'utf8')).toBe(`${text}# theirs\n`);
  });

  test('a developer’s change of a setting that only owners can change', async () => {
    for (const changes of [
      [change('console.require_mfa', false, 'plinth.toml')],
      [change('auth.jwt_secret', 'env(MINE)')],
      [change('auth.hook.send_email.enabled', true)],
    ]) {
      const { status, body } = await send('', changes, dev);
      expect([changes[0]?.path, status, body.code]).toEqual([changes[0]?.path, 403, 'forbidden']);
    }
    expect((await send('/preview', [change('auth.jwt_expiry', 60)], dev)).status).toBe(200);
  });

  test('a value with a line break can’t add another setting', async () => {
    await send('', [change('auth.site_url', 'http://x\n[api]\nport = 1')]);
    const written = readFileSync(path, 'utf8');
    expect(written).toContain('site_url = "http://x\\n[api]\\nport = 1"');
    expect(written.split('\n')).toHaveLength(text.split('\n').length);
  });
});

describe('names that the user chooses', () => {
  async function section(key: string, by = owner) {
    const { sections } = (await by.call('GET', '/settings')).body;
    return sections.find(
      (one: { path: string[]; names?: object }) => one.names !== undefined && one.path.join('.') === key,
    );
  }
  const values = ({ settings }: { settings: { path: string[]; value: unknown; isSet: boolean }[] }) =>
    Object.fromEntries(settings.map((one) => [one.path.join('.'), one.isSet ? one.value : undefined]));

  test('are shown with their contents, but a secret is shown only as set', async () => {
    expect(values(await section('functions'))).toMatchObject({
      'functions.hello.verify_jwt': false,
      'functions.hello.entrypoint': undefined,
    });
    expect((await section('functions')).names).toMatchObject({ placeholder: 'SLUG', upperCase: false });
    expect(values(await section('functions.hello.env'))).toEqual({});
    expect(values(await section('edge_runtime.secrets'))).toEqual({ 'edge_runtime.secrets.STRIPE': null });
    expect(values(await section('auth.sms.test_otp'))).toEqual({ 'auth.sms.test_otp.15550100': '424242' });
  });

  test('can be test phone numbers, whose codes are hidden from read-only operators', async () => {
    const looker = await operator(backend, 'looker');
    expect(values(await section('auth.sms.test_otp', looker))).toEqual({
      'auth.sms.test_otp.15550100': null,
    });
    expect(JSON.stringify((await looker.call('GET', '/settings')).body)).not.toContain('424242');
  });

  test('can be added and changed', async () => {
    const { status } = await send('', [
      change('auth.sms.test_otp.15550123', '123456'),
      change('functions.greet.verify_jwt', false),
      change('functions.hello.env.MAIL_KEY', 'env(MAIL_KEY)'),
      change('edge_runtime.secrets.NEW', 'env(NEW)'),
      change('edge_runtime.secrets.STRIPE', null),
    ]);
    expect(status).toBe(200);
    const written = readFileSync(path, 'utf8');
    expect(written).toContain('15550100 = "424242"\n15550123 = "123456"\n');
    expect(written).toContain('[functions.greet]\nverify_jwt = false\n');
    expect(written).toContain('[functions.hello.env]\nMAIL_KEY = "env(MAIL_KEY)"\n');
    expect(written).toContain('[edge_runtime.secrets]\nNEW = "env(NEW)"\n');
    expect(values(await section('functions.hello.env'))).toEqual({
      'functions.hello.env.MAIL_KEY': 'env(MAIL_KEY)',
    });
  });

  test.each([
    ['an invalid name', 'functions.9lives.verify_jwt', false, "isn't a valid name"],
    [
      'an unknown setting of a name',
      'functions.hello.no_such',
      1,
      "The setting functions.hello.no_such doesn't exist",
    ],
    [
      'an inherited property',
      'auth.sms.test_otp.__proto__',
      'x',
      "The setting auth.sms.test_otp.__proto__ doesn't exist",
    ],
  ])('are rejected: %s', async (_what, key, value, message) => {
    const { status, body } = await send('', [change(key, value)]);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

test('an invalid TOML file is reported as such', async () => {
  writeFileSync(path, '[auth\n');
  const { status, body } = await owner.call('GET', '/settings');
  expect([status, body.code, body.message]).toEqual([409, 'refused', expect.stringContaining('config.toml')]);
});

describe('emails', () => {
  const render = async (name: string, draft: object = {}, by = dev) =>
    by.call('POST', `/settings/mails/${name}/preview`, {
      language: 'en',
      subject: null,
      html: null,
      ...draft,
    });
  const framed = async (frame: string) => {
    const { body, headers } = await dev.call('GET', `/settings/frames/${frame}`);
    return { body, policy: headers.get('content-security-policy') ?? '' };
  };

  test('can be previewed with sample values in every language', async () => {
    const { mails, languages, variables } = (await dev.call('GET', '/settings/mails')).body;
    const names = mails.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['confirmation', 'password_changed_notification']));
    expect(languages).toEqual(languageTags);
    expect(variables).toContainEqual({ name: 'Token', sample: '123456' });
    for (const name of names) {
      for (const language of languages) {
        const { body } = await render(name, { language });
        expect([name, body.fault]).toEqual([name, null]);
        expect([name, `${body.subject} ${body.text}`]).not.toEqual([name, expect.stringContaining('{{')]);
      }
    }
    expect((await render('magic_link', { language: 'ar' })).body.text).toMatch(/\p{Script=Arabic}/u);
    expect((await render('no_such')).status).toBe(404);
    expect((await render('constructor')).status).toBe(404);
    expect((await dev.call('GET', '/settings/mails/constructor')).status).toBe(404);
  });

  test('from the project’s templates are read again for each preview, in a frame that can’t run scripts', async () => {
    const first = (await render('recovery')).body;
    expect(first).toEqual({
      subject: 'Again, Ada Lovelace',
      text: 'Code 123456 for ada@example.com',
      frame: expect.any(String),
      file: 'supabase/recovery.html',
      fault: null,
    });
    writeFileSync(template, '<script>alert(1)</script><p>New {{ .Token }}</p>');
    const { body, policy } = await framed((await render('recovery')).body.frame);
    expect(body).toContain('New 123456');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('sandbox allow-popups allow-popups-to-escape-sandbox');
    expect((await dev.call('GET', '/settings/frames/other')).status).toBe(404);
  });

  test('with an invalid template show an error and the built-in template', async () => {
    writeFileSync(template, '{{ if }}');
    const { body } = await render('recovery');
    expect(body.fault).not.toBeNull();
    expect(body.text).toContain('123456');
    expect((await framed(body.frame)).body).toContain('Reset your password');
  });

  test('are rendered from an edited template that isn’t saved, which can depend on the language', async () => {
    const html = '<p>{{ if eq .Language "ar" }}رمز{{ else }}Code{{ end }} {{ .Token }} {{ .Brand.name }}</p>';
    const draft = { subject: 'Hi {{ .Email }}', html };
    expect((await render('invite', draft)).body).toMatchObject({
      subject: 'Hi ada@example.com',
      text: 'Code 123456 demo',
      fault: null,
    });
    expect((await render('invite', { ...draft, language: 'ar' })).body.text).toBe('رمز 123456 demo');
    expect((await render('invite', { html: '{{ if }}' })).body.fault).toContain('if');
    expect((await dev.call('GET', '/settings/mails/invite')).body).toMatchObject({ stamp: '', file: null });
  });

  test('are rendered for read-only operators only as they are saved', async () => {
    const looker = await operator(backend, 'looker');
    const preview = (draft: object) =>
      looker.call('POST', '/settings/mails/invite/preview', {
        language: 'en',
        subject: null,
        html: null,
        ...draft,
      });
    expect((await preview({})).status).toBe(200);
    expect((await preview({ html: '<p>' })).status).toBe(403);
    expect((await preview({ subject: '{{range $}}{{end}}' })).status).toBe(403);
  });

  test('an edited template can be reviewed, and is written as a file together with its setting', async () => {
    const file = join(projectDir, 'supabase/templates/invite.html');
    const { stamps } = (await owner.call('GET', '/settings')).body;
    const edit = {
      changes: [],
      stamps,
      templates: [{ name: 'invite', html: '<b>{{ .Email }}</b>\n', stamp: '' }],
    };
    const preview = (await owner.call('POST', '/settings/preview', edit)).body;
    expect(preview.diffs.map((diff: { file: string }) => diff.file)).toEqual([
      'supabase/config.toml',
      'supabase/templates/invite.html',
    ]);
    expect(preview.warnings).toEqual([]);
    expect(existsSync(file)).toBe(false);
    expect((await dev.call('POST', '/settings', edit)).status).toBe(403);
    expect((await owner.call('POST', '/settings', edit)).body).toMatchObject({ problems: [] });
    expect(readFileSync(file, 'utf8')).toBe('<b>{{ .Email }}</b>\n');
    expect(readFileSync(path, 'utf8')).toContain('content_path = "./supabase/templates/invite.html"');
    const { entries } = (await owner.call('GET', '/audit?action=settings.change')).body;
    expect(entries[0].target).toBe('supabase/config.toml, supabase/templates/invite.html');

    const source = (await dev.call('GET', '/settings/mails/invite')).body;
    expect(source).toMatchObject({ html: '<b>{{ .Email }}</b>\n', file: 'supabase/templates/invite.html' });
    const again = async (more: object) =>
      owner.call('POST', '/settings', {
        changes: [],
        stamps: (await owner.call('GET', '/settings')).body.stamps,
        templates: [{ name: 'invite', html: '<i>x</i>', stamp: source.stamp, ...more }],
      });
    expect((await again({ stamp: '' })).status).toBe(409);
    expect((await again({ html: '{{ if }}' })).body.message).toContain('The template is invalid');
    expect((await again({ name: 'passkey_added_notification' })).status).toBe(404);
    expect((await again({ name: '../config' })).status).toBe(404);
    expect((await again({})).status).toBe(200);
    expect(readFileSync(file, 'utf8')).toBe('<i>x</i>');
    rmSync(file);
  });

  test('a template is written only to a file with the extension of a template', async () => {
    writeFileSync(path, '[auth.email.template.invite]\ncontent_path = "./supabase/config.toml"\n');
    await owner.call('POST', '/settings/reload');
    const { stamps } = (await owner.call('GET', '/settings')).body;
    const { stamp } = (await owner.call('GET', '/settings/mails/invite')).body;
    const { status, body } = await owner.call('POST', '/settings', {
      changes: [],
      stamps,
      templates: [{ name: 'invite', html: '[auth]', stamp }],
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining("doesn't end with .html")]);
    writeFileSync(path, text);
    await owner.call('POST', '/settings/reload');
  });

  test('can be sent as a test, and arrive in the inbox as previewed', async () => {
    const body = { to: 'ada@example.com', template: 'magic_link' };
    expect((await owner.call('POST', '/settings/test-mail', body)).status).toBe(204);
    const { messages } = (await owner.call('GET', '/inbox')).body;
    expect(messages[0]).toMatchObject({
      to: 'ada@example.com',
      subject: 'Your sign-in link',
      code: '123456',
    });
    for (const bad of [{ to: 'x', template: 'magic_link' }, { to: 'ada@example.com' }])
      expect((await owner.call('POST', '/settings/test-mail', bad)).status).toBe(400);
  });
});

test('a test text message is sent and arrives in the inbox', async () => {
  expect((await owner.call('POST', '/settings/test-text', { to: '+1 5550123' })).status).toBe(204);
  const { messages } = (await owner.call('GET', '/inbox')).body;
  expect(messages[0]).toMatchObject({ kind: 'sms', to: '15550123', code: '123456' });

  // Like text messages to users, test messages contain the project's name, or the text that the project defines.
  const branding = join(projectDir, 'supabase/plinth.toml');
  writeFileSync(branding, '[branding]\nname = "Harbor"\n');
  await owner.call('POST', '/settings/reload');
  const latest = async () => (await owner.call('GET', '/inbox')).body.messages[0];
  await owner.call('POST', '/settings/test-text', { to: '+1 5550123' });
  expect((await latest()).snippet).toContain('123456 is your Harbor code.');
  await owner.call('POST', '/settings/test-mail', { to: 'ada@example.com', template: 'magic_link' });
  expect((await latest()).from.name).toBe('Harbor');
  writeFileSync(path, `${text}\n[auth.sms]\ntemplate = "Ahoy: {{ .Code }}"\n`);
  await owner.call('POST', '/settings/reload');
  await owner.call('POST', '/settings/test-text', { to: '+1 5550123' });
  expect((await latest()).snippet).toBe('Ahoy: 123456');
  rmSync(branding);
  writeFileSync(path, text);
  await owner.call('POST', '/settings/reload');
  expect((await owner.call('POST', '/settings/test-text', { to: 'x' })).status).toBe(400);
  const looker = await operator(backend, 'looker');
  expect((await looker.call('POST', '/settings/test-text', { to: '15550123' })).status).toBe(403);
});

describe('a test of a provider', () => {
  let answer: (response: ServerResponse) => void;
  let asked: URL | undefined;
  const provider = createServer((request, response) => {
    asked = new URL(request.url ?? '', 'http://provider');
    answer(response);
  });
  beforeAll(() => new Promise<void>((done) => void provider.listen(0, '127.0.0.1', done)));
  afterAll(() => void provider.close());

  const trial = async (name: string, by = owner) => by.call('POST', '/settings/test-provider', { name });
  const results = (body: { checks: { id: string; result: string }[] }) =>
    Object.fromEntries(body.checks.map(({ id, result }) => [id, result]));

  async function configure(lines: string) {
    writeFileSync(path, `${text}\n[auth.external.gitlab]\n${lines}\n`);
    expect((await owner.call('POST', '/settings/reload')).status).toBe(200);
  }

  test('without a client ID lists what is missing and doesn’t send a request', async () => {
    const { body } = await trial('google');
    expect(results(body)).toEqual({
      enabled: 'failed',
      'client-id': 'failed',
      secret: 'failed',
      callback: 'passed',
    });
  });

  test('sends the client ID and the callback URL to its authorization endpoint', async () => {
    process.env.SETTINGS_TEST_GITLAB = 'shh';
    const { port } = provider.address() as AddressInfo;
    await configure(
      `enabled = true\nclient_id = "app-1"\nsecret = "env(SETTINGS_TEST_GITLAB)"\nurl = "http://127.0.0.1:${port}"`,
    );
    answer = (response) => void response.writeHead(302, { location: '/users/sign_in' }).end();
    expect(results((await trial('gitlab')).body)).toEqual({
      enabled: 'passed',
      'client-id': 'passed',
      secret: 'passed',
      callback: 'passed',
      reachable: 'passed',
      accepted: 'unknown',
    });
    expect(asked?.searchParams.get('client_id')).toBe('app-1');
    expect(asked?.searchParams.get('redirect_uri')).toBe(`${backend.url}/auth/v1/callback`);
    expect(asked?.href).not.toContain('shh');

    answer = (response) => void response.writeHead(401).end('The redirect URI is not valid');
    expect(results((await trial('gitlab')).body)).toMatchObject({ reachable: 'passed', accepted: 'failed' });
    answer = (response) => void response.destroy();
    expect(results((await trial('gitlab')).body)).toMatchObject({ reachable: 'failed' });
    delete process.env.SETTINGS_TEST_GITLAB;
  });

  test('requires the permission to change data, and is recorded in the audit log', async () => {
    expect((await trial('no_such')).status).toBe(404);
    expect((await trial('constructor')).status).toBe(404);
    expect((await trial('google', await operator(backend, 'looker'))).status).toBe(403);
    const { entries } = (await owner.call('GET', '/audit?action=settings.test-provider')).body;
    expect(entries[0]).toMatchObject({ target: 'gitlab', operator_name: 'owner' });
    writeFileSync(path, text);
    await owner.call('POST', '/settings/reload');
  });
});

describe('a test of a hook', () => {
  const call = async (name: string, by = owner) => by.call('POST', '/settings/test-hook', { name });
  async function configure(uri: string) {
    writeFileSync(path, `${text}\n[auth.hook.custom_access_token]\nenabled = false\nuri = "${uri}"\n`);
    expect((await owner.call('POST', '/settings/reload')).status).toBe(200);
  }

  test('calls the PostgreSQL function and rolls its changes back', async () => {
    const db = backend.database.pool('postgres');
    await db.exec(`
      create function public.claims_hook(event jsonb) returns jsonb language plpgsql security definer as $$
      begin
        insert into public.keyless values ('from the hook');
        return jsonb_build_object('claims', event->'claims' || '{"tier": "gold"}');
      end $$;
      grant execute on function public.claims_hook to supabase_auth_admin;`);
    await configure('pg-functions://postgres/public/claims_hook');
    const { body } = await call('custom_access_token');
    expect(body).toMatchObject({
      error: null,
      isRolledBack: true,
      payload: { authentication_method: 'password' },
      response: { claims: { tier: 'gold', email: 'ada@example.com' } },
    });
    const rows = await db.query(sql`select * from public.keyless where name = 'from the hook'`);
    expect(rows).toEqual([]);
  });

  test('shows the hook’s error', async () => {
    await configure('pg-functions://postgres/public/no_such_hook');
    const { body } = await call('custom_access_token');
    expect(body).toMatchObject({ response: null, error: expect.stringContaining('no_such_hook') });
    expect((await call('send_email')).body.error).toContain('save it first');
    expect((await call('no_such')).status).toBe(404);
    expect((await call('send_email', await operator(backend, 'looker'))).status).toBe(403);
    writeFileSync(path, text);
    await owner.call('POST', '/settings/reload');
  });
});
