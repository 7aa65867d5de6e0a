/** Tests that a project can limit each user to one session at a time. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({}, { plinth: { auth: { sessions: { single_per_user: true } } } });
});
afterAll(() => auth.stop());

test("a newer sign-in ends the older session at its next refresh; other users aren't affected", async () => {
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
