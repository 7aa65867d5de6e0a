/** Periodically deletes expired rows in the background. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthContext } from './context.ts';
import { deleteOrphanedRecoveryCodes } from './factors/own-queries.ts';
import { batchRows, cleanups, dayMs, type Lifetimes, tryLock } from './housekeeping-queries.ts';
import { deleteOldSecurityData } from './security-events/queries.ts';
import { deleteOrphanedSessionBrowsers } from './sessions/browser-queries.ts';
import type { Settings } from './settings.ts';
import { deleteOrphanedUserKeys } from './user-keys/forget.ts';

export interface Housekeeping {
  start(): void;
  /** Stops the task that runs in the background. A running round ends after its current statement. */
  stop(): Promise<void>;
  /** Runs a round. Returns false if another process is already running a round. */
  sweep(): Promise<boolean>;
}

/**
 * The interval between rounds, which is so long that the task doesn't keep an idle server's connection to PostgreSQL
 * open.
 */
const sweepEveryMs = 600_000;
/** The pause between batches, which prevents the deletion of a large backlog from slowing down requests. */
const pauseMs = 20;

type Tools = Pick<
  AuthContext,
  | 'ownTables'
  | 'hasOwnTables'
  | 'pool'
  | 'limits'
  | 'assertions'
  | 'totpSteps'
  | 'guesses'
  | 'clock'
  | 'settings'
  | 'log'
>;

/**
 * Creates the background task.
 *
 * @param maintain completes factor removals and ends expired sessions. `maintain` must be safe to run in several
 * processes concurrently. `maintain` must return soon after `isStopping` returns true.
 */
export function createHousekeeping(
  ctx: Tools,
  maintain: (isStopping: () => boolean) => Promise<void> = async () => undefined,
): Housekeeping {
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<unknown> | undefined;
  let isStopping = false;

  async function sweep(): Promise<boolean> {
    const now = ctx.clock.now();
    const ran = await ctx.ownTables.transaction(async (lock) => {
      if (!(await tryLock(lock))) return false;
      for (const statement of cleanups(lifetimesOf(ctx.settings), now)) {
        for (let gone = batchRows; gone >= batchRows && !isStopping; ) {
          gone = (await ctx.pool.query(statement)).length;
          if (gone >= batchRows) await sleep(pauseMs);
        }
      }
      await ctx.limits.sweep(now);
      await ctx.assertions.sweep(now);
      await ctx.totpSteps.sweep(now);
      await ctx.guesses.sweep();
      if (ctx.hasOwnTables) {
        await deleteOrphanedRecoveryCodes(ctx.pool);
        await deleteOrphanedUserKeys(ctx.pool);
        await deleteOldSecurityData(ctx.pool, ctx.settings.security.eventRetentionMs, now);
        await sweepSessionBrowsers(now);
      }
      return true;
    });
    // Calls `maintain` after the transaction, because the OAuth clients that it notifies may respond slowly.
    await maintain(() => isStopping);
    return ran;
  }

  /**
   * Keeps rows without a session for a day, because the row for an OAuth client's session is written before the session
   * itself.
   */
  async function sweepSessionBrowsers(now: number): Promise<void> {
    for (let gone = batchRows; gone >= batchRows && !isStopping; ) {
      gone = await deleteOrphanedSessionBrowsers(ctx.pool, now - dayMs, batchRows);
      if (gone >= batchRows) await sleep(pauseMs);
    }
  }

  return {
    start() {
      timer = setInterval(() => {
        // `stop` waits for the current round to finish.
        round ??= sweep()
          .catch((error: unknown) => {
            ctx.log.warn({ service: 'auth', error }, 'failed to delete expired rows');
          })
          .finally(() => {
            round = undefined;
          });
      }, sweepEveryMs).unref();
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await round;
    },
    sweep,
  };
}

function lifetimesOf({ sessions, guestLifetimeMs, email, mail, phone }: Settings): Lifetimes {
  const longestCodeMs = Math.max(email.otpExpiryMs, mail.invitationExpiryMs, phone.otpExpiryMs);
  return { ...sessions, guestLifetimeMs, longestCodeMs };
}
