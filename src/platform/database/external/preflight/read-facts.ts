/**
 * Opens the session of a preflight, detects a pooler between Plinth and PostgreSQL, and reads the facts about the
 * server in one read-only transaction.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../../base/kernel/sql.ts';
import { DatabaseError } from '../../errors.ts';
import { superuserSearchPath } from '../../superuser.ts';
import type { PostgresErrorShape, Queryable } from '../../types.ts';
import { Client, type ConnectionOptions } from '../../wire/index.ts';
import { readCitus } from '../citus.ts';
import {
  exclusiveSchemas,
  type Facts,
  managerIn,
  type PoolerKind,
  plinthRoles,
  type RoleFacts,
  schemaEventTriggers,
  sharedSchemas,
  usedExtensions,
} from './facts.ts';
import { providerOf, providerRoles } from './providers.ts';

/** Facts about the connection that the catalogs don't contain. */
export type Connected = Pick<Facts, 'pooler' | 'authenticator' | 'budget'>;

interface Row {
  readonly version: number;
  readonly login: Facts['login'];
  readonly database: Facts['database'] & { readonly connectionLimit: number };
  readonly accountLimit: number;
  readonly isEncrypted: boolean;
  readonly isLocal: boolean;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  readonly maxConnections: number;
  readonly reservedConnections: number;
  readonly usedConnections: number;
  readonly walLevel: string;
  readonly maxSlots: number;
  readonly freeSlots: number;
  readonly maxWalSenders: number;
  readonly freeWalSenders: number;
  readonly allowsSharedSlot: boolean;
  readonly roles: Facts['roles'] | null;
  readonly comment: string | null;
  readonly schemas: Facts['schemas'] | null;
  readonly hasLedger: boolean;
  readonly hasAuthUsers: boolean;
  readonly eventTriggers: readonly string[] | null;
  readonly extensions: readonly string[] | null;
  readonly superuserExtensions: readonly string[] | null;
  readonly providerRoles: readonly string[] | null;
}

/** Reads the facts. `session` must be in a read-only transaction. */
export async function readFacts(session: Queryable, connected: Connected): Promise<Facts> {
  const schemas = ['auth', ...exclusiveSchemas, ...sharedSchemas];
  const [row] = (await session.query(sql`
    select current_setting('server_version_num')::int as version,
      json_build_object('name', me.rolname, 'isSuperuser', me.rolsuper, 'canCreateRoles', me.rolcreaterole,
        'bypassesRls', me.rolbypassrls, 'hasReplication', me.rolreplication) as login,
      json_build_object('name', d.datname, 'encoding', pg_catalog.pg_encoding_to_char(d.encoding),
        'isOwned', pg_catalog.pg_has_role(d.datdba, 'usage'), 'connectionLimit', d.datconnlimit) as database,
      me.rolconnlimit as "accountLimit",
      coalesce((select s.ssl from pg_catalog.pg_stat_ssl s where s.pid = pg_catalog.pg_backend_pid()), false)
        as "isEncrypted",
      coalesce(pg_catalog.inet_client_addr() = pg_catalog.inet_server_addr(), true) as "isLocal",
      pg_catalog.pg_is_in_recovery() as "isStandby",
      current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
      current_setting('max_connections')::int as "maxConnections",
      current_setting('superuser_reserved_connections')::int
        + coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::int as "reservedConnections",
      (select count(*)::int from pg_catalog.pg_stat_activity a where a.datid is not null
        and a.application_name is distinct from current_setting('application_name')) as "usedConnections",
      current_setting('wal_level') as "walLevel",
      current_setting('max_replication_slots')::int as "maxSlots",
      current_setting('max_replication_slots')::int - (select count(*)::int
        from pg_catalog.pg_replication_slots s
        where not starts_with(s.slot_name, 'supabase_realtime_replication_slot_')) as "freeSlots",
      current_setting('max_wal_senders')::int as "maxWalSenders",
      current_setting('server_version_num')::int >= 170000 and exists (select from pg_catalog.pg_settings k
        where k.name = 'max_slot_wal_keep_size' and k.setting::int8 >= 0) as "allowsSharedSlot",
      current_setting('max_wal_senders')::int - (select count(*)::int from pg_catalog.pg_stat_replication r
        where r.application_name is distinct from current_setting('application_name')) as "freeWalSenders",
      (select json_object_agg(r.rolname, json_build_object('isSuperuser', r.rolsuper, 'bypassesRls', r.rolbypassrls,
          'hasReplication', r.rolreplication or coalesce(pg_catalog.pg_has_role(r.oid,
            pg_catalog.to_regrole('rds_replication')::oid, 'usage'), false), 'isMember', pg_catalog.pg_has_role(r.oid, 'member'),
          'isAdmin', pg_catalog.pg_has_role(r.oid, 'member with admin option')))
        from pg_catalog.pg_roles r where r.rolname = any (${plinthRoles}::text[])) as roles,
      (select json_agg(r.rolname) from pg_catalog.pg_roles r where r.rolname = any (${providerRoles}::text[]))
        as "providerRoles",
      (select pg_catalog.shobj_description(r.oid, 'pg_authid') from pg_catalog.pg_roles r
        where r.rolname = 'authenticator') as comment,
      (select json_object_agg(n.nspname, pg_catalog.pg_has_role(n.nspowner, 'usage'))
        from pg_catalog.pg_namespace n where n.nspname = any (${schemas}::text[])) as schemas,
      pg_catalog.to_regclass('_plinth.migrations') is not null as "hasLedger",
      pg_catalog.to_regclass('auth.users') is not null as "hasAuthUsers",
      (select json_agg(e.evtname) from pg_catalog.pg_event_trigger e
        where e.evtname = any (${schemaEventTriggers}::text[])) as "eventTriggers",
      (select json_agg(distinct e.name) from (
          select x.name from pg_catalog.pg_available_extensions() x
          union all select i.extname from pg_catalog.pg_extension i) e
        where e.name = any (${usedExtensions}::text[])) as extensions,
      (select json_agg(distinct v.name) from pg_catalog.pg_available_extension_versions() v
        where v.name = any (${usedExtensions}::text[]) and v.superuser and not v.trusted
          and not exists (select from pg_catalog.pg_extension i where i.extname = v.name)) as "superuserExtensions"
    from pg_catalog.pg_database d, pg_catalog.pg_roles me
    where d.datname = current_database() and me.rolname = session_user`)) as Row[];
  return { ...factsOf(row as Row, connected), citus: await readCitus(session) };
}

function factsOf(row: Row, connected: Connected): Facts {
  const { connectionLimit, ...database } = row.database;
  const limits = {
    server: row.maxConnections - row.reservedConnections,
    database: connectionLimit,
    account: row.accountLimit,
  };
  const limit = Math.min(...Object.values(limits).filter((value) => value >= 0));
  const needed = row.usedConnections + connected.budget.direct;
  const kinds = Object.keys(limits) as (keyof typeof limits)[];
  return {
    ...connected,
    version: row.version,
    login: row.login,
    database,
    isEncrypted: row.isEncrypted,
    isLocal: row.isLocal,
    isStandby: row.isStandby,
    isReadOnly: row.isReadOnly,
    freeConnections: Math.max(0, limit - row.usedConnections),
    maxConnections: row.maxConnections,
    tightLimits: kinds.filter((kind) => limits[kind] >= 0 && limits[kind] < needed),
    walLevel: row.walLevel,
    maxSlots: row.maxSlots,
    freeSlots: row.freeSlots,
    maxWalSenders: row.maxWalSenders,
    freeWalSenders: row.freeWalSenders,
    allowsSharedSlot: row.allowsSharedSlot,
    roles: (row.roles ?? {}) as Readonly<Record<string, RoleFacts>>,
    schemas: row.schemas ?? {},
    hasLedger: row.hasLedger,
    hasAuthUsers: row.hasAuthUsers,
    eventTriggers: row.eventTriggers ?? [],
    extensions: row.extensions ?? [],
    superuserExtensions: row.superuserExtensions ?? [],
    manager: managerIn(row.comment),
    provider: providerOf(row.providerRoles ?? []),
  };
}

interface OpenedSession {
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
