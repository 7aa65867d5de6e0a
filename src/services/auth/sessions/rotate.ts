/** Version 1 refresh tokens, which are random strings stored in `auth.refresh_tokens`. */
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import type { RefreshToken, Session, User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError, internalError } from '../errors.ts';
import { deleteSession } from './queries.ts';
import { decideRefresh } from './refresh-rules.ts';
import {
  findActiveToken,
  insertRefreshToken,
  isSuperseded,
  revokeRefreshToken,
} from './refresh-token-queries.ts';

/**
 * Rotates the presented token as `sessions/refresh-rules.ts` specifies. Returns the next token, or the error if no token is
 * issued.
 */
export async function rotateStoredToken(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  session: Session,
  row: RefreshToken,
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
  await audit(ctx, tx, user, 'token_refreshed');
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
export async function endFamily(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  session: Session,
): Promise<void> {
  await audit(ctx, tx, user, 'token_revoked', {
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
  await audit(ctx, tx, user, 'token_revoked');
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
