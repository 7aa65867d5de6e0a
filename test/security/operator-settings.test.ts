/**
 * Tests which settings a developer can change, and which files settings can reference, regardless of who changed the
 * settings.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  anyName,
  ConfigError,
  describeNames,
  describeSettings,
  loadConfig,
} from '../../src/platform/config/index.ts';
import { developerSettings } from '../../src/platform/config/schema/developer-settings.ts';
import { type Backend, type Operator, operator, startBackend } from '../console/harness.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-operator-settings-')));
const projectDir = join(root, 'app');
let backend: Backend;
let developer: Operator;
let owner: Operator;
beforeAll(async () => {
  const files: Record<string, string> = {
    'app/supabase/config.toml': '',
    'app/supabase/mail.html': '<p>{{ .Token }}</p>',
    'app/.plinth/secrets.json': '{"key": "data-folder-secret"}',
    'shared/mail.html': '<p>shared {{ .Token }}</p>',
    'outside.html': 'outside-secret',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  symlinkSync(join(root, 'outside.html'), join(projectDir, 'supabase/link.html'));
  symlinkSync(join(root, 'not-there-yet.html'), join(projectDir, 'supabase/dangling.html'));
  symlinkSync(root, join(projectDir, 'supabase/up'));
  symlinkSync('ring', join(projectDir, 'supabase/ring'));
  backend = await startBackend({ projectDir });
  await backend.operators.createOperator('dev', 'developer');
  developer = await operator(backend, 'dev');
  owner = await operator(backend);
});
afterAll(async () => {
  await backend?.stop();
  rmSync(root, { recursive: true });
});

const stampsFor = async (by: Operator) => (await by.call('GET', '/settings')).body.stamps;

async function send(by: Operator, file: string, path: readonly string[], value: unknown, known?: unknown) {
  const stamps = known ?? (await stampsFor(by));
  return by.call('POST', '/settings/preview', { changes: [{ file, path, value }], stamps });
}

const all = [...describeSettings(), ...describeNames()].flatMap(({ settings }) => settings);
const named = (path: readonly string[]): string[] => path.map((part) => (part === anyName ? 'mine' : part));

describe('a developer', () => {
  test.each([
    ['auth.email.template.invite.content_path', '/etc/passwd'],
    ['auth.email.notification.email_changed.content_path', '../../outside.html'],
    ['functions.hello.static_files', ['/']],
    ['functions.hello.entrypoint', '/etc/passwd'],
    ['functions.hello.import_map', 'https://attacker.example/deno.json'],
    ['functions.hello.env.SECRET', 'env(HOME)'],
    ['edge_runtime.secrets.SECRET', 'env(HOME)'],
    ['auth.third_party.workos.issuer_url', 'https://attacker.example'],
    ['auth.third_party.workos.enabled', true],
    ['auth.third_party.clerk.domain', 'attacker.example'],
    ['auth.hook.custom_access_token.uri', 'https://attacker.example'],
    ['auth.hook.send_email.enabled', true],
    ['auth.email.smtp.host', 'attacker.example'],
    ['auth.external.keycloak.url', 'https://attacker.example'],
    ['auth.site_url', 'https://attacker.example'],
    ['auth.additional_redirect_urls', ['https://attacker.example/**']],
    ['auth.signing_keys_path', '/etc/passwd'],
    ['auth.sms.test_otp.15550100', '424242'],
    ['storage.buckets.mine.objects_path', '/'],
    ['db.seed.sql_paths', ['/etc/passwd']],
    ['db.settings.work_mem', "4MB'\nshared_preload_libraries = 'x"],
    ['storage.webhook.url', 'https://attacker.example', 'plinth.toml'],
    ['storage.s3.endpoint', 'https://attacker.example', 'plinth.toml'],
    ['branding.logo_path', '/etc/passwd', 'plinth.toml'],
    ['auth.password.hibp.list_path', '/etc/passwd', 'plinth.toml'],
    ['auth.password.hibp.url', 'http://169.254.169.254', 'plinth.toml'],
    ['files.allowed_folders', ['/'], 'plinth.toml'],
    ['console.require_mfa', false, 'plinth.toml'],
    ['server.host', '0.0.0.0', 'plinth.toml'],
  ])('can’t change %s', async (key, value, file = 'config.toml') => {
    const { status, body } = await send(developer, file as string, key.split('.'), value);
    expect([status, body.code, body.message]).toEqual([403, 'forbidden', `Only owners can change ${key}.`]);
  });

  test('can change only the settings for developers', async () => {
    const stamps = await stampsFor(developer);
    for (const { file, path, changedBy } of all) {
      const { status } = await send(developer, file, named(path), null, stamps);
      expect([file, path.join('.'), status === 403]).toEqual([file, path.join('.'), changedBy === 'owner']);
    }
  });

  test('can’t read environment variables', async () => {
    for (const value of ['env(SMTP_PASS)', ' env(SMTP_PASS)']) {
      const { status } = await send(
        developer,
        'config.toml',
        ['auth', 'email', 'template', 'invite', 'subject'],
        value,
      );
      expect(status).toBe(403);
    }
    const { status } = await send(developer, 'config.toml', ['api', 'schemas'], ['public', 'env(SMTP_PASS)']);
    expect(status).toBe(403);
  });

  test('can’t change another setting with dots in a name', async () => {
    const { status } = await send(developer, 'config.toml', ['auth.email', 'enable_signup'], false);
    expect(status).toBe(400);
  });
});

test('the list for developers contains only existing settings that don’t require an owner', () => {
  for (const file of ['config.toml', 'plinth.toml'] as const)
    for (const key of developerSettings[file]) {
      const found = all.find((setting) => setting.file === file && setting.path.join('.') === key);
      expect([key, found?.type]).toEqual([key, expect.any(String)]);
      expect([key, ['path', 'secret', 'port'].includes(found?.type ?? '')]).toEqual([key, false]);
      // These words indicate that a setting contains an address, a file or a sign-in method.
      expect(key).not.toMatch(
        /url|uri|(?<!search)_path$|host|hook|smtp|third_party|secret|(?<!pass)key|token$|static|proxies|^console|^server|issuer/,
      );
    }
});

describe('a file that a setting references', () => {
  const load = (config: string, plinth = '') =>
    loadConfig({ projectDir, env: {}, texts: { 'config.toml': config, 'plinth.toml': plinth } }).config;
  const content = (path: string) => `[auth.email.template.invite]\ncontent_path = "${path}"`;
  const fault = (config: string, plinth = ''): string => {
    try {
      load(config, plinth);
      return '';
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.message;
    }
  };

  test.each([
    content('/etc/passwd'),
    content('../outside.html'),
    content('./supabase/link.html'),
    content('./supabase/dangling.html'),
    content('./supabase/ring'),
    content('./supabase/up/outside.html'),
    '[functions.hello]\nstatic_files = ["/"]',
    '[functions.hello]\nstatic_files = ["../../**/*.html"]',
    '[functions.hello]\nstatic_files = ["./a/*/../../../../../**"]',
    '[functions.hello]\nentrypoint = "../../x.ts"',
    '[functions.hello]\nimport_map = "/x.json"',
    '[db.seed]\nsql_paths = ["../../*.sql"]',
    '[storage.buckets.mine]\nobjects_path = "/"',
  ])('must be in the project folder after links are resolved: %s', (config) => {
    expect(fault(config)).toMatch(
      /outside the project folder|the data folder|isn't allowed after a wildcard/,
    );
  });

  test('can’t be in the data folder', () => {
    expect(fault(content('./.plinth/secrets.json'))).toContain('the data folder');
    for (const glob of ['../.plinth/*', '../**/*'])
      expect(fault(`[functions.hello]\nstatic_files = ["${glob}"]`)).toContain('the data folder');
  });

  test('can be in a folder that plinth.toml allows', () => {
    const allowed = '[files]\nallowed_folders = ["../shared"]';
    expect(fault(content('../shared/mail.html'))).toContain('outside the project folder');
    expect(load(content('../shared/mail.html'), allowed).auth.email.template.invite.content_path).toBe(
      join(root, 'shared/mail.html'),
    );
    expect(fault(content('../outside.html'), allowed)).toContain('outside the project folder');
  });

  test('in the project folder is read, and an owner is notified about the others', async () => {
    expect(load(content('./supabase/mail.html')).auth.email.template.invite.content_path).toBe(
      join(projectDir, 'supabase/mail.html'),
    );
    const path = ['auth', 'email', 'template', 'invite', 'content_path'];
    const { status, body } = await send(owner, 'config.toml', path, '/etc/passwd');
    expect([status, body.message]).toEqual([400, expect.stringContaining('outside the project folder')]);
  });
});
