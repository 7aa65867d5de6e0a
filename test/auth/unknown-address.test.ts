/**
 * Tests codes for addresses without an account. The Account pages' emails say that there isn't one. In production,
 * neither a response nor the number of emails that are left reveals whether an address has an account.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
/** A server without an email server allows 360,000 emails per hour. */
const emailEveryMs = 10;
let auth: AuthServer;
let pauses: AuthServer;
let closed: AuthServer;
let paused: AuthServer;

beforeAll(async () => {
  const email = { enable_confirmations: true };
  const options = { mode: 'production', servesAccount: true, trustedProxies: ['127.0.0.1'] } as const;
  const plinth = { branding: { name: 'Harbor' } };
  auth = await startAuth({ email }, { ...options, plinth });
  auth.clock.freeze();
  pauses = await startAuth({ email: { ...email, max_frequency: 60_000 } }, options);
  paused = await startAuth({ email: { ...email, max_frequency: 60_000 } }, options);
  paused.clock.freeze();
  closed = await startAuth({ email, enable_signup: false }, { ...options, plinth });
});
afterAll(() => Promise.all([auth.stop(), pauses.stop(), closed.stop(), paused.stop()]));

async function makeUser(server: AuthServer): Promise<string> {
  const email = newEmail();
  const { error } = await server.admin().auth.admin.createUser({ email, password, email_confirm: true });
  if (error) throw error;
  return email;
}

let site = 0;
/** Calls the Account API as the page with this query does. Each request has a different IP address. */
async function onPage(
  server: AuthServer,
  name: string,
  body: object,
  search = '',
): Promise<[number, unknown]> {
  const response = await fetch(`${server.url}/account/api/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-plinth-request': '1',
      'x-forwarded-for': `10.1.${site++}.1`,
      referer: `${server.url}/account/password${search}`,
    },
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}

const askCode = (server: AuthServer, email: string, purpose: string, search?: string) =>
  onPage(server, 'code', { email, purpose }, search);

describe.each(['sign-in', 'recover'])('a request on the pages (%s)', (purpose) => {
  test('emails that the account is missing and links to the sign-up for the same app', async () => {
    const email = newEmail();
    const search = '?redirect_to=http%3A%2F%2Flocalhost%3A3000%2F';
    expect(await askCode(pauses, email, purpose, search)).toEqual([200, { number: expect.any(Number) }]);
    await expect.poll(() => pauses.inbox(email)).toHaveLength(1);
    const [mail] = await pauses.inbox(email);
    expect(mail?.subject).toContain("You don't have a");
    expect(mail?.text).not.toMatch(/\b\d{6}\b/);
    expect(mail?.text).toContain(`${pauses.url}/account/sign-up${search}`);
    // No account was created.
    const { data } = await pauses.admin().auth.admin.listUsers({ perPage: 1000 });
    expect(data.users.filter((user) => user.email === email)).toEqual([]);
    // A second request during the pause is answered in the same way, but no email is sent.
    expect(await askCode(pauses, email, purpose, search)).toEqual([200, { number: expect.any(Number) }]);
    const other = newEmail();
    await askCode(pauses, other, purpose);
    await expect.poll(() => pauses.inbox(other)).toHaveLength(1);
    expect(await pauses.inbox(email)).toHaveLength(1);
  });

  test('links to the sign-in if the project has closed its sign-up', async () => {
    const email = newEmail();
    await askCode(closed, email, purpose);
    await expect.poll(() => closed.inbox(email)).toHaveLength(1);
    const [mail] = await closed.inbox(email);
    expect(mail?.text).toContain(`Use another address: ${closed.url}/account/sign-in`);
    expect(mail?.text).not.toContain('Create');
  });
});

test('the next step on the pages is the same for every address', async () => {
  const known = await onPage(auth, 'identify', { address: await makeUser(auth) });
  expect(known).toEqual([200, { step: 'password' }]);
  expect(await onPage(auth, 'identify', { address: newEmail() })).toEqual(known);
});

test('an app’s request for an unknown address sends no email', async () => {
  const email = newEmail();
  for (const [path, more] of [
    ['/otp', { create_user: false }],
    ['/recover', {}],
  ] as const) {
    const response = await pauses.request(path, { json: { email, ...more } });
    expect([response.status, await response.json()]).toEqual([200, {}]);
  }
  const known = await makeUser(pauses);
  await pauses.request('/recover', { json: { email: known } });
  await expect.poll(() => pauses.inbox(known)).toHaveLength(1);
  expect(await pauses.inbox(email)).toEqual([]);
});

/** The requests that send an email to a known address or to an unknown address. */
const requests: Record<string, (email: string) => Promise<unknown>> = {
  'a code on the pages': (email) => askCode(auth, email, 'sign-in'),
  'a new password on the pages': (email) => askCode(auth, email, 'recover'),
  'a second code on the pages': (email) => askCode(auth, email, 'confirm'),
  'a sign-up on the pages': (email) => onPage(auth, 'sign-up', { email, password }),
  'a code in an app': (email) => auth.request('/otp', { json: { email, create_user: false } }),
  'a code in an app that signs up': (email) => auth.request('/otp', { json: { email } }),
  'a new password in an app': (email) => auth.request('/recover', { json: { email } }),
  'a sign-up in an app': (email) => auth.request('/signup', { json: { email, password } }),
  'a second code in an app': (email) => auth.request('/resend', { json: { email, type: 'signup' } }),
};

describe.each(Object.entries(requests))('%s', (_name, send) => {
  test.each<[string, () => Promise<string>]>([
    ['unknown', async () => newEmail()],
    ['known', () => makeUser(auth)],
    [
      'closed',
      async () => {
        const email = newEmail();
        const phone = `4915199${String(site++).padStart(5, '0')}`;
        await auth.admin().auth.admin.createUser({ email, password, phone, phone_confirm: true });
        return email;
      },
    ],
  ])('counts one email if the address is %s', async (_state, make) => {
    const email = await make();
    await auth.database
      .pool('supabase_admin')
      .query(sql`delete from _plinth.rate_limits where key = 'emails'`);
    await send(email);
    // Emails are sent after the response.
    await expect.poll(() => countedEmails(auth)).toBe(1);
  });
});

describe.each<[name: string, requests: ((email: string) => Promise<unknown>)[], count: number]>([
  [
    'a second code for a sign-up, and then a code',
    [
      (email) => paused.request('/resend', { json: { email, type: 'signup' } }),
      (email) => paused.request('/otp', { json: { email, create_user: false } }),
    ],
    2,
  ],
  [
    'a second code for a new address, and then a code',
    [
      (email) => paused.request('/resend', { json: { email, type: 'email_change' } }),
      (email) => paused.request('/otp', { json: { email, create_user: false } }),
    ],
    2,
  ],
  [
    'a second code on the pages, and then a code in an app',
    [
      (email) => askCode(paused, email, 'confirm'),
      (email) => paused.request('/otp', { json: { email, create_user: false } }),
    ],
    1,
  ],
  [
    'a code, and then a new password',
    [
      (email) => paused.request('/otp', { json: { email, create_user: false } }),
      (email) => paused.request('/recover', { json: { email } }),
    ],
    1,
  ],
])('%s', (_name, steps, count) => {
  test.each<[string, () => Promise<string>]>([
    ['unknown', async () => newEmail()],
    ['known', () => makeUser(paused)],
  ])('counts the same number of emails during the pause if the address is %s', async (_state, make) => {
    const email = await make();
    await paused.database
      .pool('supabase_admin')
      .query(sql`delete from _plinth.rate_limits where key = 'emails'`);
    for (const send of steps) {
      await send(email);
      await expect.poll(() => countedEmails(paused)).toBeGreaterThan(0);
    }
    await expect.poll(() => countedEmails(paused)).toBe(count);
  });
});

/** Returns the number of emails that count toward the hourly limit. The test's clock doesn't move. */
async function countedEmails(server: AuthServer): Promise<number> {
  const [row] = await server.database
    .pool('supabase_admin')
    .query<{ full_at: string }>(sql`select full_at from _plinth.rate_limits where key = 'emails'`);
  return row === undefined ? 0 : (Date.parse(row.full_at) - server.clock.now()) / emailEveryMs;
}
