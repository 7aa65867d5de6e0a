/** Tests the requests with which upstream's CLI 3.1 pushes settings: `supabase config push`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Backend } from './harness.ts';

const before = `project_id = "server"
[api]
max_rows = 100
[auth]
site_url = "https://server.example"
`;

/** The number of fields in the CLI's type for the auth configuration. All of these fields are required. */
const requiredAuthFields = 238;
const notNull = [
  'mailer_otp_exp',
  'mfa_phone_otp_length',
  'sms_otp_length',
  'passkey_enabled',
  'oauth_server_enabled',
  'oauth_server_allow_dynamic_registration',
  'custom_oauth_enabled',
  'custom_oauth_max_providers',
];

let projectDir: string;
let backend: Backend;
let ref: string;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-hosted-push-'));
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(join(projectDir, 'supabase/config.toml'), before);
  backend = await createTestBackend({ projectDir });
  await backend.operators.createOperator('owner', 'owner');
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  for (const name of ['owner', 'dev', 'looker'])
    tokens[name] = (await backend.operators.tokens.create(name, name, 3600)).token;
  ref = (await send('GET', '/v1/projects')).body[0].ref;
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

async function send(method: string, path: string, body?: object, as = 'owner') {
  const response = await backend.console.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${tokens[as]}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
const fileNow = (): string => readFileSync(join(projectDir, 'supabase/config.toml'), 'utf8');
const secret = /_(?:secrets?|pass|auth_token|access_key|api_key)$/;
const attributes = async () => (await send('GET', `/v2/projects/${ref}/config`)).body.data.attributes;

test('a project doesn’t have add-ons', async () => {
  expect(await send('GET', `/v1/projects/${ref}/billing/addons`)).toEqual({
    status: 200,
    body: { selected_addons: [], available_addons: [] },
  });
});

test('the settings have the names and units of the hosted service, without secrets', async () => {
  const { body } = await send('GET', `/v2/projects/${ref}/config`);
  expect(body.data).toMatchObject({ id: ref, type: 'project_config' });
  expect(body.data.attributes).toMatchObject({
    api: { max_rows: 100, db_schema: expect.stringContaining('public') },
    auth: {
      site_url: 'https://server.example',
      disable_signup: false,
      mailer_autoconfirm: true,
      smtp_max_frequency: 1,
    },
    storage: { file_size_limit: 50 * 1024 * 1024 },
  });
  expect(Object.keys(body.data.attributes)).toEqual(['api', 'auth', 'storage']);
  expect(Object.keys(body.data.attributes.auth).filter((name) => secret.test(name))).toEqual([]);
});

test('changes are applied, and written to config.toml with that file’s names and units', async () => {
  expect((await send('PATCH', `/v1/projects/${ref}/postgrest`, { max_rows: 50 })).body).toEqual({
    db_schema: 'public,graphql_public',
    db_extra_search_path: 'public,extensions',
    max_rows: 50,
    db_pool: null,
    db_pool_acquisition_timeout: null,
    db_pool_max_lifetime: null,
    db_pool_max_idletime: null,
  });
  const auth = {
    site_url: 'https://app.example',
    uri_allow_list: 'https://app.example/a,https://app.example/b',
    disable_signup: true,
    smtp_max_frequency: 30,
    sessions_timebox: 1.5,
  };
  expect((await send('PATCH', `/v1/projects/${ref}/config/auth`, auth)).status).toBe(200);
  expect((await send('PATCH', `/v1/projects/${ref}/config/storage`, { fileSizeLimit: 1000 })).status).toBe(
    200,
  );
  for (const line of [
    'max_rows = 50',
    'site_url = "https://app.example"',
    'additional_redirect_urls = ["https://app.example/a", "https://app.example/b"]',
    'enable_signup = false',
    'max_frequency = "30s"',
    'timebox = "5400s"',
    'file_size_limit = 1000',
  ])
    expect(fileNow()).toContain(line);
  // Plinth doesn't have vector buckets, but upstream's default config.toml has a setting for them.
  const features = {
    imageTransformation: { enabled: true },
    vectorBuckets: { enabled: true, maxBuckets: 7 },
  };
  expect((await send('PATCH', `/v1/projects/${ref}/config/storage`, { features })).status).toBe(200);
  expect(await attributes()).toMatchObject({
    api: { max_rows: 50 },
    auth,
    storage: {
      file_size_limit: 1000,
      features: {
        image_transformation: { enabled: true },
        vector_buckets: { enabled: true, max_buckets: 7 },
      },
    },
  });
});

test('responses contain every field that the CLI requires, and null instead of secrets', async () => {
  const change = { password_required_characters: '', mailer_notifications_password_changed_enabled: true };
  const { status, body } = await send('PATCH', `/v1/projects/${ref}/config/auth`, change);
  expect(status).toBe(200);
  expect(await send('GET', `/v1/projects/${ref}/config/auth`)).toEqual({ status: 200, body });
  expect(body).toMatchObject({
    ...change,
    external_github_enabled: false,
    external_github_secret: null,
    hook_send_sms_secrets: null,
    mailer_templates_recovery_content: null,
    smtp_host: null,
    sms_provider: null,
  });
  expect(Object.keys(body).length).toBeGreaterThanOrEqual(requiredAuthFields);
  // The CLI doesn't accept null for these fields.
  for (const name of notNull) expect([name, typeof body[name]]).not.toEqual([name, 'object']);
  expect(Object.entries(body).filter(([name, value]) => secret.test(name) && value !== null)).toEqual([]);
  expect((await send('GET', `/v1/projects/${ref}/config/storage`)).body).toMatchObject({
    fileSizeLimit: 1000,
    features: { imageTransformation: { enabled: true }, s3Protocol: { enabled: true } },
    migrationVersion: null,
  });
});

test('settings without a counterpart and invalid values are rejected, and nothing is changed', async () => {
  const current = fileNow();
  for (const [fields, reason] of [
    [{ site_url: 'https://other.example', external_github_secret: 'x' }, 'external_github_secret'],
    [{ jwt_exp: 'long' }, 'jwt_exp'],
    [{ jwt_exp: -1 }, 'auth.jwt_expiry'],
  ] as const) {
    const { status, body } = await send('PATCH', `/v1/projects/${ref}/config/auth`, fields);
    expect([status, body.message]).toEqual([400, expect.stringContaining(reason)]);
  }
  expect(fileNow()).toBe(current);
});

test('the content of an email template is stored, returned, and removed with null', async () => {
  const change = (fields: object) => send('PATCH', `/v1/projects/${ref}/config/auth`, fields);
  const contents = {
    mailer_templates_invite_content: '<p>Invited {{ .Token }}</p>',
    mailer_templates_password_changed_notification_content: '<p>Changed</p>',
  };
  const { status, body } = await change(contents);
  expect([status, body]).toEqual([200, expect.objectContaining(contents)]);
  expect((await attributes()).auth).toMatchObject(contents);
  expect(fileNow()).toContain('content_path = "./supabase/templates/password_changed_notification.html"');
  expect(readFileSync(join(projectDir, 'supabase/templates/invite.html'), 'utf8')).toBe(
    contents.mailer_templates_invite_content,
  );
  const tooLong = await change({ mailer_templates_invite_content: '\n'.repeat(2000) });
  expect([tooLong.status, tooLong.body.message]).toEqual([400, expect.stringContaining('2000 lines')]);
  const empty = { ...contents, mailer_templates_invite_content: null };
  expect((await change({ mailer_templates_invite_content: null })).body).toMatchObject(empty);
  expect((await change({ mailer_templates_password_changed_notification_content: '' })).status).toBe(200);
  expect(fileNow()).not.toContain('content_path');
});

test('an email that shares its file with another email gets a file when its template changes', async () => {
  const text = fileNow();
  const shared = ['invite', 'recovery']
    .map((name) => `[auth.email.template.${name}]\ncontent_path = "./supabase/both.html"\n`)
    .join('');
  writeFileSync(join(projectDir, 'supabase/both.html'), '<p>Both</p>');
  writeFileSync(join(projectDir, 'supabase/config.toml'), `${before}${shared}`);
  const change = (fields: object) => send('PATCH', `/v1/projects/${ref}/config/auth`, fields);
  const same = {
    mailer_templates_invite_content: '<p>Same</p>',
    mailer_templates_recovery_content: '<p>Same</p>',
  };
  expect((await change(same)).body).toMatchObject(same);
  expect(readFileSync(join(projectDir, 'supabase/both.html'), 'utf8')).toBe('<p>Same</p>');
  const own = { ...same, mailer_templates_recovery_content: '<p>Own</p>' };
  expect((await change({ mailer_templates_recovery_content: '<p>Own</p>' })).body).toMatchObject(own);
  writeFileSync(join(projectDir, 'supabase/config.toml'), text);
});

test('only owners can change settings', async () => {
  expect((await send('GET', `/v2/projects/${ref}/config`, undefined, 'dev')).status).toBe(200);
  expect((await send('PATCH', `/v1/projects/${ref}/postgrest`, { max_rows: 1 }, 'dev')).status).toBe(403);
  expect((await attributes()).api.max_rows).toBe(50);
});

test('the values of environment variables are hidden from read-only operators', async () => {
  const variables = {
    GITHUB_ID: 'id-hush',
    SMTP_USER: 'user-hush',
    PLACE: 'https://hush.example',
    ROWS: '7',
  };
  writeFileSync(
    join(projectDir, 'supabase/.env'),
    Object.entries({ ...variables, SUPABASE_AUTH_SITE_URL: 'https://hush.example' })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  writeFileSync(
    join(projectDir, 'supabase/config.toml'),
    `[api]\nmax_rows = "env(ROWS)"
[auth]\nsite_url = "https://app.example"\nadditional_redirect_urls = ["https://a.example", "env(PLACE)"]
[auth.external.github]\nclient_id = "env(GITHUB_ID)"
[auth.email.smtp]\nenabled = true\nhost = "mail.example"\nport = 25\nuser = "env(SMTP_USER)"\npass = "x"
admin_email = "a@example.com"\n`,
  );
  const shown = {
    api: { max_rows: 7 },
    auth: {
      site_url: 'env(SUPABASE_AUTH_SITE_URL)',
      uri_allow_list: 'https://a.example,env(PLACE)',
      external_github_client_id: 'env(GITHUB_ID)',
      smtp_host: 'mail.example',
      smtp_user: 'env(SMTP_USER)',
    },
  };
  const all = await send('GET', `/v2/projects/${ref}/config`, undefined, 'looker');
  expect(all.body.data.attributes).toMatchObject(shown);
  const auth = await send('GET', `/v1/projects/${ref}/config/auth`, undefined, 'looker');
  expect(auth.body).toMatchObject(shown.auth);
  expect(JSON.stringify([all, auth])).not.toContain('hush');
  expect((await attributes()).auth.external_github_client_id).toBe('id-hush');
});

test('invalid files are reported with their lines, and values of variables only to those who may see secrets', async () => {
  const file = join(projectDir, 'supabase/config.toml');
  const text = fileNow();
  writeFileSync(join(projectDir, 'supabase/.env'), 'ROWS=hush\n');
  writeFileSync(file, '[api]\nmax_rows = "env(ROWS)"\n');
  try {
    for (const path of [`/v2/projects/${ref}/config`, `/v1/projects/${ref}/postgrest`]) {
      const owner = await send('GET', path);
      expect(owner).toEqual({
        status: 409,
        body: { message: expect.stringMatching(/config\.toml:2: api\.max_rows: .*hush/) },
      });
      const looker = await send('GET', path, undefined, 'looker');
      expect(looker).toEqual({
        status: 409,
        body: { message: expect.stringMatching(/config\.toml:2: api\.max_rows: Invalid$/) },
      });
    }
    writeFileSync(file, '[api]\n\nmax_rows = @\n');
    expect(await send('GET', `/v2/projects/${ref}/config`)).toEqual({
      status: 409,
      body: { message: expect.stringContaining('config.toml:3') },
    });
  } finally {
    rmSync(join(projectDir, 'supabase/.env'));
    writeFileSync(file, text);
  }
});
