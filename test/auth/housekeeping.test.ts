/** Tests that expired data is deleted in the background and that data that is still relevant is kept. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { type Sql, sql } from '../../src/base/kernel/sql.ts';
import { configFrom, type PartialConfig } from '../../src/platform/config/index.ts';
import { sharedTotpSteps } from '../../src/services/auth/factors/totp-steps.ts';
import { createHousekeeping } from '../../src/services/auth/housekeeping.ts';
import { sharedAttempts } from '../../src/services/auth/limits/attempt-store.ts';
import { createAttemptLimits } from '../../src/services/auth/limits/attempts.ts';
import { createRateLimits, sharedBuckets } from '../../src/services/auth/limits/rate-limits.ts';
import { settingsFrom } from '../../src/services/auth/settings.ts';
import { sharedAssertions } from '../../src/services/auth/sso/spent-assertions.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({ enable_anonymous_sign_ins: true });
});
afterAll(() => auth.stop());

const housekeeper = (afterMs: number, config: PartialConfig = {}) => {
  const settings = settingsFrom(configFrom(config), 'production', () => '');
  const ownTables = auth.database.pool('supabase_admin');
  return createHousekeeping({
    ownTables,
    hasOwnTables: true,
    pool: auth.database.pool('supabase_auth_admin'),
    limits: createRateLimits(sharedBuckets(ownTables), () => settings),
    assertions: sharedAssertions(ownTables),
    totpSteps: sharedTotpSteps(ownTables),
    guesses: createAttemptLimits(sharedAttempts(ownTables), { now: () => Date.now() + afterMs }),
    clock: { now: () => Date.now() + afterMs },
    settings,
    log: silentLogger,
  });
};

const count = async (query: Sql): Promise<number> => {
  const [row] = await auth.database.pool('supabase_admin').query<{ n: number }>(query);
  return row?.n ?? -1;
};
const run = (statement: Sql) => auth.database.pool('supabase_admin').query(statement);

test('revoked tokens are deleted after a day, but a client that lost the response can still retry', async () => {
  const client = auth.client();
  const { data } = await client.auth.signUp({ email: newEmail(), password });
  const first = data.session?.refresh_token ?? '';
  const second = (await client.auth.refreshSession()).data.session?.refresh_token ?? '';
  const third = (await client.auth.refreshSession()).data.session?.refresh_token ?? '';
  const left = () =>
    count(
      sql`select count(*)::int as n from auth.refresh_tokens where token in (${first}, ${second}, ${third})`,
    );
  expect(await housekeeper(dayMs - hourMs).sweep()).toBe(true);
  expect(await left()).toBe(3);
  expect(await housekeeper(dayMs + hourMs).sweep()).toBe(true);
  expect(await left()).toBe(2);
  // The parent of the active token is kept regardless of its age.
  auth.clock.advance(dayMs + hourMs);
  const again = await auth.client().auth.refreshSession({ refresh_token: second });
  expect(again.data.session?.refresh_token).toBe(third);
  const old = await auth.client().auth.refreshSession({ refresh_token: first });
  expect(old.error?.code).toBe('refresh_token_not_found');
  auth.clock.advance(-dayMs - hourMs);
});

test('expired sessions are deleted after a delay, and their tokens earlier', async () => {
  const { data } = await auth.client().auth.signUp({ email: newEmail(), password });
  const userId = data.user?.id;
  await run(sql`update auth.sessions set not_after = now() where user_id = ${userId}`);
  await run(sql`
    insert into _plinth.session_browsers (session_id, user_id, browser, created_at)
    select id, user_id, 'browser', now() from auth.sessions where user_id = ${userId}`);
  const places = () =>
    count(sql`select count(*)::int as n from _plinth.session_browsers where user_id = ${userId}`);
  const sessions = () => count(sql`select count(*)::int as n from auth.sessions where user_id = ${userId}`);
  const tokens = () =>
    count(
      sql`select count(*)::int as n from auth.refresh_tokens where user_id = ${String(userId)} and not revoked`,
    );
  await housekeeper(dayMs + hourMs).sweep();
  expect([await sessions(), await tokens(), await places()]).toEqual([1, 0, 1]);
  await housekeeper(3 * dayMs + hourMs).sweep();
  expect([await sessions(), await places()]).toEqual([0, 0]);
});

test.each<[string, PartialConfig, number]>([
  ['timebox', { auth: { sessions: { timebox: 8 * hourMs } } }, 8 * hourMs],
  ['inactivity', { auth: { sessions: { inactivity_timeout: 2 * hourMs } } }, 2 * hourMs],
])('sessions past the %s are deleted a day later', async (_name, config, limitMs) => {
  const { data } = await auth.client().auth.signUp({ email: newEmail(), password });
  const left = () =>
    count(sql`select count(*)::int as n from auth.sessions where user_id = ${data.user?.id}`);
  await housekeeper(limitMs + dayMs - hourMs, config).sweep();
  expect(await left()).toBe(1);
  await housekeeper(limitMs + dayMs + hourMs).sweep();
  expect(await left()).toBe(1);
  await housekeeper(limitMs + dayMs + hourMs, config).sweep();
  expect(await left()).toBe(0);
});

test('guests are kept unless the project sets a maximum age', async () => {
  const guest = (await auth.client().auth.signInAnonymously()).data.user?.id;
  const member = (await auth.client().auth.signUp({ email: newEmail(), password })).data.user?.id;
  const left = () => count(sql`select count(*)::int as n from auth.users where id in (${guest}, ${member})`);
  await housekeeper(365 * dayMs).sweep();
  expect(await left()).toBe(2);
  const plinth = { auth: { external: { anonymous_users: { lifetime: 30 * dayMs } } } };
  await housekeeper(29 * dayMs, { plinth }).sweep();
  expect(await left()).toBe(2);
  await housekeeper(31 * dayMs, { plinth }).sweep();
  expect(await left()).toBe(1);
  expect(await count(sql`select count(*)::int as n from auth.users where id = ${member}`)).toBe(1);
});

test('unfinished flows are deleted after a day, in batches', async () => {
  const { data } = await auth.client().auth.signUp({ email: newEmail(), password });
  const user = data.user?.id;
  const factor = randomUUID();
  await run(sql`insert into auth.flow_state (id, provider_type, authentication_method, created_at)
    select gen_random_uuid(), 'email', 'otp', now() from generate_series(1, 250)`);
  await run(
    sql`insert into auth.oauth_client_states (id, provider_type, created_at) values (gen_random_uuid(), 'x', now())`,
  );
  await run(sql`insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
    values (${factor}, ${user}, 'totp', 'unverified', now(), now()),
           (gen_random_uuid(), ${user}, 'totp', 'verified', now(), now())`);
  await run(sql`insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
    select gen_random_uuid(), id, now(), '127.0.0.1' from auth.mfa_factors`);
  await run(sql`insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to)
    values (gen_random_uuid(), ${user}, 'recovery_token', 'x', 'y')`);
  await run(
    sql`insert into _plinth.saml_assertions (hash, expires_at) values ('\\x00', now() + interval '5 minutes')`,
  );
  const all = () =>
    count(sql`select ((select count(*) from auth.flow_state) + (select count(*) from auth.oauth_client_states)
      + (select count(*) from auth.mfa_factors) + (select count(*) from auth.mfa_challenges)
      + (select count(*) from auth.one_time_tokens) + (select count(*) from _plinth.saml_assertions))::int as n`);
  expect(await all()).toBe(257);
  await housekeeper(0).sweep();
  expect(await all()).toBe(257);
  await housekeeper(dayMs + 7 * hourMs).sweep();
  // Only the verified factor and the one-time token are left, because the link in an invitation is valid for 7 days.
  expect(await all()).toBe(2);
  await housekeeper(8 * dayMs + hourMs).sweep();
  expect(await all()).toBe(1);
});

test('authorization requests are deleted a day after they expire', async () => {
  const client = randomUUID();
  await run(sql`insert into auth.oauth_clients
      (id, registration_type, redirect_uris, grant_types, client_type, token_endpoint_auth_method)
    values (${client}, 'dynamic', 'https://app.example/', 'authorization_code', 'public', 'none')`);
  await run(sql`insert into auth.oauth_authorizations
      (id, authorization_id, client_id, redirect_uri, scope, created_at, expires_at)
    select gen_random_uuid(), 'request-' || n, ${client}, 'https://app.example/', 'email', now(), now() + n * interval '1 hour'
    from generate_series(1, 3) n`);
  const left = () =>
    count(sql`select count(*)::int as n from auth.oauth_authorizations where client_id = ${client}`);
  await housekeeper(dayMs).sweep();
  expect(await left()).toBe(3);
  await housekeeper(dayMs + 2.5 * hourMs).sweep();
  expect(await left()).toBe(1);
});

test('only one process cleans up at a time', async () => {
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const other = auth.database.pool('supabase_admin').transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(hashtext('plinth'), hashtext('auth housekeeping'))`);
    asked.resolve();
    await held.promise;
  });
  await asked.promise;
  expect(await housekeeper(0).sweep()).toBe(false);
  held.resolve();
  await other;
  expect(await housekeeper(0).sweep()).toBe(true);
});

test('a locked row is skipped without waiting', async () => {
  const id = randomUUID();
  await run(sql`insert into auth.flow_state (id, provider_type, authentication_method, created_at)
    values (${id}, 'email', 'otp', now() - interval '2 days')`);
  const left = () => count(sql`select count(*)::int as n from auth.flow_state where id = ${id}`);
  await auth.database.pool('supabase_admin').transaction(async (tx) => {
    await tx.query(sql`select from auth.flow_state where id = ${id} for update`);
    expect(await housekeeper(0).sweep()).toBe(true);
  });
  expect(await left()).toBe(1);
  await housekeeper(0).sweep();
  expect(await left()).toBe(0);
});

test('recovery codes of users who were deleted with SQL are deleted', async () => {
  const { data } = await auth.client().auth.signUp({ email: newEmail(), password });
  const kept = data.user?.id ?? '';
  for (const userId of [kept, randomUUID()]) {
    await run(sql`
      insert into _plinth.recovery_codes (user_id, hashes, total, created_at)
      values (${userId}, ${['x']}::text[], 1, now())`);
  }
  await housekeeper(0).sweep();
  const left = await auth.database
    .pool('supabase_admin')
    .query(sql`select user_id from _plinth.recovery_codes where hashes = ${['x']}::text[]`);
  expect(left).toEqual([{ user_id: kept }]);
});

test('API keys of users who were deleted with SQL are deleted', async () => {
  const { data } = await auth.client().auth.signUp({ email: newEmail(), password });
  const kept = data.user?.id ?? '';
  for (const userId of [kept, randomUUID()]) {
    await run(sql`
      insert into _plinth.user_api_keys (id, user_id, name, hash, beginning, scopes, created_at, expires_at)
      values (gen_random_uuid(), ${userId}, 'orphan', gen_random_uuid()::text, 'x', '{}', now(), now())`);
  }
  await housekeeper(0).sweep();
  const left = await auth.database
    .pool('supabase_admin')
    .query(sql`select user_id from _plinth.user_api_keys where name = 'orphan'`);
  expect(left).toEqual([{ user_id: kept }]);
});

test('accepted time steps are deleted when their codes are no longer valid', async () => {
  const steps = sharedTotpSteps(auth.database.pool('supabase_admin'));
  const factor = randomUUID();
  const current = Math.floor(Date.now() / 30_000);
  expect(await steps.take(factor, current)).toBe(true);
  await housekeeper(0).sweep();
  expect(await steps.take(factor, current)).toBe(false);
  await housekeeper(90_000).sweep();
  expect(
    await count(sql`select count(*)::int as n from _plinth.totp_steps where factor_id = ${factor}`),
  ).toBe(0);
});

test('account activity is deleted after event_retention, and links to undo changes when they expire', async () => {
  const retentionMs = 30 * dayMs;
  const config = { plinth: { auth: { security: { event_retention: retentionMs } } } };
  const user = randomUUID();
  await run(
    sql`insert into auth.users (id, aud, role, email) values (${user}, 'authenticated', 'authenticated', ${newEmail()})`,
  );
  await run(sql`
    insert into _plinth.security_events (id, user_id, kind, actor, details, created_at)
    values (gen_random_uuid(), ${user}, 'sign_in', 'user', '{}', now())`);
  await run(sql`
    insert into _plinth.known_devices (user_id, device, created_at, last_seen_at)
    values (${user}, 'client:x', now(), now())`);
  const left = async () =>
    Promise.all([
      count(sql`select count(*)::int as n from _plinth.security_events where user_id = ${user}`),
      count(sql`select count(*)::int as n from _plinth.known_devices where user_id = ${user}`),
    ]);
  await housekeeper(retentionMs - hourMs, config).sweep();
  expect(await left()).toEqual([1, 1]);
  await housekeeper(retentionMs + hourMs, config).sweep();
  expect(await left()).toEqual([0, 0]);
});
