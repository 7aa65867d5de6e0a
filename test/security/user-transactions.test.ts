/**
 * Tests that a request in flight can't change an account after the owner has ended the session with which the request
 * was authenticated. Every transaction on behalf of a user must use `src/services/auth/sessions/user-transaction.ts`. This
 * file lists all other transactions, so a new one must be added to the list with a reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { currentStep, totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, startAuth } from '../auth/harness.ts';
import { authorizationId, open, pkce, register } from '../auth/oauth-server/client.ts';
import { createInternet, type Internet } from '../auth/social/internet.ts';
import { publishIssuer } from '../auth/social/sign-in.ts';
import { type Issuer, startIssuer } from '../keys/issuer.ts';

let auth: AuthServer;
let internet: Internet;
let issuer: Issuer;
beforeAll(async () => {
  internet = await createInternet();
  issuer = await startIssuer('https://accounts.google.com');
  publishIssuer(internet, 'https://accounts.google.com', issuer);
  const configured = { enabled: true, client_id: 'client', secret: 'secret' };
  auth = await startAuth(
    {
      enable_manual_linking: true,
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
      oauth_server: { enabled: true, allow_dynamic_registration: true },
      external: { google: configured, github: configured },
      // Each kind of message is sent at most once per minute.
      email: { max_frequency: 60_000, double_confirm_changes: true, enable_confirmations: true },
      sms: { enable_signup: true, max_frequency: 60_000, enable_confirmations: true },
    },
    {
      outgoing: internet.outgoing,
      plinth: {
        account: { deletion: true },
        auth: { security: { notices: 'configured' }, api_keys: { enabled: true } },
      },
    },
  );
});
afterAll(async () => {
  await auth?.stop();
  await issuer?.stop();
  await internet?.stop();
});

const admin = () => auth.database.pool('supabase_admin');
const password = 'correct horse battery';

interface Attacked {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

async function newUser(): Promise<Attacked> {
  const email = `user-${crypto.randomUUID()}@example.com`;
  await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
  const response = await auth.request('/token?grant_type=password', { json: { email, password } });
  const session = await response.json<{ access_token: string; user: { id: string } }>();
  return { id: session.user.id, email, token: session.access_token };
}

const idToken = () =>
  issuer.token({
    aud: 'client',
    sub: crypto.randomUUID(),
    email: `attacker-${crypto.randomUUID()}@example.com`,
    email_verified: true,
  });

type Response = Awaited<ReturnType<AuthServer['request']>>;

const isWaiting = sql`
  select 1 from pg_stat_activity
  where datname = current_database() and usename = 'supabase_auth_admin' and wait_event_type = 'Lock'`;

/**
 * Sends a request while a transaction holds the user's row, and ends the user's sessions in this transaction, like all
 * functions that end sessions. The request has been authenticated when the transaction continues.
 */
async function whileSecured(id: string, request: () => Promise<Response>): Promise<Response> {
  const { sent } = await admin().transaction(async (tx) => {
    await tx.query(sql`select from auth.users where id = ${id} for update`);
    const response = request();
    let answered = false;
    response.finally(() => {
      answered = true;
    });
    await expect.poll(async () => answered || (await admin().query(isWaiting)).length > 0).toBe(true);
    await tx.query(sql`delete from auth.flow_state where linking_target_id = ${id}`);
    await tx.query(sql`delete from auth.sessions where user_id = ${id}`);
    return { sent: response };
  });
  return sent;
}

/** Prepares a request of the attacker. */
const requests: Record<string, (user: Attacked) => Promise<() => Promise<Response>>> = {
  'link an identity with an ID token': async ({ token }) => {
    const json = { provider: 'google', id_token: idToken(), link_identity: true };
    return () => auth.request('/token?grant_type=id_token', { token, json });
  },
  'start linking an identity': async ({ token }) => {
    const path = '/user/identities/authorize?provider=github&skip_http_redirect=true';
    return () => auth.request(path, { token });
  },
  'connect an app': async ({ token }) => {
    const { client_id } = await register(auth);
    const { challenge } = pkce();
    const id = await authorizationId(auth, client_id, challenge);
    await open(auth, id, token);
    const json = { action: 'approve' };
    return () => auth.request(`/oauth/authorizations/${id}/consent`, { token, json });
  },
  'change the password': async ({ token }) => {
    return () => auth.request('/user', { method: 'PUT', token, json: { password: 'attacker 12345' } });
  },
  'enroll a factor': async ({ token }) => {
    return () => auth.request('/factors', { token, json: { factor_type: 'totp' } });
  },
  'challenge a factor': async ({ token }) => {
    const { id } = await enroll(token);
    return () => auth.request(`/factors/${id}/challenge`, { token, json: {} });
  },
  'verify a factor': async ({ token }) => {
    const { id, totp } = await enroll(token);
    const challenge = await auth.request(`/factors/${id}/challenge`, { token, json: {} });
    const json = {
      challenge_id: (await challenge.json<{ id: string }>()).id,
      code: totpCode(totp.secret, currentStep(auth.clock.now())),
    };
    return () => auth.request(`/factors/${id}/verify`, { token, json });
  },
  'remove a factor': async ({ token }) => {
    const { id } = await enroll(token);
    return () => auth.request(`/factors/${id}`, { method: 'DELETE', token });
  },
  'request a reauthentication code': async ({ token }) => {
    return () => auth.request('/reauthenticate', { token });
  },
  'create an API key': async ({ token }) => {
    return () => auth.request('/user/api-keys', { token, json: { name: 'attacker' } });
  },
  'delete the account': async ({ token }) => {
    return () => auth.request('/user', { method: 'DELETE', token });
  },
};

async function enroll(token: string) {
  const response = await auth.request('/factors', { token, json: { factor_type: 'totp' } });
  return response.json<{ id: string; totp: { secret: string } }>();
}

describe('a request in flight while the owner ends all sessions can’t', () => {
  test.each(Object.entries(requests))('%s', async (_, prepare) => {
    const user = await newUser();
    const request = await prepare(user);
    const response = await whileSecured(user.id, request);
    expect([response.status, (await response.json()).error_code]).toEqual([403, 'session_not_found']);
  });
});

test('a request in flight while the user is banned is rejected', async () => {
  const { id, token } = await newUser();
  const { sent } = await admin().transaction(async (tx) => {
    await tx.query(sql`update auth.users set banned_until = now() + interval '1 day' where id = ${id}`);
    const response = auth.request('/factors', { token, json: { factor_type: 'totp' } });
    await expect.poll(async () => (await admin().query(isWaiting)).length).toBe(1);
    return { sent: response };
  });
  expect((await (await sent).json()).error_code).toBe('user_banned');
});

test('the number of a user’s sessions and identities is limited', async () => {
  const { id, token, email } = await newUser();
  await admin().query(sql`
    insert into auth.sessions (id, user_id, created_at)
    select gen_random_uuid(), ${id}, now() - interval '1 day' from generate_series(1, 1100)`);
  const count = async (table: string) => {
    const [row] = await admin().query<{ count: number }>(
      sql`select count(*)::int as count from ${sql.id('auth', table)} where user_id = ${id}`,
    );
    return row?.count;
  };
  await auth.request('/token?grant_type=password', { json: { email, password } });
  expect(await count('sessions')).toBe(1000);
  // The sessions that were used last are kept.
  expect((await auth.request('/user', { token })).status).toBe(200);
  await admin().query(sql`
    insert into auth.identities (provider_id, user_id, identity_data, provider)
    select n, ${id}, '{}', 'custom:many' from generate_series(1, 49) n`);
  const json = { provider: 'google', id_token: idToken(), link_identity: true };
  const response = await auth.request('/token?grant_type=id_token', { token, json });
  expect([response.status, (await response.json()).error_code]).toEqual([422, 'validation_failed']);
  expect(await count('identities')).toBe(50);
});

describe('of concurrent requests for a message, one sends it', () => {
  const volley = async (count: number, request: (index: number) => Promise<Response>) => {
    // Sending takes time, as with a real provider, so all requests have read the time of the last message.
    const responses = await Promise.all(Array.from({ length: count }, (_, index) => request(index)));
    return responses.filter(({ status }) => status === 200).length;
  };
  /** Delays the statement that stores the time of a message, until the other requests have been answered. */
  const slowly = async <T>(column: string, work: () => Promise<T>): Promise<T> => {
    const trigger = sql.id(`slow_${column}`);
    await admin().exec(`
      create function auth.slow_${column}() returns trigger language plpgsql as $$
        begin perform pg_sleep(0.5); return new; end $$;
      create trigger slow_${column} before update of ${column} on auth.users
        for each row execute function auth.slow_${column}();`);
    try {
      return await work();
    } finally {
      await admin().query(sql`drop trigger ${trigger} on auth.users`);
      await admin().query(sql`drop function auth.${trigger}()`);
    }
  };

  test('recovery', async () => {
    const { email } = await newUser();
    const sent = await slowly('recovery_sent_at', () =>
      volley(4, () => auth.request('/recover', { json: { email } })),
    );
    expect([sent, (await auth.inbox(email)).length]).toEqual([1, 1]);
  });

  test('email change', async () => {
    const { token, email } = await newUser();
    const sent = await slowly('email_change_sent_at', () =>
      volley(4, (index) =>
        auth.request('/user', { method: 'PUT', token, json: { email: `stranger-${index}-${email}` } }),
      ),
    );
    const mails = await Promise.all(
      [0, 1, 2, 3].map(async (index) => (await auth.inbox(`stranger-${index}-${email}`)).length),
    );
    expect([sent, mails.reduce((sum, each) => sum + each, 0)]).toEqual([1, 1]);
  });

  test('reauthentication', async () => {
    const { token, email } = await newUser();
    const sent = await slowly('reauthentication_sent_at', () =>
      volley(4, () => auth.request('/reauthenticate', { token })),
    );
    expect([sent, (await auth.inbox(email)).length]).toEqual([1, 1]);
  });

  test('text message', async () => {
    const phone = `1555${Math.floor(Math.random() * 9_000_000) + 1_000_000}`;
    await auth.admin().auth.admin.createUser({ phone, phone_confirm: true });
    const sent = await slowly('confirmation_sent_at', () =>
      volley(4, () => auth.request('/otp', { json: { phone } })),
    );
    expect(sent).toBe(1);
  });
});

/**
 * The transactions in each file that don't run on behalf of a signed-in user, or that aren't started there. The number
 * is the number of calls that start a transaction, or that write outside of one.
 */
const others: Readonly<Record<string, { readonly count: number; readonly why: string }>> = {
  'services/auth/common/deadline.ts': { count: 1, why: 'the wrapper of the pool' },
  'services/auth/factors/removal-rounds.ts': {
    count: 3,
    why: 'removals that are due, which the owner has confirmed by email',
  },
  'services/auth/admin/create-user.ts': { count: 1, why: 'administrators' },
  'services/auth/admin/delete-user.ts': { count: 1, why: 'administrators' },
  'services/auth/admin/links.ts': { count: 2, why: 'administrators' },
  'services/auth/admin/update-user.ts': { count: 1, why: 'administrators' },
  'services/auth/providers/custom-admin.ts': { count: 3, why: 'administrators' },
  'services/auth/security-events/reversals.ts': {
    count: 1,
    why: 'the owner, with the link in a security notice',
  },
  'services/auth/user-keys/manage.ts': { count: 1, why: 'administrators' },
  'services/auth/providers/accounts.ts': { count: 1, why: 'reads only' },
  'services/auth/providers/authorize.ts': {
    count: 1,
    why: 'the secret of a sign-in, which its flow needs to have any effect',
  },
  'services/auth/factors/removals.ts': {
    count: 2,
    why: 'the owner, with an emailed link, and administrators',
  },
  'services/auth/sign-in/flow-codes.ts': { count: 1, why: 'a code, which is deleted when sessions end' },
  'services/auth/sign-up/guest-transfer.ts': { count: 1, why: 'locks the guest first, then uses `ifLive`' },
  'services/auth/hooks/run.ts': { count: 1, why: 'calls a hook' },
  'services/auth/providers/id-token.ts': { count: 1, why: 'a sign-in, which `requireProof` checks' },
  'services/auth/providers/identities.ts': { count: 1, why: 'administrators' },
  'services/auth/factors/manage.ts': { count: 2, why: 'administrators' },
  'services/auth/factors/verification.ts': {
    count: 2,
    why: 'sessions that a hook ends, and expired challenges',
  },
  'services/auth/oauth-server/notify-clients.ts': { count: 2, why: 'the declarations' },
  'services/auth/oauth-server/authorize.ts': { count: 1, why: 'a request that belongs to no user yet' },
  'services/auth/oauth-server/clients.ts': { count: 4, why: 'administrators and OAuth clients' },
  'services/auth/oauth-server/token.ts': { count: 2, why: 'a code, which is deleted when sessions end' },
  'services/auth/sessions/own-sessions.ts': { count: 2, why: 'administrators' },
  'services/auth/passkeys/manage.ts': { count: 1, why: 'administrators' },
  'services/auth/passkeys/challenges.ts': { count: 1, why: 'a challenge for a passkey' },
  'services/auth/passkeys/sign-in.ts': { count: 1, why: 'a sign-in with a passkey, which must still exist' },
  'services/auth/sign-in/password.ts': {
    count: 3,
    why: 'a sign-in, which `requireProof` checks, a code for a sign-in, and sessions that a hook ends',
  },
  'services/auth/account/contact-changes.ts': { count: 1, why: 'the owner, with an emailed link' },
  'services/auth/providers/callback.ts': { count: 1, why: 'a flow, which is deleted when sessions end' },
  'services/auth/factors/recovery-codes.ts': { count: 1, why: 'administrators' },
  'services/auth/sessions/refresh.ts': { count: 2, why: 'locks the session' },
  'services/auth/sign-up/repeated.ts': { count: 3, why: 'unclaimed accounts' },
  'services/auth/codes/resend.ts': { count: 1, why: 'sends a code to the address' },
  'services/auth/sso/metadata.ts': { count: 1, why: 'metadata of an identity provider' },
  'services/auth/sso/begin.ts': { count: 1, why: 'a flow for a sign-in' },
  'services/auth/sso/finish.ts': { count: 1, why: 'a sign-in, which `requireProof` checks' },
  'services/auth/codes/send.ts': { count: 5, why: 'sends a code to the address' },
  'services/auth/sign-up/sign-up.ts': { count: 4, why: 'a new account' },
  'services/auth/sso/providers.ts': { count: 3, why: 'administrators' },
  'services/auth/hooks/test.ts': { count: 1, why: 'rolled back' },
  'services/auth/security-events/unlock.ts': { count: 1, why: 'the owner, with an emailed link' },
  'services/auth/sessions/user-transaction.ts': { count: 3, why: 'the functions themselves' },
  'services/auth/codes/verify-sign-in.ts': {
    count: 3,
    why: 'codes and links, which are deleted when the password changes',
  },
  'services/auth/wallets/sign-in.ts': { count: 1, why: 'a sign-in, which `requireProof` checks' },
  'services/auth/housekeeping.ts': { count: 4, why: 'expired rows' },
  // The tables of an organization, which belong to no user. `requireManager` checks the manager's session, second factor
  // and role in the same request.
  'services/auth/organizations/connections/manage.ts': { count: 3, why: 'managers and setup links' },
  'services/auth/organizations/connections/test.ts': { count: 2, why: 'a test with a setup link' },
  'services/auth/organizations/domains/domains.ts': { count: 5, why: 'managers, setup links and the server' },
  'services/auth/organizations/domains/recheck.ts': { count: 1, why: 'organizations that were deleted' },
  'services/auth/organizations/scim/groups.ts': { count: 1, why: 'an identity provider' },
  'services/auth/organizations/scim/tokens.ts': { count: 1, why: 'managers and setup links' },
  'services/auth/organizations/scim/users.ts': { count: 6, why: 'an identity provider' },
  'services/auth/sessions/rotation.ts': { count: 1, why: 'locks the session' },
};

const starting =
  /\bpool\.transaction\(|\b(endAndNotify|endSessionsOf)\(|\b(insert|update|delete|set|replace|rename|store|revoke|upsert)[A-Z]\w*\(\s*ctx\.pool\b/g;

test('all transactions that aren’t on behalf of a user are listed with a reason', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^(services\/auth|pages\/account)\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'));
  const found = files
    .map((path) => [path, [...readFileSync(`${src}${path}`, 'utf8').matchAll(starting)].length] as const)
    .filter(([, count]) => count > 0);
  const known = Object.entries(others).map(([path, { count }]) => [path, count] as const);
  const advice =
    'Run a transaction on behalf of a signed-in user with `asUser` (src/services/auth/sessions/user-transaction.ts). ' +
    'List any other transaction in `others`, with the reason.';
  expect(Object.fromEntries(found), advice).toEqual(Object.fromEntries(known));
});
