/** Reads the facts about a server in one read-only transaction. */
import { sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../types.ts';
import {
  exclusiveSchemas,
  type Facts,
  plinthRoles,
  type RoleFacts,
  schemaEventTriggers,
  sharedSchemas,
  usedExtensions,
} from './facts.ts';
import { managerIn } from './manager.ts';

/** Facts about the connection that the catalogs don't contain. */
export type Connected = Pick<Facts, 'pooler' | 'authenticator'>;

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
  readonly freeSlots: number;
  readonly freeWalSenders: number;
  readonly roles: Facts['roles'] | null;
  readonly comment: string | null;
  readonly schemas: Facts['schemas'] | null;
  readonly hasLedger: boolean;
  readonly hasAuthUsers: boolean;
  readonly eventTriggers: readonly string[] | null;
  readonly extensions: readonly string[] | null;
  readonly superuserExtensions: readonly string[] | null;
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
      current_setting('max_replication_slots')::int - (select count(*)::int
        from pg_catalog.pg_replication_slots s
        where not starts_with(s.slot_name, 'supabase_realtime_replication_slot_')) as "freeSlots",
      current_setting('max_wal_senders')::int - (select count(*)::int from pg_catalog.pg_stat_replication r
        where r.application_name is distinct from current_setting('application_name')) as "freeWalSenders",
      (select json_object_agg(r.rolname, json_build_object('isSuperuser', r.rolsuper, 'bypassesRls', r.rolbypassrls,
          'hasReplication', r.rolreplication, 'isMember', pg_catalog.pg_has_role(r.oid, 'member'),
          'isAdmin', pg_catalog.pg_has_role(r.oid, 'member with admin option')))
        from pg_catalog.pg_roles r where r.rolname = any (${plinthRoles}::text[])) as roles,
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
  return factsOf(row as Row, connected);
}

function factsOf(row: Row, connected: Connected): Facts {
  const { connectionLimit, ...database } = row.database;
  const limits = [row.maxConnections - row.reservedConnections, connectionLimit, row.accountLimit];
  const limit = Math.min(...limits.filter((value) => value >= 0));
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
    walLevel: row.walLevel,
    freeSlots: row.freeSlots,
    freeWalSenders: row.freeWalSenders,
    roles: (row.roles ?? {}) as Readonly<Record<string, RoleFacts>>,
    schemas: row.schemas ?? {},
    hasLedger: row.hasLedger,
    hasAuthUsers: row.hasAuthUsers,
    eventTriggers: row.eventTriggers ?? [],
    extensions: row.extensions ?? [],
    superuserExtensions: row.superuserExtensions ?? [],
    manager: managerIn(row.comment),
  };
}
