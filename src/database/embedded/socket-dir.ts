/**
 * Chooses the folder for the Unix socket. The folder must be private, and its path must be short because a socket
 * address is limited to 107 bytes.
 */
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Identity } from './identity.ts';

/**
 * The maximum length of the folder's path. The longest name that PostgreSQL appends to the folder's path is
 * `/.s.PGSQL.65535.lock`.
 */
const maxFolderBytes = 80;

/**
 * Removes the socket of a server that was killed, and the socket's lock file, which contains the ID of a process that
 * no longer exists.
 */
export function emptySocketDir(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(folder, name), { force: true });
  }
}

/** Creates the socket folder for the cluster at `dataDir` and makes `identity` the folder's owner. */
export function makeSocketDir(dataDir: string, identity: Identity): string {
  const beside = join(dataDir, 'run');
  if (Buffer.byteLength(beside) <= maxFolderBytes && !beside.includes(delimiter))
    return own(beside, identity);
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const hashed = join(tmpdir(), `plinth-${process.getuid?.() ?? 0}-${hash}`);
  try {
    return own(hashed, identity);
  } catch {
    // Another user owns the default folder, so a folder with an unpredictable name is used instead.
    return own(mkdtempSync(join(tmpdir(), 'plinth-')), identity);
  }
}

function own(folder: string, identity: Identity): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ids =
    identity.kind === 'user' ? identity : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const stat = lstatSync(folder);
  const allowed = stat.uid === ids.uid || stat.uid === process.getuid?.();
  if (!stat.isDirectory() || !allowed) throw new Error(`${folder} belongs to another user`);
  if (stat.uid !== ids.uid) chownSync(folder, ids.uid, ids.gid);
  chmodSync(folder, 0o700);
  return folder;
}
