/** Where somebody goes after signing in: the second factor, back to the app, or on to a page of ours. */

import { ApiError } from '../lib/api.ts';
import type { SessionState } from '../lib/session/index.ts';
import { leaveFor, returnAddress } from './account-api.ts';
import { currentFlow, type Flow } from './flow.ts';
import { needsSecondFactor, type User } from './session.ts';

type Navigate = (path: string, options?: { replace?: boolean }) => void;

/** Throws what keeps the app from getting its session. */
export async function goOn(state: SessionState<User>, navigate: Navigate): Promise<void> {
  if (state.status === 'failed') throw state.error;
  if (state.status !== 'signed-in') {
    // The server has just made a session, and does not find it again.
    throw new ApiError({ message: 'The browser keeps no cookie.', status: 0, code: 'session_not_kept' });
  }
  const flow = currentFlow();
  if (needsSecondFactor(state.session)) {
    navigate(`/mfa${flow.search}`);
  } else if (flow.redirectTo !== undefined && flow.next === undefined) {
    await leave(flow, navigate);
  } else if (flow.next === 'consent') {
    // A load of its own: only that page may show pictures from elsewhere.
    await leaveFor(`/account/consent${flow.search}`);
  } else {
    navigate(`/${flow.next ?? 'security'}${flow.next === 'upgrade' ? flow.search : ''}`);
  }
}

/** To the app, or first to where the second factor is set up that the project wants everybody to have. */
export async function leave(flow: Flow, navigate: Navigate): Promise<void> {
  try {
    await leaveFor(await returnAddress(flow));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'factor_required') throw error;
    navigate(`/security${flow.search}`);
  }
}
