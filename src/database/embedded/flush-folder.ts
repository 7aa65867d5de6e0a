/** Flushes the files of a folder to disk. */
import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The time limit for flushing the whole file system. If a flush takes longer, other programs are probably writing a lot
 * of data to the same disk.
 */
const fileSystemLimitMs = 1500;
/** The maximum number of open files. It is low because the process may have few file descriptors left. */
const maxOpenFiles = 32;

/** Flushes the folder and everything in it. Once it resolves, the data survives a power failure. */
export async function flushFolder(folder: string): Promise<void> {
  // Windows can't flush a folder, but its file systems journal renames.
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
 * Flushes the whole file system that contains the folder. For a new cluster of 1,400 files, this takes about a quarter
 * of the time of one fsync per file. Returns whether the flush finished in time.
 */
async function flushFileSystem(folder: string): Promise<boolean> {
  const finished = new Promise<boolean>((resolve) => {
    execFile('sync', ['-f', folder], (error) => resolve(error === null));
  });
  return Promise.race([finished, sleep(fileSystemLimitMs, false, { ref: false })]);
}

/** Flushes a single file, or the entries of a single folder. */
export async function flushPath(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r').catch(ignoreMissing);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/** Ignores the error if the file has since been removed. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENXIO') throw error;
}
