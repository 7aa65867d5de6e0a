/**
 * Tests that other people can't access an account through a contact that its owner hasn't confirmed. Each account here
 * has one confirmed and one unconfirmed contact. The attacker knows the unconfirmed contact.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from '../auth/harness.ts';

const password = 'correct horse';
let counter = 0;
const newPhone = (): string => `4915112345${String(counter++).padStart(3, '0')}`;

interface Account {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  /** The email address or phone number that its owner hasn't confirmed. */
  readonly contact: { readonly email: string } | { readonly phone: string };
}

async function account(auth: AuthServer, confirmed: 'email' | 'phone'): Promise<Account> {
  const email = newEmail();
  const phone = newPhone();
  const { data, error } = await auth.admin().auth.admin.createUser({
    email,
    phone,
    password,
    user_metadata: { name: 'Victoria' },
    [`${confirmed}_confirm`]: true,
  });
  if (error) throw error;
  return { id: data.user.id, email, phone, contact: confirmed === 'email' ? { phone } : { email } };
}

/** Returns everything that an attacker could change. */
async function stateOf(auth: AuthServer, id: string): Promise<unknown> {
  const [row] = await auth.database.pool('supabase_admin').query(sql`
    select u.encrypted_password, u.raw_user_meta_data, u.email_confirmed_at, u.phone_confirmed_at, u.last_sign_in_at,
           (select count(*)::int from auth.sessions s where s.user_id = u.id) as sessions,
           (select json_agg(i.provider order by i.provider) from auth.identities i where i.user_id = u.id) as identities
    from auth.users u where u.id = ${id}`);
  return row;
}

describe.each([
  ['confirmations off', false],
  ['confirmations on', true],
])('with %s', (_name, enable_confirmations) => {
  let auth: AuthServer;
  beforeAll(async () => {
    auth = await startAuth({
      email: { enable_confirmations },
      sms: { enable_signup: true, enable_confirmations },
    });
  });
  afterAll(() => auth.stop());

  it.each(['email', 'phone'] as const)(
    'a sign-up doesn’t change an account whose %s is confirmed',
    async (way) => {
      const { id, contact } = await account(auth, way);
      const before = await stateOf(auth, id);
      const response = await auth.request('/signup', {
        json: { ...contact, password: 'attacker', data: { name: 'Mallory' } },
      });
      const text = await response.text();
      expect(text).not.toContain('access_token');
      expect(text).not.toContain('Victoria');
      expect(text).not.toContain(id);
      expect(await stateOf(auth, id)).toEqual(before);
    },
  );
});
