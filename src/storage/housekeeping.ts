/**
 * Recurring maintenance, also run at startup: settles intents of dead processes, removes expired uploads, and compares
 * stored bodies with rows.
 */
import { sweepGraceMs } from './backend/file-sweep.ts';
import { expireMultipartUploads } from './multipart-expiry.ts';
import { deleteLeftChecksums } from './queries/checksums.ts';
import { findLivingVersions, listVersionsWith } from './queries/objects.ts';
import { uploadLifetimeMs } from './resumable/uploads.ts';
import { serverContext } from './scope.ts';
import type { StorageService } from './service.ts';

const recoverEveryMs = 5 * 60 * 1000;
const forgetEveryMs = 60 * 60 * 1000;
const sweepEveryMs = 24 * 60 * 60 * 1000;
/** The first sweep runs well after startup. */
const firstSweepMs = 10 * 60 * 1000;

export interface Housekeeping {
  start(): void;
  stop(): void;
}

export function createHousekeeping(service: StorageService): Housekeeping {
  const stopped = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const settle = (): void => {
    void service.tasks.run('recover', () => recover(service));
  };
  const forget = (): void => {
    void service.tasks.run('forget uploads', () => forgetExpired(service));
    void service.tasks.run('expire multipart uploads', () => expireParts(service, stopped.signal));
  };
  const sweepAll = (): void => {
    void service.tasks.run('sweep', () => sweep(service, stopped.signal));
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

/** Settles the intents of dead processes. */
async function recover(service: StorageService): Promise<void> {
  const report = await service.backend.recover((versions) => livingOf(service, versions));
  if (report.settledIntents > 0)
    service.log.info({ ...report }, 'storage: completed operations of an earlier run');
}

/** Removes resumable uploads, finished or not, that weren't used within their lifetime. */
export async function forgetExpired(service: StorageService): Promise<void> {
  const { staging, locks } = service.resumable;
  const before = service.clock.now() - uploadLifetimeMs;
  const isOld = async (id: string): Promise<boolean> => ((await staging.touchedAt(id)) ?? before) < before;
  for (const id of await staging.list()) {
    if (!(await isOld(id))) continue;
    await locks.holdIfFree(id, async () => {
      if (await isOld(id)) await staging.remove(id);
    });
  }
}

async function expireParts(service: StorageService, signal: AbortSignal): Promise<void> {
  const expired = await expireMultipartUploads(service, signal);
  if (expired > 0) service.log.info({ expired }, 'storage: aborted expired multipart uploads');
}

export async function sweep(service: StorageService, signal: AbortSignal): Promise<void> {
  const { backend } = service;
  if (service.keepsChecksums)
    await deleteLeftChecksums(service.database.pool('supabase_storage_admin'), sweepGraceMs / 1000);
  if (!backend.sweep) return;
  const report = await backend.sweep({
    livingWith: (digit) =>
      service.database.asRequest(serverContext(), (tx) => listVersionsWith(tx, digit), { readOnly: true }),
    findLiving: (versions) => livingOf(service, versions),
    nowMs: service.clock.now(),
    signal,
  });
  const { missing, ...counts } = report;
  if (missing.length > 0)
    service.log.error(
      { missing: missing.length, versions: missing.slice(0, 10) },
      'storage: objects without their file on disk',
    );
  if (Object.values(counts).some((count) => count > 0))
    service.log.warn({ ...counts }, 'storage: found mismatches between files and rows');
}

const livingOf = (service: StorageService, versions: readonly string[]): Promise<ReadonlySet<string>> =>
  service.database.asRequest(serverContext(), (tx) => findLivingVersions(tx, versions), { readOnly: true });
