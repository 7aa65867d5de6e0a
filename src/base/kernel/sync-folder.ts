/** Makes changes to a folder's entries survive a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes the folder, so that earlier creations, renames and removals in it survive a power failure. */
export function syncFolder(path: string): void {
  // On Windows, a process can't flush a folder, but NTFS journals renames.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
