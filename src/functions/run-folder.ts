/**
 * Where workers have their sockets and temporary files: the system's own folder, since the address of a socket has room for
 * some 100 bytes only. What a killed process left there goes when the next one starts its first worker.
 */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'plinth-fn-';
/** In each of them: the process that made it, and for which project. */
const ownerFile = 'owner';

/** `project` stands for the project: folders of others are not touched. */
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
 * Undefined for what isn't ours, or wasn't finished. Everyone may put things there: a pipe would be read forever, and a folder that
 * another user exchanges for a link while it is removed would take our own files along.
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
