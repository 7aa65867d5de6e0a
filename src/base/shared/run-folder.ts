/**
 * Creates the folder for the sockets and temporary files of workers. The folder is in the system's temporary folder,
 * because socket paths are limited to about 100 bytes. When a process starts its first worker, it removes the folders
 * of processes that were killed.
 */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The name of a file that each of these folders contains. The file identifies the process and the project that the
 * folder belongs to.
 */
const ownerFile = 'owner';

/**
 * Creates the folder. `prefix` is the beginning of the folder's name. `project` identifies the project. Folders of
 * other projects aren't removed.
 */
export function makeRunFolder(prefix: string, project: string): string {
  removeLeftOver(prefix, project);
  const folder = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(join(folder, ownerFile), JSON.stringify({ pid: process.pid, project }), { mode: 0o600 });
  return folder;
}

function removeLeftOver(prefix: string, project: string): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const owner = ownerOf(folder);
    if (owner?.project === project && owner.pid !== process.pid && !isAlive(owner.pid))
      rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the owner of a folder, or undefined if the folder doesn't belong to this user or is incomplete. All users can
 * write to the temporary folder. Another user could create a pipe, which would block the reader forever. Another user
 * could also replace a folder with a symbolic link to this user's files while the folder is being removed.
 */
function ownerOf(folder: string): { readonly pid: number; readonly project: string } | undefined {
  try {
    const file = join(folder, ownerFile);
    const [facts, fileFacts] = [lstatSync(folder), lstatSync(file)];
    const isOurs = process.getuid === undefined || facts.uid === process.getuid();
    if (!isOurs || !facts.isDirectory() || !fileFacts.isFile()) return undefined;
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Whether a process with this ID exists on this machine. The result is also true for processes of other users, which
 * can't be signaled.
 */
export function isAlive(pid: number): boolean {
  // Zero and negative IDs would refer to process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
