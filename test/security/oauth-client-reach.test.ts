/**
 * Tests what an OAuth client can do with its access token. The client can't do anything after the grant has ended, and
 * can't change the account.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentStep, totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, startAuth } from '../auth/harness.ts';
import * as oauth from '../auth/oauth-server/client.ts';

const options = {
  site_url: 'https://app.example',
  enable_manual_linking: true,
  passkey: { enabled: true },
  webauthn: { rp_id: 'localhost', rp_origins: ['http://localhost:3000'] },
  mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
  oauth_server: { enabled: true, allow_dynamic_registration: true },
};

let auth: AuthServer;
/** A server on which OAuth clients can act as users, as in upstream. */
let open: AuthServer;
beforeAll(async () => {
  [auth, open] = await Promise.all([
    startAuth(options),
    startAuth(options, { plinth: { auth: { oauth_clients_as_users: true } } }),
  ]);
});
afterAll(() => Promise.all([auth?.stop(), open?.stop()]));

async function clientOf(server: AuthServer): Promise<{ user: oauth.Person; token: string }> {
  const user = await oauth.person(server);
  const { tokens } = await oauth.signIn(server, await oauth.register(server), user);
  return { user, token: tokens.access_token };
}

const isLogout = ({ path }: { path: string }): boolean => path.endsWith('/logout');

/** The routes with which a client can read the user or end its own session. */
const forClients = ['GET /auth/v1/oauth/userinfo', 'GET /auth/v1/user', 'POST /auth/v1/logout'];

it('only three of the routes that require a user accept the token', async () => {
  const { user, token } = await clientOf(auth);
  const opened: string[] = [];
  const asked: string[] = [];
  // Routes that end the session are called last.
  const routes = [...(await auth.routes())].sort((a, b) => Number(isLogout(a)) - Number(isLogout(b)));
  for (const { method, path } of routes) {
    if (!path.startsWith('/auth/v1/') || ['HEAD', 'OPTIONS'].includes(method)) continue;
    const url = path.replace('/auth/v1', '').replace(/:\w+|\*/g, user.id);
    const init = { method, ...(method === 'GET' ? {} : { json: {} }) };
    const stranger = await auth.request(url, init);
    if (stranger.status !== 401 || (await stranger.json()).error_code !== 'no_authorization') continue;
    asked.push(`${method} ${path}`);
    const response = await auth.request(url, { ...init, token });
    const said = response.status === 204 ? {} : await response.json<{ error_code?: string }>();
    const isRefused = ['no_authorization', 'not_admin'].includes(said.error_code ?? '');
    if (!isRefused) opened.push(`${method} ${path}`);
    else expect(response.status, `${method} ${path}`).toBe(403);
  }
  expect(asked).toEqual(
    expect.arrayContaining(['PUT /auth/v1/user', 'POST /auth/v1/factors', 'GET /auth/v1/passkeys']),
  );
  expect(opened.sort()).toEqual(forClients);
});

it('sign-out with any scope ends only the client’s own session', async () => {
  for (const scope of ['', '?scope=global', '?scope=local']) {
    const { user, token } = await clientOf(auth);
    expect((await auth.request(`/logout${scope}`, { method: 'POST', token })).status).toBe(204);
    expect((await auth.request('/user', { token })).status).toBe(403);
    expect((await auth.request('/user', { token: user.token })).status).toBe(200);
  }
  const { user, token } = await clientOf(auth);
  expect((await auth.request('/logout?scope=others', { method: 'POST', token })).status).toBe(403);
  expect((await auth.request('/user', { token: user.token })).status).toBe(200);
});

it('the session still belongs to the client after a second factor, in a project where clients act as users', async () => {
  const { token } = await clientOf(open);
  const before = oauth.claimsOf(token);
  expect(before.client_id).toEqual(expect.any(String));
  const enrolled = await open.request('/factors', { token, json: { factor_type: 'totp' } });
  const { id, totp } = await enrolled.json<{ id: string; totp: { secret: string } }>();
  const challenge = await (await open.request(`/factors/${id}/challenge`, { token, json: {} })).json<{
    id: string;
  }>();
  const code = totpCode(totp.secret, currentStep(open.clock.now()));
  const verified = await open.request(`/factors/${id}/verify`, {
    token,
    json: { challenge_id: challenge.id, code },
  });
  const raised = oauth.claimsOf((await verified.json<oauth.Tokens>()).access_token);
  expect(raised).toMatchObject({ aal: 'aal2', client_id: before.client_id });
});
