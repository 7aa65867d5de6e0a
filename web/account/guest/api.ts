/** Calls for guests who sign in to an account that there is already (`src/account/routes/guests.ts`). */
import { callApi } from '../../lib/api.ts';
import type { SessionState } from '../../lib/session/index.ts';
import { post } from '../account-api.ts';
import { sessionClient, type User } from '../session.ts';

/** Whether a guest of this browser waits for what the account's owner decides. */
export async function isGuestSetAside(): Promise<boolean> {
  return (await callApi<{ guest: boolean }>('/account/api/guest')).guest;
}

/** Nobody is signed in afterwards; the guest is kept for a quarter of an hour. */
export async function setGuestAside(): Promise<void> {
  await post('guest/set-aside', {});
  await sessionClient().changed('SIGNED_OUT');
}

export async function resumeGuest(): Promise<SessionState<User>> {
  await post('guest/resume', {});
  return sessionClient().changed('SIGNED_IN');
}

/** Gives the account that is signed in what the guest has, and deletes the guest. */
export const handOverGuest = (): Promise<void> => post('guest/hand-over', {});

export const leaveGuestBehind = (): Promise<void> => post('guest/leave-behind', {});
