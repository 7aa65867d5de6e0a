/**
 * The file backend's sweep: disk and rows compared, both ways. Intents settle what a crash leaves; this finds what they
 * cannot know: bytes whose intent a power cut took along, or whose rows were deleted behind the server's back.
 *
 * A body without a row is put aside and removed a week later, and comes back if its row does: rows may be those of
 * another database (a backup restored, an address mistyped), and a sweep must not be what makes that final.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './file-errors.ts';
import { type FilePaths, isVersion } from './file-paths.ts';
import { moved, removeTree, syncDirectory } from './file-system.ts';
import type { SweepOptions, SweepReport } from './types.ts';

/** What was touched since then may belong to a transaction that is still open. */
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
    // Rows first: whatever is stored from here on is on the disk and young.
    const living = await options.livingWith(digit);
    const objects = new Set(living.objects);
    const found = new Set<string>();
    for (const shard of await shardsWith(paths, digit)) {
      for (const version of await namesIn(join(paths.objects, shard))) {
        found.add(version);
        if (objects.has(version)) continue;
        if (!(await isOlder(paths.object(version), nowMs - sweepGraceMs))) continue;
        // Another process may sweep too.
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
  // Removed, or replaced, since the rows were read.
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

/** By the time of the last change of its name or bytes; false for what is not there. */
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
