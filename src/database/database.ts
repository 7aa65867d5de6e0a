/** Puts the room together: a server (embedded or external), our files applied, pools, path, listener. */
import { type Logger, silentLogger } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type Cluster, startCluster } from './embedded/cluster.ts';
import { connectAdmin, repairRoles } from './embedded/self-repair.ts';
import { connectExternal } from './external/external.ts';
import { sqlOnlyFiles } from './external/sql-only.ts';
import { applyLogins } from './login.ts';
import { readMigrationFiles } from './migrate/files.ts';
import { applyFiles } from './migrate/runner.ts';
import { createRequestPath } from './path/index.ts';
import { createListenHub, createPools } from './pool/index.ts';
import { checkOutsideRole, checkRole } from './request-role.ts';
import { superuserSettings } from './superuser.ts';
import type { Database, DatabaseInfo, LoginRole, MigrationSet, Setting } from './types.ts';
import { Client, type ConnectionOptions, connectReplication, runUncollected } from './wire/index.ts';

export interface DatabaseOptions {
  /** Plinth's data folder (`.plinth`); the cluster lives in `postgres/` below it. Not used with `databaseUrl`. */
  readonly dataDir: string;
  /** Loopback port of the embedded server; 0 takes a free one, null (the default) means no TCP at all. */
  readonly port?: number | null;
  /** Another PostgreSQL, 15 or newer, instead of the embedded one. */
  readonly databaseUrl?: string;
  /** `[db.settings]` of config.toml, for postgresql.conf. */
  readonly dbSettings?: Readonly<Record<string, string | number | boolean>>;
  /** Settings of the database itself, such as `app.settings.jwt_secret`; in the embedded server only. */
  readonly databaseSettings?: readonly Setting[];
  /** Of every login role of the embedded server over TCP; `postgres` unless given. */
  readonly password?: string;
  /** Connections that quick REST requests share; 4 by default. */
  readonly requestPathConnections?: number;
  /** False: fsync off, for throw-away test clusters. */
  readonly durable?: boolean;
  readonly log?: Logger;
  /** One sentence before anything that may take longer than a moment. */
  readonly onProgress?: (message: string) => void;
  /** Called, maybe several times, when the embedded server is on its way and there is time for other work. */
  readonly whileStarting?: () => void;
}

/** The first set of every database: roles, schemas, guards. */
const bootstrapSet: MigrationSet = { room: 'database', dir: new URL('./sql/', import.meta.url) };

/** One database of a server that answers, whoever runs it. */
export interface Server {
  readonly target: (role: LoginRole) => ConnectionOptions;
  /** How any role signs in, as far as we know. */
  readonly targetOf: (role: string, database: string) => ConnectionOptions;
  /** The account for our numbered files; open until the end of the first `migrate`. */
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
      : await connectToExternal(options.databaseUrl, log, onProgress);
  return openDatabase(server, log, onProgress, options.requestPathConnections);
}

async function startEmbedded(
  options: DatabaseOptions,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<Server> {
  const password = options.password ?? 'postgres';
  const cluster = await startCluster({
    dataDir: options.dataDir,
    port: options.port ?? null,
    durable: options.durable ?? true,
    settings: options.dbSettings ?? {},
    log,
    onProgress,
    whileStarting: options.whileStarting,
  });
  try {
    const target = (role: LoginRole) => clusterTarget(cluster, role, password, 'postgres');
    const admin = await connectAdmin(target('supabase_admin'), log);
    const serverVersion = readVersion(admin);
    await applyFiles({ session: admin, serverVersion, log, onProgress }, readMigrationFiles([bootstrapSet]));
    await repairRoles(admin, log);
    await applyLogins(admin, password, options.databaseSettings ?? []);
    const info = {
      url: clusterUrl(cluster, password, 'postgres'),
      embedded: true,
      socketDir: cluster.socketDir ?? undefined,
      serverVersion,
      ownsSchemas: true,
    };
    const targetOf = (role: string, database: string) => clusterTarget(cluster, role, password, database);
    return { target, targetOf, admin, info, stop: () => cluster.stop() };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function connectToExternal(
  url: string,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<Server> {
  const external = await connectExternal(url, log);
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
        'The database holds schemas that are not ours to change; no migration of ours is run',
      );
    }
    await external.prepareLogins();
  } catch (error) {
    session.connection.destroy();
    throw error;
  }
  const info = { url, embedded: false, serverVersion, ownsSchemas };
  return { target, targetOf, admin: session, info, stop: async () => {} };
}

/** Pools, path and listener over a bootstrapped database. */
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
    onError: (error) => log.warn({ service: 'database', error }, 'The listening connection is in trouble'),
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
      // Its caches are large after a bootstrap, and it is not needed again.
      await session.connection.close();
    }
  };
  return {
    pool: pools.pool,
    async signIn(role, name) {
      await checkOutsideRole(pools.pool('supabase_admin'), role);
      const client = await Client.connect(server.targetOf(role, name));
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
    connectReplication: () => connectReplication(target('supabase_realtime_admin')),
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

/** How a role signs in to a database of the embedded server. */
export function clusterTarget(
  cluster: Pick<Cluster, 'socketDir' | 'host' | 'port'>,
  role: string,
  password: string,
  database: string,
): ConnectionOptions {
  return {
    host: cluster.socketDir ?? cluster.host,
    port: cluster.port,
    user: role,
    password,
    database,
    sslMode: 'disable',
    applicationName: 'plinth',
    ...(role === 'supabase_admin' ? { parameters: { ...superuserSettings(180_000), role: 'none' } } : {}),
  };
}

/** The connection string for people and ORMs. */
export function clusterUrl(
  cluster: Pick<Cluster, 'socketDir' | 'host' | 'port' | 'tcpPort'>,
  password: string,
  database: string,
): string {
  const login = `postgres:${encodeURIComponent(password)}`;
  if (cluster.tcpPort !== null) return `postgresql://${login}@${cluster.host}:${cluster.tcpPort}/${database}`;
  const folder = encodeURIComponent(cluster.socketDir ?? '');
  return `postgresql://${login}@/${database}?host=${folder}&port=${cluster.port}`;
}

/** `18.4` to 180004. */
export function readVersion(client: Client): number {
  const [major = '0', minor = '0'] = (client.connection.parameters.get('server_version') ?? '').split(
    /[.\s]/,
  );
  return Number(major) * 10_000 + (Number.parseInt(minor, 10) || 0);
}
