/** The embedded PostgreSQL for one data folder, from an empty folder to a server that accepts connections. */

import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Logger } from '../../kernel/log.ts';
import { DatabaseError } from '../errors.ts';
import { clusterLogins, type Logins } from '../logins/passwords.ts';
import { type Binaries, copyBinaries, findBinaries, linkLibraries } from './binaries.ts';
import { prepareExtensionFolder } from './extension-folder.ts';
import { chooseIdentity, type Identity, unprivilegedAccount } from './identity.ts';
import { initialize } from './initdb.ts';
import { clearLeftovers } from './leftovers.ts';
import { acquireLock, type Lock } from './lock.ts';
import { createLoginSecret, readLoginSecret, writeLoginSecret } from './login-secret.ts';
import { claimPort } from './ports.ts';
import { type Server, startServer } from './server.ts';
import { pgHbaConf, postgresqlConf } from './settings.ts';
import { setSuperuserPassword } from './single-user.ts';
import { emptySocketDir, makeSocketDir } from './socket-dir.ts';
import { supervise } from './supervisor.ts';

export interface ClusterOptions {
  /** Plinth's data folder, which is created if missing. The cluster is in its subfolder `postgres/`. */
  readonly dataDir: string;
  /** The loopback port: 0 selects a free port, and null disables TCP. */
  readonly port: number | null;
  /** False only for disposable data. Disables fsync and allows many slots. */
  readonly durable: boolean;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** The password of `postgres`. */
  readonly password: string;
  /**
   * Whether every login role uses that password and the superuser can sign in over TCP, as in upstream's local stack.
   */
  readonly sharedPassword: boolean;
  /** Whether the superuser's actual password turned out to be different, so that it must be reset before startup. */
  readonly resetSuperuser?: boolean;
  readonly log: Logger;
  /** Called before steps that may be slow. */
  readonly onProgress: (message: string) => void;
  /** Called after a PostgreSQL program was started, while there is time for other work. */
  readonly whileStarting?: () => void;
}

export interface Cluster {
  /** The socket folder, or null if the platform has no Unix sockets. Host and port are used in that case. */
  readonly socketDir: string | null;
  /** The port, which is also the number in the socket's name. */
  readonly port: number;
  readonly host: string;
  /** Null if TCP is disabled. */
  readonly tcpPort: number | null;
  readonly logins: Logins;
  /** The secret from which {@link logins} are derived, for use in another process. */
  readonly loginSecret: Buffer;
  readonly pid: () => number;
  stop(): Promise<void>;
  /** Lets this process exit while the server is running. */
  unref(): void;
}

const host = '127.0.0.1';
/** The number in the socket's name if there is no TCP port. */
const socketOnlyPort = 5432;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const dataDir = makeDataDir(options.dataDir);
  const lock = acquireLock(dataDir, options.port);
  try {
    return await startLocked(dataDir, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(dataDir: string, lock: Lock, options: ClusterOptions): Promise<Cluster> {
  const place = chooseLocation(dataDir);
  const { identity, binaries, pgdata } = place;
  await clearIfPresent(pgdata);
  const keptSecret = readLoginSecret(dataDir);
  const loginSecret = keptSecret ?? createLoginSecret();
  const logins = clusterLogins(loginSecret, { password: options.password, shared: options.sharedPassword });
  const isNew = !isInitialized(pgdata, binaries);
  if (isNew) {
    options.onProgress('Preparing PostgreSQL in an empty data folder');
    const initialized = initialize(binaries, identity, pgdata, {
      durable: options.durable,
      superuserPassword: logins.password('supabase_admin'),
    });
    options.whileStarting?.();
    await initialized;
    if (keptSecret === undefined) writeLoginSecret(dataDir, loginSecret);
  }
  // The folder was created by an earlier version or copied without its key.
  let mustResetSuperuser = !isNew && (keptSecret === undefined || options.resetSuperuser === true);
  giveTo(identity, pgdata);
  const socketDir = process.platform === 'win32' ? null : makeSocketDir(place.home, identity);
  // extension_control_path has no way to escape its separator.
  const inside = place.home.includes(delimiter) && socketDir !== null ? socketDir : place.home;
  const extensionDir = prepareExtensionFolder(inside, binaries);

  const launch = async (wanted: number | null): Promise<{ server: Server; port: number }> => {
    const port = wanted === null ? socketOnlyPort : await claimPort(wanted, host);
    if (socketDir !== null) emptySocketDir(socketDir);
    const superuserOverTcp = socketDir === null || options.sharedPassword;
    writeOwned(identity, join(pgdata, 'pg_hba.conf'), pgHbaConf({ superuserOverTcp }));
    writeOwned(
      identity,
      join(pgdata, 'postgresql.conf'),
      postgresqlConf({
        port,
        listenAddress: wanted === null ? null : host,
        socketDir,
        extensionDirs: [extensionDir],
        durable: options.durable,
        extra: options.settings,
      }),
    );
    if (mustResetSuperuser) {
      await setSuperuserPassword(binaries, identity, pgdata, logins.verifier('supabase_admin'));
      writeLoginSecret(dataDir, loginSecret);
      mustResetSuperuser = false;
    }
    const onLine = (level: 'debug' | 'warn', line: string) =>
      options.log[level]({ service: 'postgres' }, line);
    const starting = startServer({ binaries, identity, pgdata, onLine });
    options.whileStarting?.();
    return { server: await starting, port };
  };

  const { server, port } = await launchOnPort(launch, options.port);
  lock.update(options.port === null ? null : port);

  const relaunch = async (): Promise<Server> => {
    await clearLeftovers(pgdata);
    return (await launch(options.port === null ? null : port)).server;
  };
  const supervised = supervise(server, relaunch, options.log);

  return {
    socketDir,
    port,
    host,
    tcpPort: options.port === null ? null : port,
    logins,
    loginSecret,
    pid: supervised.pid,
    unref: supervised.unref,
    async stop() {
      await supervised.stop();
      // A socket folder outside the data folder would otherwise be left behind.
      if (socketDir !== null && !socketDir.startsWith(place.home))
        rmSync(socketDir, { recursive: true, force: true });
      lock.release();
    },
  };
}

/**
 * A free port can be taken before PostgreSQL binds to it. In that case, a different port is tried. A fixed port was
 * chosen by the user and isn't changed.
 */
async function launchOnPort<T>(
  launch: (wanted: number | null) => Promise<T>,
  wanted: number | null,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await launch(wanted);
    } catch (error) {
      const taken = error instanceof DatabaseError && /Address already in use/.test(error.message);
      if (!taken) throw error;
      if (wanted !== 0 || attempt >= 4)
        throw new DatabaseError('port_taken', { port: wanted ?? undefined, host }, error);
    }
  }
}

interface ServerLocation {
  readonly identity: Identity;
  readonly binaries: Binaries;
  /** The folder for Plinth's own files for the server (socket, control files). */
  readonly home: string;
  readonly pgdata: string;
}

/** Chooses the user, the binaries and the folder of the server. */
function chooseLocation(dataDir: string): ServerLocation {
  const found = findBinaries();
  const linked = linkLibraries(found);
  const pgdata = join(dataDir, 'postgres');
  // A symlink means that an earlier start had to use a different folder.
  const moved = lstatSync(pgdata, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const binaries = linked ? found : copyBinaries(found, join(dataDir, 'bin'));
  const identity = moved ? undefined : chooseIdentity([dataDir, binaries.native]);
  if (identity !== undefined) return { identity, binaries, home: dataDir, pgdata };
  return locateOutside(dataDir, found);
}

/**
 * The last resort if this process runs as root, user namespaces aren't available and no other user can enter the data
 * folder.
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
    // Data from a deleted project folder must not reappear in a new folder with the same name.
    if (existsSync(pgdata)) renameSync(pgdata, `${pgdata}.orphaned-${Date.now()}`);
    symlinkSync(pgdata, link);
  }
  return { identity: { kind: 'user', ...account }, binaries, home, pgdata };
}

function makeDataDir(dir: string): string {
  try {
    // Other users can traverse this folder to reach the server's folder, but can't list it.
    mkdirSync(dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    const real = realpathSync(dir);
    accessSync(real, constants.W_OK | constants.X_OK);
    return real;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new DatabaseError('folder_unwritable', { dir, reason: code ?? String(cause) }, cause);
  }
}

async function clearIfPresent(pgdata: string): Promise<void> {
  if (lstatSync(pgdata, { throwIfNoEntry: false }) !== undefined) await clearLeftovers(pgdata);
}

/**
 * Whether a complete data folder for this major version exists. A data folder has this name only once it is complete.
 */
function isInitialized(pgdata: string, binaries: Binaries): boolean {
  if (lstatSync(pgdata, { throwIfNoEntry: false }) === undefined) return false;
  let found: string;
  try {
    found = readFileSync(join(pgdata, 'PG_VERSION'), 'utf8').trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new DatabaseError(
        'folder_unwritable',
        { dir: pgdata, reason: (cause as NodeJS.ErrnoException).code },
        cause,
      );
    }
    if (readdirSync(pgdata).length === 0) return false;
    throw new DatabaseError('folder_foreign', { dir: pgdata }, cause);
  }
  const expected = binaries.version.split('.')[0] as string;
  if (found !== expected) throw new DatabaseError('wrong_version', { dir: pgdata, found, expected });
  return true;
}

/** PostgreSQL must own its folder, so a change of identity changes the owner of everything in the folder. */
function giveTo(identity: Identity, pgdata: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = identity.kind === 'user' ? identity : { uid: 0, gid: 0 };
  if (lstatSync(pgdata).uid === uid) return;
  for (const entry of readdirSync(pgdata, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(pgdata, entry), uid, gid);
  }
  chownSync(pgdata, uid, gid);
}

function writeOwned(identity: Identity, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  if (identity.kind === 'user') chownSync(path, identity.uid, identity.gid);
}
