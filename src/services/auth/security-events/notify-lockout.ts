/** Notifies an account's owner that sign-ins in new browsers are blocked because of too many wrong attempts. */
import type { Caller } from '../common/caller.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { prepareNotice } from './notify.ts';
import { recordEvent } from './record.ts';
import { addReversal } from './reversal-tokens.ts';

/** The minimum interval between two lockout emails, so that an attacker can't flood the mailbox. */
const reportEveryMs = 6 * 3_600_000;

/** Reports a lockout to the owner in the background, so that the response doesn't reveal that the account exists. */
export async function reportLockout(ctx: AuthContext, caller: Caller, userId: string): Promise<void> {
  await ctx.backgroundWork.do(true, async () => {
    if (!ctx.hasOwnTables) return;
    if (!(await ctx.limits.once(`locked:${userId}`, reportEveryMs, ctx.clock.now()))) return;
    const user = await findUserById(ctx.pool, userId);
    if (user === undefined) return;
    const event = await recordEvent(ctx, ctx.pool, caller, { userId: user.id, kind: 'locked' });
    if (event === undefined || user.email_confirmed_at === null || !ctx.settings.hasAccountPages) return;
    const token = await addReversal(ctx, ctx.pool, event);
    const unlockUrl = `${ctx.settings.accountUrl()}/unlock?token=${token}`;
    const notice = await prepareNotice(ctx, caller, { user, kind: 'sign_in_locked', unlockUrl });
    await notice?.send();
  });
}
