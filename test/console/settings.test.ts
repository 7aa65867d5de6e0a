/** Settings over the Console API: shown without secrets, judged, shown as a diff, written with their comments kept. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-settings-'));
const path = join(projectDir, 'supabase/config.toml');
const text = `# Ours
project_id = "demo"

[auth]
# An hour.
jwt_expiry = 3600 # seconds
site_url = "http://127.0.0.1:3000"

[auth.email.smtp]
enabled = false
pass = "hunter2-in-clear"

[edge_runtime.secrets]
STRIPE = "sk_live_in_clear"
`;

let backend: Backend;
let owner: Operator;
let dev: Operator;
beforeAll(async () => {
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(path, text);
  backend = await startBackend({ projectDir });
  await backend.operators.createOperator('dev', 'developer');
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

test('what can be set is told with help, default and value, and no secret', async () => {
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

test('a change is shown first, with secrets masked, and changes nothing', async () => {
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

test('is then written, comments and all else as they were, and is in the audit log without values', async () => {
  const { status, body } = await send('', [
    change('auth.jwt_expiry', 7200),
    change('branding.name', 'Ada’s "shop"', 'plinth.toml'),
  ]);
  expect([status, body.restartNeeded]).toEqual([200, true]);
  expect(readFileSync(path, 'utf8')).toBe(text.replace('jwt_expiry = 3600', 'jwt_expiry = 7200'));
  const plinth = join(projectDir, 'supabase/plinth.toml');
  expect(readFileSync(plinth, 'utf8')).toBe('[branding]\nname = "Ada’s \\"shop\\""\n');
  rmSync(plinth);
  const { entries } = (await owner.call('GET', '/audit?action=settings')).body;
  expect(entries[0]).toMatchObject({
    action: 'settings.change',
    detail: { keys: ['auth.jwt_expiry', 'branding.name'] },
  });
  expect(JSON.stringify(entries)).not.toContain('7200');
});

test('back to the default takes the line away', async () => {
  await send('', [change('auth.site_url', null)]);
  expect(readFileSync(path, 'utf8')).toBe(text.replace('site_url = "http://127.0.0.1:3000"\n', ''));
});

describe('refused, and nothing is written', () => {
  test.each([
    ['a value the schema does not take', [change('auth.jwt_expiry', 'soon')], 'is not a whole number'],
    ['a setting there is none of', [change('auth.no_such', 1)], 'There is no setting'],
    ['a secret in clear', [change('auth.email.smtp.pass', 'hunter3')], 'stays out of the file'],
    ['one bad among good ones', [change('auth.jwt_expiry', 60), change('api.port', 99_999)], 'is not a port'],
    ['a prototype', [change('__proto__.x', 1)], 'There is no setting'],
    ['another file', [change('auth.jwt_expiry', 1, '../../etc/passwd')], 'file'],
  ])('%s', async (_what, changes, message) => {
    for (const where of ['/preview', '']) {
      const { status, body } = await send(where, changes);
      expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('a file that somebody else has changed meanwhile', async () => {
    const { stamps } = (await owner.call('GET', '/settings')).body;
    writeFileSync(path, `${text}# theirs\n`);
    const { status, body } = await owner.call('POST', '/settings', {
      changes: [change('auth.jwt_expiry', 60)],
      stamps,
    });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(readFileSync(path, 'utf8')).toBe(`${text}# theirs\n`);
  });

  test('what is an owner’s to say, to a developer', async () => {
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

  test('a value with a line break does not become another setting', async () => {
    await send('', [change('auth.site_url', 'http://x\n[api]\nport = 1')]);
    const written = readFileSync(path, 'utf8');
    expect(written).toContain('site_url = "http://x\\n[api]\\nport = 1"');
    expect(written.split('\n')).toHaveLength(text.split('\n').length);
  });
});

test('a test mail arrives in the inbox', async () => {
  expect((await owner.call('POST', '/settings/test-mail', { to: 'ada@example.com' })).status).toBe(204);
  const { messages } = (await owner.call('GET', '/inbox')).body;
  expect(messages[0]).toMatchObject({ to: 'ada@example.com', subject: 'Test mail' });
  expect((await owner.call('POST', '/settings/test-mail', { to: 'x' })).status).toBe(400);
});
