/**
 * Tests that each kind of typed secret (`src/services/auth/limits/typed-secrets.ts`) can't be guessed. Guesses from
 * changing addresses must be rejected after the limit, even after a restart of the service. Without a scenario for each
 * kind, this file doesn't compile.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import {
  guessesPerDay,
  type TypedSecret,
  type TypedSecretKind,
  typedSecrets,
} from '../../src/services/auth/limits/typed-secrets.ts';
import { type AuthServer, codeOf, newEmail, startAuth } from '../auth/harness.ts';
import { operator, startBackend } from '../console/harness.ts';

const password = 'secret-123';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth(
    {
      jwt_expiry: 604_800,
      email: { secure_password_change: true },
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
    {
      mode: 'production',
      trustedProxies: ['127.0.0.1'],
      // This time limit is high enough for slow machines, because an aborted request would count as successful.
      plinth: { auth: { api: { max_request_duration: 120_000 }, security: { notices: 'configured' } } },
    },
  );
  server.clock.freeze();
});
afterAll(() => server?.stop());

let networks = 0;
/** Returns an unused IP address, in an unused /64 network and an unused /48 prefix. */
const elsewhere = (): string => {
  networks += 1;
  return `2001:db8:${networks.toString(16)}:${networks.toString(16)}::1`;
};
const home = '2001:db8:ffff:1::1';

interface Sent {
  readonly status: number;
  readonly body: {
    readonly error_code?: string;
    readonly access_token: string;
    readonly id: string;
    readonly totp: { readonly secret: string };
    readonly codes: readonly string[];
  };
}

async function send(
  path: string,
  ip: string,
  { json, token, method }: { json?: unknown; token?: string; method?: string } = {},
): Promise<Sent> {
  const response = await server.request(path, {
    ...(json === undefined ? {} : { json }),
    ...(token === undefined ? {} : { token }),
    ...(method === undefined ? {} : { method }),
    headers: { 'x-forwarded-for': ip },
  });
  return { status: response.status, body: await response.json<Sent['body']>() };
}

const signUp = async (email: string) => (await send('/signup', home, { json: { email, password } })).body;

/** The actions of the attacker and of the owner. */
interface Scenario {
  /** Submits a wrong guess for the current token and returns the status. */
  wrong(ip: string): Promise<number>;
  right(ip: string): Promise<number>;
  /** Issues a new token. Undefined if no token is issued for the secret. */
  renew?(ip: string): Promise<void>;
  readonly wrongStatus: number;
  readonly hasHome: boolean;
}

async function withFactor() {
  const email = newEmail();
  const { access_token: token } = await signUp(email);
  const json = { factor_type: 'totp', friendly_name: 'app' };
  const { id, totp } = (await send('/factors', home, { token, json })).body;
  const code = () => totpCode(totp.secret, Math.floor(server.clock.now() / 30_000)) ?? '';
  const verify = async (bearer: string, ip: string, typed: string, challengeId?: string) => {
    const challenge_id =
      challengeId ?? (await send(`/factors/${id}/challenge`, ip, { token: bearer, json: {} })).body.id;
    return send(`/factors/${id}/verify`, ip, { token: bearer, json: { challenge_id, code: typed } });
  };
  const { access_token: strong } = (await verify(token, home, code())).body;
  // The attacker knows the password and is signed in with it.
  const json2 = { email, password };
  const weak = (await send('/token?grant_type=password', elsewhere(), { json: json2 })).body.access_token;
  const again = async () =>
    (await send('/token?grant_type=password', home, { json: json2 })).body.access_token;
  return { id, code, verify, strong, weak, again };
}

const scenarios: Record<Exclude<TypedSecretKind, 'operator_factor'>, () => Promise<Scenario>> = {
  async password() {
    const email = newEmail();
    await signUp(email);
    const signIn = async (typed: string, ip: string) =>
      (await send('/token?grant_type=password', ip, { json: { email, password: typed } })).status;
    return {
      wrong: (ip) => signIn('wrong', ip),
      right: (ip) => signIn(password, ip),
      wrongStatus: 400,
      hasHome: true,
    };
  },
  async one_time_code() {
    const email = newEmail();
    await signUp(email);
    const verify = async (token: string, ip: string) =>
      (await send('/verify', ip, { json: { type: 'email', email, token } })).status;
    const renew = async (ip: string) => {
      const { length } = await server.inbox(email);
      expect((await send('/otp', ip, { json: { email } })).status).toBe(200);
      // The email is sent after the response, so the test waits for it.
      await expect.poll(async () => (await server.inbox(email)).length).toBe(length + 1);
    };
    await renew(elsewhere());
    return {
      wrong: (ip) => verify('wrong', ip),
      right: async (ip) => verify(codeOf((await server.inbox(email))[0]), ip),
      renew,
      wrongStatus: 403,
      hasHome: true,
    };
  },
  async reauthentication_nonce() {
    const email = newEmail();
    const { access_token: token } = await signUp(email);
    await server.database.pool('supabase_admin').query(sql`
      update auth.sessions set created_at = created_at - interval '2 days'
      where user_id = (select id from auth.users where email = ${email})`);
    let changes = 0;
    const change = async (nonce: string, ip: string) => {
      changes += 1;
      const json = { password: `secret-${changes}-456`, nonce };
      return (await send('/user', ip, { method: 'PUT', token, json })).status;
    };
    const renew = async (ip: string) => {
      expect((await send('/reauthenticate', ip, { token })).status).toBe(200);
    };
    await renew(elsewhere());
    return {
      wrong: (ip) => change('wrong', ip),
      right: async (ip) => change(codeOf((await server.inbox(email))[0]), ip),
      renew,
      wrongStatus: 422,
      hasHome: false,
    };
  },
  async second_factor() {
    const { id, code, verify, weak, again } = await withFactor();
    server.clock.advance(60_000);
    const challenge = async (ip: string) =>
      (await send(`/factors/${id}/challenge`, ip, { token: weak, json: {} })).body.id;
    // A challenge must be verified from the IP address from which it was requested.
    let [ip, challengeId] = [elsewhere(), ''];
    const renew = async (address: string) => {
      ip = address;
      challengeId = await challenge(ip);
    };
    await renew(ip);
    return {
      wrong: async () => (await verify(weak, ip, '000000', challengeId)).status,
      right: async (from) =>
        from === home
          ? (await verify(await again(), home, code())).status
          : (await verify(weak, ip, code(), challengeId)).status,
      renew,
      wrongStatus: 422,
      hasHome: true,
    };
  },
  async recovery_code() {
    const { strong, weak } = await withFactor();
    const { codes } = (await send('/factors/recovery-codes', home, { method: 'POST', token: strong })).body;
    const use = async (code: string, ip: string) =>
      (await send('/factors/recovery-codes/verify', ip, { token: weak, json: { code } })).status;
    return {
      wrong: (ip) => use('aaaa-bbbb-cccc-dddd', ip),
      right: (ip) => use(codes[0] ?? '', ip),
      wrongStatus: 422,
      hasHome: false,
    };
  },
};

/**
 * Sends requests while no attempt can be counted. The requests are counted after `waiting` of them have reached this
 * step, so a limit that is read before the attempt is counted lets all of them pass.
 */
async function whileUncounted<T>(waiting: number, requests: () => readonly Promise<T>[]): Promise<T[]> {
  const db = server.database.pool('supabase_admin');
  const { answers } = await db.transaction(async (tx) => {
    const [table] = await tx.query<{ oid: number }>(sql`select '_plinth.guesses'::regclass::oid::int as oid`);
    await tx.query(sql`lock table _plinth.guesses in share mode`);
    const sent = requests();
    await expect
      .poll(async () => {
        const [row] = await server.database.pool('supabase_storage_admin').query<{ count: number }>(sql`
          select count(*)::int from pg_locks
          where not granted and relation = ${table?.oid}::oid
            and database = (select oid from pg_database where datname = current_database())`);
        return row?.count;
      })
      .toBeGreaterThanOrEqual(waiting);
    return { answers: Promise.all(sent) };
  });
  return answers;
}

describe.each(Object.entries(scenarios))('%s', (kind, start) => {
  const secret: TypedSecret = typedSecrets[kind as TypedSecretKind];

  it('is locked after too many guesses from any address, even after a restart, but its owner can still use a known network', async () => {
    const { wrong, right, renew, wrongStatus, hasHome } = await start();
    const perToken = secret.perToken ?? Number.POSITIVE_INFINITY;
    for (let guess = 0; guess < secret.guesses.size; guess++) {
      if (guess > 0 && guess % perToken === 0) await renew?.(elsewhere());
      if (guess === Math.floor(secret.guesses.size / 2)) await server.restart();
      expect([guess, await wrong(elsewhere())]).toEqual([guess, wrongStatus]);
    }
    await renew?.(elsewhere());
    expect(await wrong(elsewhere())).toBe(429);
    await server.restart();
    expect(await wrong(elsewhere())).toBe(429);
    // Even a correct guess doesn't reveal any information.
    expect(await right(elsewhere())).toBe(429);
    expect(await right(home)).toBe(hasHome ? 200 : 429);
    if (hasHome) return;
    server.clock.advance(secret.guesses.refillMs);
    expect(await right(elsewhere())).toBe(200);
  });

  it.runIf(secret.perToken !== undefined)(
    'can’t be guessed more often than the limit per token',
    async () => {
      const { wrong, right, renew, wrongStatus } = await start();
      for (let guess = 0; guess < (secret.perToken ?? 0); guess++) await wrong(elsewhere());
      expect(await right(elsewhere())).toBe(wrongStatus);
      await renew?.(elsewhere());
      expect(await right(elsewhere())).toBe(200);
    },
  );

  it('concurrent guesses are counted like sequential ones', async () => {
    const { wrong } = await start();
    const sent = Array.from({ length: secret.guesses.size + 12 }, () => wrong(elsewhere()));
    const compared = (await Promise.all(sent)).filter((status) => status !== 429);
    expect(compared.length).toBeLessThanOrEqual(secret.guesses.size);
  });

  it('the right guess among concurrent ones is accepted within the limit, or answered like a wrong one', async () => {
    const { wrong, right, renew, wrongStatus } = await start();
    const perToken = secret.perToken ?? Number.POSITIVE_INFINITY;
    const left = 2;
    for (let guess = 0; guess < secret.guesses.size - left; guess++) {
      if (guess > 0 && guess % perToken === 0) await renew?.(elsewhere());
      await wrong(elsewhere());
    }
    await renew?.(elsewhere());
    const [owner, ...others] = await whileUncounted(3, () => [
      right(elsewhere()),
      ...Array.from({ length: 9 }, () => wrong(elsewhere())),
    ]);
    const compared = [owner, ...others].filter((status) => status !== 429);
    expect(compared.length).toBeGreaterThanOrEqual(left);
    // The right guess returns its attempt, which another guess may then use.
    expect(compared.length).toBeLessThanOrEqual(owner === 200 ? left + 1 : left);
    expect([200, wrongStatus, 429]).toContain(owner);
    expect(new Set(others)).toEqual(new Set([wrongStatus, 429]));
  });
});

it('an address without an account is rejected after the same number of guesses', async () => {
  const email = newEmail();
  const statuses = [];
  for (let guess = 0; guess <= typedSecrets.password.guesses.size; guess++) {
    statuses.push(
      (await send('/token?grant_type=password', elsewhere(), { json: { email, password } })).status,
    );
  }
  expect(statuses.indexOf(429)).toBe(typedSecrets.password.guesses.size);
});

it('any number of concurrent attempts with the right password succeeds', async () => {
  const email = newEmail();
  await signUp(email);
  const json = { email, password };
  const sent = Array.from({ length: 25 }, () => send('/token?grant_type=password', elsewhere(), { json }));
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('an IPv6 site has a separate limit', async () => {
  let passed = 0;
  for (let network = 0; network < 250; network++) {
    const response = await send('/recover', `2001:db8:fffe:${network.toString(16)}::1`, {
      json: { email: 'not-an-email' },
    });
    if (response.status !== 429) passed += 1;
  }
  expect(passed).toBe(240);
});

it('the probability of guessing a six-digit code is below one in a thousand per day', () => {
  for (const [kind, secret] of Object.entries<TypedSecret>(typedSecrets)) {
    if (secret.oneIn === undefined) continue;
    expect([kind, guessesPerDay(secret) / secret.oneIn < 0.001]).toEqual([kind, true]);
  }
});

it("an operator's factor is rejected after too many guesses across all sessions", async () => {
  const backend = await startBackend();
  try {
    await backend.operators.createOperator('ada', 'developer');
    const first = await operator(backend, 'ada');
    const { secret } = (await first.call('POST', '/factor')).body;
    const step = Math.floor(Date.now() / 30_000);
    await first.call('POST', '/factor/confirm', { code: totpCode(secret, step) });
    const statuses = [];
    for (let guess = 0; guess <= typedSecrets.operator_factor.guesses.size; guess++) {
      const session = await operator(backend, 'ada');
      statuses.push((await session.call('POST', '/factor/prove', { code: '000000' })).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    const session = await operator(backend, 'ada');
    const right = await session.call('POST', '/factor/prove', { code: totpCode(secret, step + 1) });
    expect([right.status, right.body.code]).toEqual([429, 'too_many']);
    const [row] = await backend.database
      .pool('supabase_admin')
      .query<{ count: number }>(
        sql`select count(*)::int from _plinth.guesses where key like 'operator_factor:%'`,
      );
    expect(row?.count).toBe(1);
  } finally {
    await backend.stop();
  }
});

/**
 * The places where secrets are compared and the number of comparisons in each file. If a comparison concerns input that
 * users type, it requires a kind in the table and must use `verifySecret` or `guesses.verify`. For each other
 * comparison, `why` contains the reason why these measures aren't necessary.
 */
const comparisons: Readonly<
  Record<
    string,
    { readonly count: number; readonly kinds?: readonly TypedSecretKind[]; readonly why?: string }
  >
> = {
  'pages/account/routes/mark.ts': { count: 1, why: 'a random mark of 32 bytes in a form' },
  'services/auth/oauth-server/secrets.ts': { count: 1, why: 'client secrets, which programs hold' },
  'services/auth/common/pkce.ts': {
    count: 4,
    why: 'hashes of codes and verifiers, for the callers named here',
  },
  'services/auth/sessions/refresh-token-v2.ts': { count: 2, why: 'signatures' },
  'services/auth/common/secrets.ts': { count: 2, why: 'the comparison itself' },
  'services/auth/factors/recovery-codes.ts': { count: 2, kinds: ['recovery_code'] },
  'services/auth/sign-up/repeated.ts': {
    count: 1,
    why: 'of two sign-ups that wait for one code: the response is the same, and the account opens to neither',
  },
  'services/auth/messages/send-text.ts': {
    count: 1,
    why: 'the comparison itself, for the callers named here',
  },
  'services/auth/codes/find-owner.ts': { count: 3, kinds: ['one_time_code'] },
  'services/auth/account/reauthentication.ts': { count: 2, kinds: ['reauthentication_nonce'] },
  'services/auth/passwords/hashing.ts': { count: 1, why: 'the comparison itself' },
  'services/auth/factors/own-queries.ts': { count: 2, why: 'the comparison itself' },
  'services/auth/factors/challenges.ts': { count: 3, kinds: ['second_factor'] },
  'services/auth/providers/id-token.ts': {
    count: 1,
    why: 'a nonce of the client, under a signature of the provider',
  },
  'services/auth/sign-in/password.ts': { count: 1, kinds: ['password'] },
  'services/auth/account/own-user.ts': {
    count: 2,
    kinds: ['password'],
    why: 'the second asks whether a new password is the old one, and replaces it if not',
  },
  'entry/cli/control.ts': { count: 1, why: 'a random token in a file of the data folder' },
  'pages/console/operators/factors.ts': { count: 2, kinds: ['operator_factor'] },
  'pages/console/operators/queries.ts': { count: 1, why: 'the comparison itself' },
  'pages/console/sessions.ts': { count: 1, why: 'a CSRF token of 24 random bytes' },
  'platform/database/wire/connect/scram.ts': { count: 1, why: 'the signature of the server' },
  'operations/backup/repository.ts': { count: 1, why: 'the proof of a key that the operator configures' },
  'server/gateway/api-keys.ts': { count: 1, why: 'API keys, which programs hold' },
  'base/shared/one-time-codes.ts': { count: 2, why: 'the comparison itself' },
  'platform/group/cipher.ts': { count: 1, why: 'a fingerprint of the secret that the operator configures' },
  'platform/keys/jwk.ts': { count: 1, why: 'signatures' },
  'platform/keys/default-keys.ts': { count: 1, why: 'API keys, which programs hold' },
  'project/migrate/notes.ts': { count: 1, why: 'a signature, with a secret that the operator passes' },
  'services/realtime/core/token.ts': { count: 1, why: 'API keys, which programs hold' },
  'services/storage/s3/core/signature.ts': { count: 1, why: 'signatures' },
};

const comparing =
  /(?<!import \{[^}]*)\b(timingSafeEqual|sameSecret|hashMatches|totpStep|checkByProvider|hasRecoveryCode|consumeRecoveryCode|takeRecoveryCode|passwords\.verify)\(/g;

describe('comparisons with secrets', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  const sources = new Map(files.map((path) => [path, readFileSync(`${src}${path}`, 'utf8')]));

  it('are made only in the files that this test lists', () => {
    const found = [...sources]
      .map(([path, text]) => [path, [...text.matchAll(comparing)].length] as const)
      .filter(([, count]) => count > 0);
    const known = Object.entries(comparisons).map(([path, { count }]) => [path, count] as const);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known));
  });

  it('that involve typed secrets use the counter, and every kind in the table is used', () => {
    for (const [path, { kinds = [] }] of Object.entries(comparisons)) {
      for (const kind of kinds)
        expect([path, sources.get(path)?.includes(`'${kind}'`)]).toEqual([path, true]);
    }
    const used = Object.values(comparisons).flatMap(({ kinds = [] }) => kinds);
    expect(new Set(used)).toEqual(new Set(Object.keys(typedSecrets)));
  });
});
