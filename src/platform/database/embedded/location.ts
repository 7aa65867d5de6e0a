/**
 * Chooses the server's binaries, the folder of the server, its socket folder and port, and the user that runs the
 * server.
 */
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DatabaseError } from '../errors.ts';
import { type Binaries, copyBinaries, findBinaries, linkLibraries } from './binaries.ts';
import { chooseIdentity, type Identity, unprivilegedAccount } from './identity.ts';

export interface ServerLocation {
  readonly identity: Identity;
  readonly binaries: Binaries;
  /** The folder that contains Plinth's own files for the server (socket, control files). */
  readonly home: string;
  readonly pgdata: string;
}

/** Returns the server's binaries, the folder of the server, and the user that runs the server. */
export function chooseLocation(dataDir: string): ServerLocation {
  const found = findBinaries();
  const linked = linkLibraries(found);
  const pgdata = join(dataDir, 'postgres');
  // The folder is a symlink if the data had to be stored elsewhere at an earlier start.
  const moved = lstatSync(pgdata, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const binaries = linked ? found : copyBinaries(found, join(dataDir, 'bin'));
  const identity = moved ? undefined : chooseIdentity([dataDir, binaries.native]);
  if (identity !== undefined) return { identity, binaries, home: dataDir, pgdata };
  return locateOutside(dataDir, found);
}

/**
 * Returns a location outside the data folder. Such a location is used only if this process runs as root, no other user
 * can access the data folder, and user namespaces aren't available.
 */
function locateOutside(dataDir: string, found: Binaries): ServerLocation {
  const account = unprivilegedAccount();
  if (account === undefined) throw new DatabaseError('no_identity', { dir: dataDir });
  const root = '/var/lib/plinth';
  const home = join(root, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  mkdirSync(home, { recursive: true });
  for (const folder of [root, home]) chmodSync(folder, 0o711);
  const binaries = copyBinaries(found, root);
  const pgdata = join(home, 'postgres');
  const link = join(dataDir, 'postgres');
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
    // The existing data belongs to a project folder that has been deleted. The data is renamed so that it doesn't
    // reappear in a new project folder with the same name.
    if (existsSync(pgdata)) renameSync(pgdata, `${pgdata}.orphaned-${Date.now()}`);
    symlinkSync(pgdata, link);
  }
  return { identity: { kind: 'user', ...account }, binaries, home, pgdata };
}

export function makeDataDir(dir: string): string {
  try {
    // Other users can access the server's folder inside the data folder, but they can't list the contents of the data
    // folder.
    mkdirSync(dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    const real = realpathSync(dir);
    accessSync(real, constants.W_OK | constants.X_OK);
    return real;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DatabaseError('folder_unwritable', { dir, reason: code ?? String(cause) }, cause);
  }
}

/**
 * Makes the user that runs the server the owner of the folder and everything in it, because PostgreSQL must own its
 * data.
 */
export function giveTo(identity: Identity, pgdata: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = identity.kind === 'user' ? identity : { uid: 0, gid: 0 };
  if (lstatSync(pgdata).uid === uid) return;
  for (const entry of readdirSync(pgdata, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(pgdata, entry), uid, gid);
  }
  chownSync(pgdata, uid, gid);
}

export function diskBytesOf(dir: string): number {
  const { blocks, bsize } = statfsSync(dir);
  return blocks * bsize;
}

export function writeOwned(identity: Identity, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  if (identity.kind === 'user') chownSync(path, identity.uid, identity.gid);
}

export const majorOfBinaries = ({ version }: Pick<Binaries, 'version'>): number =>
  Number.parseInt(version, 10);

/**
 * Returns the major version of the data in the folder. Returns undefined if the folder is empty or doesn't exist.
 * @throws {DatabaseError} folder_foreign, folder_unwritable
 */
export function majorOf(pgdata: string): number | undefined {
  if (lstatSync(pgdata, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return Number.parseInt(readFileSync(join(pgdata, 'PG_VERSION'), 'utf8'), 10);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      const reason = (cause as NodeJS.ErrnoException).code;
      throw new DatabaseError('folder_unwritable', { dir: pgdata, reason }, cause);
    }
    // A symbolic link to a folder that doesn't exist yet is treated as an empty folder.
    if (!existsSync(pgdata) || readdirSync(pgdata).length === 0) return undefined;
    throw new DatabaseError('folder_foreign', { dir: pgdata }, cause);
  }
}

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

/**
 * Returns the folder that contains the folder of extensions. Its path must not contain the character that separates
 * paths in extension_control_path, because the character can't be escaped.
 */
export const extensionParent = (home: string, socketDir: string | null): string =>
  home.includes(delimiter) && socketDir !== null ? socketDir : home;

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

/** Returns the given port if it is free. If the port is 0, returns any free port. @throws {DatabaseError} port_taken */
export function claimPort(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new DatabaseError('port_taken', { port, host }, error) : error);
    });
    probe.listen({ port, host, exclusive: true }, () => {
      const address = probe.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(chosen));
    });
  });
}
