/**
 * Transfers a guest's data to an existing account. The project's hook moves the data, and the guest is then deleted.
 * The guest and the account must both have a valid session, and the sign-in to the account must be recent.
 */

import type { Transaction } from '../../../platform/database/types.ts';
import { forgetUser } from '../account/forget-user.ts';
import { audit } from '../common/audit.ts';
import { isFreshSignIn, provenSession } from '../common/proven-session.ts';
import { hasVerifiedFactor, isBanned } from '../common/render-user.ts';
import type { Session, User } from '../common/rows.ts';
import { deleteUser, findUserById, lockGuest } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { AuthError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { endAndNotify } from '../oauth-server/notify-clients.ts';
import { findSession } from '../sessions/queries.ts';
import { ifLive } from '../sessions/user-transaction.ts';

export interface GuestTransfer {
  readonly guestToken: string;
  readonly accountToken: string;
  /** The client's IP address, which is passed to the hook. */
  readonly ip: string;
}

/**
 * The result of a transfer. `guest_gone` means that the guest's session is invalid. `not_signed_in` means that the
 * account's session is invalid. `stale` means that the sign-in to the account isn't recent.
 */
export type GuestTransferOutcome = 'done' | 'guest_gone' | 'not_signed_in' | 'insufficient_aal' | 'stale';

/**
 * Calls the hook with `{guest_id, user_id}`. If the hook is a PostgreSQL function, it runs in the transaction that
 * deletes the guest, so either the function and the deletion both succeed or both fail. If the deletion fails, an HTTP
 * hook may be called again with the same IDs, so it must be idempotent.
 * @throws {AuthError} the hook's error. In this case, the guest doesn't change.
 */
export async function transferGuest(ctx: AuthContext, request: GuestTransfer): Promise<GuestTransferOutcome> {
  const [guest, account] = await Promise.all([
    holderOf(ctx, request.guestToken),
    holderOf(ctx, request.accountToken),
  ]);
  if (guest?.user.is_anonymous !== true) return 'guest_gone';
  if (account === undefined || account.user.is_anonymous) return 'not_signed_in';
  if (hasVerifiedFactor(account.user) && account.session.aal !== 'aal2') return 'insufficient_aal';
  if (!isFreshSignIn(account.session, ctx.clock.now())) return 'stale';
  return endAndNotify(ctx, guest.user.id, async (tx) => {
    if (!(await lockGuest(tx, guest.user.id))) return 'guest_gone';
    if (!(await isAlive(ctx, tx, account))) return 'not_signed_in';
    const ids = { guest_id: guest.user.id, user_id: account.user.id };
    await runHook(ctx, { ip: request.ip }, { name: 'guest_hand_over', input: ids, tx });
    await audit(ctx, tx, account.user, { action: 'user_deleted', traits: { user_id: guest.user.id } });
    await forgetUser(ctx, tx, guest.user.id);
    await deleteUser(tx, guest.user.id);
    return 'done';
  });
}

interface Holder {
  readonly user: User;
  readonly session: Session;
}

/** Returns the user and session of an access token. Returns undefined if the user or the session is no longer valid. */
async function holderOf(ctx: AuthContext, accessToken: string): Promise<Holder | undefined> {
  const verified = ctx.keys.verifyOwn(accessToken);
  if (!verified.ok) return undefined;
  const { sub, session_id: sessionId, exp } = verified.claims;
  if (typeof exp !== 'number' || exp * 1000 <= ctx.clock.now()) return undefined;
  if (typeof sub !== 'string' || !isUuid(sub)) return undefined;
  if (typeof sessionId !== 'string' || !isUuid(sessionId)) return undefined;
  const [user, session] = await Promise.all([findUserById(ctx.pool, sub), findSession(ctx.pool, sessionId)]);
  if (user === undefined || session?.user_id !== user.id || isBanned(user, ctx.clock.now())) return undefined;
  return { user, session: provenSession(session, verified.claims) };
}

/** Whether the account's session is still alive. Locks the account's row after the guest's row. */
async function isAlive(ctx: AuthContext, tx: Transaction, account: Holder): Promise<boolean> {
  try {
    return await ifLive(ctx, tx, account, async () => true);
  } catch (error) {
    if (error instanceof AuthError) return false;
    throw error;
  }
}
