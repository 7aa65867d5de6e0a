/**
 * Assembles the module: a server (embedded or external), Plinth's SQL files, pools, the request path and the listener.
 */
import { type Logger, silentLogger } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type Cluster, startCluster } from './embedded/cluster.ts';
import { connectAdmin, repairRoles } from './embedded/self-repair.ts';
import { clusterTarget, type ReachedCluster, type SignIns, signInsOf } from './embedded/sign-ins.ts';
import { connectExternal } from './external/external.ts';
import { sqlOnlyFiles } from './external/sql-only.ts';
import { applyDatabaseSettings, applyPasswords } from './logins/apply.ts';
import { readMigrationFiles } from './migrate/files.ts';
import { applyFiles } from './migrate/runner.ts';
import { createRequestPath } from './path/index.ts';
import { createListenHub, createPools } from './pool/index.ts';
import { checkOutsideRole, checkRole } from './request-role.ts';
import type { Database, DatabaseInfo, MigrationSet, PostgresErrorShape, Setting } from './types.ts';
import { Client, connectReplication, runUncollected } from './wire/index.ts';

export interface DatabaseOptions {
  /** Plinth's data folder (`.plinth`). The cluster is in its subfolder `postgres/`. Not used with `databaseUrl`. */
  readonly dataDir: string;
  /** The loopback port of the embedded server: 0 selects a free port, and null (the default) disables TCP. */
  readonly port?: number | null;
  /** The URL of an external PostgreSQL, version 15 or newer, that replaces the embedded server. */
  readonly databaseUrl?: string;
  /** `[db.settings]` from config.toml, for postgresql.conf. */
  readonly dbSettings?: Readonly<Record<string, string | number | boolean>>;
  /** Settings of the database itself, such as `app.settings.jwt_secret`. Embedded server only. */
  readonly databaseSettings?: readonly Setting[];
  /** Settings from earlier versions, which are removed if they still have this value. */
  readonly withheldSettings?: readonly Setting[];
  /** The password of the role `postgres` on the embedded server. Defaults to `postgres`. */
  readonly password?: string;
  /** Whether all login roles share one password (`[database] shared_password`). */
  readonly sharedPassword?: boolean;
  /** Whether the role `postgres` of the embedded server has REPLICATION (`[database] replication`). */
  readonly replication?: boolean;
  /** The number of connections shared by fast REST requests. Defaults to 4. */
  readonly requestPathConnections?: number;
  /** False disables fsync, for disposable test clusters. */
  readonly durable?: boolean;
  readonly log?: Logger;
  /** Called with a sentence before each step that may be slow. */
  readonly onProgress?: (message: string) => void;
  /** Called, possibly several times, while the embedded server is starting and there is time for other work. */
  readonly whileStarting?: () => void;
}

/** The first migrations of every database: roles, schemas and guards. */
const bootstrapSet: MigrationSet = { room: 'database', dir: new URL('./sql/', import.meta.url) };

/** A running server, embedded or external, and one of its databases. */
export interface Server extends SignIns {
  /** The session that applies Plinth's numbered SQL files. It is closed at the end of the first `migrate`. */
  readonly admin: Client;
  readonly info: DatabaseInfo;
  stop(): Promise<void>;
}

export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const log = options.log ?? silentLogger;
  const onProgress = options.onProgress ?? (() => {});
  const server =
    options.databaseUrl === undefined
      ? await startEmbedded(options, log, onProgress)
      : await connectToExternal(options.databaseUrl, options.sharedPassword ?? false, log, onProgress);
  return openDatabase(server, log, onProgress, options.requestPathConnections);
}

async function startEmbedded(
  options: DatabaseOptions,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<Server> {
  const start = (resetSuperuser: boolean): Promise<Cluster> =>
    startCluster({
      dataDir: options.dataDir,
      port: options.port ?? null,
      durable: options.durable ?? true,
      settings: options.dbSettings ?? {},
      password: options.password ?? 'postgres',
      sharedPassword: options.sharedPassword ?? false,
      resetSuperuser,
      log,
      onProgress,
      whileStarting: options.whileStarting,
    });
  const signIn = (cluster: Cluster): Promise<Client> =>
    connectAdmin(clusterTarget(cluster, 'supabase_admin', 'postgres'), log);
  let cluster = await start(false);
  try {
    let admin: Client;
    try {
      admin = await signIn(cluster);
    } catch (error) {
      if ((error as PostgresErrorShape).code !== '28P01') throw error;
      // The folder was copied without its key or with a different key.
      await cluster.stop();
      cluster = await start(true);
      admin = await signIn(cluster);
    }
    const serverVersion = readVersion(admin);
    await applyFiles({ session: admin, serverVersion, log, onProgress }, readMigrationFiles([bootstrapSet]));
    await repairRoles(admin, log, { replication: options.replication ?? false });
    await applyPasswords(admin, cluster.logins);
    await applyDatabaseSettings(admin, options.databaseSettings ?? [], options.withheldSettings ?? []);
    const running = cluster;
    const url = clusterUrl(running, 'postgres');
    const info = {
      url,
      projectUrl: url,
      embedded: true,
      socketDir: running.socketDir ?? undefined,
      serverVersion,
      ownsSchemas: true,
    };
    return { ...signInsOf(running, 'postgres', log), admin, info, stop: () => running.stop() };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function connectToExternal(
  url: string,
  sharedPassword: boolean,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<Server> {
  const external = await connectExternal(url, { sharedPassword, log });
  const { session, serverVersion, ownsSchemas, target, targetOf } = external;
  try {
    if (ownsSchemas) {
      const rows = await session.query<{ name: string }>(
        sql`select extname::text as name from pg_catalog.pg_extension`,
      );
      const installed = rows.map(({ name }) => name);
      const files = [...readMigrationFiles([bootstrapSet]), ...sqlOnlyFiles(installed)];
      await applyFiles({ session, serverVersion, log, onProgress }, files);
    } else {
      log.info(
        { service: 'database' },
        "Skipped Plinth's migrations because the database contains schemas that Plinth doesn't own",
      );
    }
    await external.prepareLogins();
  } catch (error) {
    session.connection.destroy();
    throw error;
  }
  const info = { url, projectUrl: external.projectUrl(), embedded: false, serverVersion, ownsSchemas };
  return { target, targetOf, admin: session, info, stop: async () => {} };
}

/** Creates the pools, the request path and the listener for a bootstrapped database. */
export function openDatabase(
  server: Server,
  log: Logger,
  onProgress: (message: string) => void,
  requestPathConnections?: number,
): Database {
  const { target, info } = server;
  const pools = createPools({ connectOptions: target });
  const requestPath = createRequestPath({
    connectOptions: () => target('authenticator'),
    sharedConnections: requestPathConnections,
  });
  const hub = createListenHub({
    connectOptions: () => target('authenticator'),
    onError: (error) => log.warn({ service: 'database', error }, 'The LISTEN connection failed'),
  });
  const runFiles = async (sets: readonly MigrationSet[]): Promise<void> => {
    const session = server.admin.connection.ended
      ? await Client.connect(target('supabase_admin'))
      : server.admin;
    try {
      if (!info.ownsSchemas) return;
      const run = { session, serverVersion: info.serverVersion, log, onProgress };
      await applyFiles(run, readMigrationFiles(sets));
    } finally {
      // The session's caches are large after a bootstrap, and the session isn't needed again.
      await session.connection.close();
    }
  };
  return {
    pool: pools.pool,
    async signIn(role, name) {
      await checkOutsideRole(pools.pool('supabase_admin'), role);
      const client = await Client.connect(await server.targetOf(role, name));
      return {
        processId: client.processId,
        run: (text) => runUncollected(client.connection, text),
        cancel: () => client.connection.cancel(),
        end: () => client.connection.close(),
      };
    },
    async statementsAsRequest(context, statements, options) {
      checkRole(context.role);
      return pools.pool('authenticator').statements(statements, {
        ...options,
        settings: [['role', context.role], ...context.settings],
      });
    },
    async rowsAsRequest(context, statement, onRow, options) {
      checkRole(context.role);
      return pools.pool('authenticator').rows(statement, onRow, {
        ...options,
        settings: [['role', context.role], ...context.settings],
      });
    },
    async asRequest(context, work, options) {
      checkRole(context.role);
      return pools.pool('authenticator').transaction(work, {
        ...options,
        settings: [['role', context.role], ...context.settings],
      });
    },
    requestPath,
    listen: hub.listen,
    connectReplication: () => connectReplication(target('supabase_replication_admin')),
    migrate: runFiles,
    info,
    async stop() {
      await requestPath.stop();
      await hub.end();
      await pools.end();
      await server.admin.connection.close();
      await server.stop();
    },
  };
}

/** The connection string for users and ORMs. */
export function clusterUrl(
  cluster: ReachedCluster & { readonly tcpPort: number | null },
  database: string,
): string {
  const login = `postgres:${encodeURIComponent(cluster.logins.password('postgres'))}`;
  if (cluster.tcpPort !== null) return `postgresql://${login}@${cluster.host}:${cluster.tcpPort}/${database}`;
  const folder = encodeURIComponent(cluster.socketDir ?? '');
  return `postgresql://${login}@/${database}?host=${folder}&port=${cluster.port}`;
}

/** Converts a version such as `18.4` to 180004. */
export function readVersion(client: Client): number {
  const [major = '0', minor = '0'] = (client.connection.parameters.get('server_version') ?? '').split(
    /[.\s]/,
  );
  return Number(major) * 10_000 + (Number.parseInt(minor, 10) || 0);
}
