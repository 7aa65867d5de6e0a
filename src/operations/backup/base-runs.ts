/**
 * Runs base backups that are due or requested in the running server, one at a time. Applies retention after each due
 * backup.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cron } from 'croner';
import { takeBaseBackup } from './base-backup.ts';
import { entryOf, listBackups, readWalCatalog } from './catalog.ts';
import { lastBefore, repeatDelayMs } from './core/clock.ts';
import { type PruneReport, prune } from './prune.ts';
import { listVersions } from './queries.ts';
import { type BackupContext, openConfigured, type Session } from './session.ts';
import type { BackupEntry } from './types.ts';

export interface BaseRuns {
  readonly last: BackupEntry | undefined;
  readonly isRunning: boolean;
  readonly error: string | undefined;
  /** Whether the WAL after the last base backup has a gap. */
  readonly hasGap: boolean;
  /** Returns the time of the next scheduled backup, which is in the past if a backup was missed. */
  dueAtMs(): number;
  /** Reads the last backup. Must be called when a session has been opened. */
  open(session: Session): Promise<void>;
  /**
   * Runs a backup, or waits for the backup that is already running. A running backup ends after this call, so the
   * backup contains the current state.
   */
  run(current: CurrentSession): Promise<BackupEntry>;
  /** Starts a backup if a backup is due, and applies retention after the backup. */
  runIfDue(current: CurrentSession): void;
  prune(session: Session): Promise<PruneReport>;
}

/**
 * Returns the open session, or waits for the next session, because a backup may take longer than a session lasts.
 * @throws {BackupError} interrupted
 */
export type CurrentSession = () => Promise<Session>;

/** The number of attempts to complete a backup, because an attempt fails if the session fails. */
const completionAttempts = 5;
const completionRetryMs = 2_000;

export function createBaseRuns(ctx: BackupContext): BaseRuns {
  const { database, log, now } = ctx;
  let cron: { readonly text: string; readonly schedule: Cron } | undefined;
  const schedule = (): Cron => {
    const { schedule: text } = ctx.settings;
    if (cron?.text !== text) cron = { text, schedule: new Cron(text, { paused: true, timezone: 'UTC' }) };
    return cron.schedule;
  };
  const createdAtMs = now();
  let running: Promise<BackupEntry> | undefined;
  /** The complete backups, oldest first. */
  let known: readonly BackupEntry[] = [];
  let error: string | undefined;
  let hasGap = false;
  let failures = 0;
  /** The time at which a failed backup is retried, comparable with `performance.now()`. */
  let repeatAtMs = 0;

  /**
   * Takes a backup over a separate connection to the target, because a failed archiving round closes the session's
   * connection.
   */
  async function take(current: CurrentSession): Promise<BackupEntry> {
    await current();
    const repository = await openConfigured(ctx.settings, ctx.projectDir);
    try {
      const manifest = await takeBaseBackup({
        database,
        repository,
        maxRate: ctx.settings.max_rate,
        nowMs: now(),
        complete: () => complete(current),
      });
      return entryOf(manifest, await readWalCatalog(repository));
    } finally {
      repository.close();
    }
  }

  async function complete(current: CurrentSession): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const session = await current();
      try {
        await session.bodies.uploadAll(database);
        await session.rounds.run(session.archiver);
        await session.snapshot();
        await session.ownership.renew();
        return;
      } catch (cause) {
        if (attempt === completionAttempts) throw cause;
        await sleep(completionRetryMs);
      }
    }
  }

  async function runLogged(current: CurrentSession): Promise<BackupEntry> {
    const startedMs = performance.now();
    try {
      const last = await take(current);
      known = [...known, last];
      hasGap = false;
      error = undefined;
      failures = 0;
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      log.info({ id: last.id, storedBytes: last.storedBytes, seconds }, 'backup: finished');
      return last;
    } catch (cause) {
      error = `The last base backup failed: ${messageOf(cause)}`;
      failures += 1;
      repeatAtMs = performance.now() + repeatDelayMs(failures);
      log.error({ error: messageOf(cause) }, 'backup: failed');
      throw cause;
    } finally {
      running = undefined;
    }
  }

  const runs: BaseRuns = {
    get last() {
      return known.at(-1);
    },
    get isRunning() {
      return running !== undefined;
    },
    get error() {
      return error;
    },
    get hasGap() {
      return hasGap;
    },
    dueAtMs() {
      // Ignores a backup dated in the future, because such a backup was taken before the clock was set back. A backup
      // dated in the future would delay the next backup until after that date.
      const last = lastBefore(known, now());
      if (last === undefined) return Math.min(createdAtMs, now());
      return schedule().nextRun(new Date(last.startedAtMs))?.getTime() ?? Number.POSITIVE_INFINITY;
    },
    async open(session) {
      known = await listBackups(session.repository);
      hasGap = session.hasGap;
    },
    run(current) {
      running ??= runLogged(current);
      return running;
    },
    runIfDue(current) {
      const isDue = hasGap || runs.dueAtMs() <= now();
      if (!isDue || running !== undefined || performance.now() < repeatAtMs) return;
      // Failures have already been logged and are reported in the status.
      runs.run(current).then(
        async () => {
          try {
            await runs.prune(await current());
          } catch (cause) {
            log.warn({ error: messageOf(cause) }, 'backup: prune failed');
          }
        },
        () => undefined,
      );
    },
    async prune(session) {
      await session.ownership.renew();
      const report = await prune({
        repository: session.repository,
        nowMs: now(),
        keepMs: ctx.settings.keep,
        listVersions: () => listVersions(database),
        bodies: session.bodies,
      });
      log.info({ ...report }, 'backup: pruned');
      return report;
    },
  };
  return runs;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
