/** Changes and removes other users' factors on behalf of administrators. */

import { adminActor, audit } from '../common/audit.ts';
import type { AdminCaller } from '../common/caller.ts';
import { amrMethodOfFactor } from '../common/claims.ts';
import { parsePhone } from '../common/contact.ts';
import type { Factor, User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { deleteFactor, updateFactor } from '../factors/queries.ts';
import { forgetIdleRecoveryCodes } from '../factors/recovery-codes.ts';
import { recordOperatorEvent } from '../security-events/record.ts';
import { downgradeSessions } from '../sessions/queries.ts';

export interface FactorChange {
  /** The new name. If this text is empty, the name doesn't change. */
  readonly friendlyName: string;
  readonly phone: string;
}

/** Updates the factor in the database and the `factor` object. @throws {AuthError} validation_failed */
export async function updateFactorByAdmin(
  ctx: AuthContext,
  { claims }: AdminCaller,
  user: User,
  factor: Factor,
  { friendlyName, phone }: FactorChange,
): Promise<void> {
  const changesPhone = phone !== '' && factor.factor_type === 'phone';
  const patch = {
    ...(friendlyName === '' ? {} : { friendly_name: friendlyName }),
    ...(changesPhone ? { phone: parsePhone(phone) } : {}),
  };
  await ctx.pool.transaction(async (tx) => {
    if (Object.keys(patch).length > 0) await updateFactor(tx, factor, patch, ctx.clock.now());
    const traits = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type };
    await audit(ctx, tx, adminActor(claims), { action: 'factor_updated', traits });
  });
}

/** Deletes a factor. The assurance level of all sessions in which the factor was used becomes aal1. */
export async function deleteFactorByAdmin(
  ctx: AuthContext,
  { ip }: AdminCaller,
  user: User,
  factor: Factor,
): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    const traits = { user_id: user.id, factor_id: factor.id };
    await audit(ctx, tx, user, { action: 'factor_deleted', ip, traits });
    await deleteFactor(tx, factor.id);
    await downgradeSessions(tx, user.id, factor.id, amrMethodOfFactor[factor.factor_type]);
    await forgetIdleRecoveryCodes(ctx, tx, user.id);
    if (factor.status !== 'verified') return;
    const details = { factor_type: factor.factor_type };
    await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'factor_removed', details });
  });
}
