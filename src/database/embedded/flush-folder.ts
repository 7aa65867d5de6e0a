/** Writes the files of a folder to disk. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Waits until everything in the folder, including the folder itself, survives a power failure. */
export async function flushFolder(folder: string): Promise<void> {
  // Windows has no way to flush a folder, and its file systems journal renames.
  if (process.platform === 'win32') return;
  const names = await readdir(folder, { recursive: true });
  await Promise.all([folder, ...names.map((name) => join(folder, name))].map(flushPath));
}

/** Flushes one file, or the names in one folder. */
export async function flushPath(path: string): Promise<void> {
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
