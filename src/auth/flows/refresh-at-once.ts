/**
 * The usual refresh: an active token of the first form, a session that nothing is wrong with, nobody else at it. It takes
 * two round trips where the long way of `refresh-session.ts` takes a dozen, and refuses nothing by itself: whatever is
 * not usual is left to the long way.
 */
import type { AuthContext } from '../context.ts';
import { assurance } from '../core/claims.ts';
import { judgeSession } from '../core/refresh.ts';
import { isBanned } from '../core/render-user.ts';
import { refreshTokenText } from '../core/secrets.ts';
import { fromMs, toMs } from '../core/times.ts';
import type { Exchange } from '../http/exchange.ts';
import {
  type ActiveRefresh,
  activeRefresh,
  readActiveRefresh,
  tokenSwap,
} from '../queries/refresh-at-once.ts';
import type { Session } from '../rows.ts';
import { auditPayload } from './audit.ts';
import { type IssuedSession, signSession } from './sessions.ts';

/** Undefined: nothing has happened. */
export async function refreshAtOnce(
  ctx: AuthContext,
  exchange: Exchange,
  token: string,
): Promise<IssuedSession | undefined> {
  // Where claims are customized, the hook is asked before the session is written.
  if (ctx.settings.hooks.custom_access_token.enabled) return undefined;
  return ctx.pool.transaction(
    async (tx, [row]) => {
      const found = row && readActiveRefresh(row);
      if (!found || !isUsual(ctx, found)) return undefined;
      const { user, session, tokenId } = found;
      const now = fromMs(ctx.clock.now());
      const child = refreshTokenText();
      user.last_sign_in_at ??= now;
      user.updated_at = now;
      const swap = {
        tokenId,
        token,
        child,
        sessionId: session.id,
        userId: user.id,
        lastSignInAt: user.last_sign_in_at,
        userAgent: exchange.userAgent,
        ip: exchange.ip,
        entries: [auditPayload(user, 'token_refreshed'), auditPayload(user, 'token_revoked')],
      };
      await tx.finish(tokenSwap(swap, now));
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
        ...(session.scopes === null ? {} : { scope: session.scopes }),
      });
    },
    { first: activeRefresh(token) },
  );
}

/** Sessions of our OAuth server's clients are none of it: their client has to be shown. */
function isUsual(ctx: AuthContext, { user, session, tokenUpdatedAt }: ActiveRefresh): boolean {
  if (session.oauth_client_id !== null) return false;
  const now = ctx.clock.now();
  const validity = judgeSession(sessionTimes(session), toMs(tokenUpdatedAt), ctx.settings.sessions, now);
  return validity === 'valid' && !isBanned(user, now);
}

export function sessionTimes(session: Pick<Session, 'created_at' | 'refreshed_at' | 'not_after'>) {
  return {
    createdAtMs: toMs(session.created_at),
    refreshedAtMs: session.refreshed_at === null ? undefined : toMs(session.refreshed_at),
    notAfterMs: session.not_after === null ? undefined : toMs(session.not_after),
  };
}
