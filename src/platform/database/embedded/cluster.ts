/**
 * Runs the embedded PostgreSQL server for a data folder. Initializes the data folder if necessary, and starts a server
 * that accepts connections.
 */
import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../base/kernel/log.ts';
import { DatabaseError } from '../errors.ts';
import { clusterLogins, type Logins } from '../logins.ts';
import { type Binaries, ensureBinaries } from './binaries.ts';
import { prepareExtensionFolder } from './extension-folder.ts';
import type { Identity } from './identity.ts';
import { initialize } from './initdb.ts';
import { clearLeftovers } from './leftovers.ts';
import {
  chooseLocation,
  claimPort,
  diskBytesOf,
  emptySocketDir,
  extensionParent,
  giveTo,
  majorOf,
  majorOfBinaries,
  makeDataDir,
  makeSocketDir,
  writeOwned,
} from './location.ts';
import { acquireLock, type Lock } from './lock.ts';
import {
  createLoginSecret,
  readLoginSecret,
  setSuperuserPassword,
  writeLoginSecret,
} from './login-secret.ts';
import { createPackKeeper, type PackKeeper } from './pack-requests.ts';
import { copyPrepared } from './prepared.ts';
import { type Server, startServer } from './server.ts';
import { pgHbaConf, postgresqlConf } from './settings.ts';
import { supervise } from './supervisor.ts';
import { finishSwap } from './upgrade/journal.ts';

export interface ClusterOptions {
  /** Plinth's data folder, which is created if it doesn't exist. The cluster is stored in the subfolder `postgres/`. */
  readonly dataDir: string;
  /** The loopback port. 0 selects a free port, and null disables TCP. */
  readonly port: number | null;
  /**
   * Whether data must survive a crash of the machine. Set to false only for disposable data. False turns fsync off and
   * allows many replication slots.
   */
  readonly durable: boolean;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Folders that the operator named, in which extensions are searched (`[database] extension_folders`). */
  readonly extensionFolders?: readonly string[] | undefined;
  /** The password of the role `postgres`. */
  readonly password: string;
  /**
   * Whether all login roles have the same password as `postgres` and the superuser can sign in over TCP, as in
   * upstream's local stack.
   */
  readonly sharedPassword: boolean;
  /**
   * Whether to reset the superuser's password before the server starts, because the data folder contains a different
   * password.
   */
  readonly resetSuperuser?: boolean;
  /**
   * The data folder from which this cluster was copied. Its logins are valid in the copy until the passwords are changed.
   */
  readonly copiedFrom?: string | undefined;
  /** Aborts the start. A server that has already started isn't affected. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Returns the folder of a prepared cluster, which is copied instead of running initdb. Called only if the data folder
   * is new.
   */
  readonly prepared?: (() => Promise<string | undefined>) | undefined;
  readonly log: Logger;
  /** Called before each step that may be slow. */
  readonly onProgress: (message: string) => void;
  /** Called when this process can do other work while it waits for a PostgreSQL program. */
  readonly whileStarting?: () => void;
}

export interface Cluster {
  /**
   * The socket folder. Null if the platform doesn't have Unix sockets, in which case clients connect to the host and
   * the port.
   */
  readonly socketDir: string | null;
  /** The server's port. The port number is also part of the socket's name. */
  readonly port: number;
  readonly host: string;
  /** The TCP port. Null if TCP is disabled. */
  readonly tcpPort: number | null;
  /** Whether this process has created the cluster. */
  readonly isNew: boolean;
  readonly logins: Logins;
  /**
   * The logins of the cluster from which this cluster was copied. The logins are valid until the passwords are
   * changed.
   */
  readonly preparedLogins: Logins | undefined;
  /** The secret from which {@link logins} are derived. Another process can derive the same logins from this secret. */
  readonly loginSecret: Buffer;
  /** Provides the extension packs that a session requests. */
  readonly packs: PackKeeper;
  readonly pid: () => number;
  stop(): Promise<void>;
  /** Allows this process to exit although the server is still running. */
  unref(): void;
}

const host = '127.0.0.1';
/** The number in the name of the socket if TCP is disabled. */
const socketOnlyPort = 5432;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const dataDir = makeDataDir(options.dataDir);
  const lock = acquireLock(dataDir, options.port);
  try {
    await ensureBinaries(options.onProgress, options.signal);
    return await startLocked(dataDir, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(dataDir: string, lock: Lock, options: ClusterOptions): Promise<Cluster> {
  const location = chooseLocation(dataDir);
  const { identity, binaries, pgdata } = location;
  finishSwap(dataDir, pgdata);
  await clearIfPresent(pgdata);
  const storedSecret = readLoginSecret(dataDir);
  const loginSecret = storedSecret ?? createLoginSecret();
  const passwords = { password: options.password, shared: options.sharedPassword };
  const logins = clusterLogins(loginSecret, passwords);
  const copiedSecret = options.copiedFrom === undefined ? undefined : readLoginSecret(options.copiedFrom);
  const isNew = !isInitialized(pgdata, binaries);
  let preparedLogins = copiedSecret && clusterLogins(copiedSecret, passwords);
  if (isNew) {
    const prepared = await options.prepared?.();
    if (prepared !== undefined) {
      const { durable, whileStarting: whileCopying } = options;
      preparedLogins = await copyPrepared(prepared, pgdata, identity, { durable, whileCopying });
    }
    if (preparedLogins === undefined) {
      options.onProgress('Preparing PostgreSQL in an empty data folder');
      const initialized = initialize(binaries, identity, pgdata, {
        durable: options.durable,
        superuserPassword: logins.password('supabase_admin'),
      });
      options.whileStarting?.();
      await initialized;
    }
    if (storedSecret === undefined) writeLoginSecret(dataDir, loginSecret);
  }
  // The key is missing because either an earlier version created the data folder or the data folder was copied without
  // its key.
  let mustResetSuperuser =
    !isNew &&
    (options.resetSuperuser === true || (storedSecret === undefined && preparedLogins === undefined));
  if (!isNew && storedSecret === undefined && !mustResetSuperuser) writeLoginSecret(dataDir, loginSecret);
  giveTo(identity, pgdata);
  const socketDir = process.platform === 'win32' ? null : makeSocketDir(location.home, identity);
  const extensions = prepareExtensionFolder(
    extensionParent(location.home, socketDir),
    binaries,
    options.extensionFolders,
  );
  const packs = createPackKeeper({ ...options, ...extensions });

  const launch = async (requested: number | null): Promise<{ server: Server; port: number }> => {
    const port = requested === null ? socketOnlyPort : await claimPort(requested, host);
    if (socketDir !== null) emptySocketDir(socketDir);
    const superuserOverTcp = socketDir === null || options.sharedPassword;
    writeOwned(identity, join(pgdata, 'pg_hba.conf'), pgHbaConf({ superuserOverTcp }));
    writeOwned(
      identity,
      join(pgdata, 'postgresql.conf'),
      postgresqlConf({
        port,
        listenAddress: requested === null ? null : host,
        socketDir,
        extensionDirs: [extensions.base],
        libraryDirs: extensions.libraryDirs,
        preload: extensions.preload,
        durable: options.durable,
        diskBytes: diskBytesOf(pgdata),
        extra: options.settings,
      }),
    );
    if (mustResetSuperuser) {
      await setSuperuserPassword(binaries, identity, pgdata, logins.verifier('supabase_admin'));
      writeLoginSecret(dataDir, loginSecret);
      mustResetSuperuser = false;
    }
    const onLine = (level: 'debug' | 'warn', line: string) => {
      if (!packs.onLine(line)) options.log[level]({ service: 'postgres' }, line);
    };
    const starting = startServer({ binaries, identity, pgdata, onLine, signal: options.signal });
    options.whileStarting?.();
    return { server: await starting, port };
  };

  clearSystemSettings(identity, pgdata);
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
    isNew,
    logins,
    preparedLogins,
    loginSecret,
    packs,
    pid: supervised.pid,
    unref: supervised.unref,
    async stop() {
      await supervised.stop();
      // A socket folder outside the data folder isn't removed when the data folder is removed, so it is removed here.
      if (socketDir !== null && !socketDir.startsWith(location.home))
        rmSync(socketDir, { recursive: true, force: true });
      lock.release();
    },
  };
}

/**
 * Starts the server on the requested port. If a free port was requested and another program takes the port before
 * PostgreSQL binds to it, another free port is tried. A fixed port is never changed, because the user chose it.
 */
async function launchOnPort<T>(
  launch: (requested: number | null) => Promise<T>,
  requested: number | null,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await launch(requested);
    } catch (error) {
      const taken = error instanceof DatabaseError && /Address already in use/.test(error.message);
      if (!taken) throw error;
      if (requested !== 0 || attempt >= 4)
        throw new DatabaseError('port_taken', { port: requested ?? undefined, host }, error);
    }
  }
}

async function clearIfPresent(pgdata: string): Promise<void> {
  if (lstatSync(pgdata, { throwIfNoEntry: false }) !== undefined) await clearLeftovers(pgdata);
}

/**
 * Whether the folder contains complete data of this major version. A data folder gets its final name only when its data
 * is complete.
 */
function isInitialized(pgdata: string, binaries: Binaries): boolean {
  const found = majorOf(pgdata);
  if (found === undefined) return false;
  const expected = majorOfBinaries(binaries);
  if (found === expected) return true;
  throw new DatabaseError(found < expected ? 'wrong_version' : 'newer_version', {
    dir: pgdata,
    found,
    expected,
  });
}

/**
 * Removes the setting that made the server read-only because the disk was full. Plinth checks the disk again while the
 * server runs.
 */
function clearSystemSettings(identity: Identity, pgdata: string): void {
  const path = join(pgdata, 'postgresql.auto.conf');
  if (!existsSync(path)) return;
  const lines = readFileSync(path, 'utf8').split('\n');
  const kept = lines.filter((line) => !line.startsWith('default_transaction_read_only'));
  if (kept.length < lines.length) writeOwned(identity, path, kept.join('\n'));
}
