/**
 * Checks that a restored copy fits on the disk, before and during the restore. The reserve isn't available to the
 * restore, because a server on the same disk rejects writes when only the reserve is left.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DiskSpace, reserveOf } from '../../base/kernel/disk.ts';
import { sizeText } from '../../base/shared/printable.ts';
import type { Choice, WalCatalog } from './catalog.ts';
import { parseLsn } from './core/lsn.ts';
import { bodyFolder, versionOfBody } from './core/names.ts';
import { BackupError } from './errors.ts';
import type { Repository } from './repository.ts';

const MiB = 1024 * 1024;
/** PostgreSQL's `max_wal_size`. The amount of WAL that recovery keeps before it removes older segments. */
const maxKeptWal = 1024 * MiB;
/** The space required for prefetched segments and for the files that PostgreSQL creates at startup. */
const overhead = 64 * MiB;
/**
 * The multiple of the reserve that must remain free after a restore. With less free space, the health check reports
 * that the disk is filling up.
 */
const reserves = 2;
/** The multiple of the reserve that must remain free during a restore, which is aborted otherwise. */
const endAtReserves = 1.25;
const watchEveryMs = 250;

export interface SpaceOptions {
  /** The folder for the restored copy, which may not exist yet. */
  readonly dir: string;
  /** The folder that is named in messages. */
  readonly shownDir: string;
  /** `[database] reserved_space`. If undefined, the reserve depends on the size of the disk. */
  readonly reservedBytes: number | undefined;
  /** Set only in tests. */
  readonly measure?: ((dir: string) => Promise<DiskSpace>) | undefined;
}

/**
 * Estimates the size of the database and its WAL after recovery. Assumes that the database grows by the size of the
 * replayed WAL, but at most by a quarter. If this estimate is too low, `watchSpace` aborts the restore.
 */
export function databaseBytes({ manifest, end }: Choice, { ranges }: Pick<WalCatalog, 'ranges'>): number {
  const backupEnd = parseLsn(manifest.endLsn);
  const replayed = ranges
    .filter((range) => range.timeline === manifest.timeline && range.end > backupEnd && range.start < end)
    .reduce((last, range) => (range.end > last ? range.end : last), backupEnd);
  const walBytes = Number(replayed - backupEnd);
  const growth = Math.min(walBytes, manifest.sizeBytes / 4);
  return Math.ceil(manifest.sizeBytes + Math.min(walBytes, maxKeptWal) + growth + overhead);
}

/** Returns the stored size of each object version, which is slightly larger than the original size. */
export async function bodySizes(repository: Pick<Repository, 'list'>): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { name, sizeBytes } of repository.list(bodyFolder)) {
    const version = versionOfBody(name);
    if (version !== undefined) sizes.set(version, sizeBytes);
  }
  return sizes;
}

/** Returns the total size of the given object versions. */
export const sumOf = (sizes: ReadonlyMap<string, number>, versions: Iterable<string>): number => {
  let sum = 0;
  for (const version of versions) sum += sizes.get(version) ?? 0;
  return sum;
};

/** Checks that there is enough free space. @throws {BackupError} no_space */
export async function checkSpace(neededBytes: number, options: SpaceOptions): Promise<void> {
  const space = await measure(options);
  const reserve = reserves * reserveOf(space, options.reservedBytes);
  if (space.freeBytes - reserve >= neededBytes) return;
  throw new BackupError(
    'no_space',
    `${sizeText(neededBytes)} in ${options.shownDir}, where ${sizeText(Math.max(0, space.freeBytes - reserve))} are ` +
      `available in addition to the reserve of ${sizeText(reserve)}.`,
  );
}

/** Monitors the free space and aborts the returned signal if the disk fills up. The caller must call `stop`. */
export function watchSpace(options: SpaceOptions): {
  readonly signal: AbortSignal;
  stop(): void;
} {
  const filled = new AbortController();
  let isMeasuring = false;
  const timer = setInterval(async () => {
    if (isMeasuring) return;
    isMeasuring = true;
    try {
      const space = await measure(options);
      if (space.freeBytes < endAtReserves * reserveOf(space, options.reservedBytes))
        filled.abort(
          new BackupError(
            'no_space',
            `more than the space in ${options.shownDir}, where ${sizeText(space.freeBytes)} are left.`,
          ),
        );
    } catch {
      // This error is ignored because the folder was removed or the free space can't be measured. If the disk is full,
      // writing a file fails with an error.
    } finally {
      isMeasuring = false;
    }
  }, watchEveryMs);
  timer.unref();
  return { signal: filled.signal, stop: () => clearInterval(timer) };
}

const measure = ({ dir, measure: given = spaceOf }: SpaceOptions): Promise<DiskSpace> => given(dir);

async function spaceOf(dir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(existingParent(dir));
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function existingParent(dir: string): string {
  const parent = dirname(dir);
  return existsSync(dir) || parent === dir ? dir : existingParent(parent);
}
