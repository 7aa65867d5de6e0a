/**
 * Removes files that aren't needed to restore the database to any time in the retention window. Manifests are removed
 * first, so that an incomplete backup is never listed.
 */
import type { Bodies } from './bodies.ts';
import { type BaseManifest, reach, readManifests, readWalCatalog } from './catalog.ts';
import { isPlausible } from './core/clock.ts';
import { replacedChunks } from './core/coverage.ts';
import { parseLsn } from './core/lsn.ts';
import {
  baseFile,
  baseFolder,
  bodyFolder,
  bodyName,
  holdFolder,
  parseBaseName,
  parseHold,
  snapshotFolder,
  timeOfName,
  unusedFolder,
  unusedName,
  versionOfBody,
} from './core/names.ts';
import { BackupError } from './errors.ts';
import type { Repository } from './repository.ts';

interface PruneOptions {
  readonly repository: Repository;
  readonly nowMs: number;
  readonly keepMs: number;
  /** Returns the versions of all rows. Must be called after the target's object bodies have been listed. */
  readonly listVersions: () => Promise<readonly string[]>;
  readonly bodies: Pick<Bodies, 'forget'>;
}

export interface PruneReport {
  readonly kept: number;
  readonly backups: number;
  readonly wal: number;
  readonly bodies: number;
  readonly snapshots: number;
}

/** The age up to which an unfinished base backup is kept, because the backup may still be running. */
const unfinishedMs = 24 * 60 * 60 * 1000;

/** Applies retention. @throws {BackupError} clock_implausible, damaged */
export async function prune(options: PruneOptions): Promise<PruneReport> {
  const { repository, nowMs, keepMs } = options;
  const manifests = await readManifests(repository);
  await checkClock(options, manifests);
  const { kept, expired } = retain(manifests, Math.min(nowMs - keepMs, await oldestHeld(options, manifests)));
  for (const { id } of expired) await repository.remove(baseFile(id, 'manifest'));
  await removeBases(repository, new Set(kept.map(({ id }) => id)), nowMs);
  await repository.removeUnfinished(nowMs - unfinishedMs);
  const oldest = kept.at(-1);
  // Without a base backup, any file could still be needed.
  if (oldest === undefined) return { kept: 0, backups: expired.length, wal: 0, bodies: 0, snapshots: 0 };
  return {
    kept: kept.length,
    backups: expired.length,
    wal: await removeWal(repository, kept),
    snapshots: await removeSnapshots(repository, oldest.endedAtMs),
    bodies: await removeBodies(options, oldest.endedAtMs),
  };
}

/**
 * Returns the end of the oldest base backup that a restore is reading. Removes holds that are older than a day, because
 * the processes that created them were probably killed.
 */
async function oldestHeld(
  { repository, nowMs }: PruneOptions,
  manifests: readonly BaseManifest[],
): Promise<number> {
  let oldestMs = Number.POSITIVE_INFINITY;
  for await (const { name } of repository.list(holdFolder)) {
    const hold = parseHold(name);
    if (hold === undefined) continue;
    if (nowMs - hold.timeMs > unfinishedMs) await repository.remove(name);
    else {
      const held = manifests.find(({ id }) => id === hold.id);
      oldestMs = Math.min(oldestMs, held?.endedAtMs ?? oldestMs);
    }
  }
  return oldestMs;
}

async function checkClock(
  { repository, nowMs, keepMs }: PruneOptions,
  manifests: readonly BaseManifest[],
): Promise<void> {
  if (manifests.length === 0) return;
  const catalog = await readWalCatalog(repository);
  const newestBackupMs = Math.max(...manifests.map(({ endedAtMs }) => endedAtMs));
  const newestArchivedMs = Math.max(...manifests.map((manifest) => reach(catalog, manifest).newestMs));
  if (!isPlausible({ nowMs, keepMs, newestBackupMs, newestArchivedMs }))
    throw new BackupError(
      'clock_implausible',
      `The newest backup ended at ${new Date(newestBackupMs).toISOString()}.`,
    );
}

async function removeBases(repository: Repository, kept: ReadonlySet<string>, nowMs: number): Promise<void> {
  const files = new Map<string, { names: string[]; newestMs: number; isComplete: boolean }>();
  for await (const { name, modifiedAtMs } of repository.list(baseFolder)) {
    const parsed = parseBaseName(name);
    if (parsed === undefined || kept.has(parsed.id)) continue;
    const group = files.get(parsed.id) ?? { names: [], newestMs: 0, isComplete: false };
    group.names.push(name);
    group.newestMs = Math.max(group.newestMs, modifiedAtMs);
    // The backup was completed after the manifests had been read, so it isn't in `kept`.
    if (parsed.file === 'manifest') group.isComplete = true;
    files.set(parsed.id, group);
  }
  for (const { names, newestMs, isComplete } of files.values()) {
    if (isComplete || nowMs - newestMs < unfinishedMs) continue;
    for (const name of names) await repository.remove(name);
  }
}

async function removeWal(repository: Repository, kept: readonly BaseManifest[]): Promise<number> {
  const { ranges } = await readWalCatalog(repository);
  const needed = new Map<number, bigint>();
  for (const { timeline, startLsn } of kept) {
    const start = parseLsn(startLsn);
    const known = needed.get(timeline);
    if (known === undefined || start < known) needed.set(timeline, start);
  }
  const newest = Math.max(...needed.keys());
  const unneeded = ranges.filter(({ timeline, end }) => {
    const start = needed.get(timeline);
    // Keeps the WAL of newer timelines, because the first base backup of such a timeline may still be running.
    return start === undefined ? timeline < newest : end <= start;
  });
  const removed = new Set([...unneeded, ...replacedChunks(ranges)].map(({ name }) => name));
  for (const name of removed) await repository.remove(name);
  return removed.size;
}

/** Removes the snapshots from before the oldest recoverable time, except the newest of these snapshots. */
async function removeSnapshots(repository: Repository, oldestMs: number): Promise<number> {
  const times: number[] = [];
  for await (const { name } of repository.list(snapshotFolder)) {
    const time = timeOfName(name, snapshotFolder);
    if (time !== undefined && time <= oldestMs) times.push(time);
  }
  times.sort((a, b) => a - b).pop();
  for (const time of times) await repository.remove(`${snapshotFolder}${String(time).padStart(13, '0')}`);
  return times.length;
}

/** Removes object bodies that have had no row since before the oldest recoverable time. */
async function removeBodies(
  { repository, nowMs, listVersions, bodies }: PruneOptions,
  oldestMs: number,
): Promise<number> {
  const stored: string[] = [];
  for await (const { name } of repository.list(bodyFolder)) {
    const version = versionOfBody(name);
    if (version !== undefined) stored.push(version);
  }
  const living = new Set(await listVersions());
  const unusedSince = await readUnused(repository);
  const stillUnused = stored.filter((version) => !living.has(version));
  const removable = stillUnused.filter((version) => (unusedSince.get(version) ?? nowMs) < oldestMs);
  for (const version of removable) {
    bodies.forget(version);
    await repository.remove(bodyName(version));
  }
  const removed = new Set(removable);
  await writeUnused(
    repository,
    nowMs,
    stillUnused.filter((version) => !removed.has(version)),
    unusedSince,
  );
  return removable.length;
}

/** Returns, for each object body without a row, the time at which it was first listed without a row. */
export async function readUnused(repository: Repository): Promise<ReadonlyMap<string, number>> {
  let newest = -1;
  for await (const { name } of repository.list(unusedFolder))
    newest = Math.max(newest, timeOfName(name, unusedFolder) ?? -1);
  const bytes = newest < 0 ? undefined : await repository.readBytes(unusedName(newest));
  return new Map(
    Object.entries(bytes === undefined ? {} : (JSON.parse(bytes.toString('utf8')) as Record<string, number>)),
  );
}

async function writeUnused(
  repository: Repository,
  nowMs: number,
  versions: readonly string[],
  since: ReadonlyMap<string, number>,
): Promise<void> {
  const content = Object.fromEntries(versions.map((version) => [version, since.get(version) ?? nowMs]));
  await repository.writeBytes(unusedName(nowMs), Buffer.from(JSON.stringify(content)));
  for await (const { name } of repository.list(unusedFolder)) {
    const time = timeOfName(name, unusedFolder);
    if (time !== undefined && time < nowMs) await repository.remove(name);
  }
}

interface Dated {
  readonly id: string;
  /**
   * The time at which the base backup ended. The database can be restored from this backup to any later point in time.
   */
  readonly endedAtMs: number;
}

/**
 * Splits backups into those to keep and those to remove. The newest backup before the retention window is also kept,
 * because restoring the database to the start of the window requires this backup.
 */
export function retain<T extends Dated>(
  backups: readonly T[],
  windowStartMs: number,
): { readonly kept: readonly T[]; readonly expired: readonly T[] } {
  const newestFirst = [...backups].sort((a, b) => b.endedAtMs - a.endedAtMs);
  const base = newestFirst.findIndex(({ endedAtMs }) => endedAtMs <= windowStartMs);
  const kept = base < 0 ? newestFirst : newestFirst.slice(0, base + 1);
  return { kept, expired: newestFirst.slice(kept.length) };
}
