/** SQL for the catalog of published tables. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { RowPolicy } from '../core/owner.ts';

export interface PublishedTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** The reason why the table's changes can't be delivered. */
  readonly unreadable?: string | undefined;
}

export const changesPublication = 'supabase_realtime';

/**
 * The services' schemas, which a publication for all tables includes too. Changes in these schemas aren't sent to
 * subscribers. Every role can read some of the tables in these schemas, such as the queue of HTTP requests, whose
 * headers can contain keys.
 */
export const unpublishedSchemas: readonly string[] = [
  '_plinth',
  '_realtime',
  'cron',
  'net',
  'realtime',
  'supabase_functions',
  'supabase_migrations',
  'vault',
];

export interface TableRow {
  readonly schema: string;
  readonly name: string;
  readonly row_security: boolean;
  readonly columns: readonly {
    readonly name: string;
    readonly typeOid: number;
    readonly typeName: string;
    readonly builtin: boolean;
    readonly sqlType: string;
    readonly bytewise: boolean;
    readonly key: boolean;
  }[];
  readonly policies: readonly RowPolicy[];
  /**
   * Whether row owners can be determined. The policies must identify the caller with the service's own functions, and a
   * role that bypasses RLS must exist for the owner lookup.
   */
  readonly owners_known: boolean;
}

export interface TypeRow {
  readonly oid: number;
  /** The name of a type that belongs to PostgreSQL. Null for project and extension types. */
  readonly name: string | null;
  readonly kind: string;
  readonly base: number;
  /** Whether `to_jsonb` calls the type's cast to json. */
  readonly has_json_cast: boolean;
  readonly element: number;
  readonly delimiter: string;
  readonly attributes: readonly { readonly name: string; readonly typeOid: number }[];
}

/** Returns a table's description, or undefined if the table doesn't exist. */
export async function findTable(pool: Pool, oid: number): Promise<TableRow | undefined> {
  const statement = sql`
    select n.nspname as schema, c.relname as name, c.relrowsecurity as row_security,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'name', a.attname, 'typeOid', a.atttypid::int8, 'typeName', t.typname,
          'builtin', t.typnamespace = 'pg_catalog'::regnamespace,
          'sqlType', format_type(a.atttypid, -1), 'bytewise', coalesce(l.collisdeterministic, true),
          'key', coalesce(a.attnum = any (k.conkey), false)
        ) order by a.attnum)
        from pg_catalog.pg_attribute a
        join pg_catalog.pg_type t on t.oid = a.atttypid
        left join pg_catalog.pg_collation l on l.oid = a.attcollation
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and a.attgenerated <> 'v' -- never in the stream
      ), '[]') as columns,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'permissive', p.polpermissive, 'using', pg_get_expr(p.polqual, p.polrelid)
        ))
        from pg_catalog.pg_policy p
        where p.polrelid = c.oid and p.polcmd in ('r', '*')
      ), '[]') as policies,
      not exists (
        select from pg_catalog.pg_proc f
        where f.pronamespace = to_regnamespace('auth') and f.proname in ('uid', 'jwt')
          and f.proowner::regrole::text not in ('supabase_auth_admin', 'supabase_admin')
      ) and exists (
        select from pg_catalog.pg_roles where rolname = 'service_role' and rolbypassrls
      ) as owners_known
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
    where c.oid = ${oid}`;
  // With an empty search path, policy expressions contain qualified names. Type names are used only in casts, in which
  // both qualified and unqualified names are valid.
  const [row] = await pool.transaction((tx) => tx.query<TableRow>(statement), {
    settings: [['search_path', '']],
  });
  return row;
}

export const listTypes = (pool: Pool, oids: readonly number[]): Promise<readonly TypeRow[]> =>
  pool.query<TypeRow>(sql`
    select t.oid::int8 as oid, t.typtype::text as kind, t.typbasetype::int8 as base,
      case when t.typnamespace = 'pg_catalog'::regnamespace then t.typname end as name,
      case when t.typsubscript = 'array_subscript_handler'::regproc then t.typelem::int8 else 0 end as element,
      exists (
        select from pg_catalog.pg_cast j
        where j.castsource = t.oid and j.casttarget = 'json'::regtype and j.castmethod = 'f'
          and t.typnamespace <> 'pg_catalog'::regnamespace
      ) as has_json_cast,
      coalesce(e.typdelim, t.typdelim)::text as delimiter,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', a.attname, 'typeOid', a.atttypid::int8) order by a.attnum)
        from pg_catalog.pg_attribute a
        where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      ), '[]') as attributes
    from pg_catalog.pg_type t
    left join pg_catalog.pg_type e on e.oid = t.typelem
    where t.oid = any (${oids}::oid[])`);

/** Lists the columns that the role can SELECT. */
export const listReadableColumns = (
  pool: Pool,
  oid: number,
  role: string,
): Promise<readonly { readonly name: string; readonly exempt: boolean }[]> =>
  pool.query<{ name: string; exempt: boolean }>(sql`
    select a.attname as name,
      r.rolsuper or r.rolbypassrls or pg_has_role(r.oid, c.relowner, 'USAGE') as exempt
    from pg_catalog.pg_roles r, pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where r.rolname = ${role} and c.oid = ${oid}
      and has_schema_privilege(r.oid, c.relnamespace, 'USAGE')
      and has_column_privilege(r.oid, a.attrelid, a.attnum, 'SELECT')`);

export async function listPublished(pool: Pool): Promise<readonly PublishedTable[]> {
  const rows = await pool.query<PublishedTable & { usesCitus: boolean }>(sql`
    select c.oid::int8 as oid, p.schemaname as schema, p.tablename as name,
      to_regclass('pg_catalog.pg_dist_partition') is not null as "usesCitus"
    from pg_catalog.pg_publication_tables p
    join pg_catalog.pg_namespace n on n.nspname = p.schemaname
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = p.tablename
    where p.pubname = ${changesPublication} and p.schemaname <> all (${unpublishedSchemas})
    order by 1`);
  if (rows[0]?.usesCitus !== true) return rows;
  const reasons = await unreadableReasons(
    pool,
    rows.map(({ oid }) => oid),
  );
  return rows.map((row) => ({ ...row, unreadable: reasons.get(row.oid) }));
}

/**
 * Returns the tables whose changes aren't in this server's stream, because Citus stores their rows in other tables. The
 * rows of a distributed table are on the workers. The rows of a reference table are also on the coordinator, and Citus
 * can convert their changes (docs/decisions/0105-citus.md).
 */
async function unreadableReasons(pool: Pool, oids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await pool.query<{ oid: number; isOnCoordinator: boolean }>(sql`
    select c.oid, c."isOnCoordinator"
    from (select p.logicalrelid::oid::int8 as oid,
        p.partmethod = 'n' and (p.repmodel = 't' or p.colocationid = 0) as "isOnCoordinator"
      from pg_catalog.pg_dist_partition p where p.logicalrelid::oid = any (${oids}::oid[])) c
    where not (c."isOnCoordinator" and current_setting('citus.enable_change_data_capture', true) = 'on')`);
  return new Map(
    rows.map(({ oid, isOnCoordinator }) => [oid, isOnCoordinator ? needsDecoders : needsWorkers] as const),
  );
}

const needsWorkers = 'Citus stores its rows on the workers, whose changes Realtime does not read';
const needsDecoders =
  'Citus stores its rows in a shard, whose changes Realtime reads only with citus.enable_change_data_capture';
