/** The usual refresh, which `token-swaps.ts` does together with others. */
import type { AuthContext } from '../context.ts';
import { assurance } from '../core/claims.ts';
import { currentDeadline } from '../http/deadline.ts';
import type { Exchange } from '../http/exchange.ts';
import { clientOf, type IssuedSession, signSession } from './sessions.ts';

/** Undefined: the long way has to be taken. */
export async function refreshAtOnce(
  ctx: AuthContext,
  exchange: Exchange,
  token: string,
): Promise<IssuedSession | undefined> {
  // Where claims are customized, the hook is asked before the session is written.
  if (ctx.settings.hooks.custom_access_token.enabled) return undefined;
  const { userAgent, ip } = exchange;
  const swapped = await ctx.swapToken({ token, userAgent, ip, signal: currentDeadline() });
  if (!swapped) return undefined;
  const { user, session, child } = swapped;
  exchange.reply.headers({
    'sb-auth-user-id': user.id,
    'sb-auth-session-id': session.id,
    'sb-auth-refresh-token-reuse': 'false',
    'sb-auth-refresh-token-prefix': child.slice(0, 5),
  });
  return signSession(ctx, undefined, exchange, {
    user,
    sessionId: session.id,
    ...assurance(session.amr_claims, user),
    method: 'token_refresh',
    refreshToken: child,
    ...clientOf(session),
  });
}
