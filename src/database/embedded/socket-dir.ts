/** The folder of the unix socket: private, and short enough for the 107 bytes an address may have. */
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Identity } from './identity.ts';

/** `/.s.PGSQL.65535.lock` is the longest name PostgreSQL adds. */
const longestFolderBytes = 80;

/** Removes what a killed server left: its socket and the lock beside it, which names a process long gone. */
export function emptySocketDir(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(folder, name), { force: true });
  }
}

/** Makes the folder for the cluster at `dataDir` and gives it to `identity`. */
export function makeSocketDir(dataDir: string, identity: Identity): string {
  const beside = join(dataDir, 'run');
  if (Buffer.byteLength(beside) <= longestFolderBytes && !beside.includes(delimiter))
    return own(beside, identity);
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const hashed = join(tmpdir(), `plinth-${process.getuid?.() ?? 0}-${hash}`);
  try {
    return own(hashed, identity);
  } catch {
    // Somebody else made that folder first; one that nobody can foresee is as good.
    return own(mkdtempSync(join(tmpdir(), 'plinth-')), identity);
  }
}

function own(folder: string, identity: Identity): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ids =
    identity.kind === 'user' ? identity : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const stat = lstatSync(folder);
  const allowed = stat.uid === ids.uid || stat.uid === process.getuid?.();
  if (!stat.isDirectory() || !allowed) throw new Error(`${folder} belongs to somebody else`);
  if (stat.uid !== ids.uid) chownSync(folder, ids.uid, ids.gid);
  chmodSync(folder, 0o700);
  return folder;
}
