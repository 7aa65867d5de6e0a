/** Version 2 refresh tokens, which contain the session's ID and a counter and are signed with the session's key. */
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import type { Session, User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError } from '../errors.ts';
import { setRefreshCounter } from './queries.ts';
import { encodeRefreshToken, hasSignature, type SignedRefreshToken } from './refresh-token-v2.ts';
import { endFamily } from './rotate.ts';

/** Whether the token was signed with the session's key. */
export function isSignedFor(token: SignedRefreshToken, session: Session): boolean {
  const key = hmacKey(session);
  return key !== undefined && session.refresh_token_counter !== null && hasSignature(token, key);
}

export function hmacKey(session: Session): Buffer | undefined {
  const text = session.refresh_token_hmac_key;
  // A value in braces is encrypted with a key that belongs to the hosted platform. Database dumps don't contain this
  // key.
  return text === null || text.startsWith('{') ? undefined : Buffer.from(text, 'base64url');
}

/**
 * Returns the next token, or the error if the refresh is rejected. The session's counter identifies the newest token.
 */
export async function advanceSignedToken(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  session: Session,
  token: SignedRefreshToken | undefined,
): Promise<string | { readonly refusal: AuthError }> {
  const key = hmacKey(session);
  if (token === undefined || key === undefined) throw authError('refresh_token_not_found');
  const now = ctx.clock.now();
  const current = session.refresh_token_counter ?? 0;
  const behind = current - token.counter;
  if (behind < 0) throw authError('validation_failed', 'Invalid Refresh Token: Not Issued By This Server');
  const lastRefreshMs = toMs(session.refreshed_at ?? session.created_at);
  const isConcurrent = Math.abs(now - lastRefreshMs) < ctx.settings.refresh.reuseIntervalMs;
  const causes = [...(isConcurrent ? ['concurrent-refresh'] : []), ...(behind === 1 ? ['fail-to-save'] : [])];
  if (behind > 0 && causes.length > 0)
    caller.setHeader('sb-auth-refresh-token-reuse-cause', causes.join(','));
  if (behind > 1 && !isConcurrent) {
    if (ctx.settings.refresh.rotation) {
      await endFamily(ctx, tx, user, session);
      caller.setHeader('sb-auth-refresh-token-rotated', 'true');
    }
    return { refusal: authError('refresh_token_already_used') };
  }
  if (behind === 0) caller.setHeader('sb-auth-refresh-token-reuse', 'false');
  const counter = behind === 0 ? current + 1 : current;
  await setRefreshCounter(tx, session.id, counter, now);
  caller.setHeader('sb-auth-refresh-token-counter', String(counter));
  await audit(ctx, tx, user, 'token_refreshed');
  return encodeRefreshToken(session.id, counter, key);
}
