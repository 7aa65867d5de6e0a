/** Makes changes to the entries of a folder durable. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until creations, renames and removals in the folder will survive a power failure. */
export function syncFolder(path: string): void {
  // Windows can't flush a folder. NTFS journals renames instead.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
