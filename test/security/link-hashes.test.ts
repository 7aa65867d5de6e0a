/**
 * Tests that the hash in a link can't be derived from a code. A request with only a hash names no account, so the
 * service couldn't count wrong hashes for an account, and all codes of an account could be tried.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from '../auth/harness.ts';

const password = 'correct horse battery';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    site_url: 'https://app.example',
    email: { enable_confirmations: true, double_confirm_changes: true, max_frequency: 0 },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    hook: { send_sms: { enabled: true, uri: 'pg-functions://postgres/public/keep_code' } },
  });
  await server.database.pool('postgres').exec(`
    create table public.codes (phone text, otp text);
    create function public.keep_code(event jsonb) returns jsonb language sql as
      $$ insert into public.codes values (event #>> '{sms,phone}', event #>> '{sms,otp}'); select '{}'::jsonb $$;
    grant execute on function public.keep_code to supabase_auth_admin;
    grant insert on public.codes to supabase_auth_admin;`);
});
afterAll(() => server?.stop());

const types = ['signup', 'invite', 'magiclink', 'recovery', 'email', 'email_change'] as const;

const hashOf = (recipient: string, code: string): string =>
  createHash('sha224')
    .update(recipient + code)
    .digest('hex');

/** Expects that neither the hash of the code nor its variant for PKCE is accepted as the hash of a link. */
async function expectNoLink(recipient: string, code: string): Promise<void> {
  for (const type of types) {
    for (const prefix of ['', 'pkce_']) {
      const hash = `${prefix}${hashOf(recipient, code)}`;
      const response = await server.request('/verify', { json: { type, token_hash: hash } });
      expect([type, response.status]).toEqual([type, 403]);
      expect(await response.json()).toMatchObject({ error_code: 'otp_expired' });
      const query = new URLSearchParams({ type, token: hash });
      const followed = await server.request(`/verify?${query}`, { redirect: 'manual' });
      expect(followed.headers.get('location')).toContain('error_code=otp_expired');
    }
  }
}

async function confirmedUser() {
  const email = newEmail();
  const { data } = await server.admin().auth.admin.createUser({ email, password, email_confirm: true });
  const client = server.client();
  await client.auth.signInWithPassword({ email, password });
  return { email, id: data.user?.id ?? '', client };
}

const pkce = {
  code_challenge: createHash('sha256').update('v'.repeat(64)).digest('base64url'),
  code_challenge_method: 's256',
};

/** Each way to receive an email with a link. Returns the address that received it. */
const mails: Readonly<Record<string, () => Promise<string>>> = {
  'a sign-up': async () => {
    const email = newEmail();
    await server.request('/signup', { json: { email, password } });
    return email;
  },
  'a sign-up with PKCE': async () => {
    const email = newEmail();
    await server.request('/signup', { json: { email, password, ...pkce } });
    return email;
  },
  'an invitation': async () => {
    const email = newEmail();
    await server.admin().auth.admin.inviteUserByEmail(email);
    return email;
  },
  'a sign-in code': async () => {
    const { email } = await confirmedUser();
    await server.request('/otp', { json: { email } });
    return email;
  },
  'a recovery': async () => {
    const { email } = await confirmedUser();
    await server.request('/recover', { json: { email } });
    return email;
  },
  'an email change, at the old address': async () => {
    const { email, client } = await confirmedUser();
    await client.auth.updateUser({ email: newEmail() });
    return email;
  },
  'an email change, at the new address': async () => {
    const { client } = await confirmedUser();
    const email = newEmail();
    await client.auth.updateUser({ email });
    return email;
  },
};

it.each(Object.entries(mails))(
  '%s: the hash of the code isn’t accepted as the hash of a link',
  async (name, start) => {
    const email = await start();
    const [mail] = await server.inbox(email);
    const link = linkOf(mail);
    if (name !== 'an invitation') {
      await expectNoLink(email, codeOf(mail));
      const type = name.startsWith('an email change') ? 'email_change' : 'email';
      const typed = await server.request('/verify', { json: { type, email, token: codeOf(mail) } });
      expect(typed.status).toBe(200);
      return;
    }
    const followed = await fetch(link, { redirect: 'manual' });
    expect(followed.headers.get('location')).toContain('access_token=');
  },
);

it.each(Object.entries(mails))('%s: the link works', async (_name, start) => {
  const email = await start();
  const [mail] = await server.inbox(email);
  const followed = await fetch(linkOf(mail), { redirect: 'manual' });
  expect(followed.headers.get('location')).toMatch(/access_token=|code=|message=/);
});

const generated = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email_change_current',
  'email_change_new',
] as const;

it.each(generated)('a generated link of type %s has a random hash', async (type) => {
  const isNew = type === 'signup' || type === 'invite';
  const email = isNew ? newEmail() : (await confirmedUser()).email;
  const target = newEmail();
  const { data, error } = await server.admin().auth.admin.generateLink({
    type,
    email,
    ...(type === 'signup' ? { password } : {}),
    ...(type.startsWith('email_change') ? { newEmail: target } : {}),
  } as Parameters<ReturnType<AuthServer['admin']>['auth']['admin']['generateLink']>[0]);
  expect(error).toBeNull();
  const recipient = type === 'email_change_new' ? target : email;
  await expectNoLink(recipient, data.properties?.email_otp ?? '');
  const link = { type: type.startsWith('email_change') ? 'email_change' : type };
  const accepted = await server.request('/verify', {
    json: { ...link, token_hash: data.properties?.hashed_token },
  });
  expect(accepted.status).toBe(200);
});

it('a code for a phone can be used only with its number, and can’t confirm an email address', async () => {
  const { id } = await confirmedUser();
  const phone = `1555${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
  await server.admin().auth.admin.updateUserById(id, { phone, phone_confirm: true });
  await server.request('/otp', { json: { phone } });
  const [sent] = await server.database
    .pool('postgres')
    .query<{ otp: string }>(sql`select otp from public.codes where phone = ${phone}`);
  await expectNoLink(phone, sent?.otp ?? '');
  const typed = await server.request('/verify', { json: { type: 'sms', phone, token: sent?.otp } });
  expect(typed.status).toBe(200);
});

it('a code for an email change works only together with the address that received it', async () => {
  const [one, two] = [await confirmedUser(), await confirmedUser()];
  const target = newEmail();
  await one.client.auth.updateUser({ email: target });
  await two.client.auth.updateUser({ email: target });
  const [mail] = await server.inbox(two.email);
  const verify = (email: string) =>
    server.request('/verify', { json: { type: 'email_change', email, token: codeOf(mail) } });
  expect((await verify(one.email)).status).toBe(403);
  expect((await verify(two.email)).status).toBe(200);
});
