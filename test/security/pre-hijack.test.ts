/**
 * An attacker signs up the address of somebody else and waits. Once its owner proves the address, nothing that the attacker
 * chose is left: no password, identity, session, factor, pending change or metadata.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from '../auth/harness.ts';

const attackers = 'attacker password';
const owners = 'owner password';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({
    email: { enable_confirmations: true },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
  });
});
afterAll(() => auth.stop());

type Contact = { readonly email: string } | { readonly phone: string };
const signUp = (contact: Contact, password: string, name: string) =>
  auth.request('/signup', { json: { ...contact, password, data: { name } } });

async function accepts(contact: Contact, password: string): Promise<boolean> {
  const answer = await auth.request('/token?grant_type=password', { json: { ...contact, password } });
  return answer.status === 200;
}

const newest = async (email: string) => (await auth.inbox(email))[0];

interface Verified {
  readonly user: { readonly id: string; readonly user_metadata: Record<string, unknown> };
}
async function verify(json: object): Promise<Verified> {
  const answer = await auth.request('/verify', { json });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.json<Verified>();
}

describe('the attacker signs up first', () => {
  it('then the owner, and confirms by the link', async () => {
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

  it('then the owner, by phone', async () => {
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
  ])('then the owner uses %s', async (_name, path, type) => {
    const email = newEmail();
    await signUp({ email }, attackers, 'Mallory');
    await auth.request(path, { json: { email } });
    const { user } = await verify({ type, email, token: codeOf(await newest(email)) });
    expect(user.user_metadata).not.toHaveProperty('name');
    expect(await accepts({ email }, attackers)).toBe(false);
  });

  it('and again after the owner: a link works with the password of its own request only', async () => {
    const email = newEmail();
    await signUp({ email }, owners, 'Olivia');
    const link = linkOf(await newest(email));
    await signUp({ email }, attackers, 'Mallory');
    await fetch(link, { redirect: 'manual' });
    expect(await accepts({ email }, attackers)).toBe(false);
  });

  it('then an administrator invites the owner', async () => {
    const email = newEmail();
    await signUp({ email }, attackers, 'Mallory');
    await auth.admin().auth.admin.inviteUserByEmail(email, { data: { team: 'red' } });
    const { user } = await verify({ type: 'invite', email, token: codeOf(await newest(email)) });
    expect(user.user_metadata).not.toHaveProperty('name');
    expect(user.user_metadata).toHaveProperty('team', 'red');
    expect(await accepts({ email }, attackers)).toBe(false);
  });

  it('then an administrator makes a sign-up link for the owner', async () => {
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

it('a sign-up in an invited name brings no password of its own, and leaves what the administrator wrote', async () => {
  const email = newEmail();
  await auth.admin().auth.admin.inviteUserByEmail(email, { data: { team: 'red' } });
  await signUp({ email }, attackers, 'Mallory');
  const { user } = await verify({ type: 'email', email, token: codeOf(await newest(email)) });
  expect(user.user_metadata).toMatchObject({ team: 'red' });
  expect(user.user_metadata).not.toHaveProperty('name');
  expect(await accepts({ email }, attackers)).toBe(false);
});

it('the answer to a second sign-up shows nothing of the first', async () => {
  const email = newEmail();
  await signUp({ email }, owners, 'Olivia');
  expect(await (await signUp({ email }, attackers, 'Mallory')).text()).not.toContain('Olivia');
});
