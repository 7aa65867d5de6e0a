/**
 * Tests an attacker who signs up with another person's address and waits. After the owner confirms the address,
 * everything that the attacker chose must be removed: password, identities, sessions, factors, pending changes and
 * metadata.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from '../auth/harness.ts';
import { createInternet, type Internet } from '../auth/social/internet.ts';
import { comeBack, serveGithub, signIn, userOf } from '../auth/social/sign-in.ts';

const attackers = 'attacker password';
const owners = 'owner password';
const github = { enabled: true, client_id: 'github-client', secret: 'secret' };
let internet: Internet;
let auth: AuthServer;
beforeAll(async () => {
  internet = await createInternet();
  const config = {
    enable_manual_linking: true,
    external: { github },
    email: { enable_confirmations: true },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
  };
  auth = await startAuth(config, { outgoing: internet.outgoing });
});
afterAll(async () => {
  await auth.stop();
  await internet.stop();
});

type Contact = { readonly email: string } | { readonly phone: string };
const signUp = (contact: Contact, password: string, name: string) =>
  auth.request('/signup', { json: { ...contact, password, data: { name } } });

async function accepts(contact: Contact, password: string): Promise<boolean> {
  const response = await auth.request('/token?grant_type=password', { json: { ...contact, password } });
  return response.status === 200;
}

const newest = async (email: string) => (await auth.inbox(email))[0];

interface Verified {
  readonly user: { readonly id: string; readonly user_metadata: Record<string, unknown> };
}
async function verify(json: object): Promise<Verified> {
  const response = await auth.request('/verify', { json });
  if (response.status !== 200) throw new Error(await response.text());
  return response.json<Verified>();
}

describe('the attacker signs up first,', () => {
  it('and the owner then signs up and confirms with the link', async () => {
    const email = newEmail();
    await signUp({ email }, attackers, 'Mallory');
    await signUp({ email }, owners, 'Olivia');
    const confirmed = await fetch(linkOf(await newest(email)), { redirect: 'manual' });
    expect(confirmed.headers.get('location')).toContain('access_token');
    expect(await accepts({ email }, attackers)).toBe(false);
    expect(await accepts({ email }, owners)).toBe(true);
    const { data } = await auth.client().auth.signInWithPassword({ email, password: owners });
    expect(data.user?.user_metadata).toMatchObject({ name: 'Olivia' });
  });

  it('and the owner then signs up by phone', async () => {
    const phone = '491511234001';
    await signUp({ phone }, attackers, 'Mallory');
    await signUp({ phone }, owners, 'Olivia');
    const { user } = await verify({ type: 'sms', phone, token: codeOf(await newest(phone)) });
    expect(user.user_metadata).toMatchObject({ name: 'Olivia' });
    expect(await accepts({ phone }, attackers)).toBe(false);
    expect(await accepts({ phone }, owners)).toBe(true);
  });

  it.each([
    ['a code', '/otp', 'email'],
    ['a magic link', '/magiclink', 'email'],
    ['recovery', '/recover', 'recovery'],
  ])('and the owner then uses %s', async (_name, path, type) => {
    const email = newEmail();
    await signUp({ email }, attackers, 'Mallory');
    await auth.request(path, { json: { email } });
    const { user } = await verify({ type, email, token: codeOf(await newest(email)) });
    expect(user.user_metadata).not.toHaveProperty('name');
    expect(await accepts({ email }, attackers)).toBe(false);
  });

  it('and again after the owner, but a link works only with the password from its own request', async () => {
    const email = newEmail();
    await signUp({ email }, owners, 'Olivia');
    const link = linkOf(await newest(email));
    await signUp({ email }, attackers, 'Mallory');
    await fetch(link, { redirect: 'manual' });
    expect(await accepts({ email }, attackers)).toBe(false);
  });

  it('and an administrator then invites the owner', async () => {
    const email = newEmail();
    await signUp({ email }, attackers, 'Mallory');
    await auth.admin().auth.admin.inviteUserByEmail(email, { data: { team: 'red' } });
    const hash = new URL(linkOf(await newest(email))).searchParams.get('token');
    const { user } = await verify({ type: 'invite', token_hash: hash });
    expect(user.user_metadata).not.toHaveProperty('name');
    expect(user.user_metadata).toHaveProperty('team', 'red');
    expect(await accepts({ email }, attackers)).toBe(false);
  });

  it('and an administrator then generates a sign-up link for the owner', async () => {
    const email = newEmail();
    await signUp({ email }, attackers, 'Mallory');
    const { data } = await auth.admin().auth.admin.generateLink({
      type: 'signup',
      email,
      password: owners,
      options: { data: { team: 'red' } },
    });
    await fetch(data.properties?.action_link ?? '', { redirect: 'manual' });
    expect(await accepts({ email }, attackers)).toBe(false);
    expect(await accepts({ email }, owners)).toBe(true);
  });
});

it('but a sign-up for an invited address doesn’t set a password, and keeps the administrator’s data', async () => {
  const email = newEmail();
  await auth.admin().auth.admin.inviteUserByEmail(email, { data: { team: 'red' } });
  await signUp({ email }, attackers, 'Mallory');
  const { user } = await verify({ type: 'email', email, token: codeOf(await newest(email)) });
  expect(user.user_metadata).toMatchObject({ team: 'red' });
  expect(user.user_metadata).not.toHaveProperty('name');
  expect(await accepts({ email }, attackers)).toBe(false);
});

it('but the response to a second sign-up doesn’t reveal anything about the first', async () => {
  const email = newEmail();
  await signUp({ email }, owners, 'Olivia');
  expect(await (await signUp({ email }, attackers, 'Mallory')).text()).not.toContain('Olivia');
});

describe('a provider', () => {
  const only = (email: string, verified = true) => [{ email, verified, primary: true }];
  const confirmed = async (contact: Record<string, unknown>) => {
    const { data, error } = await auth.admin().auth.admin.createUser({ ...contact, password: owners });
    if (error) throw error;
    return data.user.id;
  };
  const link = async (contact: { email: string } | { phone: string }, emails: ReturnType<typeof only>) => {
    const client = auth.client();
    await client.auth.signInWithPassword({ ...contact, password: owners });
    const { data } = await client.auth.linkIdentity({
      provider: 'github',
      options: { skipBrowserRedirect: true },
    });
    serveGithub(internet, emails);
    const state = new URL(data.url ?? '').searchParams.get('state') ?? '';
    return comeBack(auth, { code: 'good-code', state });
  };

  it('isn’t linked to an account by an unverified address, even with the default settings', async () => {
    const standard = await startAuth({ external: { github } }, { outgoing: internet.outgoing });
    try {
      const email = newEmail();
      await standard.admin().auth.admin.createUser({ email, password: owners, email_confirm: true });
      serveGithub(internet, only(email, false));
      expect((await signIn(standard, 'github')).fragment).not.toHaveProperty('access_token');
    } finally {
      await standard.stop();
    }
  });

  it('can’t match the owner’s address with one that is the same only after lowercasing', async () => {
    const victims = `k${newEmail()}`;
    await confirmed({ email: victims, email_confirm: true });
    serveGithub(internet, only(`\u212a${victims.slice(1)}`));
    expect((await signIn(auth, 'github')).fragment).toMatchObject({ error_code: 'validation_failed' });
  });

  it("confirms only its own address: the attacker's verified address doesn't confirm the owner's", async () => {
    const victims = newEmail();
    const id = serveGithub(internet, only(victims, false));
    await signIn(auth, 'github');
    serveGithub(internet, only(newEmail()), id);
    const user = await userOf(auth, await signIn(auth, 'github'));
    expect(user.email).not.toBe(victims);
  });

  it('whose identity existed first is removed once the owner signs up and confirms', async () => {
    const email = newEmail();
    const id = serveGithub(internet, only(email, false));
    await signIn(auth, 'github');
    await signUp({ email }, owners, 'Olivia');
    const { user } = await verify({ type: 'email', email, token: codeOf(await newest(email)) });
    serveGithub(internet, only(email, false), id);
    const again = await signIn(auth, 'github');
    expect(again.fragment).not.toHaveProperty('access_token');
    expect(await accepts({ email }, owners)).toBe(true);
    expect(user.user_metadata).toMatchObject({ name: 'Olivia' });
  });

  it("doesn't link a user by an identity's unverified address", async () => {
    const attacker = newEmail();
    const attackerId = await confirmed({ email: attacker, email_confirm: true });
    const victims = newEmail();
    await link({ email: attacker }, only(victims, false));
    serveGithub(internet, only(victims));
    expect((await userOf(auth, await signIn(auth, 'github'))).id).not.toBe(attackerId);
  });

  it('with an unverified address that an owner links doesn’t prevent the address’s owner from signing up', async () => {
    const phone = '491511234002';
    const id = await confirmed({ phone, phone_confirm: true });
    const victims = newEmail();
    expect((await link({ phone }, only(victims, false))).query).toMatchObject({
      error_code: 'email_not_confirmed',
    });
    await signUp({ email: victims }, owners, 'Olivia');
    const { user } = await verify({ type: 'email', email: victims, token: codeOf(await newest(victims)) });
    expect(user.id).not.toBe(id);
  });

  it('can’t link an account by an address that its owner never confirmed', async () => {
    const email = newEmail();
    await confirmed({ email, phone: '491511234003', phone_confirm: true });
    serveGithub(internet, only(email));
    const arrival = await signIn(auth, 'github');
    expect(arrival.fragment).not.toHaveProperty('access_token');
    expect(arrival.query).toMatchObject({ error_code: 'email_exists' });
  });
});
