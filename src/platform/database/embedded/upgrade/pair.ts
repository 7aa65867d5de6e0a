/**
 * Opens the two clusters of an upgrade: the current data folder, with the binaries of its major version, and a new
 * folder beside it. Each server listens only on a private socket.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, copyFileSync, existsSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { silentLogger } from '../../../../base/kernel/log.ts';
import { syncFolder } from '../../../../base/kernel/replace-file.ts';
import { thisMachine } from '../../../../base/shared/machine.ts';
import { DatabaseError } from '../../errors.ts';
import { superuserSettings } from '../../superuser.ts';
import type { ConnectionOptions } from '../../wire/index.ts';
import { type Binaries, ensureBinaries } from '../binaries.ts';
import { prepareExtensionFolder } from '../extension-folder.ts';
import { commandAs, type Identity, ownNameFor } from '../identity.ts';
import { initialize, vaultKeyFile } from '../initdb.ts';
import { clearLeftovers } from '../leftovers.ts';
import {
  chooseLocation,
  diskBytesOf,
  emptySocketDir,
  extensionParent,
  giveTo,
  majorOf,
  majorOfBinaries,
  makeDataDir,
  makeOldClusterDir,
  makeSocketDir,
  type ServerLocation,
  upgradeExtensions,
  writeOwned,
} from '../location.ts';
import { acquireLock } from '../lock.ts';
import { createPackKeeper, type PackKeeper } from '../pack-requests.ts';
import { serverEnvironment, startServer } from '../server.ts';
import { peerOnly, pgHbaConf, postgresqlConf } from '../settings.ts';
import { finishSwap, removeJournal, swap, upgradeFolders, writeJournal } from './journal.ts';

export interface PrivateServer {
  /** Returns the connection options for a role. Without `role`, the options are those for the superuser. */
  target(database: string, role?: { readonly name: string; readonly password: string }): ConnectionOptions;
  stop(): Promise<void>;
}

export interface ClusterPair {
  readonly dataDir: string;
  /** The major versions of the data and of this version of Plinth. */
  readonly from: number;
  readonly to: number;
  /** Free space for the new folder, in bytes. */
  readonly freeBytes: () => number;
  /** The folder in which the old cluster is kept after the upgrade. */
  readonly previous: string;
  /**
   * Returns the version that the program `postgres` prints. Throws an error if the server's user can't run the program.
   */
  versionOf(postgres: string): string;
  /** Starts the current cluster with read-only sessions. `postgres` is the program of the old major version. */
  startCurrent(postgres: string): Promise<PrivateServer>;
  /** Removes the remains of an interrupted upgrade and initializes a new folder. Copies the old cluster's vault key. */
  createNext(): Promise<void>;
  /**
   * Starts the new cluster. In the mode `loading`, written data isn't durable until {@link syncNext} is called. In the
   * mode `regular`, the new cluster runs with the settings of a regular start.
   */
  startNext(mode: 'loading' | 'regular', settings: Settings): Promise<PrivateServer>;
  syncNext(): void;
  removeNext(): void;
  /**
   * Exchanges the folders. Even if the process exits during the exchange, either the old or the new cluster remains in
   * use.
   */
  exchange(): void;
  release(): void;
}

type Settings = Readonly<Record<string, string | number | boolean>>;

export interface PairOptions {
  readonly dataDir: string;
  /** Whether the new folder is only for a rehearsal. */
  readonly isRehearsal: boolean;
  /** Folders that the operator named, in which extensions are searched. */
  readonly extensionFolders?: readonly string[] | undefined;
  readonly onLine: (line: string) => void;
  readonly onProgress: (message: string) => void;
  /** Called after each step that affects a later start of Plinth. */
  readonly onStep?: (name: string) => void;
}

const currentPort = 5432;
const nextPort = 5433;
const superuser = 'supabase_admin';

/**
 * Opens both clusters. The data folder remains locked until `release` is called.
 * @throws {DatabaseError} locked, newer_version, no_cluster
 */
export async function openClusterPair(options: PairOptions): Promise<ClusterPair> {
  const dataDir = makeDataDir(options.dataDir);
  const lock = acquireLock(dataDir, null);
  try {
    await ensureBinaries(options.onProgress);
    const location = chooseLocation(dataDir);
    finishSwap(dataDir, location.pgdata);
    const from = majorOf(location.pgdata);
    if (from === undefined) throw new DatabaseError('no_cluster', { dir: location.pgdata });
    const to = majorOfBinaries(location.binaries);
    if (from > to)
      throw new DatabaseError('newer_version', { dir: location.pgdata, found: from, expected: to });
    return await pairOf({ dataDir, location, from, to, releaseLock: lock.release }, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface LockedFolder {
  readonly dataDir: string;
  readonly location: ServerLocation;
  /** The major versions of the current and the new cluster. */
  readonly from: number;
  readonly to: number;
  readonly releaseLock: () => void;
}

async function pairOf(
  { dataDir, location, from, to, releaseLock }: LockedFolder,
  { isRehearsal, extensionFolders, onLine, onProgress, onStep = () => {} }: PairOptions,
): Promise<ClusterPair> {
  const { identity, binaries, home, pgdata } = location;
  const folders = upgradeFolders(pgdata);
  const next = isRehearsal ? join(dirname(folders.current), 'postgres.check') : folders.next;
  const socketDir = makeSocketDir(home, identity);
  emptySocketDir(socketDir);
  const password = randomBytes(32).toString('base64url');
  const currentDir = makeOldClusterDir(socketDir, identity);
  const extensionHome = join(socketDir, upgradeExtensions);
  const removeScratch = (): void => {
    // A socket folder outside the data folder is only needed while a server runs.
    const scratch = socketDir.startsWith(home) ? [currentDir, extensionHome] : [socketDir];
    for (const path of scratch) rmSync(path, { recursive: true, force: true });
  };
  await clearLeftovers(folders.current);
  giveTo(identity, folders.current);

  const start = async (
    programs: Pick<Binaries, 'postgres'>,
    folder: string,
    {
      port,
      version,
      args = [],
      packs,
    }: {
      readonly port: number;
      readonly version: number;
      readonly args?: readonly string[];
      readonly packs?: PackKeeper;
    },
  ): Promise<PrivateServer> => {
    const server = await startServer({
      binaries: programs,
      identity,
      pgdata: folder,
      args,
      onLine(_level, line) {
        if (packs?.onLine(line) !== true) onLine(line);
      },
    });
    return {
      target: (database, role) => ({
        host: port === currentPort ? currentDir : socketDir,
        port,
        user: role?.name ?? superuser,
        password: role?.password ?? password,
        database,
        sslMode: 'disable',
        applicationName: 'plinth upgrade',
        parameters:
          role === undefined
            ? {
                ...superuserSettings(version),
                ...quietSession,
                role: 'none',
                default_transaction_read_only: port === currentPort ? 'on' : 'off',
              }
            : { ...limitsOff, search_path: '', default_transaction_read_only: 'off', role: 'none' },
      }),
      stop: () => server.stop(),
    };
  };

  const removeNext = (): void => rmSync(next, { recursive: true, force: true, maxRetries: 5 });

  return {
    dataDir,
    from,
    to,
    previous: folders.previous(from),
    freeBytes() {
      const { bavail, bsize } = statfsSync(dirname(folders.current));
      return bavail * bsize;
    },
    versionOf(postgres) {
      const { file, args, ids } = commandAs(identity, postgres, ['--version']);
      const result = spawnSync(file, args, { ...ids, cwd: '/', env: serverEnvironment(), encoding: 'utf8' });
      if (result.error !== undefined) throw result.error;
      if (result.status !== 0) throw new Error(result.stderr.trim());
      return result.stdout.trim();
    },
    startCurrent(postgres) {
      const libraries = [join(extensionParent(home, socketDir), 'extensions')];
      const args = configureCurrent(identity, currentDir, from, {
        diskBytes: diskBytesOf(folders.current),
        libraries,
      });
      return start({ postgres }, folders.current, { port: currentPort, version: from * 10_000, args });
    },
    async createNext() {
      if (existsSync(next)) await clearLeftovers(next);
      removeNext();
      if (!isRehearsal) writeJournal(dataDir, { step: 'building', from, to });
      onStep('building');
      await initialize(binaries, identity, next, { durable: false, superuserPassword: password });
      const key = join(folders.current, vaultKeyFile);
      if (existsSync(key)) copyFileSync(key, join(next, vaultKeyFile));
      if (identity.kind === 'user') chownSync(join(next, vaultKeyFile), identity.uid, identity.gid);
    },
    startNext(mode, settings) {
      const extensions = prepareExtensionFolder(extensionHome, binaries, extensionFolders);
      const packs = createPackKeeper({ ...extensions, log: silentLogger, onProgress });
      writeOwned(identity, join(next, 'pg_hba.conf'), pgHbaConf({ superuserOverTcp: false }));
      const conf = postgresqlConf({
        port: nextPort,
        listenAddress: null,
        socketDir,
        extensionDirs: [extensions.base],
        libraryDirs: extensions.libraryDirs,
        preload: mode === 'loading' ? [] : extensions.preload,
        durable: true,
        diskBytes: diskBytesOf(dirname(next)),
        extra: mode === 'loading' ? loadingSettings() : { ...settings, max_logical_replication_workers: 0 },
      });
      writeOwned(identity, join(next, 'postgresql.conf'), conf);
      return start(binaries, next, { port: nextPort, version: to * 10_000, packs });
    },
    syncNext() {
      const { file, args, ids } = commandAs(identity, binaries.initdb, ['--sync-only', '-D', next]);
      const result = spawnSync(file, args, { ...ids, cwd: '/', env: serverEnvironment(), encoding: 'utf8' });
      if (result.status !== 0) throw new DatabaseError('start_failed', { reason: result.stderr.trim() });
      syncFolder(dirname(next));
    },
    removeNext() {
      removeNext();
      if (!isRehearsal) removeJournal(dataDir);
    },
    exchange() {
      if (isRehearsal) throw new Error('A rehearsal is never exchanged');
      writeJournal(dataDir, { step: 'swapping', from, to });
      onStep('swapping');
      swap(pgdata, from, onStep);
      removeJournal(dataDir);
      onStep('done');
    },
    release() {
      removeScratch();
      releaseLock();
    },
  };
}

/**
 * Writes the configuration of the old cluster to the folder of its socket, because the cluster's own configuration must
 * not affect how the cluster is read. Returns the server's arguments.
 */
function configureCurrent(
  identity: Identity,
  folder: string,
  major: number,
  { diskBytes, libraries }: { readonly diskBytes: number; readonly libraries: readonly string[] },
): string[] {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeOwned(identity, path, text);
    return path;
  };
  const settings = postgresqlConf({
    port: currentPort,
    listenAddress: null,
    socketDir: folder,
    // The libraries of the extensions in the old cluster.
    extensionDirs: libraries,
    durable: true,
    diskBytes,
    extra: {},
  });
  // The old version of PostgreSQL might not support these settings. These settings can be removed because the old
  // cluster is only read.
  const known = settings.split('\n').filter((line) => !/^(extension_control_path|io_method) /.test(line));
  const conf = [...known, ...readerSettings(major), ''].join('\n');
  const { hba, ident } = peerOnly(ownNameFor(identity), superuser);
  return [
    ...['-c', `config_file=${file('postgresql.conf', conf)}`],
    ...['-c', `hba_file=${file('pg_hba.conf', hba)}`],
    ...['-c', `ident_file=${file('pg_ident.conf', ident)}`],
    ...['-c', 'default_transaction_read_only=on', '-c', 'shared_preload_libraries='],
  ];
}

const limitsOff = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
} as const;

/** Clears the settings of preload libraries, because libraries that a project's settings refer to may be missing. */
const quietSession = {
  ...limitsOff,
  session_preload_libraries: '',
  local_preload_libraries: '',
} as const;

/**
 * Keeps the old cluster passive. The old cluster doesn't run autovacuum or receive replicated changes, and it keeps the
 * WAL of its slots.
 */
const readerSettings = (major: number): string[] => [
  'autovacuum = off',
  'max_logical_replication_workers = 0',
  'max_prepared_transactions = 64',
  'max_replication_slots = 64',
  'max_wal_senders = 64',
  'max_slot_wal_keep_size = -1',
  'max_locks_per_transaction = 1024',
  'jit = off',
  ...(major >= 17 ? ['event_triggers = off'] : []),
];

/** Returns the memory limit for index creation. The limit takes into account that two servers run during an upgrade. */
function loadingMemory(): string {
  const megabytes = Math.floor(thisMachine().memoryBytes / 8 / 1024 ** 2);
  return `${Math.max(32, Math.min(256, megabytes))}MB`;
}

/**
 * The loaded data is durable only after the load has finished, because a failed load is repeated from the beginning.
 */
const loadingSettings = (): Settings => ({
  fsync: false,
  synchronous_commit: false,
  full_page_writes: false,
  wal_level: 'minimal',
  max_wal_senders: 0,
  autovacuum: false,
  max_logical_replication_workers: 0,
  max_locks_per_transaction: 1024,
  maintenance_work_mem: loadingMemory(),
  checkpoint_timeout: '1h',
  shared_preload_libraries: '',
  jit: false,
});
