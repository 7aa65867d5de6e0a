/**
 * Tests that no response from `plinth serve` reveals which addresses have an account. The status and the format of a
 * response must be the same as for an unknown address, even if the request is repeated or no email can be sent.
 */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from '../auth/harness.ts';

const password = 'correct horse';
let counter = 0;
const newPhone = (): string => `4915122345${String(counter++).padStart(3, '0')}`;

type Kind = 'email' | 'phone';
type Body = Record<string, unknown>;
const contactOf = (kind: Kind): Body => (kind === 'email' ? { email: newEmail() } : { phone: newPhone() });

/** All states that an address can be in. */
const states: Record<string, (auth: AuthServer, kind: Kind) => Promise<Body>> = {
  'of an unknown user': async (_auth, kind) => contactOf(kind),
  'of a confirmed account': (auth, kind) => make(auth, kind, { [`${kind}_confirm`]: true }),
  'of an account that an administrator prepared': (auth, kind) => make(auth, kind, {}),
  'of a sign-up that waits': async (auth, kind) => {
    const contact = contactOf(kind);
    await auth.request('/signup', { json: { ...contact, password } });
    return contact;
  },
  'of an account that is confirmed by another contact': (auth, kind) =>
    kind === 'email'
      ? make(auth, kind, { phone: newPhone(), phone_confirm: true })
      : make(auth, kind, { email: newEmail(), email_confirm: true }),
};

async function make(auth: AuthServer, kind: Kind, more: Body): Promise<Body> {
  const contact = contactOf(kind);
  const { error } = await auth.admin().auth.admin.createUser({ ...contact, password, ...more });
  if (error) throw error;
  return contact;
}

/** Returns the names and types of all values in a JSON response. Only the keys of metadata are returned. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value).map(([key, each]) => [key, shapeOf(each)]);
}

const requests: readonly [name: string, kind: Kind, path: string, more: Body][] = [
  ['a sign-up', 'email', '/signup', { password, data: { name: 'Ann' } }],
  ['a sign-up', 'phone', '/signup', { password, data: { name: 'Ann' } }],
  ['recovery', 'email', '/recover', {}],
  ['a code', 'email', '/otp', {}],
  ['a code', 'phone', '/otp', {}],
  ['a code for existing accounts', 'email', '/otp', { create_user: false }],
  ['a code for existing accounts', 'phone', '/otp', { create_user: false }],
  ['a magic link', 'email', '/magiclink', {}],
  ['a second email', 'email', '/resend', { type: 'signup' }],
  ['a second text message', 'phone', '/resend', { type: 'sms' }],
  ['a wrong password', 'email', '/token?grant_type=password', { password: 'wrong' }],
  ['a wrong password', 'phone', '/token?grant_type=password', { password: 'wrong' }],
  ['a wrong code', 'email', '/verify', { type: 'email', token: '000000' }],
  ['a wrong code', 'phone', '/verify', { type: 'sms', token: '000000' }],
];

describe('in production', () => {
  const mode = 'production';
  const trustedProxies = ['127.0.0.1'];
  let auth: AuthServer;
  let silent: AuthServer;
  const config = {
    email: { enable_confirmations: true, max_frequency: 60_000 },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 60_000 },
    rate_limit: { sign_in_sign_ups: 1000, token_verifications: 1000, sms_sent: 10_000 },
  };
  beforeAll(async () => {
    auth = await startAuth(config, { mode, trustedProxies });
    silent = await startAuth({ ...config, enable_signup: false }, { mode, trustedProxies });
  });
  afterAll(() => Promise.all([auth.stop(), silent.stop()]));

  const ask = async (server: AuthServer, path: string, json: Body) => {
    // Each request uses a different IP address, so limits per address don't affect this test.
    const response = await server.request(path, {
      json,
      headers: { 'x-forwarded-for': `10.0.${counter >> 8}.${counter++ & 255}` },
    });
    return [response.status, shapeOf(await response.json<unknown>())];
  };

  it.each(requests)('%s by %s: %s gets the same response', async (_name, kind, path, more) => {
    const seen = [];
    for (const [name, state] of Object.entries(states)) {
      const json = { ...(await state(auth, kind)), ...more };
      seen.push([name, await ask(auth, path, json), await ask(auth, path, json)]);
    }
    const [[, ...expected] = []] = seen;
    expect(seen).toEqual(seen.map(([name]) => [name, ...expected]));
  });

  it('a code request while sign-up is disabled gets the same response', async () => {
    const known = await make(silent, 'email', { email_confirm: true });
    expect(await ask(silent, '/otp', contactOf('email'))).toEqual(await ask(silent, '/otp', known));
  });

  it("a sign-up doesn't reveal by its ID whether it created the account", async () => {
    const ids = async (contact: Body) => {
      const answers = [1, 2].map(() => auth.request('/signup', { json: { ...contact, password } }));
      const found = await Promise.all(
        answers.map(async (response) => (await (await response).json<{ id: string }>()).id),
      );
      return new Set(found).size;
    };
    expect(await ids(await make(auth, 'email', { email_confirm: true }))).toBe(2);
    expect(await ids(contactOf('email'))).toBe(2);
  });

  it('a banned user sees the ban only after the password has been verified', async () => {
    const known = await make(auth, 'email', { email_confirm: true, ban_duration: '1h' });
    const wrong = await auth.request('/token?grant_type=password', { json: { ...known, password: 'wrong' } });
    expect((await wrong.json()).error_code).toBe('invalid_credentials');
    const right = await auth.request('/token?grant_type=password', { json: { ...known, password } });
    expect((await right.json()).error_code).toBe('user_banned');
  });
});

test('an immediately confirmed email or phone doesn’t reveal the state of the other', async () => {
  const auth = await startAuth({ email: { enable_confirmations: true }, sms: { enable_signup: true } });
  try {
    const known = await make(auth, 'email', { email_confirm: true });
    expect((await auth.request('/signup', { json: { ...known, password } })).status).toBe(200);
  } finally {
    await auth.stop();
  }
});

test("a second sign-up within the interval between two emails doesn't set a password", async () => {
  const auth = await startAuth({ email: { enable_confirmations: true, max_frequency: 60_000 } });
  try {
    const email = newEmail();
    await auth.request('/signup', { json: { email, password: 'attacker password' } });
    await auth.request('/signup', { json: { email, password } });
    expect(await auth.inbox(email)).toHaveLength(1);
    const hashOf = async () =>
      (
        await auth.database
          .pool('supabase_admin')
          .query<{ encrypted_password: string | null }>(
            sql`select encrypted_password from auth.users where email = ${email}`,
          )
      )[0]?.encrypted_password;
    expect(await hashOf()).toBeNull();

    // A repeated identical request, for example after a double click, doesn't change anything.
    const again = newEmail();
    for (const _ of [1, 2]) await auth.request('/signup', { json: { email: again, password } });
    const [row] = await auth.database
      .pool('supabase_admin')
      .query<{ encrypted_password: string | null }>(
        sql`select encrypted_password from auth.users where email = ${again}`,
      );
    expect(row?.encrypted_password).toMatch(/^\$2a\$/);
  } finally {
    await auth.stop();
  }
});

test('reveal_accounts restores upstream’s responses', async () => {
  const auth = await startAuth(
    { email: { enable_confirmations: true, max_frequency: 60_000 } },
    { mode: 'production', plinth: { auth: { reveal_accounts: true } } as never },
  );
  try {
    const known = await make(auth, 'email', { email_confirm: true });
    const status = async (path: string, json: Body) => (await auth.request(path, { json })).status;
    expect(await status('/otp', { ...contactOf('email'), create_user: false })).toBe(422);
    expect(await status('/recover', known)).toBe(200);
    expect(await status('/recover', known)).toBe(429);
    const repeated = await auth.request('/signup', { json: { ...known, password } });
    expect(await repeated.json()).toMatchObject({ identities: [] });
  } finally {
    await auth.stop();
  }
});
