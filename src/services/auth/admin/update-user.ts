/** Changes users on behalf of administrators. */
import type { Transaction } from '../../../platform/database/types.ts';
import { adminActor, audit } from '../common/audit.ts';
import type { AdminCaller } from '../common/caller.ts';
import type { Fields } from '../common/fields.ts';
import type { User } from '../common/rows.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { internalError } from '../errors.ts';
import { endAndNotify } from '../oauth-server/notify-clients.ts';
import { requireStrongPassword } from '../passwords/strength.ts';
import { findIdentity, updateIdentityData } from '../providers/queries.ts';
import { recordOperatorEvent } from '../security-events/record.ts';
import {
  addIdentity,
  clearPendingTokens,
  confirmEmail,
  confirmPhone,
  identityClaims,
  setAppMetadata,
  setUserMetadata,
  stopBeingAnonymous,
  storePassword,
} from '../sign-up/accounts.ts';
import { type AdminUserRequest, ban, originOf, parseAdminUserRequest, userTraits } from './user-changes.ts';

export async function updateByAdmin(
  ctx: AuthContext,
  { claims }: AdminCaller,
  user: User,
  body: Fields,
): Promise<void> {
  const request = parseAdminUserRequest(body);
  const { password } = request;
  if (password !== undefined) await requireStrongPassword(ctx, password);
  const hash =
    password === undefined ? undefined : password === '' ? null : await ctx.passwords.hash(password);
  const { email: oldEmail, phone: oldPhone } = user;
  try {
    await endAndNotify(ctx, user.id, async (tx) => {
      if (request.role !== '') await updateUser(tx, user, { role: request.role.trim() }, ctx.clock.now());
      if (request.emailConfirm && (request.email || user.email)) await confirmEmail(ctx, tx, user);
      if (request.phoneConfirm && (request.phone || user.phone)) await confirmPhone(ctx, tx, user);
      if (hash !== undefined) await storePassword(ctx, tx, user, { hash, exceptSessionIds: [] });
      if (request.email !== '') await setEmail(ctx, tx, user, request);
      if (request.phone !== '') await setPhone(ctx, tx, user, request);
      if (request.appMetadata) await setAppMetadata(ctx, tx, user, request.appMetadata);
      if (request.userMetadata) await setUserMetadata(ctx, tx, user, request.userMetadata);
      if (request.banMs !== undefined) await ban(ctx, tx, user, request.banMs);
      await audit(ctx, tx, adminActor(claims), { action: 'user_modified', traits: userTraits(user) });
      if (hash !== undefined)
        await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'password_changed' });
      if (user.email !== oldEmail) {
        const details = { old_email: oldEmail ?? '', new_email: user.email ?? '' };
        await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'email_changed', details });
      }
      if (user.phone !== oldPhone) {
        const details = { old_phone: oldPhone ?? '', new_phone: user.phone ?? '' };
        await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'phone_changed', details });
      }
    });
  } catch (cause) {
    throw internalError('Error updating user', originOf(cause));
  }
}

async function setEmail(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { email, emailConfirm: isVerified }: AdminUserRequest,
): Promise<void> {
  const identity = await findIdentity(tx, user.id, 'email');
  if (identity) await updateIdentityData(tx, identity, { email, email_verified: isVerified });
  else {
    const data = identityClaims(user, { email, emailVerified: isVerified });
    const added = await addIdentity(ctx, tx, user, { provider: 'email', data });
    user.identities = [...(user.identities ?? []), added];
  }
  if (isVerified) await stopBeingAnonymous(ctx, tx, user);
  if (email !== user.email) await clearPendingTokens(ctx, tx, user);
  await updateUser(tx, user, { email }, ctx.clock.now());
}

async function setPhone(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { phone, phoneConfirm: isVerified }: AdminUserRequest,
): Promise<void> {
  const identity = await findIdentity(tx, user.id, 'phone');
  if (identity) await updateIdentityData(tx, identity, { phone, phone_verified: isVerified });
  else {
    const data = identityClaims(user, { phone, phoneVerified: isVerified });
    const added = await addIdentity(ctx, tx, user, { provider: 'phone', data });
    user.identities = [...(user.identities ?? []), added];
  }
  if (isVerified) await stopBeingAnonymous(ctx, tx, user);
  await updateUser(tx, user, { phone }, ctx.clock.now());
}
