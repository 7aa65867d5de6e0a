/**
 * Upgrades the embedded PostgreSQL to another major version. A new cluster is filled from the old one, compared with
 * it, and then replaces it. See docs/decisions/0054-major-upgrades.md.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { sql } from '../../base/kernel/sql.ts';
import {
  type ClusterPair,
  type ConnectionOptions,
  type CopySession,
  hasSqlVector,
  openClusterPair,
  openCopySession,
  type PrivateServer,
} from '../../platform/database/index.ts';
import { createDatabaseLike, type DatabaseRow, finishDatabase, readDatabases } from './databases.ts';
import { UpgradeError } from './errors.ts';
import { type Moved, megabytes, moveDatabase } from './move-database.ts';
import { findOldPostgres } from './old-binaries.ts';
import { createRoles, finishRoles, finishSuperuser, type Roles, readRoles } from './roles.ts';
import { createSlot, readSlots, type SlotRow } from './subscriptions.ts';
import { verifyDatabase } from './verify.ts';

export interface UpgradeOptions {
  readonly dataDir: string;
  /** The folder in `--old-bindir`. If undefined, the programs are installed from npm. */
  readonly oldBindir: string | undefined;
  /** Whether to only rehearse the upgrade, without copying rows. The data folder isn't changed. */
  readonly check: boolean;
  /** Folders that the operator named, in which extensions are searched. */
  readonly extensionFolders?: readonly string[] | undefined;
  /** The server settings of a regular start. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /**
   * Brings the new cluster's database up to date with this version of Plinth. Returns the number of applied migration
   * files.
   */
  readonly migrate: (target: ConnectionOptions, fromMajor: number) => Promise<number>;
  readonly onProgress: (message: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  /** Called after each step whose result matters when the process is started again. */
  readonly onStep?: (name: string) => void;
  /** Whether to upgrade even if the cluster already has the target major version. Only for tests. */
  readonly force?: boolean;
}

export interface UpgradeReport {
  readonly from: number;
  readonly to: number;
  /** Whether the data folder already has the target major version. */
  readonly isCurrent: boolean;
  readonly databases: number;
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  readonly migrations: number;
  readonly slots: readonly string[];
  readonly warnings: readonly string[];
  /** The folder of the old cluster. */
  readonly previous: string;
}

/** Upgrades the cluster and returns a report. @throws {UpgradeError} @throws {DatabaseError} */
export async function upgradeCluster(options: UpgradeOptions): Promise<UpgradeReport> {
  if (process.platform === 'win32') throw new UpgradeError('platform');
  const { dataDir, check, onLine, onProgress, onStep, signal } = options;
  const pair = await openClusterPair({
    dataDir,
    isRehearsal: check,
    extensionFolders: options.extensionFolders,
    onLine,
    onProgress,
    ...(onStep && { onStep }),
  });
  const servers: PrivateServer[] = [];
  try {
    if (pair.from === pair.to && options.force !== true) return { ...emptyReport(pair), isCurrent: true };
    const postgres = await findOldPostgres({
      ...options,
      major: pair.from,
      bindir: options.oldBindir,
      versionOf: pair.versionOf,
    });
    const run = new Run(pair, options, servers);
    try {
      return await run.upgrade(postgres);
    } finally {
      for (const server of servers) await server.stop();
      if (check || !run.isComplete) pair.removeNext();
      if (run.isComplete && !check) {
        signal.throwIfAborted();
        pair.exchange();
      }
    }
  } finally {
    pair.release();
  }
}

const emptyReport = ({ from, to, previous }: ClusterPair): UpgradeReport => ({
  from,
  to,
  previous,
  isCurrent: false,
  databases: 0,
  tables: 0,
  rows: 0,
  bytes: 0,
  migrations: 0,
  slots: [],
  warnings: [],
});

/** The settings, roles and databases of the old cluster. */
interface Source {
  readonly roles: Roles;
  readonly databases: readonly DatabaseRow[];
  readonly slots: readonly SlotRow[];
  readonly systemSettings: readonly { readonly statement: string }[];
}

class Run {
  isComplete = false;
  readonly #pair: ClusterPair;
  readonly #options: UpgradeOptions;
  readonly #servers: PrivateServer[];
  readonly #warnings: string[] = [];

  constructor(pair: ClusterPair, options: UpgradeOptions, servers: PrivateServer[]) {
    this.#pair = pair;
    this.#options = options;
    this.#servers = servers;
  }

  async upgrade(postgres: string): Promise<UpgradeReport> {
    const { check, onProgress, settings, signal, migrate } = this.#options;
    const pair = this.#pair;
    onProgress(`Starting PostgreSQL ${pair.from} with the existing data`);
    const current = await pair.startCurrent(postgres);
    this.#servers.push(current);
    const source = await withSession(current.target('postgres'), readSource);
    this.#checkSource(source);
    await refuseSqlVector(source, current);
    onProgress(`Creating a new cluster of PostgreSQL ${pair.to}`);
    await pair.createNext();
    const loading = await pair.startNext('loading', settings);
    this.#servers.push(loading);
    const moved = await this.#move(source, current, loading);
    await this.#stop(loading);
    await this.#stop(current);
    const total = (count: (each: Moved) => number): number =>
      moved.reduce((sum, each) => sum + count(each), 0);
    const report = {
      ...emptyReport(pair),
      databases: moved.length,
      tables: total(({ tables }) => tables.length),
      rows: total(({ rows }) => rows),
      bytes: total(({ bytes }) => bytes),
      slots: source.slots.map(({ name }) => name),
    };
    signal.throwIfAborted();
    if (!check) {
      onProgress('Writing the new cluster to disk');
      pair.syncNext();
    }
    onProgress(`Starting the new cluster with the project's settings`);
    const next = await pair.startNext('regular', settings);
    this.#servers.push(next);
    // A rehearsal skips the migrations because it doesn't copy rows, so the new cluster lacks the list of applied
    // files.
    const migrations = check ? 0 : await migrate(next.target('postgres'), pair.from);
    await this.#finish(source, next);
    await this.#stop(next);
    this.isComplete = true;
    return {
      ...report,
      migrations,
      warnings: [...new Set([...moved.flatMap(({ warnings }) => warnings), ...this.#warnings])],
    };
  }

  #checkSource({ databases }: Source): void {
    const { check, onProgress } = this.#options;
    const closed = databases.filter(({ allowsConnections }) => !allowsConnections).map(({ name }) => name);
    if (closed.length > 0)
      throw new UpgradeError('unsupported', {
        objects: `databases without connections (${closed.join(', ')})`,
      });
    const size = databases.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const needed = size * spaceFactor + spaceForCluster;
    const free = this.#pair.freeBytes();
    onProgress(
      `The data takes up ${megabytes(size)}. The upgrade needs ${megabytes(needed)}, and ${megabytes(free)} is free.`,
    );
    if (free < needed)
      throw new UpgradeError('disk_full', { needed: megabytes(needed), free: megabytes(free) });
    if (!check && existsSync(this.#pair.previous))
      throw new UpgradeError('previous_exists', { dir: this.#pair.previous });
  }

  async #move(source: Source, current: PrivateServer, loading: PrivateServer): Promise<Moved[]> {
    const { onProgress, signal, check } = this.#options;
    const { roles, databases } = source;
    const password = randomBytes(32).toString('base64url');
    const maintenance = await openCopySession(loading.target('template1'));
    try {
      await createRoles(maintenance, roles, password);
      const moved: Moved[] = [];
      for (const database of databases) {
        const { name } = database;
        if (name !== 'template1') await createDatabaseLike(maintenance, database);
        const from = current.target(name);
        const options = { database: name, roles, schemaOnly: check, onProgress, signal, source: from };
        const target = (role?: string): ConnectionOptions =>
          loading.target(name, role === undefined ? undefined : { name: role, password });
        const result = await moveDatabase({ ...options, target });
        await verifyDatabase({
          ...options,
          target: target(),
          tables: result.tables,
          copied: result.copied,
          withData: !check,
        });
        moved.push(result);
      }
      for (const database of databases) await finishDatabase(maintenance, database);
      this.#warnings.push(...(await finishRoles(maintenance, roles)));
      return moved;
    } finally {
      maintenance.destroy();
    }
  }

  async #finish({ slots, systemSettings, roles }: Source, next: PrivateServer): Promise<void> {
    for (const slot of slots)
      await withSession(next.target(slot.database ?? 'postgres'), (session) =>
        createSlot(session, slot),
      ).catch((error: Error) => this.#warnings.push(`The replication slot ${slot.name}: ${error.message}`));
    await withSession(next.target('postgres'), async (session) => {
      for (const { statement } of systemSettings)
        await session
          .exec(statement)
          .catch((error: Error) => this.#warnings.push(`${statement}: ${error.message}`));
      await finishSuperuser(session, roles);
    });
  }

  async #stop(server: PrivateServer): Promise<void> {
    await server.stop();
    this.#servers.splice(this.#servers.indexOf(server), 1);
  }
}

/** @throws {UpgradeError} sql_vector, because the new cluster's extension can't read the values */
async function refuseSqlVector({ databases }: Source, current: PrivateServer): Promise<void> {
  for (const { name } of databases)
    if (await withSession(current.target(name), hasSqlVector))
      throw new UpgradeError('sql_vector', { database: name });
}

/**
 * The required disk space as a multiple of the old cluster's size. Indexes are smaller in a new cluster, and WAL isn't
 * written while the data is copied.
 */
const spaceFactor = 1.1;
const spaceForCluster = 256 * 1024 * 1024;

async function readSource(session: CopySession): Promise<Source> {
  const [found] = await session.query<{ tablespaces: string[]; transactions: string[] }>(sql`
    select array(select spcname::text from pg_tablespace where oid >= 16384) as tablespaces,
      array(select gid from pg_prepared_xacts) as transactions`);
  const { tablespaces = [], transactions = [] } = found ?? {};
  if (tablespaces.length > 0)
    throw new UpgradeError('unsupported', { objects: `tablespaces (${tablespaces.join(', ')})` });
  if (transactions.length > 0)
    throw new UpgradeError('unsupported', { objects: `prepared transactions (${transactions.join(', ')})` });
  return {
    roles: await readRoles(session),
    databases: await readDatabases(session),
    slots: await readSlots(session),
    systemSettings: await session.query(sql`
      select format('ALTER SYSTEM SET %I TO %L', name, setting) as statement from pg_file_settings
      where sourcefile ~ 'postgresql\\.auto\\.conf$' and name <> 'default_transaction_read_only'`),
  };
}

async function withSession<T>(
  options: ConnectionOptions,
  work: (session: CopySession) => Promise<T>,
): Promise<T> {
  const session = await openCopySession(options);
  try {
    return await work(session);
  } finally {
    session.destroy();
  }
}
