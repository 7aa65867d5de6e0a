/**
 * Creates a data folder from a prepared cluster, in which initdb and all of Plinth's own migrations have already run.
 * Keeps a spare copy of the prepared cluster in the cache. For a new project, Plinth only renames the spare copy,
 * because copying and flushing about 1,500 files would take longer than the rest of the project's first start.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterLogins, type Logins } from '../logins.ts';
import { copyCluster, type Owner } from './copy-cluster.ts';
import type { Identity } from './identity.ts';
import { removeUnfinished, unfinishedPrefix } from './leftovers.ts';
import { readLoginSecret } from './login-secret.ts';

/** The password that `postgres` has in every prepared cluster. */
const preparedPassword = 'postgres';

/** The maximum number of files that are copied concurrently when the server's start depends on the copy. */
const maxParallel = 8;

/**
 * Creates the data folder `pgdata` from the prepared data folder `source`. Uses the spare copy of `source` if one
 * exists. The folder gets its final name only once it is complete. Returns the copy's logins, which are valid until the
 * passwords are changed, or undefined if the source can't be used.
 */
export async function copyPrepared(
  source: string,
  pgdata: string,
  identity: Identity,
  options: {
    readonly durable: boolean;
    /** Called when files are being copied, so that this process can do other work in the meantime. */
    readonly whileCopying?: (() => void) | undefined;
  },
): Promise<Logins | undefined> {
  const secret = readLoginSecret(source);
  if (secret === undefined || !existsSync(join(source, 'postgres'))) return undefined;
  removeUnfinished(pgdata);
  const home = dirname(pgdata);
  const work = join(home, `${unfinishedPrefix}${randomBytes(6).toString('hex')}`);
  try {
    // This process's user owns the copied files. If the server runs as a different user, that user must own the copied
    // files.
    const owner: Owner =
      process.getuid?.() !== 0 ? undefined : identity.kind === 'user' ? identity : { uid: 0, gid: 0 };
    const isSpare = options.durable && takeSpare(source, work, owner);
    if (!isSpare) {
      const copied = copyCluster(source, work, { owner, parallel: maxParallel });
      options.whileCopying?.();
      if (!(await copied)) return undefined;
      if (options.durable) await flushFolder(work);
    }
    // An existing extension folder is kept. If an existing extension folder is from another version, it is updated when
    // the server starts.
    const extensions = join(home, 'extensions');
    const copiedExtensions = join(work, 'extensions');
    if (existsSync(copiedExtensions) && !existsSync(extensions)) renameSync(copiedExtensions, extensions);
    renameSync(join(work, 'postgres'), pgdata);
    // Flushes the renames to disk before the server starts, so that a spare copy that is in use can't reappear in the
    // cache after a crash.
    if (options.durable) await flushPath(home);
    if (isSpare) await flushPath(source);
    return clusterLogins(secret, { password: preparedPassword, shared: false });
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

const spareName = 'spare';
const unfinishedSparePrefix = 'spare-';
/**
 * The age at which an unfinished copy is considered abandoned, because the process that created it must have been
 * killed.
 */
const staleMs = 3600_000;

/**
 * Moves the spare copy of `source` to the new folder `work`. Returns false if no spare copy exists, or if the spare
 * copy belongs to a user other than `owner` or can't be moved, for example because it is on another file system.
 */
function takeSpare(source: string, work: string, owner: Owner): boolean {
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
  const work = join(source, `${unfinishedSparePrefix}${randomBytes(6).toString('hex')}`);
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
    if (!name.startsWith(unfinishedSparePrefix)) continue;
    const path = join(source, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > staleMs)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * The time limit for flushing the whole file system. If flushing takes longer, other programs are probably writing a
 * lot of data to the same disk.
 */
const fileSystemLimitMs = 1500;
/**
 * The maximum number of files that are open at the same time. The number is low because the process may have few file
 * descriptors left.
 */
const maxOpenFiles = 32;

/** Flushes the folder and everything in it. When the promise resolves, the data would survive a power failure. */
async function flushFolder(folder: string): Promise<void> {
  // Windows can't flush folders, but Windows file systems journal renames.
  if (process.platform === 'win32') return;
  if (process.platform === 'linux' && (await flushFileSystem(folder))) return;
  const names = await readdir(folder, { recursive: true });
  const paths = [folder, ...names.map((name) => join(folder, name))].values();
  await Promise.all(
    Array.from({ length: maxOpenFiles }, async () => {
      for (const path of paths) await flushPath(path);
    }),
  );
}

/**
 * Flushes the whole file system that contains the folder. For a new cluster with 1,400 files, flushing the file system
 * takes about a quarter of the time that calling fsync for each file takes. Returns whether flushing finished within
 * the time limit.
 */
async function flushFileSystem(folder: string): Promise<boolean> {
  const finished = new Promise<boolean>((resolve) => {
    execFile('sync', ['-f', folder], (error) => resolve(error === null));
  });
  return Promise.race([finished, sleep(fileSystemLimitMs, false, { ref: false })]);
}

/** Flushes a single file or, for a folder, its list of entries. */
async function flushPath(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r').catch(ignoreMissing);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/** Ignores the error if the file has been removed in the meantime. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENXIO') throw error;
}
