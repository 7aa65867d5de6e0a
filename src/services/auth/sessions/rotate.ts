/**
 * Rotates refresh tokens. Version 1 tokens are random strings stored in `auth.refresh_tokens`. Version 2 tokens contain
 * the session's ID and a counter and are signed with the session's key.
 */

import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import type { RefreshToken, Session, User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError, internalError } from '../errors.ts';
import { deleteSession, setRefreshCounter, setRefreshKey } from './queries.ts';
import { decideRefresh } from './refresh-rules.ts';
import {
  findActiveToken,
  insertRefreshToken,
  isSuperseded,
  revokeFamily,
  revokeRefreshToken,
} from './refresh-token-queries.ts';
import { encodeRefreshToken, hasSignature, type SignedRefreshToken } from './refresh-token-v2.ts';

/**
 * Rotates the presented token as `sessions/refresh-rules.ts` specifies. Returns the next token, or the error if no token is
 * issued.
 */
export async function rotateStoredToken(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, session, row }: { readonly user: User; readonly session: Session; readonly row: RefreshToken },
): Promise<string | { readonly refusal: AuthError }> {
  const now = ctx.clock.now();
  const active = row.revoked ? await findActiveToken(tx, session.id) : undefined;
  const presented = {
    token: row.token,
    revoked: row.revoked === true,
    updatedAtMs: toMs(row.updated_at),
    isSuperseded: row.revoked === true && (await isSuperseded(tx, session.id, row.id)),
  };
  const decision = decideRefresh(presented, active, ctx.settings.refresh, now);
  if (decision.kind === 'refuse') {
    if (decision.endsFamily) await endFamily(ctx, tx, user, session);
    return { refusal: authError('refresh_token_already_used') };
  }
  await audit(ctx, tx, user, { action: 'token_refreshed' });
  if (decision.kind === 'return-active') {
    caller.setHeader('sb-auth-refresh-token-prefix', decision.token.slice(0, 5));
    return decision.token;
  }
  const next = await rotateRefreshToken(ctx, tx, user, row);
  caller.setHeader('sb-auth-refresh-token-reuse', 'false');
  caller.setHeader('sb-auth-refresh-token-prefix', next.slice(0, 5));
  return next;
}

/**
 * Ends a session whose refresh token was reused, and revokes all tokens of the session. The session's access tokens no
 * longer work for requests to this service.
 */
async function endFamily(ctx: AuthContext, tx: Transaction, user: User, session: Session): Promise<void> {
  await audit(ctx, tx, user, {
    action: 'token_revoked',
    traits: { session_id: session.id, action: 'refresh_token_reused' },
  });
  await deleteSession(tx, session.id);
}

/**
 * Revokes a token and creates its child. Also updates the user's row, so that triggers on auth.users fire at every
 * refresh, as in upstream.
 */
async function rotateRefreshToken(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  row: RefreshToken,
): Promise<string> {
  const now = ctx.clock.now();
  await audit(ctx, tx, user, { action: 'token_revoked' });
  await revokeRefreshToken(tx, row.id, now);
  if (row.session_id === null) throw internalError('A refresh token without a session cannot be swapped');
  const next = await insertRefreshToken(
    tx,
    { userId: user.id, sessionId: row.session_id, parent: row.token },
    now,
  );
  await updateUser(tx, user, { last_sign_in_at: user.last_sign_in_at ?? fromMs(now) }, now);
  return next;
}

/** Whether the token was signed with the session's key. */
export function isSignedFor(token: SignedRefreshToken, session: Session): boolean {
  const key = hmacKey(session);
  return key !== undefined && session.refresh_token_counter !== null && hasSignature(token, key);
}

function hmacKey(session: Session): Buffer | undefined {
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
  {
    user,
    session,
    token,
  }: { readonly user: User; readonly session: Session; readonly token: SignedRefreshToken | undefined },
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
  await audit(ctx, tx, user, { action: 'token_refreshed' });
  return encodeRefreshToken(session.id, counter, key);
}

/**
 * Issues a refresh token for a session that was raised to a higher level, and invalidates all of the session's earlier
 * tokens. Otherwise, an attacker with an earlier token could obtain an access token at the new level. A new version 1
 * token has no parent, which marks all earlier tokens as superseded (see `sessions/refresh-rules.ts`). For version 2 tokens, the
 * session gets a new signing key.
 */
export async function replaceRefreshToken(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  session: Session,
): Promise<string> {
  const now = ctx.clock.now();
  const key = hmacKey(session);
  if (key !== undefined && session.refresh_token_counter !== null) {
    const counter = session.refresh_token_counter + 1;
    const nextKey = randomBytes(32);
    await setRefreshKey(tx, session.id, nextKey.toString('base64url'), now);
    await setRefreshCounter(tx, session.id, counter, now);
    return encodeRefreshToken(session.id, counter, nextKey);
  }
  await audit(ctx, tx, user, { action: 'token_revoked' });
  await revokeFamily(tx, session.id, now);
  const next = await insertRefreshToken(tx, { userId: user.id, sessionId: session.id, parent: null }, now);
  await updateUser(tx, user, { last_sign_in_at: user.last_sign_in_at ?? fromMs(now) }, now);
  return next;
}
