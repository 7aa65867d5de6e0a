/** Checks attempts to verify a second factor, and raises sessions to aal2. */
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import { amrMethodOfFactor, assurance } from '../common/claims.ts';
import { hasVerifiedFactor } from '../common/render-user.ts';
import type { Factor, FactorType, MfaChallenge } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { endAndNotify } from '../oauth-server/notify-clients.ts';
import { organizationClaims } from '../organizations/claims.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import { type AuthenticationMethod, clientOf, signSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import {
  addAmrClaim,
  deleteSessions,
  deleteSessionsBelow,
  lockSession,
  setSessionAal,
} from '../sessions/queries.ts';
import { replaceRefreshToken } from '../sessions/rotate.ts';
import { asUserEnding } from '../sessions/user-transaction.ts';
import { deleteRemoval } from './own-queries.ts';
import {
  consumeChallenge,
  deleteChallenge,
  deleteUnverifiedFactors,
  findChallenge,
  updateFactor,
} from './queries.ts';

export const challengeLifetimeMs = 300_000;

/** A new challenge, as clients receive it. */
export interface FactorChallenge {
  readonly id: string;
  readonly type: FactorType;
  readonly expiresAtSeconds: number;
  /** The input for the browser's WebAuthn API. This input is set only for WebAuthn keys. */
  readonly webauthn?: { readonly type: 'create' | 'request'; readonly publicKey: object };
}

/**
 * Throws `insufficient_aal` if the session isn't allowed to verify this factor. Once the user has a verified factor,
 * only a session that used a factor can verify another factor. Upstream lets anyone who knows the password finish an
 * older enrollment.
 */
export function requireVerificationAal({ user, session }: UserCaller, factor: Factor): void {
  if (factor.status === 'verified' || !hasVerifiedFactor(user) || session?.aal === 'aal2') return;
  throw authError('insufficient_aal');
}

/** Returns the challenge if this client is allowed to respond to it. */
export async function requireChallenge(
  ctx: AuthContext,
  caller: Caller,
  factor: Factor,
  challengeId: string,
): Promise<MfaChallenge> {
  const challenge = await findChallenge(ctx.pool, challengeId, factor.id);
  if (!challenge) {
    throw authError('mfa_factor_not_found', 'MFA factor with the provided challenge ID not found', {
      status: 422,
    });
  }
  if (challenge.verified_at !== null || challenge.ip_address !== caller.ip)
    throw authError('mfa_ip_address_mismatch');
  if (ctx.clock.now() > toMs(challenge.created_at) + challengeLifetimeMs) {
    await deleteChallenge(ctx.pool, challenge.id);
    throw authError(
      'mfa_challenge_expired',
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    );
  }
  return challenge;
}

/**
 * Calls the project's hook, which can reject the attempt and end all of the user's sessions. Throws
 * `mfa_verification_rejected`.
 */
export async function runVerificationHook(
  ctx: AuthContext,
  caller: Caller,
  attempt: { readonly userId: string; readonly factorId: string | null; readonly factorType: string },
  valid: boolean,
): Promise<void> {
  if (!ctx.settings.hooks.mfa_verification_attempt.enabled) return;
  const response = await runHook(ctx, caller, {
    name: 'mfa_verification_attempt',
    input: {
      user_id: attempt.userId,
      factor_id: attempt.factorId,
      factor_type: attempt.factorType,
      valid,
    },
  });
  if (response.decision !== 'reject') return;
  await endAndNotify(ctx, attempt.userId, (tx) => deleteSessions(tx, attempt.userId));
  const message =
    typeof response.message === 'string' && response.message !== '' ? response.message : undefined;
  throw authError('mfa_verification_rejected', message);
}

/** A factor's correct response to a challenge. */
export interface VerifiedResponse {
  readonly factor: Factor;
  readonly challenge: MfaChallenge;
  /** Records the response. Runs in the transaction that raises the session. */
  readonly record?: (tx: Transaction) => Promise<void>;
}

/**
 * Completes a verification. Marks the factor as verified, raises the session to aal2, and ends the user's other
 * sessions below aal2.
 */
export async function raiseSession(
  ctx: AuthContext,
  caller: UserCaller,
  { factor, challenge, record }: VerifiedResponse,
): Promise<IssuedSession> {
  const wasVerified = factor.status === 'verified';
  const { session, event } = await asUserEnding(ctx, caller, async (tx) => {
    if (!(await consumeChallenge(tx, challenge.id, ctx.clock.now())))
      throw authError('mfa_ip_address_mismatch');
    await audit(ctx, tx, caller.user, {
      action: 'verification_attempted',
      ip: caller.ip,
      traits: { factor_id: factor.id, challenge_id: challenge.id, factor_type: factor.factor_type },
    });
    if (!wasVerified) await updateFactor(tx, factor, { status: 'verified' }, ctx.clock.now());
    await record?.(tx);
    const method = amrMethodOfFactor[factor.factor_type];
    const raised = await reissueAtAal2(ctx, tx, caller, { method, factorId: factor.id });
    await deleteUnverifiedFactors(tx, factor.user_id, factor.factor_type);
    const details = {
      factor_id: factor.id,
      factor_type: factor.factor_type,
      ...(factor.friendly_name ? { name: factor.friendly_name } : {}),
    };
    const added = wasVerified
      ? undefined
      : await recordEvent(ctx, tx, caller, { userId: factor.user_id, kind: 'factor_added', details });
    return { session: raised, event: added };
  });
  if (!wasVerified) {
    await notify(ctx, caller, {
      user: session.user,
      kind: 'mfa_factor_enrolled',
      factorType: factor.factor_type,
      event,
    });
  }
  return session;
}

export interface SecondProof {
  /** The authentication method for the amr claim. */
  readonly method: AuthenticationMethod;
  /** The factor that raised the session's level. */
  readonly factorId: string | null;
}

/** Raises the session to aal2 and issues a new refresh token. Ends the user's sessions below aal2. */
export async function reissueAtAal2(
  ctx: AuthContext,
  tx: Transaction,
  caller: UserCaller,
  { method, factorId }: SecondProof,
): Promise<IssuedSession> {
  const sessionId = caller.session?.id ?? '';
  const userId = caller.user.id;
  const now = ctx.clock.now();
  await addAmrClaim(tx, sessionId, method, now);
  const session = await lockSession(tx, sessionId);
  const user = await findUserById(tx, userId);
  if (!session || !user) throw internalError("The session can't be raised to aal2");
  const refreshToken = await replaceRefreshToken(ctx, tx, user, session);
  const claims = session.amr_claims.filter((claim) => claim.authentication_method !== method);
  const { aal, amr } = assurance(
    [...claims, { authentication_method: method, updated_at: fromMs(now) }],
    user,
  );
  await setSessionAal(tx, session.id, { aal, factorId: factorId ?? session.factor_id, nowMs: now });
  await deleteSessionsBelow(tx, userId, 'aal2');
  // The user has used a second factor, so a pending removal of the factors isn't needed anymore.
  if (ctx.hasOwnTables) await deleteRemoval(tx, userId);
  return signSession(ctx, tx, caller, {
    user,
    sessionId,
    aal,
    amr,
    method,
    refreshToken,
    organization: await organizationClaims(ctx, { userId, sessionId }),
    ...clientOf(session),
  });
}
