/**
 * Removes the second factors of users who have lost their factors and have no recovery codes (decision 73). The user
 * signs in with the first factor, confirms the request by email, and waits for a period that the project defines. If
 * the user uses a second factor before the removal, the request is canceled.
 */
import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { invalidLink } from '../codes/find-owner.ts';
import { adminActor, audit, userActor } from '../common/audit.ts';
import type { AdminCaller, Caller, UserCaller } from '../common/caller.ts';
import { hasVerifiedFactor } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { accountUrlFor } from '../messages/links.ts';
import type { SecurityEvent } from '../security-events/events.ts';
import { notify } from '../security-events/notify.ts';
import { hashOf, recordEvent, recordOperatorEvent } from '../security-events/record.ts';
import { deleteSessions } from '../sessions/queries.ts';
import { asUser } from '../sessions/user-transaction.ts';
import {
  confirmRemoval,
  deleteRecoveryCodes,
  deleteRemoval,
  type FactorRemoval,
  findRemoval,
  findRemovalByHash,
  hasChangedSince,
  insertRemoval,
} from './own-queries.ts';
import { deleteFactors } from './queries.ts';

/** How long users can confirm a request with the emailed link. */
export const confirmationLifetimeMs = 3_600_000;
/** The minimum interval between two emails with a confirmation link. */
const requestEveryMs = 60_000;

/**
 * The first factors that prove more than access to the mailbox. Users confirm the request by email, so an emailed code
 * as the first factor would only prove access to the mailbox again.
 */
const firstFactors: ReadonlySet<string> = new Set(['password', 'oauth', 'sso/saml', 'web3']);

export interface RemovalState {
  /** The state is `unavailable` if the project, or the way in which the user signed in, doesn't allow requests. */
  readonly state: 'unavailable' | 'available' | 'requested' | 'waiting';
  /** The reason why a request isn't possible now. The reason is set only for problems that the user can resolve. */
  readonly reason?: 'sign_in' | 'recent_change';
  readonly dueMs?: number;
  readonly waitMs: number;
}

/** Returns the state of the user's removal request, and whether the user can make such a request. */
export async function readRemoval(ctx: AuthContext, caller: UserCaller): Promise<RemovalState> {
  const { user, session } = caller;
  const { factorRemovalWaitMs: waitMs } = ctx.settings.security;
  const isOffered = waitMs > 0 && ctx.hasOwnTables && ctx.settings.hasAccountPages;
  if (!isOffered || !hasVerifiedFactor(user) || !user.email || user.email_confirmed_at === null) {
    return { state: 'unavailable', waitMs };
  }
  const removal = await findRemoval(ctx.pool, user.id);
  if (removal?.due_at) return { state: 'waiting', dueMs: toMs(removal.due_at), waitMs };
  const methods = session?.amr_claims.map((claim) => claim.authentication_method) ?? [];
  if (!methods.some((method) => firstFactors.has(method))) {
    return { state: 'unavailable', reason: 'sign_in', waitMs };
  }
  // If the account has changed recently, an attacker with access to the mailbox may have reset the password to request
  // the removal. The attacker may also have linked an identity from a provider that has verified the same address.
  if (await hasChangedSince(ctx.pool, user.id, ctx.clock.now() - waitMs)) {
    return { state: 'unavailable', reason: 'recent_change', waitMs };
  }
  return { state: removal === undefined ? 'available' : 'requested', waitMs };
}

/**
 * Emails the user a link that confirms the request.
 * @throws {AuthError} validation_failed, over_email_send_rate_limit
 */
export async function requestRemoval(ctx: AuthContext, caller: UserCaller): Promise<void> {
  const { user } = caller;
  const { state } = await readRemoval(ctx, caller);
  if (state === 'waiting') return;
  if (state === 'unavailable') throw authError('validation_failed', 'The factors cannot be removed this way');
  if (!(await ctx.limits.once(`factor-removal:${user.id}`, requestEveryMs, ctx.clock.now()))) {
    throw authError('over_email_send_rate_limit');
  }
  const token = randomBytes(32).toString('base64url');
  await asUser(ctx, caller, (tx) =>
    insertRemoval(tx, {
      userId: user.id,
      hash: hashOf(token),
      language: caller.pageLanguage,
      nowMs: ctx.clock.now(),
    }),
  );
  const confirmUrl = `${accountUrlFor(ctx, caller)}/remove-factors?token=${token}`;
  await notify(ctx, caller, { user, kind: 'factor_removal_requested', confirmUrl });
}

async function findConfirmable(
  ctx: AuthContext,
  token: string,
): Promise<{ removal: FactorRemoval; user: User }> {
  const isOffered = ctx.hasOwnTables && ctx.settings.security.factorRemovalWaitMs > 0;
  const removal = isOffered ? await findRemovalByHash(ctx.pool, hashOf(token)) : undefined;
  const user = removal && (await findUserById(ctx.pool, removal.user_id));
  const oldest = ctx.clock.now() - confirmationLifetimeMs;
  if (!user || !removal || (removal.due_at === null && toMs(removal.requested_at) < oldest))
    throw invalidLink();
  return { removal, user };
}

/** Returns the removal request that a link would confirm, without using the link. @throws {AuthError} otp_expired */
export async function previewRemoval(
  ctx: AuthContext,
  token: string,
): Promise<{ readonly email: string; readonly dueMs: number; readonly isConfirmed: boolean }> {
  const { removal, user } = await findConfirmable(ctx, token);
  const dueMs =
    removal.due_at === null
      ? ctx.clock.now() + ctx.settings.security.factorRemovalWaitMs
      : toMs(removal.due_at);
  return { email: user.email ?? '', dueMs, isConfirmed: removal.due_at !== null };
}

/** Confirms the removal request and starts the waiting period. @throws {AuthError} otp_expired */
export async function confirmFactorRemoval(ctx: AuthContext, caller: Caller, token: string): Promise<void> {
  const { user } = await findConfirmable(ctx, token);
  const dueMs = ctx.clock.now() + ctx.settings.security.factorRemovalWaitMs;
  const event = await ctx.pool.transaction(async (tx) => {
    if (!(await confirmRemoval(tx, hashOf(token), dueMs))) return undefined;
    return recordEvent(ctx, tx, caller, { userId: user.id, kind: 'factor_removal_requested' });
  });
  if (event !== undefined)
    await notify(ctx, caller, { user, kind: 'factor_removal_confirmed', event, dueMs });
}

export async function cancelOwnRemoval(ctx: AuthContext, caller: UserCaller): Promise<void> {
  await asUser(ctx, caller, (tx) => cancelRemoval(ctx, tx, caller, caller.user.id));
}

/** Cancels a removal request, for example because the user has used a second factor and therefore hasn't lost it. */
export async function cancelRemoval(
  ctx: AuthContext,
  tx: Transaction,
  caller: Pick<Caller, 'ip' | 'userAgent'>,
  userId: string,
): Promise<void> {
  if (!ctx.hasOwnTables || !(await deleteRemoval(tx, userId))) return;
  await recordEvent(ctx, tx, caller, { userId, kind: 'factor_removal_canceled' });
}

/** Removes all second factors and recovery codes, and ends all sessions. */
async function removeFactors(ctx: AuthContext, tx: Transaction, userId: string): Promise<void> {
  await deleteFactors(tx, userId);
  if (ctx.hasOwnTables) await deleteRecoveryCodes(tx, userId);
  await deleteSessions(tx, userId);
}

/**
 * Removes the second factors of a user whose removal request is due. Returns the event that the notice to the user
 * reports.
 */
export async function completeRemoval(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
): Promise<SecurityEvent | undefined> {
  await removeFactors(ctx, tx, user.id);
  for (const { id } of user.factors) {
    await audit(ctx, tx, userActor(user), { action: 'factor_unenrolled', traits: { factor_id: id } });
  }
  return recordEvent(ctx, tx, caller, { userId: user.id, kind: 'factors_reset' });
}

/**
 * Removes all second factors on behalf of an operator who has verified the user's identity. Notifies the user, who can
 * then sign in with only the first factor. Passkeys are kept.
 */
export async function resetFactorsByAdmin(ctx: AuthContext, caller: AdminCaller, user: User): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    await removeFactors(ctx, tx, user.id);
    if (ctx.hasOwnTables) await deleteRemoval(tx, user.id);
    for (const { id } of user.factors) {
      const traits = { user_id: user.id, factor_id: id };
      await audit(ctx, tx, adminActor(caller.claims), { action: 'factor_deleted', ip: caller.ip, traits });
    }
    await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'factors_reset' });
  });
  await notify(ctx, caller, { user, kind: 'factors_reset' });
}
