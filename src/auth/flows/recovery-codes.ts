/**
 * One-time recovery codes, beyond upstream: a set is made while a factor is at hand, and each of its codes stands in for
 * a factor once.
 */
import type { Transaction } from '../../database/types.ts';
import { newRecoveryCode, parseRecoveryCode, recoveryCodeHash } from '../../kernel/recovery-codes.ts';
import type { AuthContext } from '../context.ts';
import { recoveryCodeMethod } from '../core/claims.ts';
import { hasVerifiedFactor } from '../core/render-user.ts';
import { authError, internalError } from '../errors.ts';
import type { Principal } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import { hasAnyVerifiedFactor } from '../queries/factors.ts';
import {
  deleteRecoveryCodes,
  hasRecoveryCode,
  replaceRecoveryCodes,
  takeRecoveryCode,
} from '../queries/recovery-codes.ts';
import { type Actor, audit } from './audit.ts';
import { verifyTyped } from './guess.ts';
import { askVerificationHook, reissueAtAal2 } from './mfa.ts';
import type { IssuedSession } from './sessions.ts';

const codesPerSet = 10;

/** What the project's hook is told in place of the type of a factor. */
const hookFactorType = 'recovery_code';

/** Throws 403 `insufficient_aal`: codes are changed by whoever has just used a factor, or a code. */
export function requireRecoveryCodeAal({ session }: Principal): void {
  if (session?.aal === 'aal2') return;
  throw authError('insufficient_aal', 'AAL2 required to manage recovery codes');
}

/** A new set, in place of the one before. Throws `mfa_factor_not_found`, `insufficient_aal`. */
export async function makeRecoveryCodes(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
): Promise<readonly string[]> {
  const { user } = principal;
  requireVerifiedFactor(principal);
  requireRecoveryCodeAal(principal);
  const codes = Array.from({ length: codesPerSet }, newRecoveryCode);
  const hashes = codes.map((code) => recoveryCodeHash(user.id, parseRecoveryCode(code) ?? ''));
  await ctx.pool.transaction(async (tx) => {
    await replaceRecoveryCodes(tx, user.id, hashes, ctx.clock.now());
    await audit(ctx, tx, user, 'recovery_codes_created', { ip: exchange.ip, traits: { count: codesPerSet } });
  });
  return codes;
}

/**
 * Raises the session to aal2, as a factor would. Throws `mfa_verification_failed`, `mfa_factor_not_found`,
 * `mfa_verification_rejected`, `over_request_rate_limit`.
 */
export async function verifyRecoveryCode(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
  typed: string,
): Promise<IssuedSession> {
  const { user, session } = principal;
  if (!session) throw internalError('A valid session is required to use a recovery code');
  requireVerifiedFactor(principal);
  const letters = parseRecoveryCode(typed);
  const hash = letters === undefined ? '' : recoveryCodeHash(user.id, letters);
  const attempt = { userId: user.id, factorId: null, factorType: hookFactorType };
  const isRight = await verifyTyped(
    ctx,
    exchange,
    'recovery_code',
    { account: user.id },
    async () => (await hasRecoveryCode(ctx.pool, user.id, hash)) || undefined,
  );
  await askVerificationHook(ctx, exchange, attempt, isRight === true);
  if (!isRight) throw wrongCode();
  return ctx.pool.transaction(async (tx) => {
    if (!(await takeRecoveryCode(tx, user.id, hash))) throw wrongCode();
    const traits = { factor_type: hookFactorType };
    await audit(ctx, tx, user, 'verification_attempted', { ip: exchange.ip, traits });
    return reissueAtAal2(ctx, tx, exchange, principal, { method: recoveryCodeMethod, factorId: null });
  });
}

/** Throws `feature_disabled`. */
export function requireRecoveryCodes(ctx: AuthContext): void {
  if (ctx.hasOwnTables) return;
  throw authError(
    'feature_disabled',
    'Recovery codes need tables that a database of the hosted service does not have',
  );
}

/** The user is gone. */
export async function forgetRecoveryCodes(ctx: AuthContext, tx: Transaction, userId: string): Promise<void> {
  if (ctx.hasOwnTables) await deleteRecoveryCodes(tx, userId);
}

/** A factor is gone: codes stand in for one, so they go with the last that was verified. */
export async function forgetIdleRecoveryCodes(
  ctx: AuthContext,
  tx: Transaction,
  userId: string,
): Promise<void> {
  if (ctx.hasOwnTables && !(await hasAnyVerifiedFactor(tx, userId))) await deleteRecoveryCodes(tx, userId);
}

export async function removeRecoveryCodes(
  ctx: AuthContext,
  tx: Transaction,
  userId: string,
  by: { readonly actor: Actor; readonly ip: string },
): Promise<boolean> {
  const hadCodes = await deleteRecoveryCodes(tx, userId);
  if (hadCodes) {
    await audit(ctx, tx, by.actor, 'recovery_codes_deleted', { ip: by.ip, traits: { user_id: userId } });
  }
  return hadCodes;
}

const wrongCode = () => authError('mfa_verification_failed', 'Invalid recovery code entered');

function requireVerifiedFactor({ user }: Principal): void {
  if (hasVerifiedFactor(user)) return;
  throw authError('mfa_factor_not_found', 'Recovery codes need a verified factor', { status: 422 });
}
