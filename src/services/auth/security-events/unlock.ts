/** Unlocks an account when a user opens the link in a lockout email. */
import { invalidLink } from '../codes/find-owner.ts';
import type { Caller } from '../common/caller.ts';
import { toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { findLatestEvent, rememberDevice } from './queries.ts';
import { deviceKey, hashOf, recordEvent } from './record.ts';
import { findReversal, spendReversal } from './reversal-queries.ts';

/**
 * Returns `locked` if a link can still unlock the account, or `unlocked` if the account has been unlocked since the
 * email was sent. This check doesn't use up the link.
 * @throws {AuthError} otp_expired
 */
export async function checkUnlock(ctx: AuthContext, token: string): Promise<'locked' | 'unlocked'> {
  const event = ctx.hasOwnTables ? await findReversal(ctx.pool, hashOf(token), ctx.clock.now()) : undefined;
  if (event?.kind !== 'locked') throw invalidLink();
  if (event.used_at === null) return 'locked';
  const unlocked = await findLatestEvent(ctx.pool, event.user_id, 'unlocked');
  const locked = await findLatestEvent(ctx.pool, event.user_id, 'locked');
  // If the account has been locked again, only the link in the email about the later lockout unlocks it.
  if (unlocked === undefined || locked === undefined || toMs(unlocked.created_at) < toMs(locked.created_at))
    throw invalidLink();
  return 'unlocked';
}

/**
 * Resets the attempt limits and records the browser as known, so that failed attempts in other browsers can't lock it
 * out again.
 * @throws {AuthError} otp_expired
 */
export async function unlockAccount(ctx: AuthContext, caller: Caller, token: string): Promise<void> {
  if ((await checkUnlock(ctx, token)) === 'unlocked') throw invalidLink();
  const hash = hashOf(token);
  const user = await ctx.pool.transaction(async (tx) => {
    const event = await findReversal(tx, hash, ctx.clock.now());
    const owner = event && (await findUserById(tx, event.user_id));
    if (!owner || !(await spendReversal(tx, hash, ctx.clock.now()))) throw invalidLink();
    await rememberDevice(tx, owner.id, deviceKey(caller), ctx.clock.now());
    await recordEvent(ctx, tx, caller, { userId: owner.id, kind: 'unlocked' });
    return owner;
  });
  for (const account of [user.id, user.email, user.phone]) if (account) await ctx.guesses.unlock(account);
}
