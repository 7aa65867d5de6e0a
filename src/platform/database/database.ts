/**
 * Creates the database module from a server (embedded or external), Plinth's SQL files, connection pools, the path that
 * requests use, and the listener.
 */
import { type Logger, silentLogger } from '../../base/kernel/log.ts';
import { sql } from '../../base/kernel/sql.ts';
import { cached } from '../../base/shared/cached.ts';
import { endOnAbort } from './abort.ts';
import { bootstrapSet } from './bootstrap-set.ts';
import type { NodeLimits } from './connection-budget.ts';
import { type Cluster, startCluster } from './embedded/cluster.ts';
import { updateExtensions } from './embedded/extension-updates.ts';
import { connectAdmin, repairRoles } from './embedded/self-repair.ts';
import { clusterTarget, type ReachedCluster, type SignIns, signInsOf } from './embedded/sign-ins.ts';
import { connectExternal } from './external/external.ts';
import { type Connected, readFindings } from './external/preflight/index.ts';
import { sqlOnlyFiles } from './external/sql-only.ts';
import { externalUrls, readReplicaUrls } from './external/url.ts';
import { applyDatabaseSettings, applyPasswords } from './logins.ts';
import { memberOf, type ReplicaTargets } from './member.ts';
import { readMigrationFiles } from './migrate/files.ts';
import { rejectOtherVersions } from './migrate/other-versions.ts';
import { applyFiles } from './migrate/runner.ts';
import { createRequestPath, type RequestPathLimits } from './path/index.ts';
import { createListenHub, createPools, type PoolsOptions } from './pool/index.ts';
import { createReachability } from './reachability.ts';
import { openReplicas, replicaFindings } from './replicas/index.ts';
import { checkOutsideRole, checkRole } from './request-role.ts';
import { announceSchema, answerSchemaRequests, listenerLocks } from './schema-requests.ts';
import type {
  Database,
  DatabaseInfo,
  Finding,
  LoginRole,
  MigrationSet,
  Pool,
  PostgresErrorShape,
  Queryable,
  RequestContext,
  Setting,
} from './types.ts';
import { readVersion } from './wire/client.ts';
import {
  Client,
  type ConnectionOptions,
  connectReplication,
  type Environment,
  runUncollected,
} from './wire/index.ts';

export interface DatabaseOptions {
  /**
   * Plinth's data folder (`.plinth`). The cluster is stored in the subfolder `postgres/`. Not used if `databaseUrl` is
   * set.
   */
  readonly dataDir: string;
  /** The loopback port of the embedded server. 0 selects a free port, and null (the default) disables TCP. */
  readonly port?: number | null;
  /** The URL of an external PostgreSQL server (version 15 or newer) to use instead of the embedded server. */
  readonly databaseUrl?: string;
  /**
   * The URL of the PostgreSQL server itself, if `databaseUrl` is the URL of a pooler in transaction mode for that server.
   */
  readonly databaseDirectUrl?: string | undefined;
  /** The URLs of read replicas, separated by spaces. They are used only with `databaseUrl`. */
  readonly replicaUrls?: string | undefined;
  /** Reads don't use a replica with a longer lag. Defaults to 5 seconds. */
  readonly replicaMaxLagMs?: number | undefined;
  /**
   * The environment variables that supply missing parts of the URL as in libpq, such as PGPASSFILE. Defaults to none.
   */
  readonly environment?: Environment;
  /** The settings in `[db.settings]` of config.toml, which are written to postgresql.conf. */
  readonly dbSettings?: Readonly<Record<string, string | number | boolean>>;
  /** Folders in which the embedded server searches extensions (`[database] extension_folders`). */
  readonly extensionFolders?: readonly string[] | undefined;
  /**
   * Settings that are stored in the database itself, such as `app.settings.jwt_secret`. These settings are used only
   * with the embedded server.
   */
  readonly databaseSettings?: readonly Setting[];
  /**
   * Database settings that earlier versions of Plinth stored. These settings are removed if they still have the values
   * specified here.
   */
  readonly withheldSettings?: readonly Setting[];
  /** The password of the role `postgres` on the embedded server. Defaults to `postgres`. */
  readonly password?: string;
  /** Whether all login roles have the same password (`[database] shared_password`). */
  readonly sharedPassword?: boolean;
  /** Whether the role `postgres` on the embedded server has the REPLICATION attribute (`[database] replication`). */
  readonly replication?: boolean;
  readonly requestPath?: RequestPathLimits;
  /** The sizes and limits of the connection pools. */
  readonly pools?: Pick<PoolsOptions, 'max' | 'maxWaiting'>;
  /** The limits of the API workers of this server, for the finding about connections. */
  readonly workers?: NodeLimits['workers'];
  /** Whether data must survive a crash of the machine. False turns fsync off, for disposable test clusters. */
  readonly durable?: boolean;
  /** Returns the folder of a prepared cluster. A new data folder is created by copying this folder. */
  readonly prepared?: (() => Promise<string | undefined>) | undefined;
  /** The data folder from which this one was copied. Its logins are valid in the copy until its first start. */
  readonly copiedFrom?: string | undefined;
  readonly log?: Logger;
  /**
   * All migrations in this version, except those of the database module. If set, a database to which a newer version
   * has applied migrations is rejected before anything is changed.
   */
  readonly knownMigrations?: () => Promise<readonly MigrationSet[]>;
  /**
   * Called with a session on an external database before anything is changed. The callback throws an error to reject
   * the database.
   */
  readonly examine?: ((session: Queryable) => Promise<void>) | undefined;
  /** Called before each step that may be slow, with a sentence that describes the step. */
  readonly onProgress?: (message: string) => void;
  /**
   * Called when this process can do other work while it waits for the embedded server to start. The function may be
   * called several times.
   */
  readonly whileStarting?: () => void;
  /**
   * Aborts the start. Waits end, and statements are canceled. A statement of a session that was borrowed from a pool is
   * left to the borrower. The signal must not be aborted after the start, because statements of requests would be
   * canceled too.
   */
  readonly signal?: AbortSignal | undefined;
}

/** A running server, either embedded or external, and the database on it that Plinth uses. */
export interface Server extends SignIns {
  /**
   * The session in which Plinth's numbered SQL files are applied. The first call to `migrate` closes the session.
   * Undefined if this process doesn't apply SQL files.
   */
  readonly admin?: Client;
  readonly info: DatabaseInfo;
  /** Information about an external server that isn't in the server's catalogs. Undefined for the embedded server. */
  readonly connected?: () => Connected;
  /** Returns the options for connecting to a pooler as a role, or undefined if the role connects directly. */
  readonly pooledTarget?: ((role: LoginRole) => ConnectionOptions | undefined) | undefined;
  readonly replicas?: ReplicaTargets | undefined;
  stop(): Promise<void>;
}

export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const log = options.log ?? silentLogger;
  const onProgress = options.onProgress ?? (() => {});
  const server =
    options.databaseUrl === undefined
      ? await startEmbedded(options, log, onProgress)
      : await connectToExternal(options.databaseUrl, options, log, onProgress);
  const { requestPath: path, pools, signal } = options;
  return openDatabase(server, log, onProgress, { path, pools, signal });
}

async function startEmbedded(
  options: DatabaseOptions,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<Server> {
  const { signal } = options;
  const start = (resetSuperuser: boolean): Promise<Cluster> =>
    startCluster({
      dataDir: options.dataDir,
      port: options.port ?? null,
      durable: options.durable ?? true,
      settings: options.dbSettings ?? {},
      extensionFolders: options.extensionFolders,
      password: options.password ?? 'postgres',
      sharedPassword: options.sharedPassword ?? false,
      resetSuperuser,
      copiedFrom: resetSuperuser ? undefined : options.copiedFrom,
      prepared: options.prepared,
      log,
      onProgress,
      whileStarting: options.whileStarting,
      signal,
    });
  const signIn = (cluster: Cluster): Promise<Client> =>
    connectAdmin(
      clusterTarget(
        { ...cluster, logins: cluster.preparedLogins ?? cluster.logins },
        'supabase_admin',
        'postgres',
      ),
      log,
    );
  let cluster = await start(false);
  try {
    let admin: Client;
    try {
      admin = await signIn(cluster);
    } catch (error) {
      if ((error as PostgresErrorShape).code !== '28P01') throw error;
      // The data folder was copied without its key or together with the key of a different folder.
      await cluster.stop();
      cluster = await start(true);
      admin = await signIn(cluster);
    }
    endOnAbort(admin, signal);
    // Turning off `synchronous_commit` is safe because no client relies on a new database yet, and a client's first
    // commit also flushes all earlier commits.
    if (cluster.isNew) await admin.exec('set synchronous_commit = off');
    const serverVersion = readVersion(admin);
    await rejectOthers(admin, options, `in ${options.dataDir}`);
    const run = { session: admin, serverVersion, log, onProgress, signal };
    await applyFiles(run, readMigrationFiles([bootstrapSet]));
    await updateExtensions(admin, cluster.packs, log, onProgress);
    await repairRoles(admin, log, { replication: options.replication ?? false });
    await applyPasswords(admin, cluster.logins);
    await applyDatabaseSettings(admin, options.databaseSettings ?? [], options.withheldSettings ?? []);
    const running = cluster;
    const url = clusterUrl(running, 'postgres');
    const info = {
      url,
      projectUrl: url,
      embedded: true,
      existed: !running.isNew,
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

/** Throws an error if another version of Plinth applied files that this version doesn't have. */
async function rejectOthers(
  session: Client,
  { knownMigrations }: DatabaseOptions,
  database: string,
): Promise<void> {
  if (knownMigrations === undefined) return;
  const files = [...readMigrationFiles([bootstrapSet, ...(await knownMigrations())]), ...sqlOnlyFiles([])];
  await rejectOtherVersions(session, files, database);
}

async function connectToExternal(
  text: string,
  options: DatabaseOptions,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<Server> {
  const { sharedPassword = false, environment = {}, signal } = options;
  const urls = externalUrls({ databaseUrl: text, databaseDirectUrl: options.databaseDirectUrl });
  const addresses = await readReplicaUrls(options.replicaUrls ?? '', environment);
  const max = options.pools?.max;
  const external = await connectExternal(urls, {
    node: {
      path: options.requestPath,
      poolMax: typeof max === 'number' ? max : undefined,
      workers: options.workers,
    },
    sharedPassword,
    environment,
    log,
    signal,
    async check(session, host) {
      await rejectOthers(session, options, `at ${host}`);
      await options.examine?.(session);
    },
  });
  const { session, url, serverVersion, ownsSchemas, target, targetOf, connected } = external;
  try {
    if (ownsSchemas) {
      const rows = await session.query<{ name: string }>(
        sql`select extname::text as name from pg_catalog.pg_extension`,
      );
      const installed = rows.map(({ name }) => name);
      const files = [...readMigrationFiles([bootstrapSet]), ...sqlOnlyFiles(installed)];
      await applyFiles({ session, serverVersion, log, onProgress, signal }, files);
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
  const pooledTarget = external.pooler()?.target;
  const replicas =
    addresses.length === 0
      ? undefined
      : {
          targets: addresses.map((address) => () => ({ ...target('authenticator'), ...address })),
          maxLagMs: options.replicaMaxLagMs ?? defaultMaxLagMs,
        };
  return { target, targetOf, connected, pooledTarget, replicas, admin: session, info, stop: async () => {} };
}

interface OpenOptions {
  readonly path?: RequestPathLimits | undefined;
  readonly pools?: Pick<PoolsOptions, 'max' | 'maxWaiting'> | undefined;
  /** Aborts the start, see {@link DatabaseOptions.signal}. */
  readonly signal?: AbortSignal | undefined;
}

const defaultMaxLagMs = 5000;

/**
 * The time after which the pools close idle connections to the embedded server. It is shorter than for other servers,
 * because opening a connection on the same machine takes a few milliseconds, and an idle one uses 2 to 9 MiB.
 */
const embeddedIdleTimeoutMs = 5000;

/** Creates the pools, the path that requests use, and the listener for a database that has been bootstrapped. */
export function openDatabase(
  server: Server,
  log: Logger,
  onProgress: (message: string) => void,
  { signal, ...limits }: OpenOptions = {},
): Database {
  const { target, info, pooledTarget } = server;
  const requestTarget = (role: LoginRole) => pooledTarget?.(role) ?? target(role);
  const contextSettings = pooledTarget === undefined ? undefined : requestSettingNames;
  const settingsOf = settingsWith(contextSettings ?? []);
  const onOpenFailed = () => reachability.suspect();
  const pools = createPools({
    onOpenFailed,
    connectOptions: requestTarget,
    sessionOptions: target,
    ...(info.embedded ? { idleTimeoutMs: embeddedIdleTimeoutMs } : {}),
    ...limits.pools,
  });
  signal?.addEventListener('abort', () => void pools.cancelStatements(), { once: true });
  const primaryPath = createRequestPath({
    connectOptions: () => requestTarget('authenticator'),
    contextSettings,
    onOpenFailed,
    ...limits.path,
  });
  const replicas =
    server.replicas &&
    openReplicas({
      ...server.replicas,
      primary: primaryPath,
      pool: pools.pool('authenticator'),
      path: limits.path ?? {},
      log,
    });
  const requestPath = replicas ?? primaryPath;
  const states = () => replicas?.states() ?? [];
  const hub = createListenHub({
    connectOptions: () => target('authenticator'),
    onError: (error) => log.warn({ service: 'database', error }, 'The LISTEN connection failed'),
    locks: listenerLocks,
  });
  const checkLogins = async () => {
    await Promise.all(checkedRoles.map((role) => checkLogin(requestTarget(role))));
  };
  const reachability = createReachability({
    signIn: checkLogins,
    async ping() {
      // The listening connection doesn't use the pooler.
      if (pooledTarget === undefined && (await hub.ping())) return;
      await pools.pool('authenticator').query(sql`select 1`);
    },
    answeredAt: () => Math.max(requestPath.answeredAt(), pools.answeredAt()),
    now: () => performance.now(),
  });
  const serverFindings = cached(findingsLifetimeMs, () => findingsOf(server, pools.pool('supabase_admin')));
  const runFiles = async (sets: readonly MigrationSet[]): Promise<number> => {
    const { admin } = server;
    const session = admin === undefined || admin.connection.ended ? await openAdmin(server, signal) : admin;
    try {
      if (!info.ownsSchemas) return 0;
      const run = { session, serverVersion: info.serverVersion, log, onProgress, signal };
      return await applyFiles(run, readMigrationFiles(sets));
    } finally {
      // After a bootstrap, the session is closed because it has large caches and is no longer needed.
      await session.connection.close();
    }
  };
  return {
    pool: (role, client) => pools.pool(role).of(client),
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
      return pools
        .pool('authenticator')
        .of(context.client)
        .statements(statements, {
          ...options,
          settings: settingsOf(context),
        });
    },
    async rowsAsRequest(context, statement, onRow, options) {
      checkRole(context.role);
      return pools
        .pool('authenticator')
        .of(context.client)
        .rows(statement, onRow, {
          ...options,
          settings: settingsOf(context),
        });
    },
    async asRequest(context, work, options) {
      checkRole(context.role);
      return pools
        .pool('authenticator')
        .of(context.client)
        .transaction(work, {
          ...options,
          settings: settingsOf(context),
        });
    },
    loads: () => [
      ...requestPath.loads().map((load) => ({ ...load, name: `rest_${load.name}` })),
      ...pools.loads(),
    ],
    requestPath,
    replicas: states,
    listen: hub.listen,
    answerSchemaRequests: (load) => answerSchemaRequests(hub, load),
    announceSchema: () => announceSchema(target('postgres')),
    connectReplication: () => connectReplication(target('supabase_replication_admin')),
    checkLogins,
    checkReachable: reachability.check,
    findings: async () => [...(await serverFindings()), ...replicaFindings(states())],
    async setReadOnly(isReadOnly) {
      const superuser = pools.pool('supabase_admin');
      await superuser.exec(
        isReadOnly
          ? 'alter system set default_transaction_read_only = on'
          : 'alter system reset default_transaction_read_only',
      );
      await superuser.exec('select pg_reload_conf()');
      // Writes a checkpoint so that PostgreSQL removes WAL files that are no longer needed.
      if (isReadOnly) await superuser.exec('checkpoint');
    },
    migrate: runFiles,
    info,
    member: () => memberOf(server),
    restoreLogins: async () => target('authenticator').onPasswordRejected?.(),
    async stop() {
      await requestPath.stop();
      await hub.end();
      await pools.end();
      await server.admin?.connection.close();
      await server.stop();
    },
  };
}

async function openAdmin({ target }: Server, signal: AbortSignal | undefined): Promise<Client> {
  const session = await Client.connect(target('supabase_admin'));
  endOnAbort(session, signal);
  return session;
}

async function findingsOf({ connected }: Server, pool: Pool): Promise<readonly Finding[]> {
  if (connected === undefined) return [];
  return pool.transaction((tx) => readFindings(tx, connected()), { readOnly: true });
}

/** The `request.…` settings that the services set and that `auth.uid()` and similar functions read. */
const requestSettingNames: readonly string[] = [
  'request.jwt',
  'request.jwt.claim',
  'request.jwt.claims',
  'request.jwt.claim.sub',
  'request.jwt.claim.role',
  'request.jwt.claim.email',
  'request.headers',
  'request.cookies',
  'request.method',
  'request.path',
];

/**
 * Returns a function that returns the settings of a request. The settings in `emptied` are set to the empty string unless
 * the request has values for them. Behind a pooler, all services share sessions, so a request must not read a value that a
 * user's function has set for the whole session.
 */
const settingsWith =
  (emptied: readonly string[]) =>
  ({ role, settings }: RequestContext): readonly Setting[] => {
    const own: readonly Setting[] = [['role', role], ...settings];
    const missing = emptied.filter((name) => !own.some(([given]) => given === name));
    return [...missing.map((name): Setting => [name, '']), ...own];
  };

const findingsLifetimeMs = 10_000;

const checkedRoles: readonly LoginRole[] = [
  'authenticator',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
];

async function checkLogin(target: ConnectionOptions): Promise<void> {
  const client = await Client.connect(target);
  try {
    await client.query(sql`select 1`);
  } finally {
    await client.connection.close();
  }
}

/** Returns the connection string for users and ORMs. */
export function clusterUrl(
  cluster: ReachedCluster & { readonly tcpPort: number | null },
  database: string,
): string {
  const login = `postgres:${encodeURIComponent(cluster.logins.password('postgres'))}`;
  if (cluster.tcpPort !== null) return `postgresql://${login}@${cluster.host}:${cluster.tcpPort}/${database}`;
  const folder = encodeURIComponent(cluster.socketDir ?? '');
  return `postgresql://${login}@/${database}?host=${folder}&port=${cluster.port}`;
}
