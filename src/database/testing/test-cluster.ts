/** A disposable PostgreSQL per process (fsync off, many slots), in which databases are cloned within milliseconds. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { silentLogger } from '../../kernel/log.ts';
import { quoteIdentifier, quoteLiteral, sql } from '../../kernel/sql.ts';
import { clusterUrl, openDatabase, readVersion } from '../database.ts';
import { type Cluster, startCluster } from '../embedded/cluster.ts';
import { clusterTarget, type ReachedCluster, signInsOf } from '../embedded/sign-ins.ts';
import { clusterLogins } from '../logins/passwords.ts';
import type { Database, LoginRole } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';
import { readSharedState } from './cluster-state.ts';
import { guardCluster, sweepDeadClusters } from './guard.ts';
import { copyTemplateFolder, testRoot } from './template-folder.ts';

const password = 'postgres';

export interface TestCluster {
  readonly cluster: Cluster;
  /**
   * Runs `work` as superuser in a database that is never cloned. Calls are serialized because concurrent clones
   * interfere with each other.
   */
  asAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T>;
  /** Whether roles, slots or server settings differ from those of a new cluster. */
  hasChanged(): Promise<boolean>;
  stop(): Promise<void>;
}

let shared: Promise<TestCluster> | undefined;

/** Returns the process's own bootstrapped cluster. It starts with the first call and ends with the process. */
export function startTestCluster(): Promise<TestCluster> {
  shared ??= launch().catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

/**
 * Prepares the process for the next test file. The cluster and its templates remain unless the file changed state that
 * all databases share. Databases that the file left behind are dropped.
 */
export async function resetTestCluster(): Promise<void> {
  const cluster = await shared?.catch(() => undefined);
  if (cluster === undefined) return;
  const hasChanged = await cluster.hasChanged().catch(() => true);
  if (hasChanged) await stopTestCluster();
  else await cluster.asAdmin(dropLeftDatabases);
}

async function dropLeftDatabases(admin: Client): Promise<void> {
  const rows = await admin.query<{ name: string }>(sql`
    select datname as name from pg_catalog.pg_database where datname like 'test\\_%'`);
  for (const { name } of rows) await admin.exec(`drop database ${quoteIdentifier(name)} with (force)`);
}

/** Ends the cluster of this process early. */
export async function stopTestCluster(): Promise<void> {
  const cluster = await shared;
  shared = undefined;
  templates.clear();
  await cluster?.stop();
}

async function launch(): Promise<TestCluster> {
  const root = testRoot();
  await sweepDeadClusters(root);
  const dataDir = join(root, `run-${process.pid}-${randomBytes(4).toString('hex')}`);
  await copyTemplateFolder(dataDir);
  const cluster = await startCluster({
    dataDir,
    port: 0,
    durable: false,
    settings: {},
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
      // Not `postgres`, because a database with open sessions can't be cloned, and the first template is a clone of it.
      // Each call opens a new session because an open session would keep the process alive.
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
    asAdmin,
    hasChanged: async () => (await asAdmin(readSharedState)) !== initialState,
    stop: () => cluster.stop(),
  };
}

/** Template databases by key, each migrated once. */
const templates = new Map<string, Promise<string>>();

export interface TestDatabase {
  readonly name: string;
  readonly database: Database;
  /** The address of the database's server. */
  readonly place: TestServerAddress;
  /** Opens the same database again, like another process, or over another route such as a proxy. */
  another(place?: TestServerAddress): Promise<Database>;
  /** Stops `database` and removes the clone. */
  drop(): Promise<void>;
}

/**
 * Creates a private database. The first call with a key uses `prepare` to migrate a template, and all calls clone the
 * template.
 *
 * @example
 * const { database, drop } = await createTestDatabase('auth', (db) => db.migrate([authSet]));
 */
export async function createTestDatabase(
  templateKey: string,
  prepare: (database: Database) => Promise<void> = async () => {},
): Promise<TestDatabase> {
  const { cluster, asAdmin } = await startTestCluster();
  let template = templates.get(templateKey);
  if (template === undefined) {
    template = makeTemplate(templateKey, prepare);
    templates.set(templateKey, template);
    template.catch(() => templates.delete(templateKey));
  }
  const source = await template;
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => clone(admin, source, name));
  const database = await openTestDatabase(addressOf(cluster), name);
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

async function makeTemplate(key: string, prepare: (database: Database) => Promise<void>): Promise<string> {
  const { cluster, asAdmin } = await startTestCluster();
  const name = `template_${key}`;
  await asAdmin((admin) => clone(admin, 'postgres', name));
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

/** Copies the settings made by ALTER DATABASE, which a clone doesn't include. */
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

/** Returns the options to connect to a test database over TCP as one of Plinth's roles. */
export function testTarget({ name, place }: TestDatabase, role: LoginRole = 'postgres'): ConnectionOptions {
  return clusterTarget({ ...reachedBy(place), socketDir: null }, role, name);
}

function reachedBy(place: TestServerAddress): ReachedCluster & TestServerAddress {
  const secret = Buffer.from(place.loginSecret, 'hex');
  return { ...place, logins: clusterLogins(secret, { password, shared: false }) };
}

/** Serializable as JSON for another process. `socketDir` is null if TCP is used. */
export interface TestServerAddress extends Pick<Cluster, 'socketDir' | 'host' | 'port' | 'tcpPort'> {
  /** The secret in hexadecimal digits. */
  readonly loginSecret: string;
}

/** Omits everything that is only available to the process that started the cluster. */
const addressOf = ({ socketDir, host, port, tcpPort, loginSecret }: Cluster): TestServerAddress => ({
  socketDir,
  host,
  port,
  tcpPort,
  loginSecret: loginSecret.toString('hex'),
});

/** Opens a database of a test cluster, possibly from a process other than the one that started the cluster. */
export async function openTestDatabase(place: TestServerAddress, name: string): Promise<Database> {
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
  return openDatabase({ ...signIns, admin, info, stop: async () => {} }, silentLogger, () => {});
}
