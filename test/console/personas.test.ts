/** Tests the personas that an operator can choose, and which rows they can see. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let ada: string;
beforeAll(async () => {
  backend = await startBackend();
  owner = await operator(backend);
  const made = await owner.call('POST', '/users', {
    email: 'ada@example.com',
    password: 'a-Good-password-1',
    confirmed: true,
  });
  ada = made.body.id;
});
afterAll(() => backend?.stop());

const identity = (as: string) => owner.call('GET', `/personas/identity?${new URLSearchParams({ as })}`);
const claims = (value: object) => `claims:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

describe('an identity', () => {
  test('of a user has the claims of a new token', async () => {
    const token = await backend.fetch('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'a-Good-password-1' }),
    });
    const { access_token } = (await token.json()) as { access_token: string };
    const real = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
    const { body } = await identity(`user:${ada}`);
    expect(body).toMatchObject({ role: 'authenticated', name: 'ada@example.com' });
    const { iss: _iss, amr: _amr, session_id: _session, exp: _exp, iat: _iat, ...lasting } = real;
    expect(body.claims).toMatchObject(lasting);
  });

  test.each([
    ['operator', 'postgres'],
    ['anon', 'anon'],
    [claims({ role: 'service_role' }), 'service_role'],
  ])('%s has the role %s', async (as, role) => {
    expect((await identity(as)).body.role).toBe(role);
  });

  test('of an unknown user causes an error', async () => {
    expect((await identity('user:00000000-0000-4000-8000-000000000000')).status).toBe(404);
    expect((await identity(`user:' or true`)).status).toBe(400);
  });
});

test('users can be found by a part of their address, and SQL in the search is treated as text', async () => {
  const find = async (search: string) =>
    (await owner.call('GET', `/personas/users?${new URLSearchParams({ search })}`)).body.users;
  expect(await find('ADA@')).toEqual([{ id: ada, name: 'ada@example.com', guest: false }]);
  expect(await find(ada.slice(0, 13))).toHaveLength(1);
  expect(await find('%')).toEqual([]);
  expect(await find(`' or true --`)).toEqual([]);
});
