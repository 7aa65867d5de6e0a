/** Deletes users on behalf of administrators. A soft deletion removes only the user's personal data. */
import { createHash } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { forgetUser } from '../account/forget-user.ts';
import { deleteOneTimeTokens } from '../codes/queries.ts';
import { adminActor, audit } from '../common/audit.ts';
import type { AdminCaller } from '../common/caller.ts';
import type { User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { deleteUser, updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { internalError } from '../errors.ts';
import { deleteFactors } from '../factors/queries.ts';
import { endAndNotify } from '../oauth-server/notify-clients.ts';
import { lastOwnerError } from '../organizations/last-owner.ts';
import { deletePasskeys } from '../passkeys/queries.ts';
import { renameIdentity, updateIdentityData } from '../providers/queries.ts';
import { deleteSessions } from '../sessions/queries.ts';
import { userTraits } from './user-changes.ts';

export async function deleteByAdmin(
  ctx: AuthContext,
  { claims }: AdminCaller,
  user: User,
  isSoft: boolean,
): Promise<void> {
  await endAndNotify(ctx, user.id, async (tx) => {
    await audit(ctx, tx, adminActor(claims), { action: 'user_deleted', traits: userTraits(user) });
    if (isSoft) {
      if (user.deleted_at === null) await softDelete(ctx, tx, user);
      return;
    }
    await forgetUser(ctx, tx, user.id);
    try {
      await deleteUser(tx, user.id);
    } catch (cause) {
      throw lastOwnerError(cause) ?? internalError('Database error deleting user', cause);
    }
  });
}

/** Hashes or deletes a user's personal data. Keeps the user's row, because foreign keys reference the row. */
async function softDelete(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const now = ctx.clock.now();
  const hidden = (text: string | null) =>
    createHash('sha256')
      .update(user.id + (text ?? ''))
      .digest('base64url');
  await updateUser(
    tx,
    user,
    {
      email: hidden(user.email),
      phone: hidden(user.phone).slice(0, 15),
      email_change: hidden(user.email_change),
      phone_change: hidden(user.phone_change).slice(0, 15),
      encrypted_password: null,
      confirmation_token: '',
      recovery_token: '',
      email_change_token_current: '',
      email_change_token_new: '',
      phone_change_token: '',
      deleted_at: fromMs(now),
    },
    now,
  );
  await deleteOneTimeTokens(tx, user.id);
  await updateUser(tx, user, { raw_user_meta_data: {} }, now);
  await updateUser(tx, user, { raw_app_meta_data: {} }, now);
  for (const identity of user.identities ?? []) {
    const nulls = Object.fromEntries(Object.keys(identity.identity_data).map((key) => [key, null]));
    await updateIdentityData(tx, identity, nulls);
    await renameIdentity(tx, identity.id, hidden(`${identity.provider}:${identity.provider_id}`));
  }
  await deleteFactors(tx, user.id);
  await deletePasskeys(tx, user.id);
  await forgetUser(ctx, tx, user.id);
  await deleteSessions(tx, user.id);
}
