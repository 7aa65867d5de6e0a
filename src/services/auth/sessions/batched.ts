/** Handles the most common kind of refresh, which `sessions/rotation.ts` runs in batches. */

import type { Caller } from '../common/caller.ts';
import { assurance } from '../common/claims.ts';
import { currentDeadline } from '../common/deadline.ts';
import type { AuthContext } from '../context.ts';
import { clientOf, signSession } from './issue.ts';
import type { IssuedSession } from './issued-session.ts';

/**
 * Refreshes a session as part of a batch. Returns undefined if the request needs the slower path in
 * `refresh-session.ts`.
 */
export async function refreshInBatch(
  ctx: AuthContext,
  caller: Caller,
  token: string,
): Promise<IssuedSession | undefined> {
  // A hook that customizes claims must run before the session is written, which only the slower path supports.
  if (ctx.settings.hooks.custom_access_token.enabled) return undefined;
  const { userAgent, ip } = caller;
  const rotated = await ctx.rotateToken({ token, userAgent, ip, signal: currentDeadline() });
  if (!rotated) return undefined;
  const { user, session, child } = rotated;
  caller.setHeader('sb-auth-user-id', user.id);
  caller.setHeader('sb-auth-session-id', session.id);
  caller.setHeader('sb-auth-refresh-token-reuse', 'false');
  caller.setHeader('sb-auth-refresh-token-prefix', child.slice(0, 5));
  return signSession(ctx, undefined, caller, {
    user,
    sessionId: session.id,
    ...assurance(session.amr_claims, user),
    method: 'token_refresh',
    refreshToken: child,
    ...clientOf(session),
  });
}
