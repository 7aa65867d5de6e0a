/**
 * Implements the sweeps of the backends, which compare the stored bytes with the rows in both directions. After a crash,
 * intents identify bytes that unfinished changes left behind. The sweep finds bytes that intents can't identify,
 * because an intent was lost in a power failure or a row was deleted outside the server.
 *
 * A body without a row is moved to `orphans` and removed after a week, or restored if its row reappears. The delay is
 * necessary because the rows might belong to another database, for example after a backup was restored or a database
 * address was mistyped. A sweep must not make such a mistake permanent.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FilePaths, isVersion } from './file-paths.ts';
import { isMissing, moved, removeTree, syncDirectory } from './file-system.ts';
import { type Bucket, removeKeys } from './s3-bucket.ts';
import type { SweepOptions, SweepReport } from './types.ts';

/** Files that were modified more recently than this may belong to an open transaction. The sweep ignores such files. */
export const sweepGraceMs = 60 * 60 * 1000;
export const orphanLifetimeMs = 7 * 24 * 60 * 60 * 1000;
const partialLifetimeMs = 24 * 60 * 60 * 1000;

const digits = '0123456789abcdef';

export async function sweepFiles(paths: FilePaths, options: SweepOptions): Promise<SweepReport> {
  const { nowMs, signal } = options;
  let putAside = 0;
  let restored = 0;
  let removed = 0;
  const missing: string[] = [];
  const aside = new Set(await namesIn(paths.orphans));
  const uploads = await namesIn(paths.uploads);

  for (const digit of digits) {
    if (signal.aborted) break;
    // The rows are read before the files, so files that are stored later are recent enough to be skipped.
    const living = await options.livingWith(digit);
    const objects = new Set(living.objects);
    const found = new Set<string>();
    for (const shard of await shardsWith(paths, digit)) {
      for (const version of await namesIn(join(paths.objects, shard))) {
        found.add(version);
        if (objects.has(version)) continue;
        if (!(await isOlder(paths.object(version), nowMs - sweepGraceMs))) continue;
        // Another process may be running the same sweep and may already have moved the file.
        if (await moved(paths.object(version), paths.orphan(version))) putAside += 1;
      }
    }
    for (const version of objects) {
      if (found.has(version) || !isVersion(version)) continue;
      if (aside.has(version) && (await restore(paths, version))) restored += 1;
      else missing.push(version);
    }
    const open = new Set(living.uploads);
    for (const version of uploads) {
      if (!version.startsWith(digit) || open.has(version)) continue;
      const isOld = await isOlder(paths.upload(version), nowMs - sweepGraceMs);
      if (isOld && (await removeTree(paths.upload(version)))) removed += 1;
    }
  }

  for (const version of await namesIn(paths.orphans)) {
    const isOld = await isOlder(paths.orphan(version), nowMs - orphanLifetimeMs);
    if (isOld && (await removeTree(paths.orphan(version)))) removed += 1;
  }
  for (const version of await namesIn(paths.partial)) {
    const isOld = await isOlder(paths.partialOf(version), nowMs - partialLifetimeMs);
    if (isOld && (await removeTree(paths.partialOf(version)))) removed += 1;
  }
  // Versions that were removed or replaced after the rows were read aren't reported as missing.
  const stillLiving = missing.length === 0 ? new Set() : await options.findLiving(missing);
  return { putAside, restored, removed, missing: missing.filter((version) => stillLiving.has(version)) };
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter(isVersion);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function shardsWith(paths: FilePaths, digit: string): Promise<string[]> {
  const shards = await readdir(paths.objects);
  return shards.filter((shard) => shard.startsWith(digit) && /^[0-9a-f]{2}$/.test(shard));
}

/** Whether a file was last renamed or written more than `thanMs` ago. Returns false for a missing file. */
async function isOlder(path: string, thanMs: number): Promise<boolean> {
  try {
    return (await stat(path)).ctimeMs < thanMs;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function restore(paths: FilePaths, version: string): Promise<boolean> {
  if (!(await moved(paths.orphan(version), paths.object(version)))) return false;
  await syncDirectory(paths.shard(version));
  return true;
}

/**
 * Sweeps the S3 backend, with the same rules. Moving an orphan copies the object, so the orphan's age is measured from
 * the time of the move.
 */
export async function sweepS3(bucket: Bucket, options: SweepOptions): Promise<SweepReport> {
  const { nowMs, signal } = options;
  let putAside = 0;
  let restored = 0;
  let removed = 0;
  const missing: string[] = [];
  for (const digit of digits) {
    if (signal.aborted) break;
    // The rows are read before the objects are listed. Any object that is stored after the rows were read is therefore
    // recent enough to be skipped.
    const living = await options.livingWith(digit);
    const objects = new Set(living.objects);
    // The body of a resumable upload is complete before its row is committed.
    const open = new Set(living.uploads);
    const found = new Set<string>();
    for await (const { key, lastModifiedMs } of bucket.listed(bucket.folder('objects', digit))) {
      const version = key.slice(bucket.folder('objects').length);
      found.add(version);
      if (
        !isVersion(version) ||
        objects.has(version) ||
        open.has(version) ||
        lastModifiedMs > nowMs - sweepGraceMs
      )
        continue;
      if (await move(bucket, key, bucket.orphan(version))) putAside += 1;
    }
    for (const version of objects) {
      if (found.has(version) || !isVersion(version)) continue;
      if (await move(bucket, bucket.orphan(version), bucket.object(version))) restored += 1;
      else missing.push(version);
    }
    for await (const { key, lastModifiedMs } of bucket.listed(bucket.folder('uploads', digit))) {
      const upload = key.slice(bucket.folder('uploads').length).split('/', 1)[0] ?? '';
      if (open.has(upload) || lastModifiedMs > nowMs - sweepGraceMs) continue;
      await removeKeys(bucket, [key]);
      removed += 1;
    }
  }
  for await (const { key, lastModifiedMs } of bucket.listed(bucket.folder('orphans'))) {
    if (lastModifiedMs > nowMs - orphanLifetimeMs) continue;
    await removeKeys(bucket, [key]);
    removed += 1;
  }
  // Versions that were removed or replaced after the rows were read aren't reported as missing.
  const stillLiving = missing.length === 0 ? new Set() : await options.findLiving(missing);
  return { putAside, restored, removed, missing: missing.filter((version) => stillLiving.has(version)) };
}

/** Moves an object within the bucket. Returns false if the source doesn't exist. */
async function move(bucket: Bucket, from: string, to: string): Promise<boolean> {
  if (!(await bucket.copy(from, to))) return false;
  await removeKeys(bucket, [from]);
  return true;
}
