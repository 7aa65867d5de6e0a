/** Tests that a project can limit each user to one session at a time. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({}, { plinth: { auth: { sessions: { single_per_user: true } } } });
});
afterAll(() => auth.stop());

test("a newer sign-in ends the older session at its next refresh, and other users aren't affected", async () => {
  const email = newEmail();
  const first = auth.client();
  await first.auth.signUp({ email, password });
  const stranger = auth.client();
  await stranger.auth.signUp({ email: newEmail(), password });
  auth.clock.advance(1000);
  expect((await first.auth.refreshSession()).error).toBeNull();
  auth.clock.advance(1000);
  const second = auth.client();
  await second.auth.signInWithPassword({ email, password });
  const { error } = await first.auth.refreshSession();
  expect(error).toMatchObject({
    code: 'session_expired',
    message: 'Invalid Refresh Token: Session Expired (Revoked by Newer Login)',
  });
  expect((await second.auth.refreshSession()).error).toBeNull();
  expect((await stranger.auth.refreshSession()).error).toBeNull();
});

test('ending a newer session revokes nothing', async () => {
  const email = newEmail();
  const first = auth.client();
  await first.auth.signUp({ email, password });
  auth.clock.advance(1000);
  const second = auth.client();
  await second.auth.signInWithPassword({ email, password });
  await second.auth.signOut({ scope: 'local' });
  expect((await first.auth.refreshSession()).error).toBeNull();
});

test('an app that the user opened from the Account pages belongs to the same sign-in', async () => {
  const email = newEmail();
  const account = auth.client();
  const { data } = await account.auth.signUp({ email, password });
  auth.clock.advance(1000);
  const verifier = 'v'.repeat(64);
  const code = await auth.issueCode({
    accessToken: data.session?.access_token ?? '',
    codeChallenge: verifier,
    codeChallengeMethod: 'plain',
    redirectTo: 'https://app.example/in',
  });
  const json = { auth_code: code, code_verifier: verifier };
  const opened = await auth.request('/token?grant_type=pkce', { json });
  const app = await opened.json<{ refresh_token: string }>();
  auth.clock.advance(1000);
  expect((await account.auth.refreshSession()).error).toBeNull();
  const refresh = (refresh_token: string) =>
    auth.request('/token?grant_type=refresh_token', { json: { refresh_token } });
  const renewed = await refresh(app.refresh_token);
  expect(renewed.status).toBe(200);
  auth.clock.advance(1000);
  await auth.client().auth.signInWithPassword({ email, password });
  expect((await account.auth.refreshSession()).error).toMatchObject({ code: 'session_expired' });
  const { refresh_token: next } = await renewed.json<{ refresh_token: string }>();
  expect((await refresh(next)).status).toBe(400);
});
