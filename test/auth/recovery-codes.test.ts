/**
 * Tests recovery codes, each of which replaces a factor once: who can create, see and remove codes, and that they can't
 * be guessed.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    enable_anonymous_sign_ins: true,
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
  });
});
afterAll(() => server.stop());

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

interface CodeSet {
  readonly codes: readonly string[];
  readonly total: number;
  readonly remaining: number;
  readonly created_at: string | null;
}

interface Person {
  readonly id: string;
  readonly email: string;
  readonly factorId: string;
  readonly secret: string;
  /** An access token with aal2. */
  readonly strong: string;
}

async function signIn(email: string, at = server): Promise<string> {
  const response = await at.request('/token?grant_type=password', { json: { email, password } });
  return (await response.json<Session>()).access_token;
}

/** Creates a user with a verified authenticator app. */
async function newPerson(at = server): Promise<Person> {
  const email = newEmail();
  const signedUp = await at.request('/signup', { json: { email, password } });
  const { access_token: token, user } = await signedUp.json<Session>();
  const enrolled = await at.request('/factors', {
    json: { factor_type: 'totp', friendly_name: 'app' },
    token,
  });
  const { id: factorId, totp } = await enrolled.json<{ id: string; totp: { secret: string } }>();
  const verified = await verifyTotp(token, factorId, totp.secret, at);
  expect(verified.status).toBe(200);
  const strong = (await verified.json<Session>()).access_token;
  return { id: user.id, email, factorId, secret: totp.secret, strong };
}

async function verifyTotp(token: string, factorId: string, secret: string, at = server) {
  const asked = await at.request(`/factors/${factorId}/challenge`, { json: {}, token });
  const { id: challenge_id } = await asked.json<{ id: string }>();
  const code = totpCode(secret, Math.floor(Date.now() / 30_000));
  return at.request(`/factors/${factorId}/verify`, { json: { challenge_id, code }, token });
}

async function makeCodes(token: string, at = server): Promise<CodeSet> {
  const response = await at.request('/factors/recovery-codes', { method: 'POST', token });
  expect(response.status).toBe(200);
  return response.json<CodeSet>();
}

const use = (token: string, code: unknown, at = server) =>
  at.request('/factors/recovery-codes/verify', { json: { code }, token });

const count = async (token: string) =>
  (await server.request('/factors/recovery-codes', { token })).json<Omit<CodeSet, 'codes'>>();

function claimsOf(token: string): { aal: string; amr: { method: string }[]; session_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

describe('a code', () => {
  test('is shown once, is stored as a hash, and raises one session to aal2', async () => {
    const { id, email, strong } = await newPerson();
    expect(await count(strong)).toEqual({ total: 0, remaining: 0, created_at: null });
    const made = await makeCodes(strong);
    expect(made).toEqual({
      codes: expect.any(Array),
      total: 10,
      remaining: 10,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(new Set(made.codes).size).toBe(10);
    const [kept] = await server.database
      .pool('postgres')
      .query<{ hashes: string[] }>(sql`select hashes from _plinth.recovery_codes where user_id = ${id}`);
    expect(kept?.hashes).toHaveLength(10);
    for (const hash of kept?.hashes ?? []) expect(hash).toMatch(/^[0-9a-f]{64}$/);

    const weak = await signIn(email);
    const other = await signIn(email);
    const code = made.codes[3] ?? '';
    const used = await use(weak, ` ${code.toUpperCase().replaceAll('-', ' ')} `);
    expect(used.status).toBe(200);
    const session = await used.json<Session>();
    expect(session.user.id).toBe(id);
    expect(claimsOf(session.access_token)).toMatchObject({
      aal: 'aal2',
      session_id: claimsOf(weak).session_id,
    });
    expect(
      claimsOf(session.access_token)
        .amr.map(({ method }) => method)
        .sort(),
    ).toEqual(['mfa/recovery_code', 'password']);
    const refreshed = await server.request('/token?grant_type=refresh_token', {
      json: { refresh_token: session.refresh_token },
    });
    expect(claimsOf((await refreshed.json<Session>()).access_token)).toMatchObject({ aal: 'aal2' });
    // Sessions below aal2 are ended, as after a sign-in with a factor.
    expect((await server.request('/user', { token: other })).status).toBe(403);
    expect(await count(session.access_token)).toMatchObject({ total: 10, remaining: 9 });

    const again = await use(await signIn(email), code);
    expect(again.status).toBe(422);
    expect(await again.json()).toMatchObject({
      error_code: 'mfa_verification_failed',
      msg: 'Invalid recovery code entered',
    });
    const actions = await server.database.pool('postgres').query<{ action: string; traits: object }>(sql`
      select payload ->> 'action' as action, payload -> 'traits' as traits from auth.audit_log_entries
      where payload ->> 'actor_id' = ${id} and payload ->> 'action' in ('recovery_codes_created', 'verification_attempted')
      order by created_at`);
    expect(actions).toMatchObject([
      { action: 'verification_attempted', traits: { factor_type: 'totp' } },
      { action: 'recovery_codes_created', traits: { count: 10 } },
      { action: 'verification_attempted', traits: { factor_type: 'recovery_code' } },
    ]);
  });

  test('that is used twice concurrently raises one session', async () => {
    const { email, strong } = await newPerson();
    const { codes } = await makeCodes(strong);
    const tokens = [await signIn(email), await signIn(email)];
    const answers = await Promise.all(tokens.map((token) => use(token, codes[0])));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    // The slower request fails because the code has been used up or the session of the request has ended.
    expect([403, 422]).toContain(statuses[1]);
    const [row] = await server.database
      .pool('postgres')
      .query(sql`select cardinality(hashes) as left from _plinth.recovery_codes where total = 10
                 order by created_at desc limit 1`);
    expect(row).toEqual({ left: 9 });
  });

  test('of another user or an older set is rejected, and so is any code without a set', async () => {
    const { email, strong } = await newPerson();
    const victim = await newPerson();
    const foreign = await makeCodes(victim.strong);
    const old = await makeCodes(strong);
    await makeCodes(strong);
    const token = await signIn(email);
    for (const code of [foreign.codes[0], old.codes[0], '', "' or true --"]) {
      const refused = await use(token, code);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({ error_code: 'mfa_verification_failed' });
    }
    expect((await use(token, 7)).status).toBe(400);
    expect(await count(token)).toMatchObject({ remaining: 10 });
  });

  test('lets the user replace a lost factor', async () => {
    const { email, factorId, strong } = await newPerson();
    const { codes } = await makeCodes(strong);
    const raised = await use(await signIn(email), codes[0]);
    const { access_token: token } = await raised.json<Session>();
    const enrolled = await server.request('/factors', {
      json: { factor_type: 'totp', friendly_name: 'new app' },
      token,
    });
    const { id, totp } = await enrolled.json<{ id: string; totp: { secret: string } }>();
    expect((await verifyTotp(token, id, totp.secret)).status).toBe(200);
    const removed = await server.request(`/factors/${factorId}`, { method: 'DELETE', token });
    expect(removed.status).toBe(200);
    // The codes are kept because the user still has another factor.
    expect(await count(token)).toMatchObject({ remaining: 9 });
    expect((await makeCodes(token)).remaining).toBe(10);
  });
});

describe('guessing', () => {
  test('is blocked after five attempts, only for this user, and another attempt is allowed over time', async () => {
    const { email, strong } = await newPerson();
    const { codes } = await makeCodes(strong);
    const token = await signIn(email);
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await use(token, 'aaaa-bbbb-cccc-dddd')).status).toBe(422);
    }
    const stopped = await use(token, codes[0]);
    expect(stopped.status).toBe(429);
    expect(await stopped.json()).toMatchObject({ error_code: 'over_request_rate_limit' });
    const other = await newPerson();
    expect((await use(other.strong, 'aaaa-bbbb-cccc-dddd')).status).toBe(422);
    server.clock.advance(301_000);
    expect((await use(token, codes[0])).status).toBe(200);
    server.clock.advance(-301_000);
  });

  test('is blocked even with many concurrent attempts', async () => {
    const { email, strong } = await newPerson();
    await makeCodes(strong);
    const token = await signIn(email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => use(token, 'aaaa-bbbb-cccc-dddd')));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });
});

describe('permissions', () => {
  test('only a session with aal2 can create and remove codes', async () => {
    const { email, strong } = await newPerson();
    const { codes } = await makeCodes(strong);
    const weak = await signIn(email);
    for (const method of ['POST', 'DELETE']) {
      const refused = await server.request('/factors/recovery-codes', { method, token: weak });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({
        error_code: 'insufficient_aal',
        msg: 'AAL2 required to manage recovery codes',
      });
    }
    expect(await count(weak)).toMatchObject({ remaining: 10 });
    const removed = await server.request('/factors/recovery-codes', { method: 'DELETE', token: strong });
    expect(removed.status).toBe(204);
    expect(await count(weak)).toEqual({ total: 0, remaining: 0, created_at: null });
    expect((await use(weak, codes[0])).status).toBe(422);
  });

  test('codes are available to users with a verified factor, but not to guests or requests without a token', async () => {
    const email = newEmail();
    const signedUp = await server.request('/signup', { json: { email, password } });
    const { access_token: token } = await signedUp.json<Session>();
    for (const attempt of [
      () => server.request('/factors/recovery-codes', { method: 'POST', token }),
      () => use(token, 'aaaa-bbbb-cccc-dddd'),
    ]) {
      const refused = await attempt();
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({
        error_code: 'mfa_factor_not_found',
        msg: 'Recovery codes require a verified factor',
      });
    }
    const guest = await server.request('/signup', { json: {} });
    const { access_token: guestToken } = await guest.json<Session>();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['POST', '/verify'],
    ]) {
      const init = { method: method ?? '' };
      const refused = await server.request(`/factors/recovery-codes${path}`, { ...init, token: guestToken });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error_code: 'no_authorization' });
      const anonymous = { ...init, headers: { apikey: '' } };
      expect((await server.request(`/factors/recovery-codes${path}`, anonymous)).status).toBe(401);
    }
  });

  test('administrators can see the number of remaining codes and remove them, with the sessions that used them', async () => {
    const { id, email, strong } = await newPerson();
    const { codes } = await makeCodes(strong);
    const raised = await use(await signIn(email), codes[0]);
    const { access_token } = await raised.json<Session>();
    const path = `/admin/users/${id}/factors/recovery-codes`;
    const token = server.keys.serviceRoleKey;
    expect(await (await server.request(path, { token })).json()).toMatchObject({ total: 10, remaining: 9 });
    expect((await server.request(path, { token: strong })).status).toBe(403);
    expect((await server.request(path, { method: 'DELETE', token: strong })).status).toBe(403);
    const unknown = `/admin/users/${crypto.randomUUID()}/factors/recovery-codes`;
    expect((await server.request(unknown, { method: 'DELETE', token })).status).toBe(404);
    expect((await server.request(path, { method: 'DELETE', token })).status).toBe(204);
    expect(await count(access_token)).toMatchObject({ total: 0 });
    const sessions = await server.database.pool('postgres').query<{ id: string; aal: string }>(sql`
      select id, aal from auth.sessions where user_id = ${id}`);
    const byId = new Map(sessions.map((session) => [session.id, session.aal]));
    expect(byId.get(claimsOf(access_token).session_id)).toBe('aal1');
    expect(byId.get(claimsOf(strong).session_id)).toBe('aal2');
  });
});

describe('codes', () => {
  test('are deleted with the last verified factor, whether a user or an administrator removes it', async () => {
    const first = await newPerson();
    await makeCodes(first.strong);
    await server.request(`/factors/${first.factorId}`, { method: 'DELETE', token: first.strong });
    expect(await count(first.strong)).toMatchObject({ total: 0 });
    const second = await newPerson();
    await makeCodes(second.strong);
    const path = `/admin/users/${second.id}/factors/${second.factorId}`;
    await server.request(path, { method: 'DELETE', token: server.keys.serviceRoleKey });
    expect(await count(second.strong)).toMatchObject({ total: 0 });
  });

  test.each([false, true])('are deleted with their user (soft deletion: %s)', async (should_soft_delete) => {
    const { id, strong } = await newPerson();
    await makeCodes(strong);
    const removed = await server.request(`/admin/users/${id}`, {
      method: 'DELETE',
      json: { should_soft_delete },
      token: server.keys.serviceRoleKey,
    });
    expect(removed.status).toBe(200);
    const rows = await server.database
      .pool('postgres')
      .query(sql`select from _plinth.recovery_codes where user_id = ${id}`);
    expect(rows).toEqual([]);
  });
});

test("clients of the REST API can't access the table", async () => {
  const roles = await server.database.pool('postgres').query<{ grantee: string }>(sql`
    select distinct grantee from information_schema.role_table_grants
    where table_schema = '_plinth' and table_name = 'recovery_codes'
      and grantee in ('anon', 'authenticated', 'authenticator', 'service_role', 'PUBLIC')`);
  expect(roles).toEqual([]);
});

test('the project’s hook is called and can reject the attempt', async () => {
  const asked: Record<string, unknown>[] = [];
  const hook = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const input = JSON.parse(body);
      asked.push(input);
      const decision = input.factor_type === 'recovery_code' && !input.valid ? 'reject' : 'continue';
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ decision }));
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const uri = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const hooked = await startAuth({
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    hook: {
      mfa_verification_attempt: {
        enabled: true,
        uri,
        secrets: `v1,whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      },
    },
  });
  try {
    const { id, email, strong } = await newPerson(hooked);
    const { codes } = await makeCodes(strong, hooked);
    expect((await use(await signIn(email, hooked), codes[0], hooked)).status).toBe(200);
    expect(asked.at(-1)).toMatchObject({
      user_id: id,
      factor_id: null,
      factor_type: 'recovery_code',
      valid: true,
    });
    const refused = await use(await signIn(email, hooked), 'aaaa-bbbb-cccc-dddd', hooked);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error_code: 'mfa_verification_rejected' });
    expect((await hooked.request('/user', { token: strong })).status).toBe(403);
  } finally {
    await hooked.stop();
    hook.close();
  }
});
