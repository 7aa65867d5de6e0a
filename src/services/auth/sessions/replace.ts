/** Replaces all refresh tokens of a session. */
import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { Session, User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { setRefreshCounter, setRefreshKey } from './queries.ts';
import { insertRefreshToken, revokeFamily } from './refresh-token-queries.ts';
import { encodeRefreshToken } from './refresh-token-v2.ts';
import { hmacKey } from './signed-token.ts';

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
  await audit(ctx, tx, user, 'token_revoked');
  await revokeFamily(tx, session.id, now);
  const next = await insertRefreshToken(tx, { userId: user.id, sessionId: session.id, parent: null }, now);
  await updateUser(tx, user, { last_sign_in_at: user.last_sign_in_at ?? fromMs(now) }, now);
  return next;
}
