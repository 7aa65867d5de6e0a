/**
 * Recovers a cluster whose files have been restored. PostgreSQL replays the WAL up to a target and begins a new
 * timeline.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, silentLogger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import { setPasswords } from '../logins.ts';
import { ownSessionSettings } from '../superuser.ts';
import type { PostgresErrorShape, Queryable } from '../types.ts';
import { Client, type ConnectionOptions, type CopiedRow, copyOut } from '../wire/index.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { provideInstalled } from './extension-updates.ts';
import { connectAdmin } from './self-repair.ts';
import { clusterTarget } from './sign-ins.ts';

export interface RecoveryOptions {
  /** Plinth's data folder, which contains `postgres/` and the key files. */
  readonly dataDir: string;
  /**
   * The recovery settings, such as `restore_command`. If no settings are given, the cluster starts without a recovery.
   */
  readonly recovery: Readonly<Record<string, string>> | undefined;
  /**
   * Tables whose rows describe data that isn't restored. They are emptied, together with the tables that refer to them.
   * Tables that don't exist are ignored. The names are quoted and have a schema.
   */
  readonly emptied?: readonly string[];
  /**
   * Folders that the operator named, in which extensions are searched. Folders that don't exist on this machine are
   * skipped, because only tables that use their extensions need them.
   */
  readonly extensionFolders?: readonly string[] | undefined;
  /** Called for each line of PostgreSQL's log. */
  readonly onLine: (line: string) => void;
  /** Aborts the recovery. The signal doesn't affect a cluster that has already been recovered. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a project's tables without running the project's code. */
export interface TableReader {
  /** Runs a query. The query must read only the system catalogs. */
  readonly query: Queryable['query'];
  /**
   * Reads all rows of a table and returns the row count. `relation` is the quoted name of a table, optionally followed
   * by a list of columns in parentheses.
   */
  copyOut(relation: string, onRow?: (row: CopiedRow) => void): Promise<number>;
}

export interface RecoveredCluster {
  /** Reads the tables of the database `postgres`. */
  readonly reader: TableReader;
  stop(): Promise<void>;
}

/** The reader's role. The role can read all tables but isn't a superuser, and a project's roles can't switch to it. */
const readerRole = 'supabase_read_only_user';

/**
 * Settings that keep a recovered copy passive. The recovered copy may run beside the original cluster, so the copy's
 * logical replication subscriptions must not receive changes. The project's event triggers are disabled, because they
 * could run when the reader's session starts.
 */
const guards = { max_logical_replication_workers: 0, event_triggers: false } as const;

/**
 * Recovers the cluster. Resolves once the recovery is complete.
 * @throws {DatabaseError} start_failed, with PostgreSQL's message
 */
export async function startRecovery({
  dataDir,
  recovery,
  emptied = [],
  extensionFolders = [],
  onLine,
  signal,
}: RecoveryOptions): Promise<RecoveredCluster> {
  if (recovery !== undefined) requestRecovery(join(dataDir, 'postgres', 'recovery.signal'));
  const options: ClusterOptions = {
    dataDir,
    port: null,
    durable: true,
    // With hot standby, the limits of this server would have to be at least as high as those of the original server.
    settings: { ...guards, ...(recovery === undefined ? {} : { hot_standby: false, ...recovery }) },
    extensionFolders: extensionFolders.filter((folder) => existsSync(folder)),
    password: '',
    sharedPassword: false,
    signal,
    log: lineLogger(onLine),
    onProgress: () => undefined,
  };
  let cluster = await startCluster(options);
  try {
    try {
      await prepare(cluster, emptied, options.log);
    } catch (error) {
      if ((error as PostgresErrorShape).code !== '28P01') throw error;
      // If all logins of the original server shared one password, the superuser's password is unknown. In this case,
      // the superuser's password is reset for this start, and the next start restores the configured password.
      await cluster.stop();
      cluster = await startCluster({ ...options, settings: guards, resetSuperuser: true });
      await prepare(cluster, emptied, options.log);
    }
    const running = cluster;
    let stopping: Promise<void> | undefined;
    const client = await Client.connect(readerTarget(running));
    return {
      reader: {
        query: (statement) => client.query(statement),
        copyOut: (relation, onRow) => copyOut(client.connection, relation, onRow),
      },
      stop() {
        stopping ??= running.stop();
        client.connection.destroy();
        return stopping;
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/**
 * Creates the file that requests a recovery. First removes any existing file, because after the first start,
 * PostgreSQL's user owns the folder and could have created a link at this path.
 */
function requestRecovery(path: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
}

/**
 * Empties the tables, provides the extensions with which they are read, and sets the reader's password. The backup
 * contains the original passwords. If the key file is missing, the original passwords were derived from a different
 * secret.
 */
async function prepare(cluster: Cluster, emptied: readonly string[], log: Logger): Promise<void> {
  const admin = await connectAdmin(clusterTarget(cluster, 'supabase_admin', 'postgres'), silentLogger);
  try {
    for (const table of emptied) {
      const [found] = await admin.query(
        sql`select from pg_catalog.pg_class c where c.oid operator(pg_catalog.=) pg_catalog.to_regclass(${table})`,
      );
      if (found !== undefined) await admin.exec(`truncate ${table} cascade`);
    }
    await provideInstalled(admin, cluster.packs, log);
    await setPasswords(admin, cluster.logins, [readerRole]);
  } finally {
    await admin.connection.close();
  }
}

/**
 * Returns the connection options for the reader. With `row_security` off, PostgreSQL rejects a statement to which a
 * policy would apply, instead of hiding rows.
 */
function readerTarget(cluster: Cluster): ConnectionOptions {
  const parameters = {
    ...ownSessionSettings,
    role: 'none',
    row_security: 'off',
    default_transaction_read_only: 'on',
  };
  return { ...clusterTarget(cluster, readerRole, 'postgres'), parameters };
}

function lineLogger(onLine: (line: string) => void): Logger {
  const write = (_fields: object, message: string): void => onLine(message);
  return { debug: write, info: write, warn: write, error: write, child: () => lineLogger(onLine) };
}
