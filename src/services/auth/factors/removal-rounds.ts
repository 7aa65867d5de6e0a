/** Sends reminders of pending factor removals, and removes the second factors after the waiting period. */
import type { Caller } from '../common/caller.ts';
import { toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { dayMs } from '../housekeeping-queries.ts';
import { notify } from '../security-events/notify.ts';
import { findLatestEvent } from '../security-events/queries.ts';
import { recordEvent, recordOperatorEvent } from '../security-events/record.ts';
import {
  deleteAllRemovals,
  deleteStaleRemovals,
  type FactorRemoval,
  hasChangedSince,
  takeDueRemoval,
  takeReminder,
} from './own-queries.ts';
import { completeRemoval, confirmationLifetimeMs } from './removals.ts';

/**
 * The reminder is sent a day before the removal. If the waiting period is short, the reminder is sent halfway through.
 */
const reminderBeforeMs = dayMs;

export async function sweepFactorRemovals(ctx: AuthContext): Promise<void> {
  const now = ctx.clock.now();
  const { factorRemovalWaitMs } = ctx.settings.security;
  await deleteStaleRemovals(ctx.pool, now - confirmationLifetimeMs);
  if (factorRemovalWaitMs === 0) return cancelAll(ctx);
  while (await removeNext(ctx, now));
  const beforeMs = Math.min(reminderBeforeMs, factorRemovalWaitMs / 2);
  for (;;) {
    const removal = await takeReminder(ctx.pool, now + beforeMs, now);
    if (removal === undefined) return;
    await remind(ctx, removal);
  }
}

/** Cancels all removal requests, because the operator has disabled factor removals. */
async function cancelAll(ctx: AuthContext): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    for (const removal of await deleteAllRemovals(tx)) {
      await recordOperatorEvent(ctx, tx, { userId: removal.user_id, kind: 'factor_removal_canceled' });
    }
  });
}

/** Processes the removal request that is due first. Returns false if no request is due. */
async function removeNext(ctx: AuthContext, now: number): Promise<boolean> {
  const done = await ctx.pool.transaction(async (tx) => {
    const removal = await takeDueRemoval(tx, now);
    if (removal === undefined) return undefined;
    const caller = serverCaller(ctx, removal);
    const user = await findUserById(tx, removal.user_id);
    if (user === undefined || user.deleted_at !== null) return {};
    // If the password, the address or a sign-in method has changed after the request, an attacker may have made the
    // request, so it is canceled.
    if (await hasChangedSince(tx, user.id, toMs(removal.requested_at))) {
      await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'factor_removal_canceled' });
      return {};
    }
    return { user, caller, event: await completeRemoval(ctx, tx, caller, user) };
  });
  if (done?.user !== undefined) {
    await notify(ctx, done.caller, { user: done.user, kind: 'factors_reset', event: done.event });
  }
  return done !== undefined;
}

async function remind(ctx: AuthContext, removal: FactorRemoval): Promise<void> {
  const { user_id, due_at } = removal;
  const user = await findUserById(ctx.pool, user_id);
  if (user === undefined || due_at === null) return;
  const caller = serverCaller(ctx, removal);
  const event = await findLatestEvent(ctx.pool, user_id, 'factor_removal_requested');
  await notify(ctx, caller, { user, kind: 'factor_removal_confirmed', event, dueMs: toMs(due_at) });
}

/**
 * Returns the caller for changes that the server itself makes. Emails to the user are written in the language of the
 * removal request.
 */
const serverCaller = ({ settings }: AuthContext, { language }: FactorRemoval): Caller => ({
  ip: '',
  userAgent: '',
  host: '',
  accessToken: undefined,
  hasCredentials: false,
  audience: undefined,
  pageLanguage: language ?? settings.languages[0],
  redirectTo: () => settings.siteUrl,
  setHeader: () => {},
});
