/** What the file backend asks of a file system beyond Node's own calls. */
import { constants } from 'node:fs';
import { copyFile, link, open, rename, rm, unlink } from 'node:fs/promises';
import { cannotLink, isDirectoryError, isMissing } from './file-errors.ts';

/** Makes the names in a folder survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a folder for syncing; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** False: there is nothing of that name, since others move and remove too. */
export async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Removes a file, or a folder with what is in it. False: there was none. */
export async function removeTree(path: string): Promise<boolean> {
  try {
    await unlink(path);
  } catch (error) {
    if (isMissing(error)) return false;
    if (!isDirectoryError(error)) throw error;
    await rm(path, { recursive: true, force: true });
  }
  return true;
}

/** A second name of a synced file; where the file system has no such thing, a copy that is synced too. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    const handle = await open(to, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
