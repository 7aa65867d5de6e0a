/** Determines what follows a sign-in: the second factor's page, the app or one of the Account pages. */

import { ApiError } from '../lib/api.ts';
import type { SessionState } from '../lib/session/index.ts';
import { leaveFor, returnAddress } from './account-api.ts';
import { endAdding, type Flow, organizationsPath, securityPath } from './flow.ts';
import { forgetTyped } from './form/typed-address.ts';
import { needsSecondFactor, type User } from './session.ts';

type Navigate = (path: string, options?: { replace?: boolean }) => void;

/** Continues after a sign-in. Throws the error that prevents the app from getting its session. */
export async function goOn(state: SessionState<User>, navigate: Navigate): Promise<void> {
  if (state.status === 'failed') throw state.error;
  if (state.status !== 'signed-in') {
    // The server has just created a session, but the browser didn't send the cookie, so the browser doesn't store
    // cookies.
    throw new ApiError({
      message: "The browser doesn't store cookies.",
      status: 0,
      code: 'session_not_kept',
    });
  }
  const flow = endAdding();
  forgetTyped();
  if (needsSecondFactor(state.session)) {
    navigate(`/mfa${flow.search}`);
  } else if (flow.redirectTo !== undefined && (flow.next === undefined || flow.next === 'app')) {
    await leave(flow, navigate);
  } else if (flow.next === 'consent') {
    // The consent page must be loaded from the server, because only that page's content security policy allows images
    // from other servers.
    await leaveFor(`/account/consent${flow.search}`);
  } else if (flow.next === 'organizations') {
    // The server renders these pages.
    await leaveFor(organizationsPath(flow.search));
  } else {
    const isHome = flow.next === undefined || flow.next === 'security';
    navigate(isHome ? securityPath(flow) : `/${flow.next}${flow.next === 'upgrade' ? flow.search : ''}`);
  }
}

/**
 * Redirects to the app. If the project requires a second factor and the user doesn't have one, opens the page that sets
 * up a factor and then continues to the app.
 */
export async function leave(flow: Flow, navigate: Navigate): Promise<void> {
  try {
    await leaveFor(await returnAddress(flow));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'factor_required') throw error;
    navigate(`/two-step${flow.search}`);
  }
}
