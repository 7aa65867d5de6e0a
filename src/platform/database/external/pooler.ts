/**
 * Examines the pooler whose address is specified in addition to the address of PostgreSQL itself. Requests use the
 * pooler, and everything that needs a session connects directly (docs/decisions/0103-poolers.md).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../base/kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import type { Finding, LoginRole } from '../types.ts';
import { Client, type ConnectionOptions } from '../wire/index.ts';

/**
 * The roles whose statements go through the pooler. They do most of the work, and none of their settings must be sent
 * when a session starts. Sessions of the other roles have settings that protect Plinth from the project's SQL.
 */
export const pooledRoles: readonly LoginRole[] = [
  'authenticator',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
];

export interface Pooler {
  readonly host: string;
  readonly port: number;
  /** Whether a prepared statement can be used in every session that the pooler assigns to the connection. */
  readonly tracksStatements: boolean;
  /** Returns the options for connecting through the pooler, or undefined for a role that connects directly. */
  target(role: LoginRole): ConnectionOptions | undefined;
}

export interface PoolerOptions {
  /** The address of the pooler. Only the host, port, database and TLS settings are used. */
  readonly base: ConnectionOptions;
  /** Returns the options with which a role signs in to PostgreSQL itself. */
  readonly direct: (role: LoginRole) => ConnectionOptions;
  /** A session on PostgreSQL itself. */
  readonly session: Client;
}

/**
 * Signs in through the pooler as each role, and checks that the pooler leads to the same database.
 * @throws {DatabaseError} pooler_login, pooler_elsewhere
 */
export async function openPooler({ base, direct, session }: PoolerOptions): Promise<Pooler> {
  const { host, port } = base;
  const targets = new Map(
    pooledRoles.map((role) => [role, pooledOptions(base, role, direct(role))] as const),
  );
  const expected = await identityOf(session);
  await Promise.all(
    [...targets].map(async ([role, target]) => {
      const found = await withClient(target, identityOf).catch((error: Error) => {
        throw new DatabaseError('pooler_login', { host, port, role, reason: error.message }, error);
      });
      if (found !== expected) throw new DatabaseError('pooler_elsewhere', { host, port });
    }),
  );
  const tracksStatements = await canTrackStatements(targets.get('authenticator') as ConnectionOptions);
  return {
    host,
    port,
    tracksStatements,
    target(role) {
      const target = targets.get(role);
      return target && { ...target, namedStatements: tracksStatements };
    },
  };
}

/** The finding if Plinth's roles don't exist yet. */
export const laterFinding: Finding = {
  check: 'pooled_url',
  status: 'ok',
  message: "The pooler can be checked after the first start, which creates Plinth's roles.",
  statements: [],
};

/** Examines the pooler for `plinth doctor`. */
export async function poolerFinding(options: PoolerOptions): Promise<Finding> {
  const check = 'pooled_url';
  try {
    const { host, port, tracksStatements } = await openPooler(options);
    const message = tracksStatements
      ? `The pooler at ${host}:${port} leads to this database and tracks prepared statements.`
      : `The pooler at ${host}:${port} leads to this database, but doesn't track prepared statements, so PostgreSQL parses each statement again. With PgBouncer 1.21 or newer, set max_prepared_statements = 200.`;
    return { check, status: tracksStatements ? 'ok' : 'degraded', message, statements: [] };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return { check, status: 'failing', message: `${error.message}. ${error.hint}`, statements: [] };
  }
}

/** @throws {DatabaseError} pooler_login if the role doesn't sign in with its own password */
function pooledOptions(
  base: ConnectionOptions,
  role: LoginRole,
  direct: ConnectionOptions,
): ConnectionOptions {
  if (direct.user !== role) {
    const reason = `the account ${direct.user} signs in for this role, which requires a startup parameter`;
    throw new DatabaseError('pooler_login', { host: base.host, port: base.port, role, reason });
  }
  return { ...base, user: role, password: direct.password, isPooled: true, namedStatements: false };
}

async function withClient<T>(target: ConnectionOptions, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await Client.connect(target);
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}

/** Returns text that identifies the running server and the database. */
async function identityOf(client: Client): Promise<string> {
  const [row] = await client.query<{ identity: string }>(sql`
    select pg_catalog.concat_ws(' ', extract(epoch from pg_catalog.pg_postmaster_start_time()),
      (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()),
      pg_catalog.pg_is_in_recovery()) as identity`);
  return row?.identity ?? '';
}

/** How often the probe tries to occupy the session of the first connection. A pooler may use its sessions in turn. */
const maxAttempts = 200;
const probeTimeoutMs = 2000;

/**
 * Determines whether prepared statements work in every session. A first connection prepares a statement. A second
 * connection then occupies the first connection's session with a transaction, so the statement runs in a different
 * session. Its name is unique, so it can't be another connection's statement. If the result isn't certain, returns false,
 * because statements without names work with every pooler.
 */
export async function canTrackStatements(target: ConnectionOptions): Promise<boolean> {
  const clients: Client[] = [];
  const connect = async () => {
    const client = await Client.connect({ ...target, isPooled: true, namedStatements: true });
    clients.push(client);
    return client;
  };
  const occupy = async (other: Client, session: unknown): Promise<boolean> => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await other.exec('begin');
      const [row] = await other.query<{ pid: number }>(sql`select pg_catalog.pg_backend_pid() as pid`);
      if (row?.pid === session) return true;
      await other.exec('rollback');
    }
    return false;
  };
  try {
    const [first, other] = [await connect(), await connect()];
    const prepared = await sessionOf(first);
    if (!(await occupy(other, prepared))) return false;
    const next = await Promise.race([sessionOf(first), sleep(probeTimeoutMs, undefined, { ref: false })]);
    return next !== undefined && next !== prepared;
  } catch {
    // The other session doesn't have the statement.
    return false;
  } finally {
    for (const { connection } of clients) connection.destroy();
  }
}

/** Unlike a single query, a batch doesn't prepare an unknown statement again. */
async function sessionOf(client: Client): Promise<unknown> {
  const [step] = await client.batch([sql`select pg_catalog.pg_backend_pid() as pid`]);
  return step?.rows[0] && (step.rows[0] as { pid: number }).pid;
}
