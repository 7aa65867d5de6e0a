/**
 * Creates the folder for the workers' sockets and temporary files. The folder is in the system's temporary folder
 * because a socket address is limited to about 100 bytes. Folders that remain from a killed process are removed when
 * the next process starts its first worker.
 */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'plinth-fn-';
/** A file in each folder that identifies the process and project that own it. */
const ownerFile = 'owner';

/** `project` identifies the project. Folders of other projects aren't removed. */
export function makeRunFolder(project: string): string {
  removeLeftOver(project);
  const folder = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(join(folder, ownerFile), JSON.stringify({ pid: process.pid, project }), { mode: 0o600 });
  return folder;
}

function removeLeftOver(project: string): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const owner = ownerOf(folder);
    if (owner?.project === project && owner.pid !== process.pid && !isAlive(owner.pid))
      rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns undefined for a folder that doesn't belong to this user or is incomplete. All users can write to the
 * temporary folder. Reading a pipe would block forever, and another user could replace a folder with a symbolic link to
 * this user's files during removal.
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
