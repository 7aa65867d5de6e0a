/** The database room: a PostgreSQL that is ready and bootstrapped, and the ways to talk to it. */
import { join } from 'node:path';
import { type Logger, silentLogger } from '../kernel/log.ts';
import { type Cluster, startCluster } from './embedded/cluster.ts';
import { interimPool } from './interim-pool.ts';
import { createListener } from './listener.ts';
import { applyLogins } from './login.ts';
import { applyMigrations } from './migrate/runner.ts';
import type { Database, LoginRole, MigrationSet, Setting } from './types.ts';
import { Client, type ConnectionOptions, connectReplication } from './wire/index.ts';

export { DatabaseError, type DatabaseErrorCode, databaseErrors } from './errors.ts';
export { isHeld, type LockInfo, readLock } from './embedded/lock.ts';
export type * from './types.ts';

export interface DatabaseOptions {
  /** Plinth's data folder (`.plinth`); the cluster lives in `postgres/` below it. Needed without `databaseUrl`. */
  readonly dataDir?: string;
  /** Loopback port of the embedded server; 0 takes a free one, null means no TCP at all. */
  readonly port?: number | null;
  /** Another PostgreSQL, 15 or newer, instead of the embedded one. */
  readonly databaseUrl?: string;
  /** `[db.settings]` of config.toml, for postgresql.conf. */
  readonly dbSettings?: Readonly<Record<string, string | number | boolean>>;
  /** Settings of the database itself, such as `app.settings.jwt_secret`. */
  readonly databaseSettings?: readonly Setting[];
  /** Of every login role over TCP; `postgres` unless given. */
  readonly password?: string;
  /** False: fsync off, for throw-away test clusters. */
  readonly durable?: boolean;
  readonly log?: Logger;
  /** One sentence before anything that may take longer than a moment. */
  readonly onProgress?: (message: string) => void;
}

/** The rooms' first set: roles, schemas, guards. */
export const bootstrapSet: MigrationSet = { room: 'database', dir: new URL('./sql/', import.meta.url) };

/**
 * Starts (or connects to) the database and bootstraps it. Throws {@link DatabaseError}.
 *
 * @example
 * const database = await createDatabase({ dataDir: '/project/.plinth', port: 54322 });
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  const log = options.log ?? silentLogger;
  const onProgress = options.onProgress ?? (() => {});
  const password = options.password ?? 'postgres';
  const cluster = await startCluster({
    dataDir: options.dataDir ?? join(process.cwd(), '.plinth'),
    port: options.port ?? null,
    durable: options.durable ?? true,
    settings: options.dbSettings ?? {},
    log,
    onProgress,
  });
  const target = (role: LoginRole): ConnectionOptions => ({
    host: cluster.socketDir ?? cluster.host,
    port: cluster.port,
    user: role,
    password,
    database: 'postgres',
    sslMode: 'disable',
    applicationName: 'plinth',
  });
  const admin = await Client.connect(target('supabase_admin'));
  const serverVersion = readVersion(admin);
  const run = { session: admin, serverVersion, log, onProgress };
  await applyMigrations(run, [bootstrapSet]);
  await applyLogins(admin, password, options.databaseSettings ?? []);

  const pools = new Map<LoginRole, ReturnType<typeof interimPool>>();
  const pool = (role: LoginRole) => {
    const known = pools.get(role) ?? interimPool(role, target(role));
    pools.set(role, known);
    return known;
  };
  const listener = createListener(target('postgres'), log);
  return {
    pool,
    asRequest: (context, work, more) =>
      pool('authenticator').transaction(work, { ...more, settings: [['role', context.role], ...context.settings] }),
    requestPath: {
      execute: () => Promise.reject(new Error('The request path is not built yet.')),
      stop: async () => {},
    },
    listen: listener.listen,
    connectReplication: () => connectReplication(target('supabase_realtime_admin')),
    migrate: async (sets) => void (await applyMigrations(run, sets)),
    info: { url: urlOf(cluster, password), embedded: true, serverVersion, ownsSchemas: true },
    async stop() {
      await listener.stop();
      await Promise.all([...pools.values()].map((each) => each.end()));
      await admin.connection.close();
      await cluster.stop();
    },
  };
}

function urlOf(cluster: Cluster, password: string): string {
  const login = `postgres:${encodeURIComponent(password)}`;
  if (cluster.tcpPort === null) return `postgresql://${login}@/postgres?host=${encodeURIComponent(cluster.socketDir ?? '')}`;
  return `postgresql://${login}@${cluster.host}:${cluster.tcpPort}/postgres`;
}

/** `18.4` to 180004. */
function readVersion(client: Client): number {
  const [major = '0', minor = '0'] = (client.connection.parameters.get('server_version') ?? '').split(/[.\s]/);
  return Number(major) * 10_000 + (Number.parseInt(minor, 10) || 0);
}
