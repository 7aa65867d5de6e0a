/**
 * Implements one-time recovery codes, which upstream doesn't have. A user with a verified factor can generate a set of
 * codes, and can use each code once instead of the factor.
 */

import { newRecoveryCode, parseRecoveryCode, recoveryCodeHash } from '../../../base/shared/one-time-codes.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import { type Actor, adminActor, audit, userActor } from '../common/audit.ts';
import type { AdminCaller, Caller, UserCaller } from '../common/caller.ts';
import { recoveryCodeMethod } from '../common/claims.ts';
import { hasVerifiedFactor } from '../common/render-user.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { verifySecret } from '../limits/verify-secret.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { asUser, asUserEnding } from '../sessions/user-transaction.ts';
import {
  consumeRecoveryCode,
  deleteRecoveryCodes,
  findRecoveryCodes,
  hasRecoveryCode,
  replaceRecoveryCodes,
} from './own-queries.ts';
import { hasAnyVerifiedFactor } from './queries.ts';
import { reissueAtAal2, runVerificationHook } from './verification.ts';

/** The number of codes that the user received, and the number of unused codes. */
export interface RecoveryCodeCount {
  readonly total: number;
  readonly remaining: number;
  /** The time at which the codes were generated. Null if the user has no codes. */
  readonly createdAt: string | null;
}

export async function countRecoveryCodes(ctx: AuthContext, userId: string): Promise<RecoveryCodeCount> {
  const set = await findRecoveryCodes(ctx.pool, userId);
  return { total: set?.total ?? 0, remaining: set?.remaining ?? 0, createdAt: set?.created_at ?? null };
}

const codesPerSet = 10;

/** The factor type sent to the project's hook. */
const hookFactorType = 'recovery_code';

/**
 * Throws `insufficient_aal` with status 403 unless the user used a factor or a recovery code in this session. Called
 * before the recovery codes are changed.
 */
function requireRecoveryCodeAal({ session }: UserCaller): void {
  if (session?.aal === 'aal2') return;
  throw authError('insufficient_aal', 'AAL2 required to manage recovery codes');
}

/**
 * Generates a new set of codes, which replaces the previous set. Throws `mfa_factor_not_found` or `insufficient_aal`.
 */
export async function makeRecoveryCodes(ctx: AuthContext, caller: UserCaller): Promise<readonly string[]> {
  const { user } = caller;
  requireVerifiedFactor(caller);
  requireRecoveryCodeAal(caller);
  const codes = Array.from({ length: codesPerSet }, newRecoveryCode);
  const hashes = codes.map((code) => recoveryCodeHash(user.id, parseRecoveryCode(code) ?? ''));
  await asUser(ctx, caller, async (tx) => {
    await replaceRecoveryCodes(tx, user.id, hashes, ctx.clock.now());
    await audit(ctx, tx, user, {
      action: 'recovery_codes_created',
      ip: caller.ip,
      traits: { count: codesPerSet },
    });
    await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'recovery_codes_created' });
  });
  return codes;
}

/**
 * Verifies a recovery code and raises the session to aal2, as a factor would. Throws `mfa_verification_failed`,
 * `mfa_factor_not_found`, `mfa_verification_rejected` or `over_request_rate_limit`.
 */
export async function verifyRecoveryCode(
  ctx: AuthContext,
  caller: UserCaller,
  typed: string,
): Promise<IssuedSession> {
  const { user, session } = caller;
  if (!session) throw internalError('A valid session is required to use a recovery code');
  requireVerifiedFactor(caller);
  const letters = parseRecoveryCode(typed);
  const hash = letters === undefined ? '' : recoveryCodeHash(user.id, letters);
  const attempt = { userId: user.id, factorId: null, factorType: hookFactorType };
  const isRight = await verifySecret(
    ctx,
    caller,
    { kind: 'recovery_code', account: user.id },
    async () => (await hasRecoveryCode(ctx.pool, user.id, hash)) || undefined,
  );
  await runVerificationHook(ctx, caller, attempt, isRight === true);
  if (!isRight) throw wrongCode();
  const { issued, event } = await asUserEnding(ctx, caller, async (tx) => {
    if (!(await consumeRecoveryCode(tx, user.id, hash))) throw wrongCode();
    const traits = { factor_type: hookFactorType };
    await audit(ctx, tx, user, { action: 'verification_attempted', ip: caller.ip, traits });
    return {
      issued: await reissueAtAal2(ctx, tx, caller, { method: recoveryCodeMethod, factorId: null }),
      event: await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'recovery_code_used' }),
    };
  });
  await notify(ctx, caller, { user, kind: 'recovery_code_used', event });
  return issued;
}

/** Throws `feature_disabled` if the database has no table for recovery codes. */
export function requireRecoveryCodes(ctx: AuthContext): void {
  if (ctx.hasOwnTables) return;
  throw authError(
    'feature_disabled',
    "Recovery codes require tables that hosted service databases don't have",
  );
}

/** Deletes all of a user's codes, if the database can have any. */
export async function forgetRecoveryCodes(ctx: AuthContext, tx: Transaction, userId: string): Promise<void> {
  if (ctx.hasOwnTables) await deleteRecoveryCodes(tx, userId);
}

/** Deletes the codes if the user no longer has a verified factor. */
export async function forgetIdleRecoveryCodes(
  ctx: AuthContext,
  tx: Transaction,
  userId: string,
): Promise<void> {
  if (ctx.hasOwnTables && !(await hasAnyVerifiedFactor(tx, userId))) await deleteRecoveryCodes(tx, userId);
}

/** Deletes the user's own recovery codes. @throws {AuthError} insufficient_aal */
export async function removeOwnRecoveryCodes(ctx: AuthContext, caller: UserCaller): Promise<void> {
  requireRecoveryCodeAal(caller);
  await asUser(ctx, caller, (tx) =>
    removeRecoveryCodes(ctx, tx, caller, { actor: userActor(caller.user), userId: caller.user.id }),
  );
}

export async function removeRecoveryCodesByAdmin(
  ctx: AuthContext,
  caller: AdminCaller,
  userId: string,
): Promise<void> {
  await ctx.pool.transaction((tx) =>
    removeRecoveryCodes(ctx, tx, caller, { actor: adminActor(caller.claims), userId }),
  );
}

async function removeRecoveryCodes(
  ctx: AuthContext,
  tx: Transaction,
  { ip }: Caller,
  { actor, userId }: { readonly actor: Actor; readonly userId: string },
): Promise<void> {
  if (!(await deleteRecoveryCodes(tx, userId))) return;
  await audit(ctx, tx, actor, { action: 'recovery_codes_deleted', ip, traits: { user_id: userId } });
}

const wrongCode = () => authError('mfa_verification_failed', 'Invalid recovery code entered');

function requireVerifiedFactor({ user }: UserCaller): void {
  if (hasVerifiedFactor(user)) return;
  throw authError('mfa_factor_not_found', 'Recovery codes require a verified factor', { status: 422 });
}
