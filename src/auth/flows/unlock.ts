/** Unlocks an account with the link in the email about a lockout. */
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { consumeReversal, findReversal } from '../queries/event-reversals.ts';
import { rememberDevice } from '../queries/security-events.ts';
import { findUserById } from '../queries/users.ts';
import { invalidLink } from './find-token-owner.ts';
import { hashOf } from './reversal-tokens.ts';
import { deviceKey, recordEvent } from './security-events.ts';

/** Makes sure that a link can unlock an account, without using it. @throws {AuthError} otp_expired */
export async function checkUnlock(ctx: AuthContext, token: string): Promise<void> {
  const event = ctx.hasOwnTables ? await findReversal(ctx.pool, hashOf(token), ctx.clock.now()) : undefined;
  if (event?.kind !== 'locked' || event.used_at !== null) throw invalidLink();
}

/**
 * Makes all attempts available again, and remembers the browser, so that strangers can't lock it out again.
 * @throws {AuthError} otp_expired
 */
export async function unlockAccount(ctx: AuthContext, caller: Caller, token: string): Promise<void> {
  await checkUnlock(ctx, token);
  const hash = hashOf(token);
  const user = await ctx.pool.transaction(async (tx) => {
    const event = await findReversal(tx, hash, ctx.clock.now());
    const owner = event && (await findUserById(tx, event.user_id));
    if (!owner || !(await consumeReversal(tx, hash))) throw invalidLink();
    await rememberDevice(tx, owner.id, deviceKey(caller), ctx.clock.now());
    await recordEvent(ctx, tx, caller, owner.id, 'unlocked');
    return owner;
  });
  for (const account of [user.id, user.email, user.phone]) if (account) await ctx.guesses.unlock(account);
}
