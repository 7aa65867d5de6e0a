import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, configFrom, defaultConfig, loadConfig } from '../../src/platform/config/index.ts';
import { makeProject } from './project-folder.ts';

/** Loads a config.toml and other files without this machine's environment. */
function load(toml: string, files: Record<string, string> = {}, env: Record<string, string> = {}) {
  const projectDir = makeProject({ 'supabase/config.toml': toml, ...files });
  return { projectDir, ...loadConfig({ projectDir, env }) };
}

function faultsOf(toml: string, files: Record<string, string> = {}): string[] {
  try {
    load(toml, files);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).faults.map(
      ({ key, message, location }) => `${location?.line ?? '-'} ${key}: ${message}`,
    );
  }
  return [];
}

test('files that a Windows editor or shell saved as UTF-16 are read', () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
  const projectDir = makeProject({
    'supabase/config.toml': utf16('project_id = "env(NAME)"\r\n[api]\r\nport = 1234\r\n'),
    'supabase/.env': utf16('NAME="räksmörgås"\r\n'),
  });
  const { config } = loadConfig({ projectDir, env: {} });
  expect(config.api.port).toBe(1234);
  expect(config.project_id).toBe('r_ksm_rg_s');
});

describe('the defaults', () => {
  test('apply without any file', () => {
    const projectDir = makeProject({});
    const { config, warnings } = loadConfig({ projectDir, env: {} });
    expect(warnings).toEqual([]);
    expect(config.project_id).toBe('my-project');
    expect(config.api.port).toBe(54321);
    expect(config.api.schemas).toEqual(['public', 'graphql_public']);
    expect(config.api.auto_expose_new_tables).toBeUndefined();
    expect(config.db.health_timeout).toBe(120_000);
    expect(config.storage.file_size_limit).toBe(52_428_800);
    expect(config.auth.email.max_frequency).toBe(1000);
    expect(config.auth.external.google.enabled).toBe(false);
    expect(config.functions.hello).toBeUndefined();
    expect(config.plinth.safe_update.enabled).toBe(true);
  });

  test('convert an invalid project_id to a valid one', () => {
    const projectDir = makeProject({}, '_My project (2)');
    expect(loadConfig({ projectDir, env: {} }).config.project_id).toBe('My_project_2_');
  });

  test('are the same in defaultConfig and configFrom', () => {
    expect(defaultConfig().auth.jwt_expiry).toBe(3600);
    const config = configFrom({
      auth: { jwt_expiry: 60, email: { max_frequency: 0 } },
      storage: { file_size_limit: 1024, buckets: { a: { public: true } } },
      plinth: { rest: { connections: 2 } },
    });
    expect(config.auth.jwt_expiry).toBe(60);
    expect(config.auth.email.max_frequency).toBe(0);
    expect(config.storage.buckets.a).toMatchObject({ public: true, allowed_mime_types: [] });
    expect(config.plinth.rest.connections).toBe(2);
    expect(() => configFrom({ auth: { jwt_expiry: 0 } })).toThrow(ConfigError);
  });
});

describe('values', () => {
  test('of every type are read', () => {
    const { config, projectDir } = load(
      `
      [api]
      port = 1234
      schemas = ["api"]
      [db]
      health_timeout = "2m30s"
      [db.pooler]
      pool_mode = "session"
      [auth]
      signing_keys_path = "./keys.json"
      [auth.sms.test_otp]
      4152127777 = "123456"
      [storage.buckets.images]
      file_size_limit = "5MB"
      objects_path = "./images"
      [functions.hello]
      verify_jwt = false
      entrypoint = "./functions/hello/main.ts"
      [edge_runtime.secrets]
      my_key = "x"
      [db.vault]
      Key = "y"
    `,
      { 'supabase/keys.json': '[]' },
    );
    expect(config.api).toMatchObject({ port: 1234, schemas: ['api'] });
    expect(config.db).toMatchObject({ health_timeout: 150_000, vault: { Key: 'y' } });
    expect(config.db.pooler.pool_mode).toBe('session');
    expect(config.auth.signing_keys_path).toBe(join(projectDir, 'supabase/keys.json'));
    expect(config.auth.sms.test_otp['4152127777']).toBe('123456');
    expect(config.storage.buckets.images).toMatchObject({
      file_size_limit: 5_242_880,
      objects_path: join(projectDir, 'supabase/images'),
    });
    expect(config.functions.hello).toMatchObject({
      enabled: true,
      verify_jwt: false,
      entrypoint: join(projectDir, 'supabase/functions/hello/main.ts'),
    });
    expect(config.edge_runtime.secrets).toEqual({ MY_KEY: 'x' });
  });

  test('are parsed as leniently as upstream parses them', () => {
    const { config } = load(`
      [api]
      port = "1234"
      enabled = "false"
      schemas = "public, api"
      [auth.sms.test_otp]
      4152127777 = 123456
      [[experimental.inspect.rules]]
      name = "x"
    `);
    expect(config.api).toMatchObject({ port: 1234, enabled: false, schemas: ['public', 'api'] });
    expect(config.auth.sms.test_otp['4152127777']).toBe('123456');
  });

  test('enable smtp if its table exists', () => {
    const smtp = '[auth.email.smtp]\nhost = "h"\nport = 25\nadmin_email = "a@b.c"';
    expect(load(smtp).config.auth.email.smtp.enabled).toBe(true);
    expect(load(`${smtp}\nenabled = false`).config.auth.email.smtp.enabled).toBe(false);
    expect(load('').config.auth.email.smtp.enabled).toBe(false);
  });

  test('for template paths are relative to the project, and for notice paths to either folder', () => {
    const { config, projectDir } = load(
      `
      [auth.email.template.invite]
      content_path = "./supabase/templates/invite.html"
      [auth.email.notification.password_changed]
      enabled = true
      content_path = "./templates/a.html"
      [auth.email.notification.email_changed]
      enabled = true
      content_path = "./supabase/templates/b.html"
    `,
      {
        'supabase/templates/invite.html': '',
        'supabase/templates/a.html': '',
        'supabase/templates/b.html': '',
      },
    );
    const { template, notification } = config.auth.email;
    expect(template.invite.content_path).toBe(join(projectDir, 'supabase/templates/invite.html'));
    expect(notification.password_changed.content_path).toBe(join(projectDir, 'supabase/templates/a.html'));
    expect(notification.email_changed.content_path).toBe(join(projectDir, 'supabase/templates/b.html'));
  });
});

describe('both generations of the upstream CLI', () => {
  test.each(['inbucket', 'local_smtp'])('[%s] is accepted', (name) => {
    const { config, warnings } = load(`[${name}]\nport = 1025`);
    expect(config.local_smtp.port).toBe(1025);
    expect(warnings).toEqual([]);
  });

  test.each(['enable_signup', 'enabled'])('auth.email.%s is accepted', (name) => {
    const { config, warnings } = load(`[auth.email]\n${name} = false\n[auth.sms]\n${name} = true`);
    expect(config.auth.email.enable_signup).toBe(false);
    expect(config.auth.sms.enable_signup).toBe(true);
    expect(warnings).toEqual([]);
  });

  test('if both names are set, the first one is used with a warning', () => {
    const { config, warnings } = load('[inbucket]\nport = 1\n[local_smtp]\nport = 2');
    expect(config.local_smtp.port).toBe(2);
    expect(warnings).toEqual(['supabase/config.toml:1: inbucket: ignored because local_smtp is also set']);
  });

  test('a provider that became an OpenID provider causes a warning', () => {
    const { warnings } = load('[auth.external.slack]\nenabled = true');
    expect(warnings.join()).toContain('Use [auth.external.slack_oidc]');
  });

  test.each([13, 14, 15, 17, 18])('db.major_version %d is accepted', (version) => {
    expect(load(`[db]\nmajor_version = ${version}`).config.db.major_version).toBe(version);
  });

  test.each(['config.json', 'config.jsonc'])('%s takes precedence over config.toml', (name) => {
    const json = '{ "$schema": "x", /* c */ "api": { "port": 2 } }';
    expect(load('[api]\nport = 1', { [`supabase/${name}`]: json }).config.api.port).toBe(2);
  });

  test('remotes have no effect but are checked', () => {
    const { config, warnings } = load(`
      [remotes.production]
      project_id = "vpefcjyosynxeiebfscx"
      [remotes.production.auth]
      site_url = "https://example.com"
      enable_sginup = false
    `);
    expect(config.auth.site_url).toBe('http://127.0.0.1:3000');
    expect(warnings).toEqual([
      'supabase/config.toml:6: remotes.production.auth.enable_sginup: unknown key, ignored; did you mean enable_signup?',
    ]);
    expect(faultsOf('[remotes.a]\nproject_id = "x"')).toEqual([
      '2 remotes.a.project_id: must be 20 lowercase letters, such as abcdefghijklmnopqrst',
    ]);
    const same = 'project_id = "vpefcjyosynxeiebfscx"';
    expect(faultsOf(`[remotes.a]\n${same}\n[remotes.b]\n${same}`)).toEqual([
      '4 remotes.b.project_id: must be unique, but is the same as in [remotes.a]',
    ]);
  });
});

test('for a linked server, its remote replaces single values', () => {
  const toml = `
    project_id = "app"
    [storage.buckets.images]
    public = true
    file_size_limit = "1MiB"
    [functions.hello]
    verify_jwt = true
    [remotes.production]
    project_id = "vpefcjyosynxeiebfscx"
    [remotes.production.storage.buckets.images]
    file_size_limit = "2MiB"
    [remotes.production.storage.buckets.more]
    [remotes.production.functions.hello]
    verify_jwt = false`;
  const projectDir = makeProject({ 'supabase/config.toml': toml });
  const { config } = loadConfig({ projectDir, env: {}, remoteRef: 'vpefcjyosynxeiebfscx' });
  expect(config).toMatchObject({
    project_id: 'app',
    storage: { buckets: { images: { public: true, file_size_limit: 2 * 1024 * 1024 }, more: {} } },
    functions: { hello: { verify_jwt: false } },
  });
  const other = loadConfig({ projectDir, env: {}, remoteRef: 'abcdefghijklmnopqrst' }).config;
  expect(other.functions.hello?.verify_jwt).toBe(true);
  expect(Object.keys(other.storage.buckets)).toEqual(['images']);
});

describe('sources of values', () => {
  test('flags override the environment, the file and the default', () => {
    const toml = '[api]\nport = 1\nmax_rows = 1\n[db]\nport = 1111';
    const projectDir = makeProject({ 'supabase/config.toml': toml });
    const { config } = loadConfig({
      projectDir,
      env: { SUPABASE_API_PORT: '2', SUPABASE_API_MAX_ROWS: '2', SUPABASE_DB_PORT: '' },
      flags: { 'api.port': 3 },
    });
    expect(config.api).toMatchObject({ port: 3, max_rows: 2 });
    expect(config.db.port).toBe(1111);
  });

  test.each(['SUPABASE_INBUCKET_PORT', 'SUPABASE_LOCAL_SMTP_PORT'])('%s sets the value', (name) => {
    expect(load('', {}, { [name]: '7' }).config.local_smtp.port).toBe(7);
  });

  test('an invalid variable is reported with its key', () => {
    expect(() => load('', {}, { SUPABASE_API_PORT: 'x' })).toThrow('api.port: "x" isn\'t a port');
  });

  test('env() works for every type', () => {
    const toml = `
      [api]
      port = "env(P)"
      schemas = ["env(S)", "b"]
      extra_search_path = "env(L)"
      [auth]
      enable_signup = "env(B)"
      site_url = "env(U)"
      jwt_secret = "env(NOPE)"
    `;
    const env = { P: '7', S: 'a', L: 'x,y', B: 'false', U: 'https://a.b' };
    const { config, warnings } = load(toml, {}, env);
    expect(config.api).toMatchObject({ port: 7, schemas: ['a', 'b'], extra_search_path: ['x', 'y'] });
    expect(config.auth).toMatchObject({
      enable_signup: false,
      site_url: 'https://a.b',
      jwt_secret: undefined,
    });
    expect(warnings).toEqual([]);
  });

  test('an unset env() remains as text with a warning, and is an error for a port', () => {
    const { config, warnings } = load('[auth]\nsite_url = "env(NOPE)"');
    expect(config.auth.site_url).toBe('env(NOPE)');
    expect(warnings).toEqual([
      "supabase/config.toml:2: auth.site_url: the environment variable NOPE isn't set, so the setting keeps the text env(NOPE)",
    ]);
    expect(faultsOf('[api]\nport = "env(NOPE)"')).toEqual([
      "2 api.port: the environment variable NOPE isn't set",
    ]);
  });

  test('an unset env() in plinth.toml leaves the setting unset with a warning', () => {
    const plinth =
      '[database]\nreplica_urls = "env(REPLICAS)"\n[server]\ndrain = "env(DRAIN)"\n' +
      'trusted_proxies = ["env(PROXY)", "10.0.0.1"]\n[edge_runtime]\ndeny_net = "env(NETS)"\n';
    const files = { 'supabase/plinth.toml': plinth };
    const { config, warnings } = load('', files);
    const { database, server, edge_runtime } = config.plinth;
    expect([database.replica_urls, server.drain, server.trusted_proxies]).toEqual([
      undefined,
      1000,
      ['10.0.0.1'],
    ]);
    expect(edge_runtime.deny_net).toEqual(defaultConfig().plinth.edge_runtime.deny_net);
    expect([...warnings].sort()).toEqual(
      [
        [2, 'database.replica_urls', 'REPLICAS'],
        [4, 'server.drain', 'DRAIN'],
        [5, 'server.trusted_proxies', 'PROXY'],
        [7, 'edge_runtime.deny_net', 'NETS'],
      ].map(
        ([line, key, name]) =>
          `supabase/plinth.toml:${line}: ${key}: the environment variable ${name} isn't set, so the setting isn't used`,
      ),
    );
    const empty = { REPLICAS: '', DRAIN: '', PROXY: '', NETS: '' };
    expect(load('', files, empty).warnings).toEqual([]);
  });

  test('an error about a required setting in plinth.toml contains the name of the unset variable', () => {
    const plinth =
      '[realtime]\nbus = "nats"\nnats_url = "env(NATS_URL)"\n[storage]\nbackend = "s3"\ns3.bucket = "env(BUCKET)"\n' +
      '[backup]\nto = "/backups"\nencryption_key = "env(KEY)"\n';
    const isNotSet = (name: string) => `the environment variable ${name} isn't set, but is required because`;
    expect(faultsOf('', { 'supabase/plinth.toml': plinth })).toEqual([
      `3 realtime.nats_url: ${isNotSet('NATS_URL')} realtime.bus is "nats"`,
      `6 storage.s3.bucket: ${isNotSet('BUCKET')} storage.backend is "s3"`,
      `9 backup.encryption_key: ${isNotSet('KEY')} backup.to is set`,
    ]);
  });

  test('settings that need another setting cause a warning if they are set alone', () => {
    const plinth =
      '[realtime]\nnats_url = "nats://127.0.0.1:4222"\n[storage.s3]\nbucket = "files"\n' +
      'public_endpoint = "https://files.example"\n[telemetry]\notlp_headers = "a=b"\n';
    const { warnings } = load('', { 'supabase/plinth.toml': plinth });
    expect(warnings.map((warning) => warning.split(': ')[1])).toEqual([
      'realtime.nats_url',
      'storage.s3.bucket',
      'storage.s3.public_endpoint',
      'telemetry.otlp_headers',
    ]);
  });

  test('disabled sections don’t cause warnings', () => {
    const off = '[auth.external.azure]\nenabled = false\nurl = "env(NOPE)"\nsecret = "env(NOPE)"';
    expect(load(off).warnings).toEqual([]);
  });

  test('a missing secret causes a warning with its name', () => {
    const smtp =
      '[auth.email.smtp]\nhost = "h"\nport = 25\nadmin_email = "a@b.c"\nuser = "u"\npass = "env(PASS)"';
    expect(load(smtp).warnings).toEqual([
      "supabase/config.toml:6: auth.email.smtp.pass: env(PASS) isn't set, but is required because auth.email.smtp.user is set",
    ]);
  });

  test('services with unset variables are disabled in development, and only there', () => {
    const toml = [
      '[auth.email.smtp]\nhost = "env(HOST)"\nport = "env(PORT)"\nuser = "u"\npass = "env(PASS)"\nadmin_email = "a@b.c"',
      '[auth.captcha]\nenabled = true\nprovider = "turnstile"\nsecret = "env(CAPTCHA)"',
      '[auth.sms.twilio]\nenabled = true\naccount_sid = "AC1"\nmessage_service_sid = "MG1"\nauth_token = "env(TWILIO)"',
      '[auth.hook.send_email]\nenabled = true\nuri = "https://a.example"\nsecrets = "env(HOOK)"',
      '[auth.sms.vonage]\nenabled = false\napi_key = "env(VONAGE)"',
    ].join('\n');
    const projectDir = makeProject({ 'supabase/config.toml': toml });
    const loadIn = (mode: 'development' | 'production', env = {}) => loadConfig({ projectDir, mode, env });
    const { config, warnings } = loadIn('development');
    const { email, captcha, sms, hook } = config.auth;
    expect([email.smtp.enabled, captcha.enabled, sms.twilio.enabled, hook.send_email.enabled]).toEqual(
      Array(4).fill(false),
    );
    expect(warnings).toEqual([
      "supabase/config.toml:2: auth.email.smtp.host: the environment variable HOST isn't set, so emails are captured instead of being sent",
      "supabase/config.toml:10: auth.captcha.secret: the environment variable CAPTCHA isn't set, so requests are accepted without a CAPTCHA",
      "supabase/config.toml:15: auth.sms.twilio.auth_token: the environment variable TWILIO isn't set, so text messages are captured instead of being sent",
      "supabase/config.toml:19: auth.hook.send_email.secrets: the environment variable HOOK isn't set, so the hook isn't called",
    ]);
    expect(() => loadIn('production')).toThrow(ConfigError);
    const env = {
      HOST: 'h',
      PORT: '25',
      PASS: 'p',
      CAPTCHA: 'c',
      TWILIO: 't',
      HOOK: `v1,whsec_${'a'.repeat(40)}`,
    };
    for (const mode of ['development', 'production'] as const) {
      const complete = loadIn(mode, env);
      expect([complete.warnings, complete.config.auth.email.smtp.enabled]).toEqual([[], true]);
      expect([complete.config.auth.captcha.enabled, complete.config.auth.sms.twilio.enabled]).toEqual([
        true,
        true,
      ]);
    }
    const incomplete = loadIn('production', { ...env, PASS: '' });
    expect(incomplete.config.auth.email.smtp.enabled).toBe(true);
  });

  test('enabling an unsupported feature causes a warning', () => {
    const toml = '[storage.vector]\nenabled = true\n[storage.image_transformation]\nenabled = false';
    expect(load(toml).warnings).toEqual([
      'supabase/config.toml:2: storage.vector.enabled: not supported in this version of Plinth, so it has no effect',
    ]);
    expect(load('[inbucket]\nsmtp_port = 2525').warnings).toHaveLength(1);
    expect(load('[storage.s3_protocol]\nenabled = true').warnings).toEqual([]);
  });

  test('dotenv files apply in order of precedence', () => {
    const files = {
      'supabase/.env.development.local': 'A=1',
      'supabase/.env.local': 'A=2\nB=2',
      'supabase/.env.development': 'A=3\nB=3\nC=3',
      'supabase/.env': 'A=4\nB=4\nC=4\nD=4\nSHELL_NAME=no\nSUPABASE_API_PORT=99',
      '.env.local': 'A=5\nD=5\nE=5',
      '.env': 'E=6\nF=6',
    };
    const { environment, config } = load('', files, { SHELL_NAME: 'yes' });
    expect(environment).toMatchObject({ A: '1', B: '2', C: '3', D: '4', E: '5', F: '6', SHELL_NAME: 'yes' });
    expect(config.api.port).toBe(99);
  });

  test('SUPABASE_ENV selects the files, and .env.local is ignored in tests', () => {
    const files = {
      'supabase/.env.local': 'A=local',
      'supabase/.env.test': 'A=test',
      'supabase/.env.development': 'A=dev',
    };
    expect(load('', files, { SUPABASE_ENV: 'test' }).environment.A).toBe('test');
    expect(load('', files, { SUPABASE_ENV: 'production' }).environment.A).toBe('local');
  });

  test('encrypted secrets are decrypted', () => {
    const value =
      'encrypted:BKiXH15AyRzeohGyUrmB6cGjSklCrrBjdesQlX1VcXo/Xp20Bi2gGZ3AlIqxPQDmjVAALnhZamKnuY73l8Dz1P+BYiZUgxTSLzdCvdYUyVbNekj2UudbdUizBViERtZkuQwZHIv/';
    const toml = `[db.vault]\nkey = "${value}"`;
    const key = '7fd7210cef8f331ee8c55897996aaaafd853a2b20a4dc73d6d75759f65d2a7eb';
    expect(load(toml, {}, { DOTENV_PRIVATE_KEY: key }).config.db.vault.key).toBe('value');
    expect(faultsOf(toml)[0]).toMatch(/^2 db\.vault\.key: is encrypted/);
  });

  test('plinth.toml and its environment variables are read', () => {
    const files = { 'supabase/plinth.toml': '[branding]\nname = "Shop"\ncolors = "#fff"' };
    const { config, warnings } = load('', files, { PLINTH_SERVER_HOST: '::1' });
    expect(config.plinth.branding.name).toBe('Shop');
    expect(config.plinth.server.host).toBe('::1');
    expect(warnings).toEqual([
      'supabase/plinth.toml:3: branding.colors: unknown key, ignored; did you mean color?',
    ]);
  });
});

describe('errors', () => {
  test('all errors are reported together, with their lines, in the order of the file', () => {
    const toml = [
      '[api]',
      'port = "http"',
      '[db.pooler]',
      'pool_mode = "statement"',
      '[auth.email]',
      'max_frequency = 5',
      '[storage]',
      'file_size_limit = "many"',
      '[functions."1st"]',
      '[auth.mfa.totp]',
      'enroll_enabled = true',
    ].join('\n');
    expect(faultsOf(toml)).toEqual([
      '2 api.port: "http" isn\'t a port (0 to 65535)',
      '4 db.pooler.pool_mode: "statement" is not one of "transaction", "session"',
      '6 auth.email.max_frequency: "5" isn\'t a duration such as "30s", "2m30s" or "24h"',
      '8 storage.file_size_limit: "many" isn\'t a size such as "500KB" or "50MiB"',
      "9 functions.1st: isn't a valid name (^[A-Za-z][A-Za-z0-9_-]*$)",
      '11 auth.mfa.totp.enroll_enabled: needs auth.mfa.totp.verify_enabled = true',
    ]);
    expect(() => load(toml)).toThrow(/^6 invalid settings:\n {2}supabase\/config\.toml:2: api\.port/);
  });

  test('a byte order mark before the text is ignored', () => {
    expect(load('\uFEFFproject_id = "demo"\n[api]\nport = 8000').config.api.port).toBe(8000);
    expect(faultsOf('\uFEFFapi = 1')).toEqual(['1 api: must be a table: [api]']);
  });

  test.each([
    ['[api', '1 : not TOML: '],
    ['api = 1', '1 api: must be a table: [api]'],
    ['[api]\nschemas = [["a"]]', '2 api.schemas: must be a list of strings'],
    ['[auth]\nsite_url = ["a"]', '2 auth.site_url: must be a string'],
    ['[auth]\nsite_url = ""', '2 auth.site_url: is required because auth.enabled is true'],
    ['[auth]\njwt_secret = "short"', '2 auth.jwt_secret: must have at least 16 characters'],
    ['[auth]\njwt_expiry = 604801', '2 auth.jwt_expiry: 604801 is not between 1 and 604800'],
    ['[auth]\nsigning_keys_path = "x.json"', '2 auth.signing_keys_path: the file '],
    [
      '[api.tls]\nenabled = true\ncert_path = "x"',
      '1 api.tls.key_path: is required because api.tls.cert_path is set',
    ],
    ['[api.tls]\nenabled = true\nkey_path = "x"', '1 api.tls.cert_path: is required because'],
    ['[api]\nport = 54322', '- db.port: port 54322 is already used by api.port'],
    ['[auth.captcha]\nenabled = true', '1 auth.captcha.provider: is required'],
    ['[auth.passkey]\nenabled = true', '1 auth.webauthn.rp_id: is required'],
    ['[auth.webauthn]\nrp_id = "https://app.example"', '2 auth.webauthn.rp_id: must be a domain'],
    ['[auth.hook.send_sms]\nenabled = true\nuri = "ftp://x"', '3 auth.hook.send_sms.uri: must start with'],
    ['[auth.hook.send_sms]\nenabled = true\nuri = "http://x"', '1 auth.hook.send_sms.secrets: is required'],
    [
      '[auth.hook.send_sms]\nenabled = true\nuri = "http://x"\nsecrets = "v1,whsec_x"',
      '4 auth.hook.send_sms.secrets: must be v1,whsec_ followed by',
    ],
    [
      '[auth.hook.send_sms]\nenabled = true\nuri = "pg-functions://postgres/a/b"\nsecrets = "x"',
      "4 auth.hook.send_sms.secrets: secrets can't be used with a pg-functions hook",
    ],
    [
      '[auth.email.template.invite]\ncontent = "x"',
      '2 auth.email.template.invite.content: write the text to a file',
    ],
    ['[auth.external.github]\nenabled = true\nsecret = "x"', '1 auth.external.github.client_id: is required'],
    ['[auth.external.github]\nenabled = true\nclient_id = "x"', '1 auth.external.github.secret: is required'],
    [
      '[auth.sms.vonage]\nenabled = true\nfrom = "x"\napi_key = "y"',
      '1 auth.sms.vonage.api_secret: is required',
    ],
    [
      '[auth.third_party.clerk]\nenabled = true\ndomain = "x"',
      '3 auth.third_party.clerk.domain: must look like clerk.example.com',
    ],
    [
      '[auth.third_party.firebase]\nenabled = true\nproject_id = "x"\n[auth.third_party.auth0]\nenabled = true\ntenant = "y"',
      '5 auth.third_party.auth0.enabled: only one',
    ],
  ])('%j causes an error', (toml, fault) => {
    const faults = faultsOf(toml);
    expect(faults.some((text) => text.startsWith(fault))).toBe(true);
  });

  test('passkeys only need the domain that they can’t derive from the site URL', () => {
    const passkeys = '[auth.passkey]\nenabled = true\n';
    expect(faultsOf(`${passkeys}[auth]\nsite_url = "http://localhost:3000"`)).toEqual([]);
    expect(faultsOf(`${passkeys}[auth.webauthn]\nrp_id = "localhost"`)).toEqual([]);
    for (const site of ['http://127.0.0.1:3000', 'http://[::1]:3000', 'app.example:/callback']) {
      expect(faultsOf(`${passkeys}[auth]\nsite_url = "${site}"`)).toEqual([
        '1 auth.webauthn.rp_id: is required because auth.passkey.enabled is true and the host of auth.site_url is not a domain',
      ]);
    }
  });

  test.each(['apple', 'google'])('%s doesn’t need a secret', (name) => {
    expect(faultsOf(`[auth.external.${name}]\nenabled = true\nclient_id = "x"`)).toEqual([]);
  });

  test('plinth.toml is checked', () => {
    const plinth =
      '[branding]\ncolor = "red"\nterms_url = "javascript:alert(1)"\n[storage]\nmultipart_lifetime = "59m"';
    expect(faultsOf('', { 'supabase/plinth.toml': plinth })).toEqual([
      '2 branding.color: must have six hexadecimal digits, such as "#0f766e"',
      '3 branding.terms_url: must start with https://, http://, mailto: or /',
      '5 storage.multipart_lifetime: must be at least one hour',
    ]);
  });

  test('a secret never appears in a message', () => {
    expect(faultsOf('[auth]\njwt_secret = "hush"').join()).not.toContain('hush');
    expect(() => load('', { 'supabase/.env': 'TOKEN="hush' })).toThrow(
      /^supabase\/\.env:1: TOKEN has an unclosed quote/,
    );
  });
});

describe('mistakes in values', () => {
  test.each([
    ['[realtime]\nip_version = "ipv4"', 'realtime.ip_version: "ipv4" is read as "IPv4"'],
    ['[edge_runtime]\npolicy = "Per-Worker"', 'edge_runtime.policy: "Per-Worker" is read as "per_worker"'],
    ['[db.pooler]\npool_mode = "SESSION"', 'db.pooler.pool_mode: "SESSION" is read as "session"'],
    ['[db]\nmajor_version = "15.8"', 'db.major_version: "15.8" is read as 15'],
    ['[db]\nmajor_version = 15.8', 'db.major_version: 15.8 is read as 15'],
    ['[db]\nmajor_version = "17.4.1.043"', 'db.major_version: "17.4.1.043" is read as 17'],
    ['[auth]\nenable_signup = "No"', 'auth.enable_signup: "No" is read as false'],
    ['[db]\nhealth_timeout = "2 minutes"', 'db.health_timeout: "2 minutes" is read as "2m"'],
    ['[auth.sessions]\ntimebox = "7 days"', 'auth.sessions.timebox: "7 days" is read as "168h"'],
    ['[auth.sessions]\ntimebox = "24H"', 'auth.sessions.timebox: "24H" is read as "24h"'],
  ])('%j is accepted with a warning', (toml, warning) => {
    expect(load(toml).warnings).toEqual([`supabase/config.toml:2: ${warning}`]);
  });

  test.each([
    ['[realtime]\nip_version = "v4"', 'realtime.ip_version: "v4" is not one of "IPv4", "IPv6"'],
    ['[db]\nmajor_version = "9.6"', 'db.major_version: 9 is not between 13 and 18'],
    ['[db]\nmajor_version = "15a"', 'db.major_version: "15a" isn\'t a whole number'],
    ['[auth]\nenable_signup = "maybe"', 'auth.enable_signup: "maybe" isn\'t true or false'],
    ['[auth.sessions]\ntimebox = "2M"', 'auth.sessions.timebox: "2M" isn\'t a duration'],
    ['[auth.sessions]\ntimebox = 30', 'auth.sessions.timebox: "30" isn\'t a duration'],
  ])('%j is ambiguous and causes an error', (toml, fault) => {
    expect(() => load(toml)).toThrow(`supabase/config.toml:2: ${fault}`);
  });

  test('a section is enabled by an unambiguous value', () => {
    const { warnings } = load(
      '[auth.external.azure]\nenabled = "yes"\nclient_id = "env(NOPE)"\nsecret = "x"',
    );
    expect(warnings).toContainEqual(
      expect.stringContaining("client_id: the environment variable NOPE isn't set"),
    );
  });

  test('the template of CLI 3.1 doesn’t contain unknown keys', () => {
    expect(load('[db]\norioledb_version = ""').warnings).toEqual([]);
  });

  test('a missing email template causes a warning', () => {
    const toml =
      '[auth.email.template.invite]\ncontent_path = "./none.html"\n' +
      '[auth.email.notification.password_changed]\nenabled = true\ncontent_path = "./none.html"';
    const { warnings, projectDir } = load(toml);
    const text = `the file ${join(projectDir, 'none.html')} doesn't exist, so the built-in text is sent`;
    expect(warnings).toEqual([
      `supabase/config.toml:2: auth.email.template.invite.content_path: ${text}`,
      `supabase/config.toml:5: auth.email.notification.password_changed.content_path: ${text}`,
    ]);
  });
});

describe('[server.tls]', () => {
  const acme = (fields: string): string =>
    `[server.tls]\nacme = { domains = ["api.example.com"], ${fields} }`;

  test.each([
    ['[server.tls]\ncert = "a.pem"', '1 server.tls.key: is required because server.tls.cert is set'],
    [acme('email = "a@example.com"'), '2 server.tls.acme.accept_terms: must be true'],
    [
      acme('accept_terms = true, directory = "http://ca.example.com"'),
      '2 server.tls.acme.directory: must start',
    ],
    [
      acme('accept_terms = true, eab = { kid = "k" }'),
      '2 server.tls.acme.eab.hmac_key: is required because server.tls.acme.eab.kid',
    ],
    [
      acme('accept_terms = true, eab = { kid = "k", hmac_key = "a b" }'),
      '2 server.tls.acme.eab.hmac_key: must be encoded as base64url',
    ],
    [acme('accept_terms = true, email = "ops"'), '2 server.tls.acme.email: must be an email address'],
    [`${acme('accept_terms = true')}\ncert = "a"\nkey = "b"`, "2 server.tls.acme: can't be combined"],
    [
      '[server.tls.acme]\naccept_terms = true\ndomains = ["*.example.com"]',
      '3 server.tls.acme.domains: "*.example.com" isn\'t a domain',
    ],
    [
      `${acme('accept_terms = true')}\nhttp_port = 54321`,
      '3 server.tls.http_port: port 54321 is already used',
    ],
    ['[console.tls]\ncert = "a"\nkey = "b"', '- server.tls.cert: is required'],
  ])('%s causes an error', (text, fault) => {
    const faults = faultsOf('', { 'supabase/plinth.toml': text });
    expect(faults.filter((one) => one.startsWith(fault))).toHaveLength(1);
  });

  test('files that exist only on the server are accepted', () => {
    const text = '[server.tls]\ncert = "/nowhere/a.pem"\nkey = "/nowhere/a.key"';
    expect(load('', { 'supabase/plinth.toml': text }).warnings).toEqual([]);
  });

  test('an external URL without TLS causes a warning', () => {
    const { warnings } = load('[api]\nexternal_url = "http://a.example.com"\n[api.tls]\nenabled = true');
    expect(warnings.join()).toContain('api.external_url: starts with http://');
  });
});
