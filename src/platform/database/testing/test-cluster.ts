/**
 * Provides each process with a disposable PostgreSQL server (fsync off, many slots). The server's databases can be
 * cloned within milliseconds. Projects that name different folders with extensions use different servers.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { silentLogger } from '../../../base/kernel/log.ts';
import { quoteIdentifier, quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import { clusterUrl, type DatabaseOptions, openDatabase } from '../database.ts';
import { type Cluster, startCluster } from '../embedded/cluster.ts';
import { clusterTarget, type ReachedCluster, signInsOf } from '../embedded/sign-ins.ts';
import { clusterLogins } from '../logins.ts';
import type { Database, LoginRole } from '../types.ts';
import { readVersion } from '../wire/client.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';
import { readSharedState } from './cluster-state.ts';
import { guardCluster, sweepDeadClusters } from './guard.ts';
import { copyTemplateFolder, testRoot } from './template-folder.ts';

const password = 'postgres';

export interface TestCluster {
  readonly cluster: Cluster;
  /** The names of the template databases by key. Each template is prepared once. */
  readonly templates: Map<string, Promise<string>>;
  /**
   * Runs `work` as superuser in a database that is never cloned. Calls run one at a time, because concurrent cloning
   * operations interfere with each other.
   */
  asAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T>;
  /** Whether roles, slots or server settings differ from those of a new cluster. */
  hasChanged(): Promise<boolean>;
  stop(): Promise<void>;
}

/** The clusters of this process, by the folders in which they search extensions. */
const clusters = new Map<string, Promise<TestCluster>>();

/**
 * Returns the bootstrapped cluster of this process. The cluster starts on the first call and stops when the process
 * exits.
 *
 * @param extensionFolders the folders in which the cluster searches extensions
 */
export function startTestCluster(extensionFolders: readonly string[] = []): Promise<TestCluster> {
  const key = JSON.stringify(extensionFolders);
  const known = clusters.get(key);
  if (known !== undefined) return known;
  const launched = launch(extensionFolders).catch((error: unknown) => {
    clusters.delete(key);
    throw error;
  });
  clusters.set(key, launched);
  return launched;
}

/**
 * Prepares the process for the next test file. Drops databases that the previous file left behind. The cluster and its
 * templates are kept unless the previous file changed state that all databases share.
 */
export async function resetTestCluster(): Promise<void> {
  for (const [key, launched] of clusters) {
    const cluster = await launched.catch(() => undefined);
    if (cluster === undefined) continue;
    const hasChanged = await cluster.hasChanged().catch(() => true);
    if (hasChanged) await stop(key, cluster);
    else await cluster.asAdmin(dropLeftDatabases);
  }
}

async function dropLeftDatabases(admin: Client): Promise<void> {
  const rows = await admin.query<{ name: string }>(sql`
    select datname as name from pg_catalog.pg_database where datname like 'test\\_%'`);
  for (const { name } of rows) await admin.exec(`drop database ${quoteIdentifier(name)} with (force)`);
}

/** Stops this process's clusters before the process exits. */
export async function stopTestCluster(): Promise<void> {
  for (const [key, launched] of clusters) await stop(key, await launched);
}

async function stop(key: string, cluster: TestCluster): Promise<void> {
  clusters.delete(key);
  await cluster.stop();
}

async function launch(extensionFolders: readonly string[]): Promise<TestCluster> {
  const root = testRoot();
  await sweepDeadClusters(root);
  const dataDir = join(root, `run-${process.pid}-${randomBytes(4).toString('hex')}`);
  await copyTemplateFolder(dataDir);
  const cluster = await startCluster({
    dataDir,
    port: 0,
    durable: false,
    settings: {},
    extensionFolders,
    password,
    sharedPassword: false,
    log: silentLogger,
    onProgress: () => {},
  });
  guardCluster(cluster.pid(), dataDir);
  cluster.unref();
  let last: Promise<unknown> = Promise.resolve();
  const asAdmin = <T>(work: (admin: Client) => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      // Connects to a database other than `postgres`, because the first template is a clone of `postgres`, and a
      // database with open sessions can't be cloned. Opens a new session for each call, because an open session would
      // keep the process alive.
      const admin = await Client.connect(clusterTarget(cluster, 'supabase_admin', 'template1'));
      try {
        return await work(admin);
      } finally {
        await admin.connection.close();
      }
    });
    last = turn.catch(() => {});
    return turn;
  };
  const initialState = await asAdmin(readSharedState);
  return {
    cluster,
    templates: new Map(),
    asAdmin,
    hasChanged: async () => (await asAdmin(readSharedState)) !== initialState,
    stop: () => cluster.stop(),
  };
}

export interface Template {
  readonly key: string;
  readonly prepare: (database: Database) => Promise<unknown>;
  /** The template that is cloned to create this template. The default is a bootstrapped database. */
  readonly base?: Template;
}

export interface TestDatabase {
  readonly name: string;
  readonly database: Database;
  /** The address of the server that contains the database. */
  readonly place: TestServerAddress;
  /** Opens the same database again, like another process would. `place` can be the address of a proxy. */
  another(place?: TestServerAddress): Promise<Database>;
  /** Stops `database` and drops the clone. */
  drop(): Promise<void>;
}

/** The limits of a test database's connections, and the folders in which its cluster searches extensions. */
export interface TestDatabaseOptions extends Pick<DatabaseOptions, 'requestPath' | 'pools'> {
  readonly extensionFolders?: readonly string[] | undefined;
}

/**
 * Creates a private database, which is a clone of a template. The first call with a template key creates the template
 * by cloning `base` and migrating the clone with `prepare`.
 *
 * @example
 * const { database, drop } = await createTestDatabase('auth', (db) => db.migrate([authSet]));
 */
export async function createTestDatabase(
  templateKey: string,
  prepare: (database: Database) => Promise<unknown> = async () => {},
  base?: Template,
  { extensionFolders, ...limits }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const owner = await startTestCluster(extensionFolders);
  const { cluster, asAdmin } = owner;
  const template = { key: templateKey, prepare, ...(base === undefined ? {} : { base }) };
  const source = await templateName(owner, template);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => clone(admin, source, name));
  const database = await openTestDatabase(addressOf(cluster), name, limits);
  return {
    name,
    database,
    place: addressOf(cluster),
    another: (place = addressOf(cluster)) => openTestDatabase(place, name),
    async drop() {
      await database.stop();
      await asAdmin((admin) => admin.exec(`drop database if exists ${quoteIdentifier(name)} with (force)`));
    },
  };
}

function templateName(owner: TestCluster, template: Template): Promise<string> {
  const { key } = template;
  const { templates } = owner;
  const known = templates.get(key);
  if (known !== undefined) return known;
  const made = makeTemplate(owner, template);
  templates.set(key, made);
  made.catch(() => templates.delete(key));
  return made;
}

async function makeTemplate(owner: TestCluster, { key, prepare, base }: Template): Promise<string> {
  const { cluster, asAdmin } = owner;
  const source = base === undefined ? 'postgres' : await templateName(owner, base);
  const name = `template_${key}`;
  await asAdmin((admin) => clone(admin, source, name));
  const database = await openTestDatabase(addressOf(cluster), name);
  try {
    await prepare(database);
    await database.stop();
  } catch (error) {
    await database.stop();
    await asAdmin((admin) => admin.exec(`drop database ${quoteIdentifier(name)} with (force)`));
    throw error;
  }
  return name;
}

/** Clones a database, and copies its ALTER DATABASE settings, because PostgreSQL doesn't copy these settings. */
async function clone(admin: Client, source: string, name: string): Promise<void> {
  const to = quoteIdentifier(name);
  await admin.exec(
    `create database ${to} template ${quoteIdentifier(source)} owner postgres strategy file_copy`,
  );
  const rows = await admin.query<{ name: string; value: string }>(sql`
    select split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value
    from pg_catalog.pg_db_role_setting s
    join pg_catalog.pg_database d on d.oid = s.setdatabase
    cross join unnest(s.setconfig) as setting
    where d.datname = ${source} and s.setrole = 0`);
  const statements = rows.map((row) => {
    const parameter = row.name.split('.').map(quoteIdentifier).join('.');
    return `alter database ${to} set ${parameter} = ${quoteLiteral(row.value)}`;
  });
  if (statements.length > 0) await admin.exec(statements.join(';'));
}

/** Returns the options for connecting to a test database over TCP as one of Plinth's roles. */
export function testTarget({ name, place }: TestDatabase, role: LoginRole = 'postgres'): ConnectionOptions {
  return clusterTarget({ ...reachedBy(place), socketDir: null }, role, name);
}

function reachedBy(place: TestServerAddress): ReachedCluster & TestServerAddress {
  const secret = Buffer.from(place.loginSecret, 'hex');
  return { ...place, logins: clusterLogins(secret, { password, shared: false }) };
}

/**
 * The address of a test server, which can be sent to another process as JSON. `socketDir` is null if connections use
 * TCP.
 */
export interface TestServerAddress extends Pick<Cluster, 'socketDir' | 'host' | 'port' | 'tcpPort'> {
  /** The secret of the logins, in hexadecimal. */
  readonly loginSecret: string;
}

/**
 * Returns the address of a cluster, without the properties that are usable only in the process that started the
 * cluster.
 */
const addressOf = ({ socketDir, host, port, tcpPort, loginSecret }: Cluster): TestServerAddress => ({
  socketDir,
  host,
  port,
  tcpPort,
  loginSecret: loginSecret.toString('hex'),
});

/**
 * Opens a database in a test cluster. The database can be opened from any process, not only from the process that
 * started the cluster.
 */
export async function openTestDatabase(
  place: TestServerAddress,
  name: string,
  limits: Pick<DatabaseOptions, 'requestPath' | 'pools'> = {},
): Promise<Database> {
  const cluster = reachedBy(place);
  const admin = await Client.connect(clusterTarget(cluster, 'supabase_admin', name));
  const url = clusterUrl(cluster, name);
  const info = {
    url,
    projectUrl: url,
    embedded: true,
    socketDir: cluster.socketDir ?? undefined,
    serverVersion: readVersion(admin),
    ownsSchemas: true,
  };
  const signIns = signInsOf(cluster, name, silentLogger);
  const server = { ...signIns, admin, info, stop: async () => {} };
  return openDatabase(server, silentLogger, () => {}, { path: limits.requestPath, pools: limits.pools });
}
