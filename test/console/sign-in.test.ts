import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, linkToken, type Operator, operator, signIn, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  await backend.operators.createOperator('dev', 'developer');
  owner = await operator(backend);
});
afterAll(() => backend?.stop());

describe('the one-time link', () => {
  test('signs in once', async () => {
    const token = await linkToken(backend);
    const first = await signIn(backend, token);
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({
      operator: { name: 'owner', role: 'owner', permissions: ['read', 'secrets', 'write', 'own'] },
      factor: 'none',
      isFresh: true,
      csrfToken: expect.any(String),
    });
    const again = await signIn(backend, token);
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({ code: 'link_invalid' });
  });

  test('signs in only one of two concurrent browsers', async () => {
    const token = await linkToken(backend);
    const answers = await Promise.all([signIn(backend, token), signIn(backend, token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('keeps its secret in the fragment', async () => {
    expect(await backend.consoleLink()).toMatch(/\/console\/sign-in#token=[\w-]{32}$/);
  });

  test('can’t be created for an unknown name', async () => {
    await expect(backend.consoleLink('unknown')).rejects.toThrow("The operator unknown doesn't exist.");
  });

  test('sets a cookie that is HttpOnly, SameSite and specific to the port', async () => {
    const cookie = (await signIn(backend, await linkToken(backend))).headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(
        `^plinth-console-${new URL(backend.console.url).port}=[\\w-]{43}; Path=/console; HttpOnly; SameSite=Strict`,
      ),
    );
  });
});

test('a session remains valid for a few seconds after another sign-in in the same browser', async () => {
  const { cookie, call } = await operator(backend);
  const signedIn = await signIn(backend, await linkToken(backend), { cookie });
  expect(signedIn.status).toBe(200);
  // Requests from another tab can still contain the previous cookie.
  expect((await call('GET', '/session')).status).toBe(200);
  const sessions = () =>
    backend.database.pool('supabase_admin').query<{ seconds: number }>(sql`
      select extract(epoch from expires_at - now())::float8 as seconds from _plinth.operator_sessions
      where cookie_hash = ${createHash('sha256')
        .update(cookie.slice(cookie.indexOf('=') + 1))
        .digest()}`);
  const [previous] = await sessions();
  expect(previous?.seconds).toBeGreaterThan(-60);
  expect(previous?.seconds).toBeLessThanOrEqual(10);
  // Signing in once more doesn't extend it.
  await backend.database.pool('supabase_admin').query(sql`
    update _plinth.operator_sessions set expires_at = now() + interval '1 second'
    where expires_at < now() + interval '1 minute'`);
  await signIn(backend, await linkToken(backend), { cookie });
  expect((await sessions())[0]?.seconds).toBeLessThanOrEqual(1);
});

describe('cross-site sign-in', () => {
  test.each([
    ['without our header', { 'x-plinth-request': '' }],
    ['from a foreign page', { origin: 'https://evil.example' }],
    ['from a sibling site', { 'sec-fetch-site': 'same-site' }],
    ['without an origin', { origin: 'null' }],
  ])('%s is rejected and doesn’t use up the link', async (_name, headers) => {
    const token = await linkToken(backend);
    const refused = await signIn(backend, token, headers);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect((await signIn(backend, token)).status).toBe(200);
  });
});

describe('a session', () => {
  test('is required by every route', async () => {
    for (const path of ['/session', '/home', '/tables', '/users', '/inbox', '/tables/public/tasks/rows']) {
      const response = await backend.console.fetch(`/console/api${path}`);
      expect([path, response.status]).toEqual([path, 401]);
    }
  });

  test.each([
    ['missing', ''],
    ['wrong', 'x'.repeat(32)],
  ])('can’t change anything with a %s CSRF token', async (_name, token) => {
    const { status, body } = await owner.call(
      'POST',
      '/tables/public/tasks/rows',
      { values: {} },
      { 'x-plinth-csrf': token },
    );
    expect([status, body.code]).toEqual([403, 'csrf']);
  });

  test("another session's CSRF token isn't accepted", async () => {
    const other = await operator(backend);
    const { status } = await owner.call('DELETE', '/inbox', undefined, { 'x-plinth-csrf': other.csrfToken });
    expect(status).toBe(403);
  });

  test('ends when the operator signs out', async () => {
    const leaving = await operator(backend);
    const out = await leaving.call('POST', '/sign-out');
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await leaving.call('GET', '/session')).status).toBe(401);
  });

  test('returns JSON for an unknown route, never a page', async () => {
    const response = await owner.call('GET', '/no-such-thing');
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });
});

describe('a read-only operator', () => {
  let looker: Operator;
  beforeAll(async () => {
    looker = await operator(backend, 'looker');
  });

  test('can read tables', async () => {
    const { status, body } = await looker.call('GET', '/tables/public/tasks/rows');
    expect([status, body.rows.length]).toEqual([200, 100]);
  });

  test.each([
    ['PATCH', '/tables/public/tasks/rows', { key: { id: '1' }, changes: { title: { value: 'x' } } }],
    ['POST', '/tables/public/tasks/rows', { values: {} }],
    ['DELETE', '/tables/public/tasks/rows', { keys: [{ id: '1' }] }],
    ['POST', '/users', { email: 'a@example.com', password: 'a-Good-password-1' }],
    ['DELETE', '/users/00000000-0000-0000-0000-000000000000', undefined],
    ['POST', '/inbox/x/read', undefined],
    ['DELETE', '/inbox/x', undefined],
    ['DELETE', '/inbox', undefined],
  ])('can’t call %s %s', async (method, path, body) => {
    const response = await looker.call(method, path, body);
    expect([response.status, response.body.code]).toEqual([403, 'forbidden']);
  });

  test('can’t see anything that allows acting as a user', async () => {
    for (const path of [
      '/inbox',
      '/inbox/x',
      '/inbox/x/html',
      '/tables/auth/users/rows',
      '/tables/auth/users/count',
    ]) {
      expect([path, (await looker.call('GET', path)).status]).toEqual([path, 403]);
    }
    expect((await (await operator(backend, 'dev')).call('GET', '/tables/auth/users/rows')).status).toBe(200);
  });

  test('can’t write by reading from a view that writes', async () => {
    const { status, body } = await looker.call('GET', '/tables/public/sly/rows');
    expect([status, body.sqlstate]).toEqual([422, '25006']);
  });
});

test('no response contains a secret key', async () => {
  for (const path of ['/session', '/home', '/tables', '/users']) {
    const text = JSON.stringify((await owner.call('GET', path)).body);
    for (const secret of [backend.keys.serviceRoleKey, backend.keys.secretKey, backend.keys.jwtSecret])
      expect(text).not.toContain(secret);
  }
});

test('sign-in and sign-out are in the audit log', async () => {
  const leaving = await operator(backend, 'dev');
  await leaving.call('POST', '/sign-out');
  const rows = await backend.database
    .pool('supabase_admin')
    .query<{ action: string }>(
      sql`select action from _plinth.audit_log where operator_name = 'dev' order by id desc limit 2`,
    );
  expect(rows.map(({ action }) => action)).toEqual(['sign-out', 'sign-in']);
});

test('guesses are rate-limited, and the response contains the waiting time', async () => {
  const target = await startBackend();
  try {
    const statuses: number[] = [];
    for (let guess = 0; guess < 11; guess++) statuses.push((await signIn(target, `guess-${guess}`)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const refused = await signIn(target, await linkToken(target));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await target.stop();
  }
});
