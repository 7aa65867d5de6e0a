/** Tests tokens, roles and RLS, and that a request can't read another request's data. */
import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest?.stop());

const call = async (path: string, authorization?: string, init: RequestInit = {}) => {
  const response = await rest.fetch(path, {
    ...init,
    headers: authorization === undefined ? {} : { authorization },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};

describe('tokens', () => {
  test.each([
    ['none', () => undefined, 200, { role: 'anon', uid: null }],
    ['another scheme', () => 'Basic eDp5', 200, { role: 'anon' }],
    [
      'a user',
      () => `bearer ${rest.userToken('11111111-1111-1111-1111-111111111111')}`,
      200,
      { role: 'authenticated', uid: '11111111-1111-1111-1111-111111111111' },
    ],
    ['the service role', () => `Bearer ${rest.serviceKey}`, 200, { role: 'service_role' }],
    [
      'an empty token',
      () => 'Bearer ',
      401,
      { code: 'PGRST301', message: 'Empty JWT is sent in Authorization header' },
    ],
    [
      'a token with two parts',
      () => 'Bearer a.b',
      401,
      { code: 'PGRST301', message: 'Expected 3 parts in JWT; got 2' },
    ],
    [
      'a wrong signature',
      () => `Bearer ${rest.userToken('x').slice(0, -6)}AAAAAA`,
      401,
      { code: 'PGRST301', message: 'No suitable key or wrong key type' },
    ],
    [
      'an expired token',
      () => `Bearer ${rest.userToken('x', { exp: 1 })}`,
      401,
      { code: 'PGRST303', message: 'JWT expired' },
    ],
    [
      'a token that isn’t valid yet',
      () => `Bearer ${rest.userToken('x', { nbf: 4e9 })}`,
      401,
      { code: 'PGRST303', message: 'JWT not yet valid' },
    ],
    [
      'an exp that isn’t a number',
      () => `Bearer ${rest.userToken('x', { exp: 'x' })}`,
      401,
      { code: 'PGRST303' },
    ],
    [
      'a role that does not exist',
      () => `Bearer ${rest.userToken('x', { role: 'unknown' })}`,
      401,
      { code: '22023' },
    ],
    [
      'a role that the login role can’t switch to',
      () => `Bearer ${rest.userToken('x', { role: 'supabase_admin' })}`,
      403,
      { code: '42501' },
    ],
  ])('%s', async (_what, authorization, status, body) => {
    const response = await call('/rpc/whoami', authorization());
    expect(response).toMatchObject({ status, body });
    if (status === 401 && String(response.body.code).startsWith('PGRST30')) {
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer error="invalid_token", error_description="${response.body.message}"`,
      );
    }
  });

  test('are passed to the database with the request', async () => {
    const { body } = await call('/rpc/whoami');
    expect(body).toMatchObject({
      path: '/rpc/whoami',
      method: 'GET',
      search_path: '"public", "public", "extensions"',
    });
  });
});

test('each user sees only their own rows, with the stock client and many concurrent requests', async () => {
  const users = Array.from({ length: 12 }, () => randomUUID());
  const clients = users.map((id) =>
    createClient(rest.url, rest.anonKey, { accessToken: async () => rest.userToken(id) }),
  );
  await Promise.all(
    clients.map(async (client, index) => {
      const { error } = await client.from('notes').insert({ body: `note ${index}` });
      expect(error).toBeNull();
    }),
  );
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      clients.map(async (client, index) => {
        const { data } = await client.from('notes').select('owner, body');
        expect(data).toEqual([{ owner: users[index], body: `note ${index}` }]);
      }),
    );
  }
  const stranger = createClient(rest.url, rest.anonKey);
  expect((await stranger.from('notes').select()).data).toEqual([]);
  const { error, status } = await stranger.from('notes').insert({ body: 'x' });
  expect([status, error?.code]).toEqual([401, '42501']);
});

test('session settings that a function changes are reset before the next request', async () => {
  await rest.fetch('/rpc/leak', { method: 'POST' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('/rpc/whoami')));
  for (const { body } of answers) expect(body).toMatchObject({ role: 'anon', uid: null });
});

test('the schema cache is reloaded on NOTIFY', async () => {
  expect((await call('/later')).status).toBe(404);
  await rest.run(`create table public.later (id int primary key); notify pgrst, 'reload schema'`);
  await expect.poll(async () => (await call('/later')).status).toBe(200);
});

test('the login role’s settings configure the service', async () => {
  expect((await call('/people?select=id.count()')).body.code).toBe('PGRST123');
  await rest.run(`
    select set_config('plinth.database', current_database(), true);
    do $$ begin execute format('alter role authenticator in database %I set pgrst.db_aggregates_enabled to true', current_database()); end $$;
    notify pgrst, 'reload config'`);
  await expect.poll(async () => (await call('/people?select=id.count()')).body).toEqual([{ count: 3 }]);
});

test('the roles’ statement timeouts apply', async () => {
  const started = performance.now();
  const response = await call('/rpc/slow');
  expect(response).toMatchObject({ status: 500, body: { code: '57014' } });
  expect(performance.now() - started).toBeLessThan(15_000);
});

test('the live and ready endpoints respond', async () => {
  expect((await fetch(`${rest.url}/rest-admin/v1/ready`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${rest.url}/rest-admin/v1/live`)).status).toBe(200);
});
