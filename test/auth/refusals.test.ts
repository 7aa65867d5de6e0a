/**
 * Tests error responses that no other test covers, and successful responses from routes for which other tests cover
 * only the errors.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

interface SessionJson {
  readonly access_token: string;
  readonly user: { readonly id: string; readonly email: string };
}

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    enable_manual_linking: true,
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 60_000 },
  });
});
afterAll(() => server.stop());

const signUp = async (email = newEmail()) =>
  (await server.request('/signup', { json: { email, password } })).json<SessionJson>();

async function outcome(response: ReturnType<AuthServer['request']>): Promise<[number, string | undefined]> {
  const got = await response;
  const body = await got.text();
  return [
    got.status,
    body.startsWith('{') ? (JSON.parse(body) as { error_code?: string }).error_code : undefined,
  ];
}

test('health returns the service’s name', async () => {
  const response = await server.request('/health');
  expect([response.status, await response.json()]).toEqual([
    200,
    { version: 'v2.196.0', name: 'GoTrue', description: expect.any(String) },
  ]);
});

test('the older magic link endpoint works', async () => {
  const { user } = await signUp();
  expect(await outcome(server.request('/magiclink', { json: { email: user.email } }))).toEqual([
    200,
    undefined,
  ]);
  expect(await server.inbox(user.email)).toHaveLength(1);
  expect(await outcome(server.request('/magiclink', { json: {} }))).toEqual([422, 'validation_failed']);
});

test.each([
  ['GET', '/user/sessions'],
  ['GET', '/reauthenticate'],
  ['GET', '/user'],
  ['POST', '/logout'],
])('%s %s requires a user', async (method, path) => {
  expect(await outcome(server.request(path, { method }))).toEqual([401, 'no_authorization']);
});

test("a user who doesn't exist can't be deleted", async () => {
  const remove = (id: string) =>
    outcome(server.request(`/admin/users/${id}`, { method: 'DELETE', token: server.keys.serviceRoleKey }));
  expect(await remove(randomUUID())).toEqual([404, 'user_not_found']);
  expect(await remove('me')).toEqual([404, 'validation_failed']);
});

test.each(['ServiceProviderConfig', 'ResourceTypes', 'Schemas'])('SCIM is disabled: %s', async (resource) => {
  expect(await outcome(server.request(`/scim/v2/${resource}`))).toEqual([404, 'feature_disabled']);
});

describe('phones', () => {
  test('a number belongs to only one user', async () => {
    const phone = '15550004444';
    const admin = server.admin().auth.admin;
    expect((await admin.createUser({ phone, phone_confirm: true })).error).toBeNull();
    expect((await admin.createUser({ phone })).error).toMatchObject({ status: 422, code: 'phone_exists' });
    const { access_token: token } = await signUp();
    const change = server.request('/user', { method: 'PUT', token, json: { phone } });
    expect(await outcome(change)).toEqual([422, 'phone_exists']);
  });

  test('codes to the same number have a minimum interval', async () => {
    const json = { phone: '15550005555' };
    expect(await outcome(server.request('/otp', { json }))).toEqual([200, undefined]);
    expect(await outcome(server.request('/otp', { json }))).toEqual([429, 'over_sms_send_rate_limit']);
    server.clock.advance(61_000);
    expect(await outcome(server.request('/otp', { json }))).toEqual([200, undefined]);
    expect(await server.inbox('15550005555')).toHaveLength(2);
  });
});

describe('identities', () => {
  const identify = (userId: string, provider: string, email: string) =>
    server.database.pool('supabase_admin').query<{ id: string }>(sql`
      insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
      values (${randomUUID()}, ${userId}, ${{ sub: 'x', email, email_verified: true }}, ${provider}, now(), now())
      returning id`);
  const unlink = (token: string, id: string, headers: Record<string, string> = {}) =>
    outcome(server.request(`/user/identities/${id}`, { method: 'DELETE', token, headers }));

  test('another user’s token, an invalid token and a token for another audience are rejected', async () => {
    const { access_token, user } = await signUp();
    const other = await signUp();
    await identify(user.id, 'github', user.email);
    const [foreign] = await identify(other.user.id, 'github', other.user.email);
    expect(await unlink(access_token, foreign?.id ?? '')).toEqual([422, 'identity_not_found']);
    expect(await unlink(access_token, randomUUID())).toEqual([422, 'identity_not_found']);
    const audience = { 'x-jwt-aud': 'another audience' };
    expect(await unlink(access_token, foreign?.id ?? '', audience)).toEqual([403, 'unexpected_audience']);
  });

  test('an address that would belong to two users isn’t copied from the identity', async () => {
    const { access_token, user } = await signUp();
    const other = await signUp();
    await identify(user.id, 'github', other.user.email);
    const [own] = await server.database
      .pool('supabase_admin')
      .query<{ id: string }>(
        sql`select id from auth.identities where user_id = ${user.id} and provider = 'email'`,
      );
    expect(await unlink(access_token, own?.id ?? '')).toEqual([422, 'email_conflict_identity_not_deletable']);
    expect((await server.client().auth.signInWithPassword({ email: user.email, password })).error).toBeNull();
  });
});

describe('an unreachable hook', () => {
  const signUpWith = async (uri: string) => {
    const hook = { before_user_created: { enabled: true, uri, secrets: `v1,whsec_${'A'.repeat(32)}` } };
    const own = await startAuth({ hook });
    try {
      return await outcome(own.request('/signup', { json: { email: newEmail(), password } }));
    } finally {
      await own.stop();
    }
  };

  test('that never responds or refuses connections causes an error', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port: closedPort } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    try {
      const answers = await Promise.all([
        signUpWith(`http://127.0.0.1:${port}/hook`),
        signUpWith(`http://127.0.0.1:${closedPort}/hook`),
      ]);
      expect(answers).toEqual([
        [422, 'hook_timeout'],
        [422, 'hook_timeout_after_retry'],
      ]);
    } finally {
      silent.close();
    }
  });
});
