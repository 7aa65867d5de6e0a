/** Signs in with a password. The user may need to confirm a new browser with a code. */
import { navigate } from 'wouter/use-browser-location';
import type { SessionState } from '../lib/session/index.ts';
import { type Made, postGuarded } from './account-api.ts';
import { rememberCode } from './form/pending.ts';
import { sessionClient, type User } from './session.ts';

export async function signIn(email: string, password: string): Promise<SessionState<User>> {
  const { session, number } = await postGuarded<Made>('sign-in', { email, password });
  if (session !== null) return sessionClient().changed('SIGNED_IN');
  rememberCode({ to: { email }, purpose: 'sign-in', sentAt: Date.now(), number, isNewDevice: true });
  navigate(`/account/code${window.location.search}`);
  // The page stays busy until the code page replaces it.
  return new Promise(() => {});
}
