/**
 * The queries that read the catalogs. The queries run in a session with an empty search path, so that `pg_get_expr`
 * prints schema-qualified names.
 */

import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';
import type {
  Catalog,
  DatabaseFunction,
  Extension,
  ForeignKey,
  Index,
  PageStatistics,
  Policy,
  Relation,
  UsersView,
} from './catalog.ts';

/** Returns a condition that is true for objects that belong to an extension. */
const ofExtension = (catalog: string, oid: string) => sql`exists (
  select from pg_catalog.pg_depend d
  where d.classid = ${sql.raw(`'pg_catalog.${catalog}'`)}::pg_catalog.regclass and d.objid = ${sql.raw(oid)}
    and d.deptype = 'e')`;

/** The client roles that exist in this database. A database that wasn't created by Plinth may not have all of them. */
const clients = sql`(
  select r.oid, r.rolname from pg_catalog.pg_roles r where r.rolname in ('anon', 'authenticated'))`;

export function readRelations(db: Queryable): Promise<Omit<Relation, 'pages'>[]> {
  return db.query(sql`
    select c.oid::int8::float8 as oid, n.nspname::text as schema, c.relname::text as name,
      case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
        when 'm' then 'materialized view' else 'foreign table' end as kind,
      ${ofExtension('pg_class', 'c.oid')} as "ownedByExtension",
      c.relrowsecurity as "rowSecurity",
      exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary) as "hasPrimaryKey",
      coalesce((select o.option_value::boolean from pg_catalog.pg_options_to_table(c.reloptions) o
        where o.option_name = 'security_invoker'), false) as "securityInvoker",
      array(select r.rolname::text from ${clients} r
        where pg_catalog.has_table_privilege(r.oid, c.oid, 'select') order by 1) as "readableBy",
      (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('role', r.rolname, 'commands', m.commands) order by r.rolname), '[]')
        from ${clients} r, lateral (select pg_catalog.jsonb_agg(command order by place) as commands
          from (values (1, 'select'), (2, 'insert'), (3, 'update'), (4, 'delete')) v (place, command)
          where pg_catalog.has_table_privilege(r.oid, c.oid, command)) m
        where m.commands is not null) as access,
      array(select r.rolname::text from ${clients} r
        where pg_catalog.has_any_column_privilege(r.oid, c.oid, 'select') order by 1) as "columnsReadableBy",
      case when c.relkind in ('r', 'm') and c.reltuples >= 0 then c.reltuples::float8 end as rows,
      pg_catalog.pg_stat_get_numscans(c.oid)::float8 as "fullScans",
      (select coalesce(sum(pg_catalog.pg_stat_get_numscans(i.indexrelid)), 0)::float8 from pg_catalog.pg_index i
        where i.indrelid = c.oid) as "indexScans",
      (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
          'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, null)) order by a.attnum), '[]')
        from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    order by 2, 3`);
}

export function readPageStatistics(db: Queryable): Promise<(PageStatistics & { readonly oid: number })[]> {
  return db.query(sql`
    select c.oid::int8::float8 as oid, c.relpages::float8 as pages, c.reltuples::float8 as tuples,
      sum((1 - s.null_frac) * s.avg_width)::float8 as "dataWidth", max(s.null_frac)::float8 as "maxNullFraction",
      count(*) filter (where s.null_frac <> 0)::int as "nullableColumns"
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_stats s on s.schemaname = n.nspname and s.tablename = c.relname
    where c.relkind = 'r' and c.relpages > 0 and c.reltuples > 0
      and c.relam = (select a.oid from pg_catalog.pg_am a where a.amname = 'heap')
    group by c.oid`);
}

export function readPolicies(db: Queryable): Promise<Policy[]> {
  return db.query(sql`
    select n.nspname::text as schema, c.relname::text as table, p.polname::text as name,
      case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE'
        else 'ALL' end as command,
      p.polpermissive as permissive,
      array(select coalesce(r.rolname::text, 'public') from pg_catalog.unnest(p.polroles) o (oid)
        left join pg_catalog.pg_roles r on r.oid = o.oid order by 1) as roles,
      pg_catalog.pg_get_expr(p.polqual, p.polrelid) as using,
      pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) as check,
      array(
        select k.command from (values ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd')) k (command, code)
        where p.polcmd in (k.code::"char", '*') and p.polroles <> '{0}'
          and not exists (select from pg_catalog.unnest(p.polroles) o (oid), pg_catalog.pg_roles r
            where pg_catalog.pg_has_role(r.oid, o.oid, 'usage') and not r.rolsuper and not r.rolbypassrls
              and (pg_catalog.has_table_privilege(r.oid, c.oid, k.command)
                or k.command <> 'DELETE' and pg_catalog.has_any_column_privilege(r.oid, c.oid, k.command)))
      ) as "commandsWithoutPrivilege"
    from pg_catalog.pg_policy p
    join pg_catalog.pg_class c on c.oid = p.polrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    order by 1, 2, 3`);
}

export function readForeignKeys(db: Queryable): Promise<ForeignKey[]> {
  return db.query(sql`
    select n.nspname::text as schema, c.relname::text as table, k.conname::text as name,
      array(select a.attname::text from pg_catalog.unnest(k.conkey) with ordinality u (number, position)
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = u.number order by u.position) as columns,
      k.conkey::int4[] as "columnNumbers",
      rn.nspname::text as "referencedSchema",
      coalesce((select i.indisunique and not i.indisprimary from pg_catalog.pg_index i
        where i.indexrelid = k.conindid), false) as "referencesUnique",
      ${ofExtension('pg_class', 'c.oid')} as "ownedByExtension"
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_class rc on rc.oid = k.confrelid
    join pg_catalog.pg_namespace rn on rn.oid = rc.relnamespace
    where k.contype = 'f' and k.conparentid = 0
    order by 1, 2, 3`);
}

export function readIndexes(db: Queryable): Promise<Index[]> {
  return db.query(sql`
    select n.nspname::text as schema, c.relname::text as table, ic.relname::text as name,
      (pg_catalog.string_to_array(i.indkey::text, ' ')::int4[])[1:i.indnkeyatts] as "columnNumbers",
      i.indisunique as "isUnique", i.indisvalid as "isValid", i.indpred is not null as "isPartial",
      ic.relkind = 'I' or ic.relispartition as "isPartitioned", i.indisreplident as "isReplicaIdentity",
      exists (select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
        as "ownedByConstraint",
      -- The name follows the first INDEX. It can occur again as the name of a column.
      pg_catalog.regexp_replace(pg_catalog.pg_get_indexdef(i.indexrelid), '^(CREATE (UNIQUE )?INDEX )("([^"]|"")*"|[^ ]+)',
        '\\1') as definition,
      coalesce(pg_catalog.pg_stat_get_numscans(i.indexrelid), 0)::float8 as scans,
      pg_catalog.pg_relation_size(i.indexrelid)::float8 as bytes
    from pg_catalog.pg_index i
    join pg_catalog.pg_class ic on ic.oid = i.indexrelid
    join pg_catalog.pg_class c on c.oid = i.indrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and not ${ofExtension('pg_class', 'c.oid')}
    order by 1, 2, 3`);
}

export function readFunctions(db: Queryable): Promise<DatabaseFunction[]> {
  return db.query(sql`
    select n.nspname::text as schema, p.proname::text as name,
      pg_catalog.pg_get_function_identity_arguments(p.oid) as arguments,
      case p.prokind when 'p' then 'procedure' else 'function' end as kind,
      l.lanname::text as language,
      (select e.extname::text from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid
        where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e'
        limit 1) as extension,
      p.prosecdef as "securityDefiner",
      p.provolatile = 'v' as "isVolatile",
      exists (select from pg_catalog.unnest(p.proconfig) setting where setting like 'search\\_path=%') as "hasSearchPath",
      p.prorettype in ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype)
        as "isTrigger",
      pg_catalog.md5(p.prosrc) as "sourceMd5",
      array(select r.rolname::text from ${clients} r
        where pg_catalog.has_function_privilege(r.oid, p.oid, 'execute') order by 1) as "executableBy"
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and p.prokind <> 'a'
    order by 1, 2, 3`);
}

export function readExtensions(db: Queryable): Promise<Extension[]> {
  return db.query(sql`
    select e.extname::text as name, n.nspname::text as schema, e.extversion as version,
      (select a.default_version from pg_catalog.pg_available_extensions a where a.name = e.extname) as "defaultVersion",
      exists (select from pg_catalog.pg_depend d join pg_catalog.pg_class c on c.oid = d.objid and c.relkind in ('r', 'p')
        where d.refobjid = e.oid and d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
          and d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype = 'e') as "ownsTables"
    from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    order by 1`);
}

/**
 * Returns the views that read auth.users directly, except views whose callers are subject to the policies on
 * auth.users.
 */
export function readUsersViews(db: Queryable): Promise<UsersView[]> {
  return db.query(sql`
    select distinct n.nspname::text as schema, c.relname::text as name
    from pg_catalog.pg_class u
    join pg_catalog.pg_namespace un on un.oid = u.relnamespace and un.nspname = 'auth' and u.relname = 'users'
    join pg_catalog.pg_depend d on d.refobjid = u.oid and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
      and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.deptype = 'n'
    join pg_catalog.pg_rewrite r on r.oid = d.objid
    join pg_catalog.pg_class c on c.oid = r.ev_class and c.relkind in ('v', 'm')
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'm' or not u.relrowsecurity or not coalesce((
      select o.option_value::boolean from pg_catalog.pg_options_to_table(c.reloptions) o
      where o.option_name = 'security_invoker'), false)
    order by 1, 2`);
}

export async function readPolicyRoles(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select r.rolname::text as name from pg_catalog.pg_roles r
    where r.rolname not like 'pg\\_%' and r.rolname not like 'supabase%admin' and not r.rolbypassrls
    order by 1`);
  return rows.map(({ name }) => name);
}

export async function readBypassingRoles(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select r.rolname::text as name from pg_catalog.pg_roles r where r.rolbypassrls or r.rolsuper order by 1`);
  return rows.map(({ name }) => name);
}

export async function readPublicBuckets(db: Queryable): Promise<Catalog['publicBuckets']> {
  const [table] = await db.query<{ readable: boolean }>(sql`
    select coalesce(pg_catalog.has_table_privilege(pg_catalog.to_regclass('storage.buckets'), 'select'), false)
      as readable`);
  if (table?.readable !== true) return [];
  return await db.query(sql`select b.id, b.name from storage.buckets b where b.public order by b.id`);
}

export async function readBlockSize(db: Queryable): Promise<number> {
  const [row] = await db.query<{ size: number }>(
    sql`select pg_catalog.current_setting('block_size')::int as size`,
  );
  return row?.size ?? 8192;
}
