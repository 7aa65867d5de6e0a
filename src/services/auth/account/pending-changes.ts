/** Cancels unconfirmed contact changes. Codes and links that were sent for these changes become invalid. */

import type { Transaction } from '../../../platform/database/types.ts';
import { invalidLink, lockTokenOwner } from '../codes/find-owner.ts';
import { deleteOneTimeTokens } from '../codes/queries.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import type { User } from '../common/rows.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { internalError } from '../errors.ts';
import { asUser } from '../sessions/user-transaction.ts';

export async function cancelPendingEmail(ctx: AuthContext, caller: UserCaller): Promise<void> {
  await asUser(ctx, caller, (tx) => cancel(ctx, tx, caller.user, cancelEmailChange));
}

export async function cancelPendingPhone(ctx: AuthContext, caller: UserCaller): Promise<void> {
  await asUser(ctx, caller, (tx) => cancel(ctx, tx, caller.user, cancelPhoneChange));
}

/**
 * Cancels an email change when the user opens the link in the email to the old address.
 * @throws {AuthError} otp_expired
 */
export async function cancelEmailByLink(ctx: AuthContext, hash: string): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    const found = await lockTokenOwner(tx, hash, ['email_change_token_current']);
    if (!found) throw invalidLink();
    await cancel(ctx, tx, found.user, cancelEmailChange);
  });
}

async function cancel(ctx: AuthContext, tx: Transaction, user: User, change: Cancel): Promise<void> {
  try {
    await change(ctx, tx, user);
    await audit(ctx, tx, user, 'user_modified');
  } catch (cause) {
    throw internalError('Error updating user', cause);
  }
}

type Cancel = (ctx: AuthContext, tx: Transaction, user: User) => Promise<void>;

async function cancelEmailChange(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const none = {
    email_change: '',
    email_change_token_current: '',
    email_change_token_new: '',
    email_change_confirm_status: 0,
  };
  await updateUser(tx, user, none, ctx.clock.now());
  await deleteOneTimeTokens(tx, user.id, 'email_change_token_current');
  await deleteOneTimeTokens(tx, user.id, 'email_change_token_new');
}

async function cancelPhoneChange(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  await updateUser(tx, user, { phone_change: '', phone_change_token: '' }, ctx.clock.now());
  await deleteOneTimeTokens(tx, user.id, 'phone_change_token');
}
