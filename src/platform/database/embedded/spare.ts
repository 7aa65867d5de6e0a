/**
 * Keeps a spare copy of the prepared cluster in the cache. For a new project, Plinth only renames the spare copy,
 * because copying and flushing about 1,500 files would take longer than the rest of the project's first start.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copyCluster, type Owner } from './copy-cluster.ts';
import { flushFolder, flushPath } from './flush-folder.ts';

const spareName = 'spare';
const unfinishedPrefix = 'spare-';
/**
 * The age at which an unfinished copy is considered abandoned, because the process that created it must have been
 * killed.
 */
const staleMs = 3600_000;

/**
 * Moves the spare copy of `source` to the new folder `work`. Returns false if no spare copy exists, or if the spare
 * copy belongs to a user other than `owner` or can't be moved, for example because it is on another file system.
 */
export function takeSpare(source: string, work: string, owner: Owner): boolean {
  const spare = join(source, spareName);
  try {
    if (owner !== undefined && statSync(join(spare, 'postgres')).uid !== owner.uid) return false;
    renameSync(spare, work);
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates a spare copy of `source` if none exists. The spare copy's files belong to the owner of `pgdata`, because the
 * next new project will probably have the same owner. The copy gets its final name only once it is complete and
 * flushed.
 */
export async function makeSpare(source: string, pgdata: string): Promise<void> {
  const spare = join(source, spareName);
  if (existsSync(spare)) return;
  removeStale(source);
  const { uid, gid } = statSync(pgdata);
  const owner = process.getuid?.() === 0 ? { uid, gid } : undefined;
  const work = join(source, `${unfinishedPrefix}${randomBytes(6).toString('hex')}`);
  try {
    // Copies one file at a time, because the server is running and needs the thread pool.
    if (!(await copyCluster(source, work, { owner, parallel: 1 }))) return;
    await flushFolder(work);
    try {
      renameSync(work, spare);
    } catch (error) {
      // Another process has created a spare copy in the meantime.
      if (existsSync(spare)) return;
      throw error;
    }
    await flushPath(source);
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

function removeStale(source: string): void {
  for (const name of readdirSync(source)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    const path = join(source, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > staleMs)
      rmSync(path, { recursive: true, force: true });
  }
}
