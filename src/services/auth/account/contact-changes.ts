/** Confirms contacts, and applies pending changes of contacts. */

import type { Transaction } from '../../../platform/database/types.ts';
import { invalidLink, lockTokenOwner } from '../codes/find-owner.ts';
import { deleteOneTimeTokens, findOneTimeToken } from '../codes/queries.ts';
import { audit } from '../common/audit.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import { hasOwner } from '../common/contact.ts';
import type { User } from '../common/rows.ts';
import { randomPassword } from '../common/secrets.ts';
import { fromMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { internalError } from '../errors.ts';
import { findIdentity, updateIdentityData } from '../providers/queries.ts';
import { type Notice, notify, prepareNotice } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import { asUser } from '../sessions/user-transaction.ts';
import {
  addIdentity,
  confirmEmail,
  confirmPhone,
  identityClaims,
  stopBeingAnonymous,
  storePassword,
} from '../sign-up/accounts.ts';
import { nothing, resetUnclaimed, revokeEarlierAccess } from '../sign-up/reset-unclaimed.ts';

/**
 * Confirms a sign-up or invitation. The account keeps the password and data from the request for which the code was
 * sent. An invited user without a password gets a random password.
 */
export async function acceptSignUp(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  if (!hasOwner(user)) await revokeEarlierAccess(ctx, tx, user);
  if (!user.encrypted_password && user.invited_at !== null) {
    const hash = await ctx.passwords.hash(randomPassword([], 64));
    await storePassword(ctx, tx, user, { hash, exceptSessionIds: [] });
  }
  await audit(ctx, tx, user, { action: 'user_signedup', traits: { provider: 'email' } });
  await confirmEmail(ctx, tx, user);
  for (const identity of user.identities ?? []) {
    if (identity.email && identity.email === user.email)
      await updateIdentityData(tx, identity, { email_verified: true });
  }
}

/**
 * Accepts a recovery or magic link. Using such a link also proves control of the address. The password of an unclaimed
 * account is removed, because the request for the link didn't contain a password.
 */
export async function acceptRecovery(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  try {
    if (!hasOwner(user)) await resetUnclaimed(ctx, tx, user, { contact: 'email', ...nothing });
    await updateUser(tx, user, { recovery_token: '' }, ctx.clock.now());
    await deleteOneTimeTokens(tx, user.id);
    if (user.email_confirmed_at === null) {
      await audit(ctx, tx, user, { action: 'user_signedup', traits: { provider: 'email' } });
      await confirmEmail(ctx, tx, user);
    } else await audit(ctx, tx, user, { action: 'login' });
  } catch (cause) {
    throw internalError('Database error updating user', cause);
  }
}

/**
 * Applies an email change. Returns `half` if only one of the two addresses has been confirmed. With autoconfirm,
 * confirming one of the addresses is sufficient.
 */
export async function acceptEmailChange(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, hash }: { readonly user: User; readonly hash: string },
): Promise<'half' | 'done'> {
  const { autoconfirm, doubleConfirmChanges } = ctx.settings.email;
  const isMove = (user.email ?? '') !== '' && user.email !== user.email_change;
  const needsBoth = !autoconfirm && doubleConfirmChanges && isMove;
  if (needsBoth && user.email_change_confirm_status === 0) {
    await acceptFirstHalf(ctx, tx, user, hash);
    return 'half';
  }
  await changeEmail(ctx, tx, caller, user);
  return 'done';
}

async function acceptFirstHalf(ctx: AuthContext, tx: Transaction, user: User, hash: string): Promise<void> {
  const token = await findOneTimeToken(tx, hash, ['email_change_token_current', 'email_change_token_new']);
  const matches = (stored: string | null) =>
    stored !== null && stored !== '' && (stored === hash || stored === `pkce_${hash}`);
  const isCurrent = token
    ? token.token_type === 'email_change_token_current'
    : matches(user.email_change_token_current);
  const column = isCurrent ? 'email_change_token_current' : 'email_change_token_new';
  await deleteOneTimeTokens(tx, user.id, column);
  await updateUser(tx, user, { email_change_confirm_status: 1, [column]: '' }, ctx.clock.now());
}

/** Replaces the user's email address with the address in `user.email_change`. */
export async function changeEmail(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
): Promise<void> {
  const oldEmail = user.email ?? '';
  const newEmail = user.email_change ?? '';
  await audit(ctx, tx, user, { action: 'user_modified' });
  const identity = await findIdentity(tx, user.id, 'email');
  if (identity) await updateIdentityData(tx, identity, { email: newEmail, email_verified: true });
  else
    await addIdentity(ctx, tx, user, {
      provider: 'email',
      data: identityClaims(user, { email: newEmail, emailVerified: true }),
    });
  await stopBeingAnonymous(ctx, tx, user);
  await updateUser(
    tx,
    user,
    {
      email: newEmail,
      email_change: '',
      email_change_token_current: '',
      email_change_token_new: '',
      email_change_confirm_status: 0,
    },
    ctx.clock.now(),
  );
  await deleteOneTimeTokens(tx, user.id);
  if (user.email_confirmed_at === null) await confirmEmail(ctx, tx, user);
  if (oldEmail === newEmail) return;
  const details = { old_email: oldEmail, new_email: newEmail };
  const event = await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'email_changed', details });
  if (oldEmail !== '') {
    await notify(ctx, caller, { user, kind: 'email_changed', to: oldEmail, oldEmail, event, tx });
  }
}

export async function acceptPhone(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  if (!hasOwner(user)) await revokeEarlierAccess(ctx, tx, user);
  await audit(ctx, tx, user, { action: 'user_signedup', traits: { provider: 'phone' } });
  await confirmPhone(ctx, tx, user);
  await stopBeingAnonymous(ctx, tx, user);
}

/**
 * Replaces the user's phone number with the number in `user.phone_change`. Returns the notices, which the caller sends
 * after the last statement that can fail.
 */
export async function changePhone(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
): Promise<readonly Notice[]> {
  const now = ctx.clock.now();
  const oldPhone = user.phone ?? '';
  const phone = user.phone_change ?? '';
  await audit(ctx, tx, user, { action: 'user_modified' });
  const identity = await findIdentity(tx, user.id, 'phone');
  if (identity) await updateIdentityData(tx, identity, { phone, phone_verified: true });
  else
    await addIdentity(ctx, tx, user, {
      provider: 'phone',
      data: identityClaims(user, { phone, phoneVerified: true }),
    });
  await updateUser(
    tx,
    user,
    { phone, phone_change: '', phone_change_token: '', phone_confirmed_at: fromMs(now) },
    now,
  );
  await deleteOneTimeTokens(tx, user.id);
  await stopBeingAnonymous(ctx, tx, user);
  const details = { old_phone: oldPhone, new_phone: phone };
  const event =
    oldPhone === phone
      ? undefined
      : await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'phone_changed', details });
  const notices = [
    oldPhone !== '' && oldPhone !== phone
      ? await prepareNotice(ctx, caller, { user, kind: 'phone_changed', oldPhone, event, tx })
      : undefined,
    identity
      ? undefined
      : await prepareNotice(ctx, caller, { user, kind: 'identity_linked', provider: 'phone', event, tx }),
  ];
  return notices.filter((notice) => notice !== undefined);
}

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
    await audit(ctx, tx, user, { action: 'user_modified' });
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
