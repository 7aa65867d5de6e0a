/**
 * Tests settings that change while the server runs. For each group of settings, the test changes the files, reloads
 * them, and observes the effect over HTTP. Then the test reverts the change in the same way. Open connections must stay
 * open.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createTestBackend } from '../../src/entry/testing.ts';
import { ConfigError } from '../../src/platform/config/index.ts';
import { operator } from '../console/harness.ts';

type Backend = Awaited<ReturnType<typeof createTestBackend>>;

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-live-'));
const supabaseDir = join(projectDir, 'supabase');
const base = 'project_id = "live"\n[auth.email]\nmax_frequency = "0s"\n';
let backend: Backend;

const write = (config: string, plinth = ''): void => {
  writeFileSync(join(supabaseDir, 'config.toml'), `${base}${config}`);
  writeFileSync(join(supabaseDir, 'plinth.toml'), plinth);
};
const reload = async () => {
  const { configuration } = backend;
  if (configuration === undefined) throw new Error('the settings have no files');
  return await configuration.reload();
};

beforeAll(async () => {
  mkdirSync(join(supabaseDir, 'functions', 'hello'), { recursive: true });
  writeFileSync(
    join(supabaseDir, 'functions', 'hello', 'index.ts'),
    'Deno.serve(() => new Response("hi"));\n',
  );
  writeFileSync(join(projectDir, 'not-a-picture.svg'), 'hello');
  write('');
  backend = await createTestBackend({
    projectDir,
    sql: `create table public.things (id int primary key);
          insert into public.things select generate_series(1, 20);
          grant select, delete on public.things to anon, service_role;
          create table public.scrap (id int); grant select, delete on public.scrap to anon;
          create schema more; grant usage on schema more to anon;
          create table more.other (id int); grant select on more.other to anon;`,
  });
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const call = async (path: string, init: RequestInit = {}, key = backend.keys.publishableKey) => {
  const response = await backend.fetch(path, {
    redirect: 'manual',
    ...init,
    headers: { apikey: key, 'content-type': 'application/json', ...init.headers },
  });
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
};
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  call(path, { method: 'POST', body: JSON.stringify(body), headers });
const statusOf = async (response: Promise<{ status: number }>): Promise<number> => (await response).status;
const authSetting = async (read: (settings: AuthSettings) => unknown) =>
  read(JSON.parse((await call('/auth/v1/settings')).text) as AuthSettings);
interface AuthSettings {
  readonly disable_signup: boolean;
  readonly external: Readonly<Record<string, boolean>>;
  readonly saml_enabled: boolean;
  readonly mailer_autoconfirm: boolean;
  readonly passkeys_enabled: boolean;
}
let users = 0;
const signUp = (password = 'correct horse battery') =>
  post('/auth/v1/signup', { email: `user${users++}@example.com`, password });
const accountPage = async (page = 'sign-up') => (await call(`/account/${page}`)).text;
/** Returns the URL to which auth redirects the browser if an email link is invalid. */
const returnOf = async (redirectTo: string) =>
  (await call(`/auth/v1/verify?token=x&type=signup&redirect_to=${encodeURIComponent(redirectTo)}`)).headers
    .get('location')
    ?.split(/[?#]/)[0];
const upload = async (bytes: number) => {
  const headers = { authorization: `Bearer ${backend.keys.serviceRoleKey}` };
  await post('/storage/v1/bucket', { name: 'box' }, headers);
  return statusOf(
    call(
      `/storage/v1/object/box/file-${bytes}`,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'text/plain', 'x-upsert': 'true' },
        body: 'x'.repeat(bytes),
      },
      backend.keys.serviceRoleKey,
    ),
  );
};
/** Joins a channel over a new socket, and returns the status of the reply. */
const join1 = async (isPrivate = false): Promise<string> => {
  const socket = openSocket();
  try {
    return await joined(socket, isPrivate);
  } finally {
    socket.close();
  }
};
const openSocket = (): WebSocket =>
  new WebSocket(
    `${backend.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${backend.keys.publishableKey}&vsn=1.0.0`,
  );
const joined = (socket: WebSocket, isPrivate = false): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(String(statusCode)));
    socket.once('open', () =>
      socket.send(
        JSON.stringify({
          topic: 'realtime:room',
          event: 'phx_join',
          ref: '1',
          payload: { config: { private: isPrivate, broadcast: { self: true } } },
        }),
      ),
    );
    socket.on('message', (data) => {
      const { event, payload } = JSON.parse(String(data)) as { event: string; payload: { status: string } };
      if (event === 'phx_reply') resolve(payload.status);
    });
  });

interface Case {
  readonly config?: string;
  readonly plinth?: string;
  readonly observe: () => Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
}

const cases: Readonly<Record<string, Case>> = {
  'api.max_rows': {
    config: '[api]\nmax_rows = 3',
    observe: async () => JSON.parse((await call('/rest/v1/things')).text).length,
    before: 20,
    after: 3,
  },
  'api.schemas': {
    config: '[api]\nschemas = ["public", "more"]',
    observe: () => statusOf(call('/rest/v1/other', { headers: { 'accept-profile': 'more' } })),
    before: 406,
    after: 200,
  },
  'plinth.safe_update.enabled': {
    plinth: '[safe_update]\nenabled = false',
    observe: () => statusOf(call('/rest/v1/scrap', { method: 'DELETE' })),
    before: 400,
    after: 204,
  },
  'auth.enable_signup': {
    config: '[auth]\nenable_signup = false',
    observe: () => statusOf(signUp()),
    before: 200,
    after: 422,
  },
  'auth.enable_anonymous_sign_ins': {
    config: '[auth]\nenable_anonymous_sign_ins = true',
    observe: () => statusOf(post('/auth/v1/signup', {})),
    before: 422,
    after: 200,
  },
  'auth.email.enable_confirmations': {
    config: 'enable_confirmations = true',
    observe: () => authSetting(({ mailer_autoconfirm }) => mailer_autoconfirm),
    before: true,
    after: false,
  },
  'auth.sms.enable_signup': {
    config: '[auth.sms]\nenable_signup = true',
    observe: () => authSetting(({ external }) => external.phone),
    before: false,
    after: true,
  },
  'auth.external.google.enabled': {
    config: '[auth.external.google]\nenabled = true\nclient_id = "id"\nsecret = "secret"',
    observe: () => statusOf(call('/auth/v1/authorize?provider=google')),
    before: 400,
    after: 302,
  },
  'auth.site_url': {
    config: '[auth]\nsite_url = "https://new.example.com"',
    observe: () => returnOf('https://elsewhere.example.com'),
    before: 'http://127.0.0.1:3000',
    after: 'https://new.example.com',
  },
  'auth.additional_redirect_urls': {
    config: '[auth]\nadditional_redirect_urls = ["https://app.example.com/**"]',
    observe: () => returnOf('https://app.example.com/in'),
    before: 'http://127.0.0.1:3000',
    after: 'https://app.example.com/in',
  },
  'auth.minimum_password_length': {
    config: '[auth]\nminimum_password_length = 30',
    observe: async () => [
      await statusOf(signUp('correct horse battery')),
      /"minLength":(\d+)/.exec(await accountPage())?.[1],
    ],
    before: [200, '6'],
    after: [422, '30'],
  },
  'auth.jwt_expiry': {
    config: '[auth]\njwt_expiry = 60',
    observe: async () => JSON.parse((await signUp()).text).expires_in,
    before: 3600,
    after: 60,
  },
  'auth.captcha.enabled': {
    config: '[auth.captcha]\nenabled = true\nprovider = "turnstile"\nsecret = "secret"',
    observe: () => statusOf(signUp()),
    before: 200,
    after: 400,
  },
  'auth.hook.before_user_created.enabled': {
    config: '[auth.hook.before_user_created]\nenabled = true\nuri = "pg-functions://postgres/public/missing"',
    observe: () => statusOf(signUp()),
    before: 200,
    after: 500,
  },
  'auth.mfa.totp.enroll_enabled': {
    config: '[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true',
    observe: async () => {
      const { access_token } = JSON.parse((await signUp()).text) as { access_token: string };
      const headers = { authorization: `Bearer ${access_token}` };
      return statusOf(post('/auth/v1/factors', { factor_type: 'totp', friendly_name: 'phone' }, headers));
    },
    before: 422,
    after: 200,
  },
  'auth.passkey.enabled': {
    config:
      '[auth.passkey]\nenabled = true\n[auth.webauthn]\nrp_id = "localhost"\nrp_origins = ["http://localhost:3000"]',
    observe: () => authSetting(({ passkeys_enabled }) => passkeys_enabled),
    before: false,
    after: true,
  },
  'auth.oauth_server.enabled': {
    config: '[auth.oauth_server]\nenabled = true\nallow_dynamic_registration = true',
    observe: () =>
      statusOf(
        post('/auth/v1/oauth/clients/register', {
          client_name: 'app',
          redirect_uris: ['https://app.example.com/in'],
        }),
      ),
    before: 404,
    after: 201,
  },
  'auth.email.smtp.enabled': {
    // No SMTP server listens on this port, so sending an email fails, whereas capturing an email succeeds.
    config:
      '[auth.email.smtp]\nenabled = true\nhost = "127.0.0.1"\nport = 9\nuser = ""\npass = ""\nadmin_email = "a@example.com"\nsender_name = "A"',
    observe: async () => {
      const email = `mail${users++}@example.com`;
      await post('/auth/v1/signup', { email, password: 'correct horse battery' });
      return statusOf(post('/auth/v1/recover', { email }));
    },
    before: 200,
    after: 500,
  },
  'plinth.auth.saml.enabled': {
    plinth: '[auth.saml]\nenabled = true',
    observe: () => authSetting(({ saml_enabled }) => saml_enabled),
    before: false,
    after: true,
  },
  'plinth.branding.name': {
    plinth: '[branding]\nname = "Zebra Stripes"',
    observe: async () => [
      (await accountPage('sign-in')).includes('Zebra Stripes'),
      (await call('/account/logo')).text.includes('>Z'),
    ],
    before: [false, false],
    after: [true, true],
  },
  'plinth.account.languages': {
    plinth: '[account]\nlanguages = ["en"]',
    observe: async () => (await accountPage('sign-in?lang=ar')).includes('<html lang="ar"'),
    before: true,
    after: false,
  },
  'plinth.server.trusted_proxies': {
    plinth: '[server]\ntrusted_proxies = ["loopback"]',
    // If the proxy is trusted, the log contains the client address that the proxy sends.
    observe: async () => {
      const headers = { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'proxied' };
      await call('/rest/v1/things', { headers });
      const { body } = await (await operator(backend)).call('GET', '/logs?service=rest&limit=1');
      return JSON.stringify(body).includes('203.0.113.7');
    },
    before: false,
    after: true,
  },
  'plinth.server.max_connections': {
    plinth: '[server]\nmax_connections = 1',
    // The request uses a second connection while the first connection is open.
    observe: async () => {
      const held = openSocket();
      await new Promise((resolve) => held.once('open', resolve).once('error', resolve));
      const status = await new Promise<number | undefined>((resolve) => {
        get(`${backend.url}/health/live`, { agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
          // If the number of connections far exceeds the limit, connections are closed without a response.
        }).once('error', () => resolve(503));
      });
      held.terminate();
      return status;
    },
    before: 200,
    after: 503,
  },
  'storage.file_size_limit': {
    config: '[storage]\nfile_size_limit = "1KB"',
    observe: () => upload(2000),
    before: 200,
    after: 400,
  },
  'functions.hello': {
    config: '[functions.hello]\nenabled = false',
    observe: () => statusOf(call('/functions/v1/hello', { headers: { apikey: '' } })),
    before: 401,
    after: 404,
  },
  'plinth.realtime.private_only': {
    plinth: '[realtime]\nprivate_only = true',
    observe: () => join1(),
    before: 'ok',
    after: 'error',
  },
  'plinth.database.reserved_space': {
    plinth: '[database]\nreserved_space = "1024TB"',
    observe: async () => {
      // The server measures the free disk space every second.
      await expect
        .poll(async () => JSON.parse((await call('/health/ready')).text).checks.disk.status)
        .toBe(isChanged ? 'degraded' : 'ok');
      return isChanged;
    },
    before: false,
    after: true,
  },
  'plinth.console.require_mfa': {
    plinth: '[console]\nrequire_mfa = true',
    observe: async () => (await (await operator(backend)).call('GET', '/session')).body.factor,
    before: 'none',
    after: 'missing',
  },
  'plinth.console.agent_documents': {
    plinth: '[console]\nagent_documents = false',
    observe: async () => {
      const request = Buffer.from('client_id=https://localhost/agent.json').toString('base64url');
      const { body } = await (await operator(backend)).call('GET', `/agents/request?request=${request}`);
      return body.fault.includes("doesn't load");
    },
    before: false,
    after: true,
  },
};
let isChanged = false;

test.each(Object.entries(cases))(
  '%s takes effect without a restart',
  async (key, { config = '', plinth = '', observe, before, after }) => {
    expect(await observe()).toEqual(before);
    write(config, plinth);
    isChanged = true;
    const changed = await reload();
    expect(changed.applied).toContain(key);
    expect([changed.needsRestart, changed.problems]).toEqual([[], []]);
    expect(await observe()).toEqual(after);
    write('');
    isChanged = false;
    expect((await reload()).applied).toContain(key);
    expect(await observe()).toEqual(before);
  },
);

test('an open WebSocket and a running download continue after a reload', async () => {
  const megabytes = 24;
  expect(await upload(megabytes * 1024 * 1024)).toBe(200);
  const socket = openSocket();
  expect(await joined(socket)).toBe('ok');
  const path = `/storage/v1/object/box/file-${megabytes * 1024 * 1024}`;
  const headers = { authorization: `Bearer ${backend.keys.serviceRoleKey}` };
  const received = await new Promise<number>((resolve, reject) => {
    get(`${backend.url}${path}`, { headers }, (response) => {
      let bytes = 0;
      response.once('error', reject);
      response.once('data', (first: Buffer) => {
        bytes += first.length;
        response.pause();
        write(
          '[storage]\nfile_size_limit = "1KB"\n[api]\nmax_rows = 5',
          '[server]\ntrusted_proxies = ["loopback"]',
        );
        reload().then(() => {
          response.on('data', (more: Buffer) => {
            bytes += more.length;
          });
          response.once('end', () => resolve(bytes));
          response.resume();
        }, reject);
      });
    });
  });
  expect(received).toBe(megabytes * 1024 * 1024);
  const echoed = new Promise((resolve) =>
    socket.on('message', (data) => String(data).includes('still here') && resolve(true)),
  );
  socket.send(
    JSON.stringify({
      topic: 'realtime:room',
      event: 'broadcast',
      ref: '2',
      payload: { type: 'broadcast', event: 'note', payload: { text: 'still here' } },
    }),
  );
  expect(await echoed).toBe(true);
  socket.close();
  write('');
  await reload();
});

test('invalid files change nothing, and each error has a file and a line', async () => {
  const running = backend.configuration?.status();
  expect(running?.changedAtMs).toBeUndefined();
  write('[auth]\nenable_signup = false\nsite_url = ""\njwt_expiry = 0');
  await expect(reload()).rejects.toThrow(ConfigError);
  await expect(reload()).rejects.toThrow(/supabase\/config\.toml:7: auth\.jwt_expiry/);
  expect(await statusOf(signUp())).toBe(200);
  expect(backend.configuration?.status().faults.join()).toContain('supabase/config.toml:7');
  const settingsCheck = async () => JSON.parse((await call('/health/ready')).text).checks.settings.status;
  await expect.poll(settingsCheck).toBe('degraded');
  const metrics = await call('/metrics', {
    headers: { authorization: `Bearer ${backend.keys.serviceRoleKey}` },
  });
  expect(metrics.text).toContain('plinth_config_last_reload_success 0');
  write('');
  await reload();
  await expect.poll(settingsCheck).toBe('ok');
});

test('a value that is rejected only when it is used changes nothing', async () => {
  write('[auth]\nenable_signup = false', '[branding]\nlogo_path = "../not-a-picture.svg"');
  await expect(reload()).rejects.toThrow('not-a-picture.svg');
  expect(await statusOf(signUp())).toBe(200);
  write('[auth]\nenable_signup = false', '[server]\ntrusted_proxies = ["proxy"]');
  await expect(reload()).rejects.toThrow('trusted_proxies');
  expect(await statusOf(signUp())).toBe(200);
  write('');
  await reload();
});

test('numbers with a fixed code are normalized, and other numbers get codes after the section is removed', async () => {
  const sms = '[auth.sms]\nenable_signup = true\nmax_frequency = "0s"\n';
  const codes = '[auth.sms.test_otp]\n"+1 999 5550111" = "123456"\n';
  const send = (phone: string) => statusOf(post('/auth/v1/otp', { phone }));
  write(sms + codes);
  await reload();
  expect([await send('+19995550111'), await send('19995550112')]).toEqual([200, 422]);
  const verify = { type: 'sms', phone: '19995550111', token: '123456' };
  expect(await statusOf(post('/auth/v1/verify', verify))).toBe(200);
  write(sms);
  await reload();
  expect(await send('19995550112')).toBe(200);
  write('');
  await reload();
});

test('emails are captured while the settings of the SMTP server refer to unset environment variables', async () => {
  const smtp =
    '[auth.email.smtp]\nhost = "env(PLINTH_TEST_UNSET)"\nport = 587\nadmin_email = "a@example.com"\n';
  write(`enable_confirmations = true\n${smtp}`);
  await reload();
  const email = 'captured@example.com';
  expect(await statusOf(post('/auth/v1/signup', { email, password: 'correct horse battery' }))).toBe(200);
  const found = await fetch(`${backend.status().MAILPIT_URL}/api/v1/search?query=to:${email}`);
  expect(((await found.json()) as { messages: unknown[] }).messages).toHaveLength(1);
  write('');
  await reload();
});
