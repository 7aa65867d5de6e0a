/** Tests increasing delays, unlocking by email, and confirming new devices. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { currentStep, totpCode } from '../../src/base/shared/one-time-codes.ts';
import { QueueFullError } from '../../src/services/auth/common/work-queue.ts';
import { localAttempts, sharedAttempts } from '../../src/services/auth/limits/attempt-store.ts';
import { createAttemptLimits } from '../../src/services/auth/limits/attempts.ts';
import { typedSecrets } from '../../src/services/auth/limits/typed-secrets.ts';
import { type AuthServer, codeOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth(
    { mfa: { totp: { enroll_enabled: true, verify_enabled: true } } },
    {
      servesAccount: true,
      trustedProxies: ['127.0.0.1'],
      plinth: {
        auth: {
          security: {
            notices: 'always',
            lockout: { after: 3, first_wait: 60_000, max_wait: 180_000 },
          },
        },
      },
    },
  );
  auth.clock.freeze();
});
afterAll(() => auth.stop());

async function newUser(server: AuthServer): Promise<string> {
  const email = newEmail();
  await server.admin().auth.admin.createUser({ email, password, email_confirm: true });
  return email;
}

/** Signs in with a stock client from an address. Returns the status and the error code. */
async function tryPassword(email: string, typed: string, ip: string): Promise<[number, string | undefined]> {
  const response = await auth.request('/token?grant_type=password', {
    json: { email, password: typed },
    headers: { 'x-forwarded-for': ip },
  });
  return [response.status, (await response.json()).error_code];
}

const wrong: [number, string] = [400, 'invalid_credentials'];
const blocked: [number, string] = [429, 'over_request_rate_limit'];

/** Simulates a browser on the Account pages, with its cookies. */
function browser(server: AuthServer) {
  const jar = new Map<string, string>();
  return {
    jar,
    async send(
      path: string,
      ip: string,
      json: object,
    ): Promise<{ status: number; body: Record<string, unknown> }> {
      const response = await fetch(`${server.url}/account/api/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-plinth-request': '1',
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': ip,
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        },
        body: JSON.stringify(json),
      });
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
        jar.set(name, value);
      }
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}

describe('wrong passwords', () => {
  test.each(['known', 'unknown'])('cause increasing waits per network for a %s address', async (kind) => {
    const email = kind === 'known' ? await newUser(auth) : newEmail();
    const [home, elsewhere] = ['203.0.113.20', '198.51.100.20'];
    for (let n = 0; n < 3; n += 1) expect(await tryPassword(email, 'wrong', home)).toEqual(wrong);
    expect(await tryPassword(email, password, home)).toEqual(blocked);
    // Sign-ins from other networks aren't delayed.
    expect(await tryPassword(email, 'wrong', elsewhere)).toEqual(wrong);
    auth.clock.advance(60_000);
    expect(await tryPassword(email, 'wrong', home)).toEqual(wrong);
    auth.clock.advance(60_000);
    expect(await tryPassword(email, password, home)).toEqual(blocked);
    auth.clock.advance(60_000);
    expect(await tryPassword(email, 'wrong', home)).toEqual(wrong);
    // Waits for the longest delay.
    auth.clock.advance(180_000);
    const [status] = await tryPassword(email, password, home);
    expect(status).toBe(kind === 'known' ? 200 : 400);
    // A correct password resets the delay.
    if (kind === 'known') expect(await tryPassword(email, 'wrong', home)).toEqual(wrong);
  });

  test('cause a wait even if they are sent concurrently', async () => {
    const email = await newUser(auth);
    const db = auth.database.pool('supabase_admin');
    const { sent } = await db.transaction(async (tx) => {
      const [table] = await tx.query<{ oid: number }>(
        sql`select '_plinth.guess_streaks'::regclass::oid::int as oid`,
      );
      await tx.query(sql`lock table _plinth.guess_streaks in share mode`);
      const attempts = Array.from({ length: 8 }, (_, n) =>
        tryPassword(email, n === 7 ? password : 'wrong', '203.0.113.25'),
      );
      // The streak is extended after three attempts have reached this step.
      await expect
        .poll(async () => {
          const [row] = await auth.database.pool('supabase_storage_admin').query<{ count: number }>(sql`
            select count(*)::int from pg_locks
            where not granted and relation = ${table?.oid}::oid
              and database = (select oid from pg_database where datname = current_database())`);
          return row?.count;
        })
        .toBeGreaterThanOrEqual(3);
      return { sent: Promise.all(attempts) };
    });
    const outcomes = await sent;
    const compared = outcomes.filter(([status]) => status !== 429);
    // The right password ends the streak, so three other attempts are compared after it.
    expect(compared.length).toBeLessThanOrEqual(compared.some(([status]) => status === 200) ? 6 : 3);
  });

  test('that aren’t compared don’t prolong the wait of their network', async () => {
    const email = await newUser(auth);
    const home = '203.0.113.27';
    const { size, refillMs } = typedSecrets.password.guesses;
    for (let n = 0; n < 3; n += 1) expect(await tryPassword(email, 'wrong', home)).toEqual(wrong);
    // Other networks use up the attempts at this account.
    for (let site = 1; site <= size - 3; site += 1)
      expect(await tryPassword(email, 'wrong', `10.3.${site}.1`)).toEqual(wrong);
    // The wait of the network is over, but the account has no attempts left.
    auth.clock.advance(refillMs - 10_000);
    for (let n = 0; n < 3; n += 1) expect(await tryPassword(email, password, home)).toEqual(blocked);
    auth.clock.advance(10_000);
    expect(await tryPassword(email, password, home)).toEqual([200, undefined]);
  });

  test('a stranger can’t lock the owner out of a known browser, and the owner unlocks others by email', async () => {
    const email = await newUser(auth);
    const own = browser(auth);
    expect((await own.send('sign-in', '203.0.113.30', { email, password })).status).toBe(200);
    // Attackers use up all sign-in attempts, first in other networks and then in the owner's network.
    let answer: [number, string | undefined] = wrong;
    for (let site = 1; answer[0] === 400; site += 1)
      answer = await tryPassword(email, 'wrong', `10.1.${site}.1`);
    for (let n = 0; n < 4; n += 1) await tryPassword(email, 'wrong', '203.0.113.30');
    expect(await tryPassword(email, password, '203.0.113.30')).toEqual(blocked);
    const known = await own.send('sign-in', '203.0.113.30', { email, password });
    expect(known.status).toBe(200);
    // A cookie that was never used to sign in doesn't help an attacker.
    const fresh = browser(auth);
    expect((await fresh.send('sign-in', '192.0.2.77', { email, password })).status).toBe(429);

    const mails = async () =>
      (await auth.inbox(email)).filter((mail) => /failed sign-ins/.test(mail.subject ?? ''));
    await expect.poll(async () => (await mails()).length).toBe(1);
    const link = /http\S+\/account\/unlock\?token=\S+/.exec((await mails())[0]?.text ?? '')?.[0] ?? '';
    const token = new URL(link).searchParams.get('token') ?? '';
    const page = await fetch(link);
    expect(page.status).toBe(200);
    expect((await fresh.send('sign-in', '192.0.2.77', { email, password })).status).toBe(429);
    const mark = /name="mark" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const cookies = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
    const press = (path: string) =>
      fetch(`${auth.url}/account/${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookies.join('; '), origin: auth.url },
        body: new URLSearchParams({ mark, token }),
      });
    // The link unlocks sign-in, but can't undo changes.
    expect((await press('not-me')).status).toBe(400);
    expect((await press('unlock')).headers.get('location')).toBe('/account/unlocked');
    expect((await fresh.send('sign-in', '192.0.2.77', { email, password })).status).toBe(200);
    // If the user opens the link or presses the page's button again, the page shows that the account is already
    // unlocked.
    const again = await press('unlock');
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('already unlocked')]);
    expect(await (await fetch(link)).text()).toContain('already unlocked');
  });
});

describe.each(['shared', 'local'] as const)('in the %s store', (kind) => {
  const rules = { after: 3, firstWaitMs: 60_000, maxWaitMs: 60_000 };
  /** Returns a function that attempts to enter a password at a given time, in a network that nothing else uses. */
  function newNetwork() {
    let now = 1_800_000_000_000;
    const clock = { now: () => now };
    const db = auth.database.pool('supabase_admin');
    const store = kind === 'shared' ? sharedAttempts(db) : localAttempts();
    const limits = createAttemptLimits(store, clock, { lockout: () => rules });
    const guess = { account: newEmail(), place: { kind: 'network', id: '192.0.2.0' } } as const;
    return {
      advance(ms: number) {
        now += ms;
      },
      attempt: async (compare: () => Promise<true | undefined>) =>
        (await limits.verify('password', guess, compare)).kind,
    };
  }
  const wrongly = async () => undefined;
  const busily = () => Promise.reject(new QueueFullError(1));

  test('an attempt that the server was too busy to compare doesn’t prolong the wait', async () => {
    const { attempt, advance } = newNetwork();
    for (let n = 0; n < 3; n += 1) expect(await attempt(wrongly)).toBe('wrong');
    advance(59_999);
    expect(await attempt(busily)).toBe('blocked');
    advance(1);
    for (let n = 0; n < 3; n += 1) await expect(attempt(busily)).rejects.toThrow(QueueFullError);
    expect(await attempt(wrongly)).toBe('wrong');
    expect(await attempt(wrongly)).toBe('blocked');
  });

  test('a wrong attempt during such an attempt still causes a wait', async () => {
    const { attempt, advance } = newNetwork();
    expect(await attempt(wrongly)).toBe('wrong');
    const gate = Promise.withResolvers<true>();
    const started = Promise.withResolvers<void>();
    const held = attempt(() => {
      started.resolve();
      return gate.promise;
    });
    await started.promise;
    advance(30_000);
    expect(await attempt(wrongly)).toBe('wrong');
    gate.reject(new QueueFullError(1));
    await expect(held).rejects.toThrow(QueueFullError);
    expect(await attempt(wrongly)).toBe('wrong');
    advance(59_999);
    expect(await attempt(wrongly)).toBe('blocked');
    advance(1);
    expect(await attempt(wrongly)).toBe('wrong');
  });
});

describe('wrong second factors', () => {
  test.each([
    ['second_factor', 'factor', (id: string) => ({ factor_id: id, code: '000000' })],
    ['recovery_code', 'recovery-code', () => ({ code: 'aaaa-aaaa-aaaa-aaaa' })],
  ] as const)(
    'share one limit across all browsers that only have the password: %s',
    async (kind, path, guess) => {
      const email = await newUser(auth);
      const signedIn = await auth.request('/token?grant_type=password', { json: { email, password } });
      const { access_token: token } = await signedIn.json<{ access_token: string }>();
      const enrolled = await auth.request('/factors', { token, json: { factor_type: 'totp' } });
      const { id: factorId, totp } = await enrolled.json<{ id: string; totp: { secret: string } }>();
      const challenged = await auth.request(`/factors/${factorId}/challenge`, { token, json: {} });
      const { id: challenge_id } = await challenged.json<{ id: string }>();
      const code = totpCode(totp.secret, currentStep(auth.clock.now()));
      const json = { challenge_id, code };
      expect((await auth.request(`/factors/${factorId}/verify`, { token, json })).status).toBe(200);
      const statuses = [];
      for (let site = 1; site <= typedSecrets[kind].guesses.size + 3; site += 1) {
        const ip = `10.2.${site}.1`;
        const fresh = browser(auth);
        expect((await fresh.send('sign-in', ip, { email, password })).status).toBe(200);
        const answer = await fresh.send(path, ip, guess(factorId));
        statuses.push(answer.status);
      }
      const { size } = typedSecrets[kind].guesses;
      expect(statuses.slice(0, size)).toEqual(Array.from({ length: size }, () => 422));
      expect(statuses.slice(-3)).toEqual([429, 429, 429]);
    },
  );
});

describe('new devices', () => {
  test('must be confirmed with an emailed code, on the Account pages and in apps', async () => {
    const server = await startAuth(
      { mfa: { totp: { enroll_enabled: true, verify_enabled: true } } },
      { servesAccount: true, plinth: { auth: { security: { confirm_new_devices: true } } } },
    );
    try {
      const email = await newUser(server);
      const own = browser(server);
      const asked = await own.send('sign-in', '127.0.0.1', { email, password });
      expect(asked).toMatchObject({ status: 200, body: { session: null } });
      expect((await own.send('sign-in', '127.0.0.1', { email, password: 'wrong' })).status).toBe(400);
      const [mail] = await server.inbox(email);
      expect(mail?.text).toContain(`Your password for ${email} was entered on a device`);
      expect(mail?.text).toContain('someone knows your password.');
      expect(mail?.text).toContain('Choose a new password: http');
      const json = { email, token: codeOf(mail), type: 'email' };
      expect((await own.send('verify', '127.0.0.1', json)).body.session).not.toBeNull();
      const again = await own.send('sign-in', '127.0.0.1', { email, password });
      expect(again.body.session).not.toBeNull();

      const client = server.client();
      const refused = await client.auth.signInWithPassword({ email, password });
      expect(refused.error).toMatchObject({ status: 403, code: 'device_not_confirmed' });
      const soon = await client.auth.signInWithPassword({ email, password });
      expect(soon.error?.code).toBe('device_not_confirmed');
      const token = codeOf((await server.inbox(email))[0]);
      expect((await client.auth.verifyOtp({ email, token, type: 'email' })).error).toBeNull();
      expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull();
    } finally {
      await server.stop();
    }
  });

  test('get an error if no code can be sent because of the project’s email limit', async () => {
    const smtp = {
      enabled: true,
      host: '127.0.0.1',
      port: 9,
      admin_email: 'a@b.example',
      user: '',
      pass: '',
    };
    const server = await startAuth(
      { rate_limit: { email_sent: 0 }, email: { smtp } },
      { plinth: { auth: { security: { confirm_new_devices: true } } } },
    );
    try {
      const email = await newUser(server);
      const { error } = await server.client().auth.signInWithPassword({ email, password });
      expect(error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' });
    } finally {
      await server.stop();
    }
  });
});
