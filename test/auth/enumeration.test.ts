/**
 * Tests that responses never reveal whether an account exists. For both cases, the bytes of the response and the
 * expensive part of the work are identical. The tests count this work instead of timing it.
 */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const work = vi.hoisted(() => ({ hashed: 0, verified: 0 }));
vi.mock('@node-rs/bcrypt', async (original) => {
  const real = await original<typeof import('@node-rs/bcrypt')>();
  return {
    ...real,
    hash: (...all: Parameters<typeof real.hash>) => {
      work.hashed += 1;
      return real.hash(...all);
    },
    verify: (...all: Parameters<typeof real.verify>) => {
      work.verified += 1;
      return real.verify(...all);
    },
  };
});

const password = 'correct horse';
let auth: AuthServer;
const email = newEmail();
const phone = '491511111111';
beforeAll(async () => {
  auth = await startAuth({
    email: { enable_confirmations: true },
    sms: { enable_signup: true, enable_confirmations: true },
  });
  const { admin } = auth.admin().auth;
  await admin.createUser({ email, password, email_confirm: true });
  await admin.createUser({ phone, password, phone_confirm: true });
  // Generates the dummy hash for unknown accounts, so that the tests don't count it.
  await auth.request('/token?grant_type=password', { json: { email: newEmail(), password } });
});
afterAll(() => auth.stop());
beforeEach(() => {
  work.hashed = 0;
  work.verified = 0;
});

const ask = async (path: string, json: unknown) => {
  work.hashed = 0;
  work.verified = 0;
  const response = await auth.request(path, { json });
  const text = await response.text();
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'x-request-id', 'content-length'].includes(name),
  );
  return { status: response.status, text, headers, work: { ...work } };
};

test.each<[string, (who: string) => Promise<string> | string]>([
  ['no user', () => newEmail()],
  [
    'a user without a password',
    async () => {
      const who = newEmail();
      await auth.admin().auth.admin.createUser({ email: who, email_confirm: true });
      return who;
    },
  ],
  [
    'a user who signs in with SSO',
    async () => {
      const who = newEmail();
      await auth.admin().auth.admin.createUser({ email: who, email_confirm: true });
      await auth.database
        .pool('supabase_admin')
        .query(sql`update auth.users set is_sso_user = true where email = ${who}`);
      return who;
    },
  ],
])('sign-in as %s gets the same response as a wrong password', async (_name, make) => {
  const known = await ask('/token?grant_type=password', { email, password: 'wrong' });
  const other = await ask('/token?grant_type=password', { email: await make(''), password: 'wrong' });
  expect(other).toEqual(known);
  expect(known).toMatchObject({ status: 400, work: { hashed: 0, verified: 1 } });
});

test('sign-in by phone gets the same response as a wrong password', async () => {
  const known = await ask('/token?grant_type=password', { phone, password: 'wrong' });
  expect(await ask('/token?grant_type=password', { phone: '491519999999', password: 'wrong' })).toEqual(
    known,
  );
});

test.each<[string, (contact: { email: string } | { phone: string }) => object]>([
  ['/recover', (contact) => contact],
  ['/resend', (contact) => ({ type: 'email' in contact ? 'signup' : 'sms', ...contact })],
])('%s gets the same response for known and unknown users', async (path, bodyOf) => {
  const known = await ask(path, bodyOf({ email }));
  expect(await ask(path, bodyOf({ email: newEmail() }))).toEqual(known);
  expect(known.status).toBe(200);
  if (path !== '/resend') return;
  expect(await ask(path, bodyOf({ phone: '491519999999' }))).toEqual(await ask(path, bodyOf({ phone })));
});

test.each(['/otp', '/magiclink'])(
  '%s computes the same number of hashes for known and unknown addresses',
  async (path) => {
    const known = await ask(path, { email });
    const unknown = await ask(path, { email: newEmail() });
    expect([known.status, known.text, known.headers]).toEqual([
      unknown.status,
      unknown.text,
      unknown.headers,
    ]);
    for (const { work: done } of [known, unknown]) expect(done.hashed + done.verified).toBe(1);
  },
);

test('a phone code computes the same number of hashes for known and unknown numbers', async () => {
  const known = await ask('/otp', { phone });
  const unknown = await ask('/otp', { phone: '491517777777' });
  expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  for (const { work: done } of [known, unknown]) expect(done.hashed + done.verified).toBe(1);
});

test('a sign-up with a confirmed address looks like a new one, in its content and its timing', async () => {
  const shape = (text: string): string => {
    const user = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(
      Object.entries(user).map(([key, value]) => [key, Array.isArray(value) ? 'list' : typeof value]),
    );
  };
  const fresh = await ask('/signup', { email: newEmail(), password });
  const taken = await ask('/signup', { email, password });
  expect(taken.status).toBe(200);
  expect(shape(taken.text)).toBe(shape(fresh.text));
  expect(taken.work.hashed + taken.work.verified).toBe(1);
  expect(fresh.work.hashed + fresh.work.verified).toBe(1);
  // The ID in the response isn't the ID of any user either.
  const { id } = JSON.parse(taken.text) as { id: string };
  expect((await auth.admin().auth.admin.getUserById(id)).error?.code).toBe('user_not_found');
});

test('wrong codes and codes for unknown users get the same response', async () => {
  const known = await ask('/verify', { type: 'email', email, token: '000000' });
  expect(await ask('/verify', { type: 'email', email: newEmail(), token: '000000' })).toEqual(known);
  expect(known.status).toBe(403);
});

test.each([
  ['/recover', { email_confirm: true }, {}],
  ['/resend', { email_confirm: false }, { type: 'signup' }],
])('%s in production: work for known addresses happens after the response', async (path, state, extra) => {
  const production = await startAuth(
    { email: { enable_confirmations: true, max_frequency: 60_000 } },
    { mode: 'production' },
  );
  try {
    const known = newEmail();
    await production.admin().auth.admin.createUser({ email: known, password, ...state });
    const request = (who: string) => production.request(path, { json: { ...extra, email: who } });
    const unknown = await request(newEmail());
    const response = await production.database.pool('supabase_admin').transaction(async (tx) => {
      // The user's row is locked, so a response that waited for this work would never arrive.
      await tx.query(sql`select from auth.users where email = ${known} for update`);
      return request(known);
    });
    expect([response.status, await response.text()]).toEqual([unknown.status, await unknown.text()]);
    await expect.poll(() => production.inbox(known), { timeout: 20_000 }).toHaveLength(1);
    // Responses during the minimum interval between two emails don't reveal whether an account exists either.
    const soon = await request(known);
    expect([soon.status, await soon.json()]).toEqual([200, {}]);
    production.clock.advance(61_000);
    await request(known);
    await expect.poll(() => production.inbox(known), { timeout: 20_000 }).toHaveLength(2);
  } finally {
    await production.stop();
  }
});
