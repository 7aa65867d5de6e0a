/** Decides which page follows the sign-in: the second factor, the app, or one of our pages. */

import { ApiError } from '../lib/api.ts';
import type { SessionState } from '../lib/session/index.ts';
import { leaveFor, returnAddress } from './account-api.ts';
import { currentFlow, type Flow } from './flow.ts';
import { needsSecondFactor, type User } from './session.ts';

type Navigate = (path: string, options?: { replace?: boolean }) => void;

/** Throws the error that prevents the app from getting its session. */
export async function goOn(state: SessionState<User>, navigate: Navigate): Promise<void> {
  if (state.status === 'failed') throw state.error;
  if (state.status !== 'signed-in') {
    // The server has just created a session, but the browser didn't send its cookie.
    throw new ApiError({ message: 'The browser keeps no cookie.', status: 0, code: 'session_not_kept' });
  }
  const flow = currentFlow();
  if (needsSecondFactor(state.session)) {
    navigate(`/mfa${flow.search}`);
  } else if (flow.redirectTo !== undefined && flow.next === undefined) {
    await leave(flow, navigate);
  } else if (flow.next === 'consent') {
    // A separate page load, because only that page may show images from other servers.
    await leaveFor(`/account/consent${flow.search}`);
  } else {
    navigate(`/${flow.next ?? 'security'}${flow.next === 'upgrade' ? flow.search : ''}`);
  }
}

/** Goes to the app, or first to the page that sets up a second factor if the project requires a factor. */
export async function leave(flow: Flow, navigate: Navigate): Promise<void> {
  try {
    await leaveFor(await returnAddress(flow));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'factor_required') throw error;
    navigate(`/security${flow.search}`);
  }
}
