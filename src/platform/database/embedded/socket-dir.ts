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
 * The maximum length of the folder's path. The longest socket address in the folder is that of an upgrade's old
 * cluster, which is `/old-`, six random characters and `/.s.PGSQL.5432`. On macOS, an address is limited to 103 bytes.
 */
const maxFolderBytes = 77;

const oldClusterPrefix = 'old-';
/** The folder of the extensions that an upgrade's new cluster uses. */
export const upgradeExtensions = 'upgrade';

/**
 * Removes the socket of a server that was killed, the socket's lock file, which contains the ID of a process that no
 * longer exists, and the folders of an upgrade that was killed.
 */
export function emptySocketDir(folder: string): void {
  for (const name of readdirSync(folder)) {
    const isRemains = name.startsWith('.s.PGSQL.') || name.startsWith(oldClusterPrefix);
    if (isRemains || name === upgradeExtensions) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Creates the folder for the socket and the configuration of an upgrade's old cluster. The folder's name can't be
 * predicted, so SQL that runs in the new cluster can't connect to the old one.
 */
export const makeOldClusterDir = (socketDir: string, identity: Identity): string =>
  own(mkdtempSync(join(socketDir, oldClusterPrefix)), identity);

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
