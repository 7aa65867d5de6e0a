/**
 * Runs maintenance at startup and at regular intervals: settles intents of processes that have ended, removes expired
 * uploads, and compares stored object bodies with rows.
 */
import { sweepGraceMs } from './backend/sweep.ts';
import { change } from './changes.ts';
import type { StorageContext } from './context.ts';
import { deleteLeftChecksums } from './queries/checksums.ts';
import { deleteIdleUpload, listIdleUploads, lockUpload } from './queries/multipart.ts';
import { findLivingVersions, listVersionsWith } from './queries/objects.ts';
import { uploadLifetimeMs } from './resumable/lifecycle.ts';
import { serverContext } from './scope.ts';

const recoverEveryMs = 5 * 60 * 1000;
const forgetEveryMs = 60 * 60 * 1000;
const sweepEveryMs = 24 * 60 * 60 * 1000;
/** The delay before the first sweep, which would otherwise slow down startup. */
const firstSweepMs = 10 * 60 * 1000;

interface Housekeeping {
  start(): void;
  stop(): void;
}

export function createHousekeeping(ctx: StorageContext): Housekeeping {
  const stopped = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const settle = (): void => {
    void ctx.tasks.run('recover', () => recover(ctx));
  };
  const forget = (): void => {
    void ctx.tasks.run('forget uploads', () => forgetExpired(ctx));
    void ctx.tasks.run('expire multipart uploads', () => expireParts(ctx, stopped.signal));
  };
  const sweepAll = (): void => {
    void ctx.tasks.run('sweep', () => sweep(ctx, stopped.signal));
  };
  return {
    start() {
      settle();
      forget();
      timers.push(
        setInterval(settle, recoverEveryMs).unref(),
        setInterval(forget, forgetEveryMs).unref(),
        setInterval(sweepAll, sweepEveryMs).unref(),
        setTimeout(sweepAll, firstSweepMs).unref(),
      );
    },
    stop() {
      stopped.abort();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Settles the intents of processes that are no longer running. */
async function recover(ctx: StorageContext): Promise<void> {
  const report = await ctx.backend.recover((versions) => livingOf(ctx, versions));
  if (report.settledIntents > 0)
    ctx.log.info({ ...report }, 'storage: completed operations of an earlier run');
}

/** Removes resumable uploads that weren't used within their lifetime, whether or not they are finished. */
export async function forgetExpired(ctx: StorageContext): Promise<void> {
  const { staging, locks } = ctx.resumable;
  const before = ctx.clock.now() - uploadLifetimeMs;
  for (const id of await staging.idleSince(before)) {
    await locks.holdIfFree(id, async () => {
      if (await staging.isIdle(id, before)) await staging.remove(id);
    });
  }
}

async function expireParts(ctx: StorageContext, signal: AbortSignal): Promise<void> {
  const expired = await expireMultipartUploads(ctx, signal);
  if (expired > 0) ctx.log.info({ expired }, 'storage: aborted expired multipart uploads');
}

async function sweep(ctx: StorageContext, signal: AbortSignal): Promise<void> {
  const { backend } = ctx;
  if (ctx.hasOwnTables)
    await deleteLeftChecksums(ctx.database.pool('supabase_storage_admin'), sweepGraceMs / 1000);
  if (!backend.sweep) return;
  const report = await backend.sweep({
    async livingWith(digit) {
      const resumable = await ctx.resumable.staging.inBackend(digit);
      const { objects, uploads } = await ctx.database.asRequest(
        serverContext(),
        (tx) => listVersionsWith(tx, digit),
        { readOnly: true },
      );
      return { objects, uploads: [...uploads, ...resumable] };
    },
    findLiving: (versions) => livingOf(ctx, versions),
    nowMs: ctx.clock.now(),
    signal,
  });
  const { missing, ...counts } = report;
  if (missing.length > 0)
    ctx.log.error(
      { missing: missing.length, versions: missing.slice(0, 10) },
      'storage: objects without their file on disk',
    );
  if (Object.values(counts).some((count) => count > 0))
    ctx.log.warn({ ...counts }, 'storage: found mismatches between files and rows');
}

const livingOf = (ctx: StorageContext, versions: readonly string[]): Promise<ReadonlySet<string>> =>
  ctx.database.asRequest(serverContext(), (tx) => findLivingVersions(tx, versions), { readOnly: true });

/** The number of uploads that are read per query. */
const batchSize = 100;

/**
 * Aborts multipart uploads that didn't receive a part within the configured time. This corresponds to S3's lifecycle
 * action AbortIncompleteMultipartUpload, but the period starts when the last part is received. Deletes the rows first
 * and then the parts. Returns the number of aborted uploads.
 */
export async function expireMultipartUploads(ctx: StorageContext, signal: AbortSignal): Promise<number> {
  const before = new Date(ctx.clock.now() - ctx.multipartLifetimeMs);
  let expired = 0;
  for (let after = ''; !signal.aborted; ) {
    const ids = await ctx.database.asRequest(
      serverContext(),
      (tx) => listIdleUploads(tx, before, after, batchSize),
      { readOnly: true },
    );
    for (const id of ids) {
      if (signal.aborted) break;
      if (await expire(ctx, id, before)) expired += 1;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < batchSize) break;
    after = last;
  }
  return expired;
}

/** Expires an upload. Returns false if a part has arrived or the upload has ended since the upload was listed. */
function expire(ctx: StorageContext, id: string, before: Date): Promise<boolean> {
  return change(ctx, [], (change) => {
    change.committing();
    return ctx.database.asRequest(serverContext(), async (tx) => {
      // The rows of parts are written under the same lock, so either the next statement sees the new part, or the
      // request that adds the part finds that the upload no longer exists.
      if (!(await lockUpload(tx, id))) return false;
      const version = await deleteIdleUpload(tx, id, before);
      if (version === undefined) return false;
      await change.giveUp([version]);
      return true;
    });
  });
}
