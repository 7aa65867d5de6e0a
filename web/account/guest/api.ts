/** Calls the API for guests who sign in to an existing account (`src/pages/account/routes/guests.ts`). */
import { callApi } from '../../lib/api.ts';
import type { SessionState } from '../../lib/session/index.ts';
import { post } from '../account-api.ts';
import { sessionClient, type User } from '../session.ts';

/** Whether a guest session in this browser is set aside while the user signs in to an account. */
export async function isGuestSetAside(): Promise<boolean> {
  return (await callApi<{ guest: boolean }>('/account/api/guest')).guest;
}

/** Signs the guest out of this browser without signing in another user. The guest is kept for 15 minutes. */
export async function setGuestAside(): Promise<void> {
  await post('guest/set-aside', {});
  await sessionClient().changed('SIGNED_OUT');
}

export async function resumeGuest(): Promise<SessionState<User>> {
  await post('guest/resume', {});
  return sessionClient().changed('SIGNED_IN');
}

/** Transfers the guest's data to the signed-in account and deletes the guest. */
export const handOverGuest = (): Promise<void> => post('guest/hand-over', {});

export const leaveGuestBehind = (): Promise<void> => post('guest/leave-behind', {});
