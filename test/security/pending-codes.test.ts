/** Tests that pending codes become invalid when the grant, the sessions or the account that they depend on ends. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuthServer, linkOf, newEmail, startAuth } from '../auth/harness.ts';
import * as oauth from '../auth/oauth-server/client.ts';
import { createInternet, type Internet } from '../auth/social/internet.ts';
import { comeBack, leave, serveGithub } from '../auth/social/sign-in.ts';

const github = { enabled: true, client_id: 'github-client', secret: 'secret' };

let internet: Internet;
let auth: AuthServer;
beforeAll(async () => {
  internet = await createInternet();
  auth = await startAuth(
    {
      site_url: 'https://app.example',
      enable_manual_linking: true,
      oauth_server: { enabled: true, allow_dynamic_registration: true },
      sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
      external: { github },
    },
    { outgoing: internet.outgoing },
  );
});
afterAll(async () => {
  await auth?.stop();
  await internet?.stop();
});

/** The actions that revoke all other access to a user's account. */
const ends: Readonly<Record<string, (user: oauth.Person) => Promise<unknown>>> = {
  'signing out everywhere': ({ token }) => auth.request('/logout?scope=global', { method: 'POST', token }),
  'signing out the others': ({ token }) => auth.request('/logout?scope=others', { method: 'POST', token }),
  'a new password': ({ token }) =>
    auth.request('/user', { method: 'PUT', token, json: { password: 'another horse battery' } }),
  'a soft deletion': ({ id }) => auth.admin().auth.admin.deleteUser(id, true),
};

/** Returns a client's unused code. */
async function codeOf(user: oauth.Person) {
  const client = await oauth.register(auth);
  const { verifier, challenge } = oauth.pkce();
  const id = await oauth.authorizationId(auth, client.client_id, challenge);
  const code = await oauth.approve(auth, id, user.token);
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
  return { client, redeem: () => oauth.token(auth, form, oauth.basic(client)) };
}

it.each(Object.keys(ends))('a client’s code is invalidated by %s', async (name) => {
  const user = await oauth.person(auth);
  const { redeem } = await codeOf(user);
  await ends[name]?.(user);
  expect(await redeem()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

it("a client's code is invalidated when its grant is revoked", async () => {
  const user = await oauth.person(auth);
  const { client, redeem } = await codeOf(user);
  const revoked = await auth.request(`/user/oauth/grants?client_id=${client.client_id}`, {
    method: 'DELETE',
    token: user.token,
  });
  expect(revoked.status).toBe(204);
  expect(await redeem()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

it.each(Object.keys(ends))('a code of a provider sign-in is invalidated by %s', async (name) => {
  const email = newEmail();
  serveGithub(internet, [{ email, verified: true, primary: true }]);
  const first = await comeBack(auth, { code: 'good-code', state: (await leave(auth, 'github')).state });
  const token = first.fragment.access_token ?? '';
  const { id } = await (await auth.request('/user', { token })).json<{ id: string }>();
  const { verifier, challenge } = oauth.pkce();
  const { state } = await leave(auth, 'github', { code_challenge: challenge, code_challenge_method: 's256' });
  const { query } = await comeBack(auth, { code: 'good-code', state });
  expect(query.code).toEqual(expect.any(String));
  await ends[name]?.({ id, email, token });
  const response = await auth.request('/token?grant_type=pkce', {
    json: { auth_code: query.code, code_verifier: verifier },
  });
  expect(response.status).toBe(404);
});

it.each([
  ...Object.entries(ends),
  [
    'the end of its session',
    async (user: oauth.Person) => {
      const listed = await auth.request('/user/sessions', { token: user.token });
      const { sessions } = await listed.json<{ sessions: { id: string; current: boolean }[] }>();
      for (const { id } of sessions.filter(({ current }) => !current)) {
        await auth.request(`/user/sessions/${id}`, { method: 'DELETE', token: user.token });
      }
    },
  ],
] as const)('a pending identity isn’t linked after %s', async (_name, end) => {
  const user = await oauth.person(auth);
  const signedIn = await auth.request('/token?grant_type=password', {
    json: { email: user.email, password: oauth.password },
  });
  const { access_token: stolen } = await signedIn.json<{ access_token: string }>();
  const begun = await auth.request('/user/identities/authorize?provider=github&skip_http_redirect=true', {
    token: stolen,
  });
  const { url } = await begun.json<{ url: string }>();
  await end(user);
  serveGithub(internet, [{ email: newEmail(), verified: true, primary: true }]);
  const state = new URL(url).searchParams.get('state') ?? '';
  const arrival = await comeBack(auth, { code: 'good-code', state });
  expect(arrival.fragment.access_token).toBeUndefined();
});

it('a link in an email is invalidated when an administrator changes the address', async () => {
  const user = await oauth.person(auth);
  await auth.request('/recover', { json: { email: user.email } });
  const link = new URL(linkOf((await auth.inbox(user.email))[0]));
  await auth.admin().auth.admin.updateUserById(user.id, { email: newEmail() });
  const response = await auth.request(`/verify${link.search}`, { redirect: 'manual' });
  expect(response.headers.get('location')).not.toContain('access_token=');
});

it.each([
  ['email', 'thief@example.com'],
  ['phone', '491513334499'],
] as const)('a new password cancels a change of the %s, and its code no longer works', async (kind, to) => {
  const user = await oauth.person(auth);
  const change = { method: 'PUT', token: user.token, json: { [kind]: to } };
  expect((await auth.request('/user', change)).status).toBe(200);
  const sent = (await auth.inbox(to)).length;
  expect(sent).toBe(1);
  await ends['a new password']?.(user);
  await auth.request('/resend', { json: { type: `${kind}_change`, email: user.email } });
  expect(await auth.inbox(to)).toHaveLength(sent);
});
