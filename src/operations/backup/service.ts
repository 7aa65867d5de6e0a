/** Runs backups in the running server. A loop archives changes continuously and starts base backups. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CurrentSession, createBaseRuns, messageOf } from './base-runs.ts';
import { listBackups } from './catalog.ts';
import { archiveLagMs } from './core/clock.ts';
import { BackupError } from './errors.ts';
import { renewEveryMs } from './owner.ts';
import type { PruneReport } from './prune.ts';
import { type BackupContext, openSession, type Session } from './session.ts';
import type { BackupEntry, BackupStatus } from './types.ts';

export interface Backups {
  start(): void;
  /** Archives the remaining changes. Must be called while the database and the object bodies are still available. */
  stop(): Promise<void>;
  /** Takes a base backup. If a base backup is already running, waits for that backup instead. */
  run(): Promise<BackupEntry>;
  prune(): Promise<PruneReport>;
  /** Reads the complete base backups from the target, oldest first. */
  list(): Promise<BackupEntry[]>;
  status(): BackupStatus;
}

/**
 * The interval between rounds. If the machine fails, no more than two seconds of changes may be lost, and storing a
 * round takes a part of this time.
 */
const roundEveryMs = 500;
const snapshotEveryMs = 10_000;
const firstRetryMs = 1_000;
const lastRetryMs = 30_000;
const overdueMs = 60 * 60_000;
/** The maximum duration of the last round when the server stops. */
const stopGraceMs = 5_000;
/** The maximum time for which a base backup waits until the target is available again. */
const reopenMs = 30 * 60_000;
const reopenPollMs = 200;
/** The interval at which a request waits for the session that is being opened. */
const openPollMs = 20;

export function createBackups(ctx: BackupContext): Backups {
  const { log, now } = ctx;
  const runs = createBaseRuns(ctx);
  const stopping = new AbortController();
  let session: Session | undefined;
  let loop: Promise<void> | undefined;
  let completeMs: number | undefined;
  let error: string | undefined;
  let retryMs = firstRetryMs;
  let startedAtMs: number | undefined;
  const rest = (ms: number): Promise<void> =>
    sleep(Math.max(0, ms), undefined, { signal: stopping.signal }).catch(() => undefined);

  async function archive(open: Session): Promise<void> {
    await runs.open(open);
    let snapshotAtMs = Number.NEGATIVE_INFINITY;
    let renewedAtMs = performance.now();
    while (!stopping.signal.aborted) {
      const startedMs = performance.now();
      completeMs = (await open.rounds.run(open.archiver)) ?? completeMs;
      if (startedMs - snapshotAtMs >= snapshotEveryMs) {
        snapshotAtMs = startedMs;
        await open.snapshot();
      }
      if (startedMs - renewedAtMs >= renewEveryMs) {
        renewedAtMs = startedMs;
        await open.ownership.renew();
      }
      error = undefined;
      retryMs = firstRetryMs;
      runs.runIfDue(currentSession);
      await rest(roundEveryMs - (performance.now() - startedMs));
    }
    // Stores writes that arrived during the last wait.
    await open.rounds.run(open.archiver);
    await open.ownership.release();
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        session = await openSession(ctx, ctx.settings.wal);
        await archive(session);
      } catch (cause) {
        const previous = error;
        error = `Archiving is interrupted: ${messageOf(cause)}`;
        if (error !== previous) log.error({ error: messageOf(cause) }, 'backup: archiving is interrupted');
      } finally {
        session?.close();
        session = undefined;
      }
      if (error !== undefined) await rest(retryMs);
      retryMs = Math.min(retryMs * 2, lastRetryMs);
    }
  }

  const currentSession: CurrentSession = async () => {
    const deadline = performance.now() + reopenMs;
    while (session === undefined) {
      if (stopping.signal.aborted || performance.now() > deadline)
        throw new BackupError('interrupted', error);
      await rest(reopenPollMs);
    }
    return session;
  };

  /** Returns an error, or undefined while the archive is less than a minute behind. */
  function lagError(newestMs: number | undefined): string | undefined {
    const lagMs = archiveLagMs({
      nowMs: now(),
      sinceMs: ctx.settings.wal ? startedAtMs : undefined,
      newestMs,
    });
    if (lagMs === undefined) return undefined;
    return `The newest recoverable time is ${Math.floor(lagMs / 1000)} seconds old.`;
  }

  /** Returns the loop's session, or waits until the loop has opened one or failed to open it. @throws {BackupError} */
  async function loopSession(): Promise<Session> {
    while (session === undefined) {
      if (stopping.signal.aborted || error !== undefined) throw new BackupError('interrupted', error);
      await rest(openPollMs);
    }
    return session;
  }

  /**
   * If the loop isn't running, opens a session for the operation, for example for a command while the server is
   * stopped. A second session beside the loop's session would take the target from it.
   */
  async function withSession<T>(use: (current: CurrentSession) => Promise<T>): Promise<T> {
    if (loop !== undefined) {
      await loopSession();
      return await use(currentSession);
    }
    const own = await openSession(ctx, false);
    try {
      const result = await use(async () => own);
      await own.ownership.release();
      return result;
    } finally {
      own.close();
    }
  }

  return {
    start() {
      startedAtMs ??= now();
      loop ??= work();
    },
    async stop() {
      stopping.abort();
      const grace = sleep(stopGraceMs, 'late' as const, { ref: false });
      if (loop !== undefined && (await Promise.race([loop, grace])) === 'late')
        log.warn({}, 'backup: the last changes will be archived after the next start');
      session?.close();
      ctx.journal.close();
    },
    run: () => withSession((current) => runs.run(current)),
    prune: () => withSession(async (current) => await runs.prune(await current())),
    list: () => withSession(async (current) => await listBackups((await current()).repository)),
    status() {
      const newestRecoverableMs =
        runs.last && Math.max(runs.last.newestMs, runs.hasGap ? 0 : (completeMs ?? 0));
      return {
        to: ctx.settings.to?.replace(/\?.*/, ''),
        lastBackup: runs.last,
        running: runs.isRunning,
        newestRecoverableMs,
        nextMs: runs.dueAtMs(),
        overdue: runs.dueAtMs() + overdueMs < now(),
        error: error ?? runs.error ?? lagError(newestRecoverableMs ?? completeMs),
      };
    },
  };
}
