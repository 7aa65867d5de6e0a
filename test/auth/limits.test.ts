/** Tests rate limits per client address, shared by all processes on one database, and hourly limits. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LogFields, silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { configFrom } from '../../src/platform/config/index.ts';
import { sharedAttempts } from '../../src/services/auth/limits/attempt-store.ts';
import { createRateLimits, localBuckets, sharedBuckets } from '../../src/services/auth/limits/rate-limits.ts';
import { settingsFrom } from '../../src/services/auth/settings.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const minuteMs = 60_000;

describe('per client address', () => {
  let auth: AuthServer;
  beforeAll(async () => {
    auth = await startAuth(
      {
        enable_anonymous_sign_ins: true,
        mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
        oauth_server: { enabled: true, allow_dynamic_registration: true },
        rate_limit: { anonymous_users: 3, token_refresh: 150, sign_in_sign_ups: 30, web3: 0 },
      },
      {
        mode: 'production',
        trustedProxies: ['127.0.0.1'],
        // The timeout is long enough for a busy machine, because an aborted request would be counted as an accepted
        // one.
        plinth: { auth: { api: { max_request_duration: 120_000 } } },
      },
    );
    auth.clock.freeze();
  });
  afterAll(() => auth.stop());

  /** Sends identical requests concurrently, and returns the number of responses with each status. */
  const volley = async (count: number, path: string, ip: string, json: unknown, token?: string) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () =>
        auth.request(path, {
          json,
          headers: { 'x-forwarded-for': ip },
          ...(token === undefined ? {} : { token }),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status >= 500).map(({ status }) => status)).toEqual([]);
    const limited = answers.filter(({ status }) => status === 429).length;
    return { limited, passed: count - limited, answers };
  };
  const unknown = { email: 'unknown@example.com', password };

  test('a burst of 30 requests is allowed, then one more whenever the bucket refills', async () => {
    const ip = '203.0.113.1';
    const first = await volley(35, '/token?grant_type=refresh_token', ip, { refresh_token: 'a'.repeat(12) });
    expect([first.passed, first.limited]).toEqual([30, 5]);
    const refusal = first.answers.find(({ status }) => status === 429);
    expect(await refusal?.json()).toMatchObject({
      error_code: 'over_request_rate_limit',
      msg: 'Request rate limit reached',
    });
    // A limit of 150 requests in five minutes allows one more request every two seconds.
    expect(refusal?.headers.get('retry-after')).toBe('2');
    auth.clock.advance(2000);
    expect(
      (await volley(3, '/token?grant_type=refresh_token', ip, { refresh_token: 'a'.repeat(12) })).passed,
    ).toBe(1);
  });

  test.each([1, 24])('the limit works after the clock was changed by %i hours and back', async (hours) => {
    const ip = `203.0.113.${100 + hours}`;
    const body = { refresh_token: 'a'.repeat(12) };
    const burst = async () => (await volley(32, '/token?grant_type=refresh_token', ip, body)).passed;
    expect(await burst()).toBe(30);
    auth.clock.advance(-hours * 3_600_000);
    expect(await burst()).toBe(30);
    auth.clock.advance(hours * 3_600_000);
    expect(await burst()).toBe(30);
  });

  test('dynamic client registration is limited', async () => {
    const metadata = { redirect_uris: ['https://app.example/'] };
    const { passed, limited } = await volley(32, '/oauth/clients/register', '203.0.113.40', metadata);
    expect([passed, limited]).toEqual([30, 2]);
  });

  test('another address and another handler have separate limits', async () => {
    const ip = '203.0.113.2';
    await volley(31, '/recover', ip, { email: unknown.email });
    expect((await volley(1, '/recover', ip, { email: unknown.email })).limited).toBe(1);
    expect((await volley(1, '/otp', ip, { email: newEmail(), create_user: false })).limited).toBe(0);
    expect((await volley(1, '/recover', '203.0.113.3', { email: unknown.email })).limited).toBe(0);
  });

  test('an IPv6 address is identified by its first 64 bits', async () => {
    const changing = await Promise.all(
      Array.from({ length: 33 }, (_, host) =>
        volley(1, '/recover', `2001:db8:0:7::${(host + 1).toString(16)}`, { email: unknown.email }),
      ),
    );
    expect(changing.filter(({ limited }) => limited === 1)).toHaveLength(3);
    expect((await volley(1, '/recover', '2001:db8:0:8::1', { email: unknown.email })).limited).toBe(0);
  });

  test('guest sign-ups have a separate hourly limit', async () => {
    const ip = '203.0.113.4';
    expect((await volley(5, '/signup', ip, {})).limited).toBe(2);
    expect((await volley(1, '/signup', ip, { email: newEmail(), password })).limited).toBe(0);
    auth.clock.advance(20 * minuteMs);
    expect((await volley(2, '/signup', ip, {})).limited).toBe(1);
  });

  test('a limit of 0 disables the limit', async () => {
    expect((await volley(1, '/token?grant_type=web3', '203.0.113.5', { chain: 'ethereum' })).limited).toBe(1);
  });

  test('a user changes their own account at most 30 times in a row, from any network', async () => {
    const { data } = await auth.client().auth.signUp({ email: newEmail(), password });
    const token = data.session?.access_token ?? '';
    const send = (method: string, path: string, network: number) =>
      auth.request(path, { method, token, headers: { 'x-forwarded-for': `203.0.113.${network}` } });
    const changes: readonly (readonly [string, string])[] = [
      ['POST', '/logout?scope=others'],
      ['DELETE', `/user/sessions/${randomUUID()}`],
      ['POST', '/factors/recovery-codes'],
      ['DELETE', '/factors/recovery-codes'],
      ['POST', '/factors'],
      ['DELETE', `/factors/${randomUUID()}`],
      ['DELETE', `/user/identities/${randomUUID()}`],
      ['DELETE', '/user/email_change'],
      ['DELETE', '/user/phone_change'],
      ['DELETE', `/user/oauth/grants?client_id=${randomUUID()}`],
      ['POST', `/oauth/authorizations/${'a'.repeat(32)}/consent`],
      ['GET', `/oauth/authorizations/${'a'.repeat(32)}`],
      ['GET', '/user/identities/authorize?provider=github'],
    ];
    for (let count = 0; count < 30; count += 1) {
      const [method, path] = changes[count % changes.length] as readonly [string, string];
      expect([path, (await send(method, path, 150 + count)).status === 429]).toEqual([path, false]);
    }
    for (const [method, path] of changes) {
      const response = await send(method, path, 200);
      expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 429, '5']);
    }
    // Signing out is always possible, and another user has a separate limit.
    const { data: other } = await auth.client().auth.signUp({ email: newEmail(), password });
    const others = { method: 'POST', token: other.session?.access_token ?? '' };
    expect((await auth.request('/logout?scope=others', others)).status).toBe(204);
    expect((await send('POST', '/logout?scope=local', 201)).status).toBe(204);
  });

  test('a session that has reached its limit of changes can still be ended by another session', async () => {
    const email = newEmail();
    await auth.client().auth.signUp({ email, password });
    const [thief, owner] = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const { data } = await auth.client().auth.signInWithPassword({ email, password });
        return data.session?.access_token ?? '';
      }),
    );
    const end = async (id: string, token = '') =>
      (await auth.request(`/user/sessions/${id}`, { method: 'DELETE', token })).status;
    for (let count = 0; count < 30; count += 1) await end(randomUUID(), thief);
    expect(await end(randomUUID(), thief)).toBe(429);
    const claims = JSON.parse(Buffer.from(thief?.split('.')[1] ?? '', 'base64url').toString());
    expect(await end(claims.session_id, owner)).toBe(204);
    expect((await auth.request('/user', { token: thief ?? '' })).status).toBe(403);
  });

  test('sign-ins with providers, and requests of OAuth clients, are limited per network', async () => {
    // The limit is 100 requests, and it grows by one a second while the requests are sent.
    for (const path of ['/authorize?provider=github', `/oauth/authorize?client_id=${randomUUID()}`]) {
      const ip = `203.0.114.${path.length}`;
      // Sent in groups, so that a slow machine doesn't reject them as overload.
      const statuses: number[] = [];
      while (statuses.length < 400 && !statuses.includes(429)) {
        const group = Array.from({ length: 25 }, async () => {
          const { status } = await auth.request(path, { headers: { 'x-forwarded-for': ip } });
          return status;
        });
        statuses.push(...(await Promise.all(group)));
      }
      expect(statuses).toContain(429);
      expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(100);
    }
  });

  test("second factor codes can't be guessed", async () => {
    const client = auth.client();
    const { data } = await client.auth.signUp({ email: newEmail(), password });
    const token = data.session?.access_token ?? '';
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' });
    const wrong = { challenge_id: randomUUID(), code: '000000' };
    const tries = await volley(40, `/factors/${factor?.id}/verify`, '203.0.113.6', wrong, token);
    expect(tries.passed).toBe(30);
  });

  test("codes and links in emails can't be guessed", async () => {
    const ip = '203.0.113.7';
    const guesses = Array.from({ length: 28 }, () =>
      volley(1, '/verify', ip, { type: 'email', email: newEmail(), token: '000000' }),
    );
    expect((await Promise.all(guesses)).map(({ limited }) => limited)).not.toContain(1);
    const links = await Promise.all(
      Array.from({ length: 4 }, () =>
        auth.request('/verify?type=signup&token=x', { headers: { 'x-forwarded-for': ip } }),
      ),
    );
    expect(links.map(({ status }) => status).sort()).toEqual([303, 303, 429, 429]);
  });

  test('passwords can’t be guessed, not even with a different user each time', async () => {
    const ip = '203.0.113.8';
    const guesses = Array.from({ length: 33 }, (_, user) =>
      volley(1, '/token?grant_type=password', ip, { email: `not an address ${user}`, password }),
    );
    expect((await Promise.all(guesses)).filter(({ passed }) => passed === 1)).toHaveLength(30);
    expect((await volley(1, '/token?grant_type=password', ip, unknown)).limited).toBe(1);
  });

  test('an unknown proxy can’t choose the client address', async () => {
    const warnings: LogFields[] = [];
    const log = { ...silentLogger, warn: (fields: LogFields) => void warnings.push(fields) };
    const strict = await startAuth({}, { mode: 'production', log });
    strict.clock.freeze();
    try {
      const answers = await Promise.all(
        Array.from({ length: 31 }, (_, index) =>
          strict.request('/recover', {
            json: { email: unknown.email },
            headers: { 'x-forwarded-for': `203.0.113.${index}`, forwarded: `for=203.0.113.${index}` },
          }),
        ),
      );
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
      // The gateway determines which proxies are trusted (test/security/forwarded-headers.test.ts).
      expect(warnings).toEqual([]);
    } finally {
      await strict.stop();
    }
  });

  test('no limit applies in development, as on the local stack', async () => {
    const local = await startAuth();
    try {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => local.request('/recover', { json: { email: unknown.email } })),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      const rows = await local.database.pool('supabase_admin').queryText(countBuckets);
      expect(rows.rows).toEqual([['0']]);
    } finally {
      await local.stop();
    }
  });

  test('a shared limit is reset if the clock was set back by a day, but not if it is 30 seconds slow', async () => {
    const store = sharedAttempts(auth.database.pool('supabase_admin'));
    const rule = { size: 2, refillMs: 60_000 };
    const key = randomUUID();
    const now = Date.UTC(2040, 0);
    const take = (atMs: number) => store.take({ key, rule }, atMs);
    expect([await take(now), await take(now), await take(now)]).toEqual([true, true, false]);
    expect(await take(now - 30_000)).toBe(false);
    const earlier = now - 86_400_000;
    expect([await take(earlier), await take(earlier), await take(earlier)]).toEqual([true, true, false]);
    expect(await take(earlier - 3_600_000)).toBe(true);
    expect(await store.fullAt(key)).toBe(earlier - 3_600_000 + 60_000);
  });

  test('processes on one database share the remaining requests, and full buckets are deleted', async () => {
    const db = auth.database.pool('supabase_admin');
    const settings = settingsFrom(configFrom({}), 'production', () => '');
    const processes = [
      createRateLimits(sharedBuckets(db), () => settings),
      createRateLimits(sharedBuckets(db), () => settings),
    ];
    const now = Date.UTC(2040, 0);
    const taken = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => processes[index % 2]?.address('sso', '198.51.100.1', now)),
    );
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    await processes[0]?.sweep(now + 299_000);
    const left = await db.queryText(countBuckets);
    expect(left.rows).toEqual([['1']]);
    await processes[0]?.sweep(now + 301_000);
    expect((await db.queryText(countBuckets)).rows).toEqual([['0']]);
  });
});

const countBuckets = sql`select count(*) from _plinth.rate_limits`;

test('security notices have a separate limit per account and kind', async () => {
  const settings = settingsFrom(
    configFrom({
      auth: {
        rate_limit: { email_sent: 2 },
        email: {
          enable_confirmations: true,
          smtp: {
            enabled: true,
            host: '127.0.0.1',
            port: 9,
            admin_email: 'a@example.com',
            user: '',
            pass: '',
          },
        },
      },
    }),
    'production',
    () => '',
  );
  const limits = createRateLimits(localBuckets(), () => settings);
  const now = Date.UTC(2040, 0);
  for (let count = 0; count < 2; count += 1) await limits.email(now);
  await expect(limits.email(now)).rejects.toThrow('email rate limit exceeded');
  const notices = (userId: string, kind: string, atMs = now) =>
    Promise.all(Array.from({ length: 12 }, () => limits.notice(userId, kind, atMs)));
  const sent = async (...of: Parameters<typeof notices>) => (await notices(...of)).filter(Boolean).length;
  const [user, other] = [randomUUID(), randomUUID()];
  expect(await sent(user, 'password_changed')).toBe(10);
  // An attacker who causes many notices of one kind can't suppress other kinds, or notices to other accounts.
  expect(await sent(user, 'email_changed')).toBe(10);
  expect(await sent(other, 'password_changed')).toBe(10);
  expect(await sent(user, 'password_changed', now + 60 * minuteMs)).toBe(10);
});

test('emails have an hourly limit for the whole server, and failed sign-ups also count', async () => {
  const auth = await startAuth({
    rate_limit: { email_sent: 2 },
    email: {
      enable_confirmations: true,
      smtp: { enabled: true, host: '127.0.0.1', port: 9, admin_email: 'a@example.com', user: '', pass: '' },
    },
  });
  try {
    const statuses = [];
    for (let i = 0; i < 3; i++) {
      const { error } = await auth.client().auth.signUp({ email: newEmail(), password });
      statuses.push(error?.status);
    }
    expect(statuses).toEqual([500, 500, 429]);
    auth.clock.advance(30 * minuteMs);
    const { error } = await auth.client().auth.signUp({ email: newEmail(), password });
    expect(error?.status).toBe(500);
  } finally {
    await auth.stop();
  }
});

test('text messages have an hourly limit for the whole server', async () => {
  const auth = await startAuth({
    rate_limit: { sms_sent: 2 },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
  });
  try {
    const send = (phone: string) => auth.client().auth.signInWithOtp({ phone });
    expect((await send('491511111111')).error).toBeNull();
    expect((await send('491511111112')).error).toBeNull();
    expect((await send('491511111113')).error).toMatchObject({
      code: 'over_sms_send_rate_limit',
      message: 'SMS rate limit exceeded',
      status: 429,
    });
    auth.clock.advance(30 * minuteMs);
    expect((await send('491511111113')).error).toBeNull();
  } finally {
    await auth.stop();
  }
});

test('texts to phone factors count toward the hourly limit, and deleting a factor doesn’t end the pause', async () => {
  const auth = await startAuth({
    rate_limit: { sms_sent: 3 },
    mfa: { phone: { enroll_enabled: true, verify_enabled: true, max_frequency: 60_000 } },
  });
  try {
    const client = auth.client();
    await client.auth.signUp({ email: newEmail(), password });
    const enrollAndChallenge = async (phone: string) => {
      const { data } = await client.auth.mfa.enroll({ factorType: 'phone', phone });
      const factorId = data?.id ?? '';
      const { error } = await client.auth.mfa.challenge({ factorId });
      expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull();
      return error;
    };
    expect(await enrollAndChallenge('491521111111')).toBeNull();
    expect(await enrollAndChallenge('491521111111')).toMatchObject({
      code: 'over_sms_send_rate_limit',
      message: expect.stringMatching(
        /^For security purposes, you can only request this after (59|60) seconds\.$/,
      ),
      status: 429,
    });
    expect(await enrollAndChallenge('491521111112')).toBeNull();
    auth.clock.advance(60_000);
    expect(await enrollAndChallenge('491521111111')).toBeNull();
    expect(await auth.inbox('491521111111')).toHaveLength(2);
    // The time above has refilled less than one text message.
    expect(await enrollAndChallenge('491521111113')).toMatchObject({
      code: 'over_sms_send_rate_limit',
      message: 'SMS rate limit exceeded',
      status: 429,
    });
    expect(await auth.inbox('491521111113')).toEqual([]);
  } finally {
    await auth.stop();
  }
});
