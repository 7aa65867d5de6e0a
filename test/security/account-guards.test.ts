/**
 * Tests that the Account pages, which call auth in the same process, have all protections that the routes below
 * /auth/v1 have. Also tests that the limits apply to the pages and the routes together.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogFields, Logger } from '../../src/base/kernel/log.ts';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { laterTotp, totp } from '../account/harness.ts';
import { type AuthServer, type AuthServerOptions, codeOf, newEmail, startAuth } from '../auth/harness.ts';

const password = 'correct horse';
const browser = 'Mozilla/5.0 (test) Firefox/150.0';
const patient = { api: { max_request_duration: 120_000 } };
const saml = {
  enabled: true,
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs1', format: 'der' })
    .toString('base64'),
};
const trusted: AuthServerOptions = {
  mode: 'production',
  trustedProxies: ['127.0.0.1'],
  servesAccount: true,
  plinth: { auth: patient },
};

let addresses = 0;
const newAddress = (): string => `198.51.${++addresses >> 8}.${addresses & 255}`;

interface Sent {
  readonly ip?: string | undefined;
  readonly cookie?: string | undefined;
  readonly headers?: Record<string, string>;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
  readonly cookie: string | undefined;
}

async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
    cookie: cookies.find((one) => /account(?!-)/.test(one.split('=')[0] ?? '')),
  };
}

/** Calls the API of the Account pages as the pages' script does. */
async function account(
  { url }: AuthServer,
  name: string,
  body?: object,
  { ip, cookie, headers }: Sent = {},
): Promise<Reply> {
  return read(
    await fetch(`${url}/account/api/${name}`, {
      method: body === undefined ? 'GET' : 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        'content-type': 'application/json',
        'user-agent': browser,
        'x-plinth-request': '1',
        ...(ip === undefined ? {} : { 'x-forwarded-for': ip }),
        ...(cookie === undefined ? {} : { cookie }),
        ...headers,
      },
    }),
  );
}

/** Sends a request to the public API. */
async function direct(
  server: AuthServer,
  path: string,
  body: object | undefined,
  ip?: string,
  token?: string,
): Promise<Reply> {
  return read(
    await fetch(`${server.url}/auth/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        apikey: server.keys.anonKey,
        'user-agent': browser,
        ...(ip === undefined ? {} : { 'x-forwarded-for': ip }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    }),
  );
}

interface Member {
  readonly email: string;
  readonly id: string;
  readonly cookie: string;
  readonly token: string;
}

async function member(server: AuthServer, ip = newAddress()): Promise<Member> {
  const email = newEmail();
  const { data } = await server.admin().auth.admin.createUser({ email, password, email_confirm: true });
  const { cookie = '', body } = await account(server, 'sign-in', { email, password }, { ip });
  return { email, id: data.user?.id ?? '', cookie, token: body.session.access_token };
}

/** Adds a TOTP factor through the public API. Returns its ID and secret. */
async function addFactor(server: AuthServer, { token }: Member): Promise<{ id: string; secret: string }> {
  const ip = newAddress();
  const enrolled = await direct(server, '/factors', { factor_type: 'totp' }, ip, token);
  const { id } = enrolled.body;
  const { secret } = enrolled.body.totp;
  const challenge = await direct(server, `/factors/${id}/challenge`, {}, ip, token);
  const proof = { challenge_id: challenge.body.id, code: totp(secret, server.clock.now()) };
  const verified = await direct(server, `/factors/${id}/verify`, proof, ip, token);
  expect(verified.status).toBe(200);
  return { id, secret };
}

/** Waits until the address has received this number of emails, and returns the newest email. */
async function mailsTo(server: AuthServer, email: string, count: number) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const mails = await server.inbox(email);
    if (mails.length >= count) return mails[0];
    await sleep(50);
  }
  throw new Error(`fewer than ${count} emails to ${email}`);
}

const factors = { mfa: { totp: { enroll_enabled: true, verify_enabled: true } } };

describe('limits by address', () => {
  let server: AuthServer;
  let user: Member;
  beforeAll(async () => {
    server = await startAuth(
      {
        ...factors,
        enable_anonymous_sign_ins: true,
        rate_limit: { anonymous_users: 30 },
        web3: { solana: { enabled: true } },
        passkey: { enabled: true },
        webauthn: { rp_id: 'localhost', rp_origins: ['http://localhost'] },
      },
      { ...trusted, plinth: { auth: { ...patient, saml } } },
    );
    user = await member(server);
    server.clock.freeze();
  });
  afterAll(() => server.stop());

  const unknown = { email: 'unknown@example.com', password };
  const nowhere = randomUUID();
  const wallet = { chain: 'solana', message: 'x', signature: 'x' };
  const key = { challenge_id: nowhere, credential: {} };

  /**
   * Each row contains a direct request that fails but is counted, and the request from an Account page to which the
   * same limit applies.
   */
  test.each<readonly [limit: string, path: string, junk: object, name: string, body: object]>([
    ['token', '/token?grant_type=password', {}, 'sign-in', unknown],
    ['token (web3)', '/token?grant_type=web3', {}, 'wallet', wallet],
    ['signup', '/signup', { email: 'a' }, 'sign-up', { ...unknown, password: 'x' }],
    ['anonymous', '/signup', {}, 'guest', {}],
    ['otp', '/otp', { email: 1 }, 'code', { email: unknown.email, purpose: 'sign-in' }],
    ['resend', '/resend', {}, 'code', { email: unknown.email, purpose: 'confirm' }],
    ['recover', '/recover', {}, 'code', { email: unknown.email, purpose: 'recover' }],
    ['verify', '/verify', {}, 'verify', { email: unknown.email, type: 'email', token: '123456' }],
    ['passkey', '/passkeys/authentication/options', {}, 'passkey/options', {}],
    ['sso', '/sso', {}, 'sso', { domain: 'nowhere.example' }],
    ['factor_challenge', `/factors/${nowhere}/challenge`, {}, 'factor/challenge', { factor_id: nowhere }],
    ['factor_verify', `/factors/${nowhere}/verify`, {}, 'factor/verify', { factor_id: nowhere, ...key }],
    ['factor_verify (codes)', `/factors/${nowhere}/verify`, {}, 'recovery-code', { code: 'x' }],
  ])('%s', async (_limit, path, junk, name, body) => {
    const ip = newAddress();
    const cookie = /^factor|^recovery/.test(name) ? user.cookie : undefined;
    const page = () => account(server, name, body, { ip, cookie });
    for (let count = 0; count < 29; count += 1) {
      expect((await direct(server, path, junk, ip)).status).not.toBe(429);
    }
    expect((await page()).status).not.toBe(429);
    const refusal = await direct(server, path, junk, ip);
    const shown = await page();
    expect([shown.status, shown.body]).toEqual([429, refusal.body]);
    expect(shown.body).toEqual({
      code: 429,
      error_code: 'over_request_rate_limit',
      msg: 'Request rate limit reached',
    });
    const elsewhere = await account(server, name, body, { ip: newAddress(), cookie });
    expect(elsewhere.status).not.toBe(429);
  });

  test('the token route: refreshes and codes', async () => {
    const ip = newAddress();
    const { cookie } = await member(server);
    for (let count = 0; count < 29; count += 1) await direct(server, '/token?grant_type=password', {}, ip);
    expect((await account(server, 'refresh', {}, { ip, cookie })).status).toBe(200);
    expect((await direct(server, '/token?grant_type=pkce', {}, ip)).status).toBe(429);
    expect((await account(server, 'refresh', {}, { ip, cookie })).body.error_code).toBe(
      'over_request_rate_limit',
    );
    const journey = Buffer.from(
      JSON.stringify({ verifier: 'v', purpose: 'sign-in', way: 'github', flow: '' }),
    );
    const back = await fetch(`${server.url}/account/back?code=${nowhere}`, {
      redirect: 'manual',
      headers: { cookie: `plinth-account-way=${journey.toString('base64url')}`, 'x-forwarded-for': ip },
    });
    expect(back.headers.get('location')).toContain('problem=over_request_rate_limit');
  });

  test('user, and verify by link: forms without scripts', async () => {
    const { cookie } = await member(server);
    const form = async (page: string, fields: Record<string, string>, ip: string) => {
      const mark = 'a'.repeat(32);
      return fetch(`${server.url}/account/${page}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          origin: server.url,
          cookie: `${cookie}; plinth-account-form=${mark}`,
          'x-forwarded-for': ip,
        },
        body: new URLSearchParams({ mark, ...fields }),
      });
    };
    const ip = newAddress();
    for (let count = 0; count < 30; count += 1) {
      await fetch(`${server.url}/auth/v1/user`, {
        method: 'PUT',
        body: '{}',
        headers: { 'x-forwarded-for': ip },
      });
    }
    const changed = await form('new-password', { password: 'another horse' }, ip);
    const step = decodeURIComponent(changed.headers.get('set-cookie') ?? '');
    const value = /plinth-account-step=([^;]+)/.exec(step)?.[1] ?? '';
    expect(Buffer.from(value, 'base64url').toString()).toContain('over_request_rate_limit');
    for (let count = 0; count < 30; count += 1) await direct(server, '/verify', {}, ip);
    const token = 'a'.repeat(56);
    const link = { token, type: 'magiclink', redirect_to: 'http://127.0.0.1:3000/' };
    expect((await form('confirm', link, ip)).headers.get('location')).toBe('/account/link-expired');
    expect((await form('confirm', link, newAddress())).status).toBe(200);
  });

  test('are counted for the browser’s address, which only a trusted proxy can specify', async () => {
    const { token } = await member(server, '203.0.113.77');
    const { body } = await direct(server, '/user/sessions', undefined, undefined, token);
    expect(body.sessions).toMatchObject([{ ip: '203.0.113.77', user_agent: browser }]);
  });
});

describe('limits by account', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth(
      {
        ...factors,
        email: { enable_confirmations: true, max_frequency: 60_000 },
        rate_limit: { sign_in_sign_ups: 1000 },
      },
      trusted,
    );
  });
  afterAll(() => server.stop());

  test('include wrong passwords at the public API', async () => {
    const { email } = await member(server);
    const wrong = { email, password: 'wrong horse' };
    const statuses: number[] = [];
    for (let count = 0; count < 60; count += 1) {
      const ip = newAddress();
      const reply =
        count % 2 === 0
          ? await account(server, 'sign-in', wrong, { ip })
          : await direct(server, '/token?grant_type=password', wrong, ip);
      statuses.push(reply.status);
      if (reply.status === 429) break;
    }
    expect(statuses.at(-1)).toBe(429);
    const right = { email, password };
    const page = await account(server, 'sign-in', right, { ip: newAddress() });
    const api = await direct(server, '/token?grant_type=password', right, newAddress());
    expect([page.status, page.body]).toEqual([429, api.body]);
  });

  test('include the minimum interval between two emails to an address', async () => {
    const { email } = await member(server);
    await account(server, 'code', { email, purpose: 'sign-in' }, { ip: newAddress() });
    await mailsTo(server, email, 1);
    const page = await account(server, 'code', { email, purpose: 'recover' }, { ip: newAddress() });
    const api = await direct(server, '/recover', { email }, newAddress());
    await sleep(300);
    expect([page.status, withoutNumber(page.body)]).toEqual([api.status, api.body]);
    expect(await server.inbox(email)).toHaveLength(1);
  });
});

test('hourly limits on emails and text messages apply to the whole server', async () => {
  const smtp = {
    enabled: true,
    host: '127.0.0.1',
    port: 9,
    admin_email: 'a@example.com',
    user: '',
    pass: '',
  };
  const server = await startAuth(
    {
      rate_limit: { email_sent: 2, sms_sent: 2 },
      email: { enable_confirmations: true, smtp },
      sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    },
    { servesAccount: true },
  );
  try {
    const statuses = async (ask: (page: boolean) => Promise<Reply>) => [
      (await ask(false)).status,
      (await ask(true)).status,
      (await ask(true)).status,
      (await ask(false)).status,
    ];
    const byEmail = await statuses((page) => {
      const body = { email: newEmail(), password };
      return page ? account(server, 'sign-up', body) : direct(server, '/signup', body);
    });
    expect(byEmail).toEqual([500, 500, 429, 429]);
    let number = 0;
    const byPhone = await statuses((page) => {
      const phone = `49151111111${++number}`;
      return page
        ? account(server, 'code', { phone, purpose: 'sign-up' })
        : direct(server, '/otp', { phone });
    });
    expect(byPhone).toEqual([200, 200, 429, 429]);
  } finally {
    await server.stop();
  }
});

describe('captchas', () => {
  const forms: Record<string, string>[] = [];
  let server: AuthServer;
  let passed = true;
  beforeAll(async () => {
    server = await startAuth(
      {
        captcha: { enabled: true, provider: 'turnstile', secret: 'secret' },
        enable_anonymous_sign_ins: true,
        web3: { solana: { enabled: true } },
        passkey: { enabled: true },
        webauthn: { rp_id: 'localhost', rp_origins: ['http://localhost'] },
        rate_limit: { sign_in_sign_ups: 1000 },
      },
      {
        ...trusted,
        plinth: { auth: { ...patient, saml } },
        outgoing: {
          send: async ({ body = '' }) => {
            forms.push(Object.fromEntries(new URLSearchParams(body)));
            const text = JSON.stringify(
              passed ? { success: true } : { success: false, 'error-codes': ['x'] },
            );
            return { status: 200, contentType: 'application/json', text };
          },
          requirePublic: async () => {},
        },
      },
    );
  });
  afterAll(() => server.stop());

  const email = 'captcha@example.com';
  test.each<readonly [name: string, body: object]>([
    ['sign-in', { email, password }],
    ['sign-up', { email, password }],
    ['guest', {}],
    ['code', { email, purpose: 'sign-in' }],
    ['code', { email, purpose: 'sign-up' }],
    ['code', { email, purpose: 'confirm' }],
    ['code', { email, purpose: 'recover' }],
    ['passkey/options', {}],
    ['wallet', { chain: 'solana', message: 'x', signature: 'x' }],
    ['sso', { domain: 'nowhere.example' }],
  ])('%s %o requires one', async (name, body) => {
    forms.length = 0;
    const ip = newAddress();
    const without = await account(server, name, body, { ip });
    expect([without.status, without.body]).toEqual([
      400,
      {
        code: 400,
        error_code: 'captcha_failed',
        msg: 'captcha protection: request disallowed (no captcha_token found)',
      },
    ]);
    expect(forms).toEqual([]);
    passed = false;
    const failed = await account(server, name, { ...body, captcha_token: 'bad' }, { ip });
    expect([failed.status, failed.body.msg]).toEqual([400, 'captcha protection: request disallowed (x)']);
    passed = true;
    const solved = await account(server, name, { ...body, captcha_token: 'good' }, { ip });
    expect(solved.body.error_code).not.toBe('captcha_failed');
    expect(forms).toEqual([
      { secret: 'secret', response: 'bad', remoteip: ip },
      { secret: 'secret', response: 'good', remoteip: ip },
    ]);
  });

  test('apply to a session in the browser, even an administrator’s', async () => {
    const { data } = await server.admin().auth.admin.createUser({
      email: newEmail(),
      password,
      email_confirm: true,
      role: 'service_role',
    } as never);
    const { email = '' } = data.user ?? {};
    const signedIn = await account(server, 'sign-in', { email, password, captcha_token: 'good' });
    expect(signedIn.status).toBe(200);
    const again = await account(server, 'sign-in', { email, password }, { cookie: signedIn.cookie });
    expect(again.body.error_code).toBe('captcha_failed');
  });

  test('aren’t required for refreshes and codes', async () => {
    const email = newEmail();
    await server.admin().auth.admin.createUser({ email, password, email_confirm: true });
    const { cookie } = await account(server, 'sign-in', { email, password, captcha_token: 'good' });
    expect((await account(server, 'refresh', {}, { cookie })).body.session).toBeTruthy();
    const verified = await account(server, 'verify', { email, type: 'email', token: '123456' });
    expect(verified.body.error_code).toBe('otp_expired');
  });
});

describe('a call', () => {
  const lines: { fields: LogFields; message: string }[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (fields, message) => void lines.push({ fields, message }),
    child: () => log,
  };
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth(
      {
        ...factors,
        site_url: 'https://app.example',
        enable_anonymous_sign_ins: true,
        enable_manual_linking: true,
        minimum_password_length: 6,
        external: { github: { enabled: true, client_id: 'id', secret: 'secret' } },
        hook: {
          before_user_created: { enabled: true, uri: 'pg-functions://postgres/public/note_caller' },
        },
      },
      {
        ...trusted,
        log,
        plinth: { auth: { api: { max_request_duration: 1500 } }, account: { implicit_return: true } },
      },
    );
    await server.database.pool('postgres').exec(`
      create table public.callers (event jsonb);
      create function public.note_caller(event jsonb) returns jsonb language plpgsql security definer as $$
      begin
        if event->'user'->>'email' like 'refused%' then
          return '{"error": {"http_code": 418, "message": "no tea"}}';
        end if;
        insert into public.callers values (event);
        return '{}';
      end $$;
      grant execute on function public.note_caller to supabase_auth_admin;
      create function public.no_trouble() returns trigger language plpgsql as $$
      begin
        if new.email like 'trouble%' then raise exception 'no trouble' using hint = 'here'; end if;
        return new;
      end $$;
    `);
    await server.database
      .pool('supabase_auth_admin')
      .exec(
        'create trigger no_trouble before insert on auth.users for each row execute function public.no_trouble()',
      );
  });
  afterAll(() => server.stop());

  test('is recorded like a request in the log, the counts and the trace', async () => {
    const { cookie, id } = await member(server);
    const requestId = 'account-request-1';
    const ip = newAddress();
    const wrong = { email: newEmail(), password };
    await account(server, 'sign-in', wrong, { ip, headers: { 'x-request-id': requestId } });
    await sleep(50);
    const of = (wanted: string) => server.records.filter((record) => record.requestId === wanted);
    expect(of(requestId)).toMatchObject([
      {
        service: 'auth',
        method: 'POST',
        url: '/auth/v1/token?grant_type=password',
        status: 400,
        ip,
        userAgent: browser,
        trace: { role: 'anon', userId: undefined },
      },
      { service: 'account', url: '/account/api/sign-in', status: 400, ip, userAgent: browser },
    ]);
    const [inner, outer] = of(requestId);
    expect(inner?.durationMs).toBeGreaterThan(0);
    expect(inner?.trace?.spans?.some(({ text }) => text.includes('auth.users'))).toBe(true);
    expect(outer?.trace?.spans?.some(({ text }) => text.includes('auth.users')) ?? false).toBe(false);

    const second = 'account-request-2';
    await account(server, 'session', undefined, { ip, cookie, headers: { 'x-request-id': second } });
    await sleep(50);
    expect(of(second)[0]).toMatchObject({
      service: 'auth',
      method: 'GET',
      url: '/auth/v1/user',
      status: 200,
      trace: { role: 'authenticated', userId: id },
    });
  });

  test('doesn’t return auth’s headers or other cookies', async () => {
    const { email } = await member(server);
    const reply = await account(server, 'sign-in', { email, password });
    expect([...reply.headers.keys()].filter((name) => /^sb-|^x-sb/.test(name))).toEqual([]);
    const names = reply.headers.getSetCookie().map((line) => line.split('=', 1)[0]);
    expect(names).toEqual(['plinth-account', 'plinth-account-device', 'plinth-account-known']);
    const wrong = await account(server, 'sign-in', { email, password: 'wrong horse' });
    expect([...wrong.headers.keys()].filter((name) => /^sb-|^x-sb/.test(name))).toEqual([]);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('returns errors with the body of the public API', async () => {
    const same = async (name: string, path: string, body: object, sent: object = body) => {
      const ip = newAddress();
      const page = await account(server, name, body, { ip, headers: { 'x-request-id': 'same-request' } });
      const api = await direct(server, path, sent, ip);
      const { error_id: ours, ...shown } = page.body;
      const { error_id: theirs, ...expected } = api.body;
      expect([page.status, shown]).toEqual([api.status, expected]);
      expect(ours === undefined).toBe(theirs === undefined);
      return page;
    };
    const weak = await same('sign-up', '/signup', { email: newEmail(), password: 'x' });
    expect(weak.body).toMatchObject({ error_code: 'weak_password', weak_password: { reasons: ['length'] } });
    const refused = await same('sign-up', '/signup', { email: 'refused@example.com', password });
    expect([refused.status, refused.body.msg]).toEqual([418, 'no tea']);
    const raised = await same('sign-up', '/signup', { email: 'trouble@example.com', password });
    expect([raised.status, raised.body]).toEqual([
      500,
      { code: 'P0001', message: 'no trouble', hint: 'here' },
    ]);
    await same('verify', '/verify', { email: 'missing@example.com', type: 'email', token: '1' });
    await same('sign-in', '/token?grant_type=password', { email: 'a\u0000@example.com', password });
    const wallet = { chain: 'solana', message: 'x', signature: 'x' };
    await same('wallet', '/token?grant_type=web3', wallet);
  });

  test('logs an unexpected error with the request ID', async () => {
    lines.length = 0;
    await server.database.pool('postgres').exec('alter function public.note_caller rename to elsewhere');
    try {
      const headers = { 'x-request-id': 'account-request-3' };
      const reply = await account(server, 'sign-up', { email: newEmail(), password }, { headers });
      expect(reply.status).toBe(500);
      expect(reply.body).toMatchObject({ error_code: 'unexpected_failure', error_id: 'account-request-3' });
      expect(lines).toMatchObject([{ fields: { requestId: 'account-request-3', path: '/auth/v1/signup' } }]);
    } finally {
      await server.database.pool('postgres').exec('alter function public.elsewhere rename to note_caller');
    }
  });

  test('passes the address and user agent to hooks, the audit log and the session list', async () => {
    const ip = newAddress();
    const { body } = await account(server, 'sign-up', { email: newEmail(), password }, { ip });
    const [event] = await server.database
      .pool('postgres')
      .query<{ ip: string }>(sql`select event->'metadata'->>'ip_address' as ip from public.callers
        where event->'user'->>'id' = ${body.session.user.id}`);
    expect(event?.ip).toBe(ip);
    const user = await member(server);
    const { id } = await addFactor(server, user);
    await account(server, 'factor/challenge', { factor_id: id }, { ip, cookie: user.cookie });
    const audits = await server.database
      .pool('postgres')
      .query<{ action: string }>(sql`select payload->>'action' as action from auth.audit_log_entries
        where ip_address = ${ip}`);
    expect(audits.map(({ action }) => action)).toContain('challenge_created');
  });

  test('changes nothing if it takes longer than the time limit', async () => {
    const user = await member(server);
    const db = server.database.pool('supabase_admin');
    const late = await db.transaction(async (tx) => {
      await tx.query(sql`select from auth.users where id = ${user.id} for update`);
      return account(server, 'refresh', {}, { cookie: user.cookie });
    });
    expect([late.status, late.body]).toEqual([
      504,
      {
        code: 504,
        error_code: 'request_timeout',
        msg: 'Processing this request timed out, please retry after a moment.',
        error_id: late.body.error_id,
      },
    ]);
    const busy = sql`select 1 from pg_stat_activity
      where datname = current_database() and usename = 'supabase_auth_admin' and state <> 'idle'`;
    await expect.poll(async () => (await db.queryText(busy)).rows).toEqual([]);
    expect((await account(server, 'refresh', {}, { cookie: user.cookie })).status).toBe(200);
  });

  test('is rejected if auth would reject the body for its size', async () => {
    const key = { challenge_id: randomUUID(), credential: { id: 'x'.repeat(1_048_576) } };
    const page = await account(server, 'passkey', key);
    const api = await direct(server, '/passkeys/authentication/verify', key);
    expect([page.status, page.body]).toEqual([413, api.body]);
  });

  test('sends emails whose links open only the page that sent the request', async () => {
    const linkAfter = async (referer: string): Promise<string | null> => {
      const { email } = await member(server);
      await account(
        server,
        'code',
        { email, purpose: 'sign-in' },
        { ip: newAddress(), headers: { referer } },
      );
      const link = /http\S+token=\S+/.exec((await mailsTo(server, email, 1))?.text ?? '')?.[0];
      const target = new URL(new URL(link ?? '').searchParams.get('redirect_to') ?? '');
      target.searchParams.delete('wait');
      return target.href;
    };
    const own = `${server.url}/account/code?redirect_to=https%3A%2F%2Fapp.example%2Fx`;
    expect(await linkAfter(own)).toBe(own);
    expect(await linkAfter('https://evil.example/account/code')).toBe(`${server.url}/account/sign-in`);
    expect(await linkAfter(`${server.url}/rest/v1/x`)).toBe(`${server.url}/account/sign-in`);
  });

  test('redirects only to addresses that the redirect rule allows', async () => {
    const mark = 'b'.repeat(32);
    const confirm = async (redirectTo: string) => {
      const response = await fetch(`${server.url}/account/confirm`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          origin: server.url,
          cookie: `plinth-account-form=${mark}`,
          'x-forwarded-for': newAddress(),
        },
        body: new URLSearchParams({
          mark,
          token: 'a'.repeat(56),
          type: 'magiclink',
          redirect_to: redirectTo,
        }),
      });
      return response.headers.get('refresh');
    };
    expect(await confirm('https://evil.example/')).toContain('url=https://app.example');
    expect(await confirm('https://app.example/in')).toContain('url=https://app.example/in');
    expect(await confirm('https://app.example/in')).toContain('otp_expired');
  });

  test('from another site is never passed to auth', async () => {
    const before = server.records.filter(({ service }) => service === 'auth').length;
    const { email } = await member(server);
    const after = server.records.filter(({ service }) => service === 'auth').length;
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const reply = await account(server, 'sign-in', { email, password }, { headers: foreign });
    expect([reply.status, reply.body.code]).toEqual([403, 'not_same_origin']);
    expect(after).toBeGreaterThan(before);
    expect(server.records.filter(({ service }) => service === 'auth')).toHaveLength(after);
  });

  test('accepts a code only once, in either process', async () => {
    const { email } = await member(server);
    await account(server, 'code', { email, purpose: 'sign-in' }, { ip: newAddress() });
    const body = { email, type: 'email', token: codeOf(await mailsTo(server, email, 1)) };
    expect((await account(server, 'verify', body, { ip: newAddress() })).status).toBe(200);
    const again = await direct(server, '/verify', body, newAddress());
    const page = await account(server, 'verify', body, { ip: newAddress() });
    expect([page.status, page.body]).toEqual([403, again.body]);
  });
});

describe('the caller', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth(
      {
        ...factors,
        enable_manual_linking: true,
        external: { github: { enabled: true, client_id: 'id', secret: 'secret' } },
        oauth_server: { enabled: true },
        rate_limit: { sign_in_sign_ups: 1000 },
      },
      { ...trusted, plinth: { auth: patient, account: { implicit_return: true } } },
    );
  });
  afterAll(() => server.stop());

  test('can’t reach any user’s data without a cookie', async () => {
    const id = randomUUID();
    for (const [name, body] of [
      ['factor', { factor_id: id, code: '123456' }],
      ['factor/challenge', { factor_id: id }],
      ['factor/verify', { factor_id: id, challenge_id: id }],
      ['recovery-code', { code: 'x' }],
      ['link', { provider: 'github' }],
      ['consent', { authorization_id: 'a', action: 'approve' }],
      ['return', { redirect_to: 'http://127.0.0.1:3000/' }],
    ] as const) {
      const reply = await account(server, name, body);
      expect([name, reply.status, reply.body.code]).toEqual([name, 401, 'not_signed_in']);
    }
    expect((await account(server, 'session')).body).toEqual({ session: null });
  });

  test('signs the visitor in instead of the cookie’s user', async () => {
    const [ada, bob] = [await member(server), await member(server)];
    const before = server.records.length;
    const reply = await account(server, 'sign-in', { email: bob.email, password }, { cookie: ada.cookie });
    expect(reply.body.session.user.id).toBe(bob.id);
    await sleep(50);
    const signIn = server.records.slice(before).find(({ url }) => url.includes('grant_type=password'));
    expect(signIn?.trace).toMatchObject({ role: 'anon', userId: undefined });
    // The session of the other account is kept in a separate cookie.
    const parked = ada.cookie.replace(/^[^=]*=/, 'plinth-account-1=');
    expect(reply.headers.getSetCookie().map((line) => line.split(';', 1)[0])).toContain(parked);
    const old = await account(server, 'session', undefined, { cookie: parked });
    expect(old.body).toEqual({ session: null });
  });

  test('can’t see another user’s factor', async () => {
    const [ada, bob] = [await member(server), await member(server)];
    const { id } = await addFactor(server, ada);
    const body = { factor_id: id };
    const reply = await account(server, 'factor/challenge', body, { cookie: bob.cookie });
    expect([reply.status, reply.body.error_code]).toEqual([404, 'mfa_factor_not_found']);
  });

  test('is signed out if the user is banned or deleted or the session has ended', async () => {
    const admin = server.admin().auth.admin;
    const banned = await member(server);
    await admin.updateUserById(banned.id, { ban_duration: '1h' });
    expect((await account(server, 'session', undefined, { cookie: banned.cookie })).body.session).toBeNull();
    const ended = await member(server);
    await admin.signOut(ended.token, 'global');
    expect((await account(server, 'session', undefined, { cookie: ended.cookie })).body.session).toBeNull();
    const deleted = await member(server);
    await admin.deleteUser(deleted.id);
    expect((await account(server, 'session', undefined, { cookie: deleted.cookie })).body.session).toBeNull();
  });

  test('can’t do anything that requires the factor before verifying it', async () => {
    const user = await member(server);
    const { id, secret } = await addFactor(server, user);
    const { cookie } = await account(server, 'sign-in', { email: user.email, password });
    const denied = [
      await account(server, 'link', { provider: 'github' }, { cookie }),
      await account(server, 'return', { redirect_to: 'http://127.0.0.1:3000/' }, { cookie }),
      await account(server, 'consent', { authorization_id: 'a', action: 'approve' }, { cookie }),
    ];
    expect(denied.map(({ status, body }) => [status, body.error_code ?? body.code])).toEqual([
      [403, 'insufficient_aal'],
      [403, 'insufficient_aal'],
      [403, 'insufficient_aal'],
    ]);
    const wrong = await account(server, 'factor', { factor_id: id, code: '000000' }, { cookie });
    expect([wrong.status, wrong.body.error_code]).toEqual([422, 'mfa_verification_failed']);
    const code = laterTotp(secret);
    const raised = await account(server, 'factor', { factor_id: id, code }, { cookie });
    expect(raised.status).toBe(200);
    const linked = await account(server, 'link', { provider: 'github' }, { cookie });
    expect(new URL(linked.body.url).host).toBe('github.com');
  });

  test('can’t use an app’s session as the browser’s', async () => {
    // Only a page with the Account cookie has a session, and cookies are created only when this browser signs in.
    const { token } = await member(server);
    const headers = { authorization: `Bearer ${token}` };
    expect((await account(server, 'session', undefined, { headers })).body).toEqual({ session: null });
    const link = await account(server, 'link', { provider: 'github' }, { headers });
    expect(link.body.code).toBe('not_signed_in');
  });
});

describe('disabled features', () => {
  let server: AuthServer;
  let user: Member;
  beforeAll(async () => {
    server = await startAuth({ ...factors, enable_signup: false }, trusted);
    user = await member(server);
  });
  afterAll(() => server.stop());

  const email = 'off@example.com';
  test.each<readonly [name: string, body: object, path: string, sent: object | undefined]>([
    ['sign-up', { email, password }, '/signup', { email, password }],
    ['guest', {}, '/signup', {}],
    ['passkey/options', {}, '/passkeys/authentication/options', {}],
    ['passkey', { challenge_id: randomUUID(), credential: {} }, '/passkeys/authentication/verify', {}],
    ['sso', { domain: 'a.example' }, '/sso', { domain: 'a.example' }],
    ['wallet', { chain: 'solana', message: 'x', signature: 'x' }, '/token?grant_type=web3', {}],
    [
      'code',
      { phone: '+12025550123', purpose: 'sign-in' },
      '/otp',
      { phone: '+12025550123', create_user: false },
    ],
    ['link', { provider: 'github' }, '/user/identities/authorize?provider=github', undefined],
    [
      'consent',
      { authorization_id: 'a', action: 'deny' },
      '/oauth/authorizations/a/consent',
      { action: 'deny' },
    ],
  ])('%s', async (name, body, path, sent) => {
    const page = await account(server, name, body, { cookie: user.cookie });
    const api = await direct(server, path, sent, undefined, user.token);
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect([page.status, page.body]).toEqual([api.status, api.body]);
  });
});

test('without auth, the pages aren’t served', async () => {
  const backend = await createTestBackend({ exclude: ['auth', 'functions'] });
  try {
    const init = { method: 'POST', headers: { 'x-plinth-request': '1' }, body: '{}' };
    expect((await backend.fetch('/account/api/guest', init)).status).toBe(404);
    expect((await backend.fetch('/account/sign-in')).status).toBe(404);
  } finally {
    await backend.stop();
  }
});

describe('the existence of accounts isn’t revealed', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth(
      { email: { enable_confirmations: true }, rate_limit: { sign_in_sign_ups: 1000, email_sent: 1000 } },
      trusted,
    );
  });
  afterAll(() => server.stop());

  /**
   * Returns the shortest duration of each function, because other work on this machine can only lengthen a duration.
   */
  const shortestMs = async (one: () => Promise<unknown>, other: () => Promise<unknown>) => {
    const shortest: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let count = 0; count < 9; count += 1) {
      for (const [index, work] of [one, other].entries()) {
        const startedAt = performance.now();
        await work();
        shortest[index] = Math.min(shortest[index] ?? 0, performance.now() - startedAt);
      }
    }
    return shortest;
  };

  test.each<readonly [name: string, more: object]>([
    ['identify', {}],
    ['sign-in', { password: 'wrong horse' }],
    ['sign-up', { password }],
    ['code', { purpose: 'sign-in' }],
    ['code', { purpose: 'sign-up' }],
    ['code', { purpose: 'recover' }],
    ['code', { purpose: 'confirm' }],
    ['verify', { type: 'email', token: '123456' }],
  ])('%s %o: same response and work for known and unknown addresses', async (name, more) => {
    const known = await member(server);
    const ask = (email: string) =>
      account(server, name, { email, address: email, ...more }, { ip: newAddress() });
    const [one, other] = [await ask(known.email), await ask(newEmail())];
    expect([one.status, withoutNumber(one.body)]).toEqual([other.status, withoutNumber(other.body)]);
    const [ofKnown, ofUnknown] = await shortestMs(
      () => ask(known.email),
      () => ask(newEmail()),
    );
    // Hashing a password takes many times as long as a lookup. The additional 10 ms allow for variations in the
    // duration of short requests.
    expect((Math.max(ofKnown, ofUnknown) + 10) / (Math.min(ofKnown, ofUnknown) + 10)).toBeLessThan(3);
  });
});

/** The number that a waiting window shows is random, so it doesn't depend on the address. */
function withoutNumber(body: unknown): unknown {
  return { ...(body as object), number: undefined };
}
