/** Finds, changes and removes second factors. */
import { adminActor, audit } from '../common/audit.ts';
import type { AdminCaller, UserCaller } from '../common/caller.ts';
import { amrMethodOfFactor } from '../common/claims.ts';
import { parsePhone } from '../common/contact.ts';
import type { Factor, User } from '../common/rows.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent, recordOperatorEvent } from '../security-events/record.ts';
import { downgradeSessions } from '../sessions/queries.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { deleteFactor, findFactor, updateFactor } from './queries.ts';
import { forgetIdleRecoveryCodes } from './recovery-codes.ts';

/**
 * Finds one of the user's factors.
 * @throws {AuthError} validation_failed with status 404 for an invalid ID, mfa_factor_not_found
 */
export async function requireFactor(ctx: AuthContext, id: string, userId: string): Promise<Factor> {
  if (!isUuid(id)) throw authError('validation_failed', 'factor_id must be an UUID', { status: 404 });
  const factor = await findFactor(ctx.pool, id, userId);
  if (!factor) throw authError('mfa_factor_not_found');
  return factor;
}

/** Removes one of the user's factors. @throws {AuthError} insufficient_aal */
export async function unenroll(ctx: AuthContext, caller: UserCaller, factor: Factor): Promise<void> {
  const { user, session } = caller;
  if (!session) throw internalError('A valid session and factor are required to unenroll a factor');
  if (factor.status === 'verified' && session.aal !== 'aal2') {
    throw authError('insufficient_aal', 'AAL2 required to unenroll verified factor', { status: 422 });
  }
  const event = await asUser(ctx, caller, async (tx) => {
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_status: factor.status, session_id: session.id };
    await audit(ctx, tx, user, { action: 'factor_unenrolled', ip: caller.ip, traits });
    await downgradeSessions(tx, user.id, factor.id, amrMethodOfFactor[factor.factor_type]);
    await forgetIdleRecoveryCodes(ctx, tx, user.id);
    if (factor.status !== 'verified') return undefined;
    const details = {
      factor_type: factor.factor_type,
      ...(factor.friendly_name ? { name: factor.friendly_name } : {}),
    };
    return recordEvent(ctx, tx, caller, { userId: user.id, kind: 'factor_removed', details });
  });
  await notify(ctx, caller, { user, kind: 'mfa_factor_unenrolled', factorType: factor.factor_type, event });
}

export interface FactorChange {
  /** The new name. If this text is empty, the name doesn't change. */
  readonly friendlyName: string;
  readonly phone: string;
}

/** Updates the factor in the database and the `factor` object. @throws {AuthError} validation_failed */
export async function updateFactorByAdmin(
  ctx: AuthContext,
  { claims }: AdminCaller,
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
    const traits = { user_id: factor.user_id, factor_id: factor.id, factor_type: factor.factor_type };
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
