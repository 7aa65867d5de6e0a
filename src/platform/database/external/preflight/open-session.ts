/** Opens the session of a preflight and detects a pooler between Plinth and PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../../base/kernel/sql.ts';
import { DatabaseError } from '../../errors.ts';
import { superuserSearchPath } from '../../superuser.ts';
import type { PostgresErrorShape } from '../../types.ts';
import { Client, type ConnectionOptions } from '../../wire/index.ts';
import type { PoolerKind } from './facts.ts';

export interface OpenedSession {
  readonly session: Client;
  readonly pooler: PoolerKind;
}

const probeTimeoutMs = 2000;

/** Opens the session without making changes on the server. @throws {DatabaseError} unreachable */
export async function openSession(base: ConnectionOptions): Promise<OpenedSession> {
  const { host, user } = base;
  const unreachable = (error: unknown): DatabaseError =>
    new DatabaseError('unreachable', { host, user, reason: (error as Error).message }, error);
  let session: Client;
  try {
    session = await Client.connect({ ...base, parameters: { search_path: superuserSearchPath } });
  } catch (error) {
    if (!isParameterRejected(error)) throw unreachable(error);
    return openThroughPooler(base).catch((other: unknown) => {
      throw unreachable(other);
    });
  }
  if ((await serverPid(session)) === session.processId) return { session, pooler: 'none' };
  return { session, pooler: await kindOf(session, base) };
}

/** Whether the pooler rejected a startup parameter, as PgBouncer does with parameters that it doesn't track. */
const isParameterRejected = (error: unknown): boolean =>
  /unsupported startup parameter/.test((error as PostgresErrorShape).message ?? '');

/** Opens a session that is used only to read the facts about the server. */
async function openThroughPooler(base: ConnectionOptions): Promise<OpenedSession> {
  return { session: await Client.connect(bareOf(base)), pooler: 'restricted' };
}

/**
 * Returns connection options without startup parameters and without named statements, because a pooler may use a
 * different server connection for each transaction.
 */
const bareOf = (base: ConnectionOptions): ConnectionOptions => ({
  ...base,
  options: undefined,
  bareSession: true,
  namedStatements: false,
});

/**
 * Determines the kind of pooler. A second client opens a transaction on a server connection that a pooler in
 * transaction mode considers free. With such a pooler, the first session then uses a different server connection or
 * waits for one.
 */
async function kindOf(session: Client, base: ConnectionOptions): Promise<PoolerKind> {
  const before = await serverPid(session);
  const other = await Client.connect(bareOf(base));
  try {
    await other.exec('begin');
    const after = await Promise.race([serverPid(session), sleep(probeTimeoutMs, undefined, { ref: false })]);
    if (after !== before) return 'transaction';
    return (await searchPath(session)) === superuserSearchPath ? 'session' : 'restricted';
  } finally {
    await other.exec('rollback').catch(() => {});
    await other.connection.close();
  }
}

async function serverPid(session: Client): Promise<number | undefined> {
  const [row] = await session.query<{ pid: number }>(sql`select pg_catalog.pg_backend_pid() as pid`);
  return row?.pid;
}

async function searchPath(session: Client): Promise<string | undefined> {
  const [row] = await session.query<{ path: string }>(
    sql`select pg_catalog.current_setting('search_path') as path`,
  );
  return row?.path;
}
