/**
 * Contains the fixed statements that query PostgreSQL's catalogs, and the types of their rows. The statements run with
 * an empty search path, so type and function names include their schema. `schemas` are the exposed schemas. For
 * statements that return a row per relation, key or function, this module contains only the SQL.
 * `schema-cache/load.ts` runs these statements and fetches only rows that it hasn't cached.
 */

import { type Sql, sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';
import type { ColumnStatistics } from './core/column-statistics.ts';
import type { Comparison } from './core/plan/comparisons.ts';
import type { Column } from './schema-cache/types.ts';

export interface RelationRow {
  oid: number;
  schema: string;
  name: string;
  description: string | null;
  isView: boolean;
  /** The bits that pg_relation_is_updatable returns: 4 update, 8 insert, 16 delete. */
  events: number;
  primaryKey: string[];
  columns: Column[];
}

export const relationRows = (schemas: readonly string[]): Sql => sql`
    with recursive domains (oid, base) as (
      select oid, typbasetype from pg_type where typtype = 'd'
      union all
      select d.oid, t.typbasetype from domains d join pg_type t on t.oid = d.base and t.typtype = 'd'
    ),
    bases as (
      select d.oid, t.oid as base, t.typnamespace
      from domains d join pg_type t on t.oid = d.base and t.typtype <> 'd'
    )
    select
      c.oid::bigint as oid,
      n.nspname as schema,
      c.relname as name,
      obj_description(c.oid, 'pg_class') as description,
      c.relkind in ('v', 'm') as "isView",
      case when c.relkind in ('r', 'p') then 28 when c.relkind in ('v', 'f') then pg_relation_is_updatable(c.oid, true)
        else 0 end as events,
      coalesce((
        select json_agg(a.attname order by a.attname)
        from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
        where k.conrelid = c.oid and k.contype = 'p'
      ), '[]') as "primaryKey",
      coalesce((
        select json_agg(json_build_object(
          'name', a.attname,
          'description', col_description(c.oid, a.attnum),
          'nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
          'type', case
            when t.typtype = 'd' and b.typnamespace = 'pg_catalog'::regnamespace then format_type(b.base, null)
            when t.typtype <> 'd' and t.typnamespace = 'pg_catalog'::regnamespace then format_type(a.atttypid, null)
            else format_type(a.atttypid, a.atttypmod) end,
          'nominalType', format_type(a.atttypid, a.atttypmod),
          'maxLength', case
            when m.typmod = -1 then null
            when m.type in ('bpchar'::regtype, 'varchar'::regtype) then m.typmod - 4
            when m.type in ('bit'::regtype, 'varbit'::regtype) then m.typmod end,
          'default', case
            when a.attidentity = 'd' then (
              select format('nextval(%L)', s.objid::regclass) from pg_depend s
              where s.classid = 'pg_class'::regclass and s.refclassid = 'pg_class'::regclass
                and s.refobjid = a.attrelid and s.refobjsubid = a.attnum and s.deptype = 'i')
            when a.attgenerated <> '' then null
            when d.adbin is not null then pg_get_expr(d.adbin, d.adrelid)
            when t.typtype = 'd' then pg_get_expr(t.typdefaultbin, 0) end,
          'enumValues', coalesce((
            select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
            where e.enumtypid = coalesce(b.base, t.oid)), '[]')
        ) order by a.attnum)
        from pg_attribute a
        join pg_type t on t.oid = a.atttypid
        left join bases b on b.oid = t.oid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        cross join lateral (
          select case when t.typtype = 'd' then t.typbasetype else a.atttypid end as type,
            case when t.typtype = 'd' then t.typtypmod else a.atttypmod end as typmod
        ) m
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ), '[]') as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
      and n.nspname = any (${schemas}::text[])
    order by n.nspname, c.relname`;

export interface ForeignKeyRow {
  tableOid: number;
  schema: string;
  table: string;
  foreignOid: number;
  foreignSchema: string;
  foreignTable: string;
  constraint: string;
  columns: [string, string][];
  columnNumbers: number[];
  foreignColumnNumbers: number[];
  oneToOne: boolean;
}

/**
 * Returns the foreign keys of all schemas, because exposed views may include their columns. Keys that partitions
 * inherit are excluded.
 */
export const foreignKeyRows = (): Sql => sql`
    select
      k.conrelid::bigint as "tableOid",
      n.nspname as schema,
      c.relname as "table",
      k.confrelid::bigint as "foreignOid",
      fn.nspname as "foreignSchema",
      f.relname as "foreignTable",
      k.conname as "constraint",
      (
        select json_agg(json_build_array(a.attname, fa.attname) order by p.place)
        from unnest(k.conkey, k.confkey) with ordinality as p (here, there, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = p.here
        join pg_attribute fa on fa.attrelid = k.confrelid and fa.attnum = p.there
      ) as columns,
      k.conkey as "columnNumbers",
      k.confkey as "foreignColumnNumbers",
      exists (
        select from pg_constraint u
        where u.conrelid = k.conrelid and u.contype in ('p', 'u')
          and u.conkey <@ k.conkey and k.conkey <@ u.conkey
      ) as "oneToOne"
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_class f on f.oid = k.confrelid
    join pg_namespace fn on fn.oid = f.relnamespace
    where k.contype = 'f' and k.conparentid = 0
    order by k.conrelid, k.conname`;

export interface PrimaryKeyRow {
  oid: number;
  schema: string;
  table: string;
  columns: string[];
  columnNumbers: number[];
}

/** Returns the primary keys of all schemas, with their columns in key order. */
export const primaryKeyRows = (): Sql => sql`
    select
      k.conrelid::bigint as oid,
      n.nspname as schema,
      c.relname as "table",
      (
        select json_agg(a.attname order by p.place)
        from unnest(k.conkey) with ordinality as p (number, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = p.number
      ) as columns,
      k.conkey as "columnNumbers"
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'p' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;

export interface ViewRow {
  oid: number;
  schema: string;
  name: string;
  exposed: boolean;
  /** The column names by attribute number. The name of a dropped column is null. */
  columnNames: (string | null)[];
  nodeTree: string;
}

/**
 * Returns the views in the exposed schemas and in the extra search path. Other views may be based on the returned
 * views.
 */
export const viewRows = (schemas: readonly string[], extraSchemas: readonly string[]): Sql => sql`
    select
      c.oid::bigint as oid,
      n.nspname as schema,
      c.relname as name,
      n.nspname = any (${schemas}::text[]) as exposed,
      coalesce((
        select json_agg(case when a.attisdropped then null else a.attname end order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
      ), '[]') as "columnNames",
      r.ev_action::text as "nodeTree"
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
    where c.relkind in ('v', 'm')
      and (n.nspname = any (${schemas}::text[]) or n.nspname = any (${extraSchemas}::text[]))`;

export interface ComputedRelationshipRow {
  schema: string;
  name: string;
  tableSchema: string;
  table: string;
  foreignSchema: string;
  foreignTable: string;
  toOne: boolean;
}

export const selectComputedRelationships = (db: Queryable): Promise<ComputedRelationshipRow[]> =>
  db.query<ComputedRelationshipRow>(sql`
    select
      n.nspname as schema,
      p.proname as name,
      an.nspname as "tableSchema",
      a.relname as "table",
      rn.nspname as "foreignSchema",
      r.relname as "foreignTable",
      not p.proretset or p.prorows = 1 as "toOne"
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    join pg_class a on a.reltype = p.proargtypes[0] and a.reltype <> 0 and a.relkind in ('r', 'v', 'm', 'f', 'p')
    join pg_namespace an on an.oid = a.relnamespace
    join pg_class r on r.reltype = p.prorettype and r.reltype <> 0 and r.relkind in ('r', 'v', 'm', 'f', 'p')
    join pg_namespace rn on rn.oid = r.relnamespace
    where p.pronargs = 1`);

export interface RoutineRow {
  schema: string;
  name: string;
  description: string | null;
  parameters: { name: string; type: string; unboundedType: string; required: boolean; variadic: boolean }[];
  returnsSchema: string;
  returnsName: string;
  returnsSet: boolean;
  returnsComposite: boolean;
  volatility: 'i' | 's' | 'v';
  hasVariadic: boolean;
  isolation: string | null;
  settings: [string, string][];
}

/**
 * Returns the functions that can be called with named arguments, or with one unnamed argument of a type that a request
 * body can have, but not the functions of pgTAP. pgTAP's functions execute SQL from their arguments, so in a session as
 * `authenticator`, they could switch to any API role. `hoisted` contains the names of function settings that apply to
 * the whole transaction.
 */
export const routineRows = (schemas: readonly string[], hoisted: readonly string[]): Sql => sql`
    with recursive domains (oid, base) as (
      select oid, typbasetype from pg_type where typtype = 'd'
      union all
      select d.oid, t.typbasetype from domains d join pg_type t on t.oid = d.base and t.typtype = 'd'
    )
    select
      n.nspname as schema,
      p.proname as name,
      obj_description(p.oid, 'pg_proc') as description,
      coalesce(i.parameters, '[]') as parameters,
      tn.nspname as "returnsSchema",
      coalesce(rc.relname, t.typname) as "returnsName",
      p.proretset as "returnsSet",
      t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false) as "returnsComposite",
      p.provolatile as volatility,
      p.provariadic <> 0 as "hasVariadic",
      (select split_part(s, '=', 2) from unnest(p.proconfig) s where s like 'default_transaction_isolation=%')
        as isolation,
      coalesce((
        select json_agg(json_build_array(split_part(s, '=', 1), substr(s, strpos(s, '=') + 1)))
        from unnest(p.proconfig) s where split_part(s, '=', 1) = any (${hoisted}::text[])
      ), '[]') as settings
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    left join domains d on d.oid = p.prorettype and not exists (
      select from pg_type inner_type where inner_type.oid = d.base and inner_type.typtype = 'd')
    join pg_type t on t.oid = coalesce(d.base, p.prorettype)
    join pg_namespace tn on tn.oid = t.typnamespace
    left join pg_class rc on rc.oid = t.typrelid
    cross join lateral (
      select
        json_agg(json_build_object(
          'name', coalesce(a.name, ''),
          'type', a.type::regtype::text,
          'unboundedType', case a.type
            when 'bit'::regtype then 'bit varying'
            when 'bit[]'::regtype then 'bit varying[]'
            when 'character'::regtype then 'character varying'
            when 'character[]'::regtype then 'character varying[]'
            else a.type::regtype::text end,
          'required', a.place <= p.pronargs - p.pronargdefaults,
          'variadic', a.mode = 'v'
        ) order by a.place) as parameters,
        count(*) filter (where coalesce(a.name, '') = '') as unnamed,
        count(*) as total,
        min(a.type) filter (where coalesce(a.name, '') = '') as type
      from (
        select u.type, u.name, coalesce(u.mode, 'i') as mode, row_number() over (order by u.place) as place
        from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes::text[])
          with ordinality as u (type, name, mode, place)
        where coalesce(u.mode, 'i') in ('i', 'b', 'v') and u.type is not null
      ) a
    ) i
    where p.prokind = 'f'
      and p.prorettype <> 'trigger'::regtype
      and n.nspname = any (${schemas}::text[])
      and not exists (
        select from pg_depend m
        join pg_extension e on e.oid = m.refobjid
        where m.classid = 'pg_proc'::regclass and m.objid = p.oid
          and m.refclassid = 'pg_extension'::regclass and m.deptype = 'e'
          and e.extname = any (array['pgtap', 'basejump-supabase_test_helpers'])
      )
      and (i.unnamed = 0 or i.unnamed = 1 and i.type in
        ('json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype, 'bytea'::regtype))`;

export interface RepresentationRow {
  from: string;
  to: string;
  function: string;
}

export const selectRepresentations = (db: Queryable): Promise<RepresentationRow[]> =>
  db.query<RepresentationRow>(sql`
    select
      c.castsource::regtype::text as "from",
      c.casttarget::regtype::text as "to",
      c.castfunc::regproc::text as function
    from pg_cast c
    join pg_type s on s.oid = c.castsource
    join pg_type t on t.oid = c.casttarget
    where c.castcontext = 'i' and c.castmethod = 'f'
      and has_function_privilege(c.castfunc, 'execute')
      and (s.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype)
        or t.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype))`);

export interface MediaHandlerRow {
  schema: string;
  name: string;
  targetSchema: string;
  targetName: string;
  mediaType: string;
  base: 'bytea' | 'jsonb' | 'other';
}

/**
 * Returns the functions that produce a custom media type. The result type of such a function is a domain whose name is
 * a media type. Aggregates that convert rows are included.
 */
export const selectMediaHandlers = (db: Queryable, schemas: readonly string[]): Promise<MediaHandlerRow[]> =>
  db.query<MediaHandlerRow>(sql`
    select
      case when p.prokind = 'a' then n.nspname else tn.nspname end as schema,
      case when p.prokind = 'a' then p.proname else t.typname end as name,
      case when p.prokind = 'a' then an.nspname else n.nspname end as "targetSchema",
      case when p.prokind = 'a' then a.typname else p.proname end as "targetName",
      lower(t.typname) as "mediaType",
      case t.typbasetype when 'bytea'::regtype then 'bytea' when 'jsonb'::regtype then 'jsonb' else 'other' end as base
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    join pg_type t on t.oid = p.prorettype and t.typtype = 'd'
    join pg_namespace tn on tn.oid = t.typnamespace
    left join pg_type a on a.oid = p.proargtypes[0]
    left join pg_namespace an on an.oid = a.typnamespace
    where n.nspname = any (${schemas}::text[])
      and (t.typname = '*/*' or t.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$')
      and (p.prokind = 'f' and not p.proretset
        or p.prokind = 'a' and p.pronargs = 1
          and (a.typname = 'anyelement' or exists (select from pg_class c where c.reltype = a.oid)))`);

export const selectSetsResponse = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.query<{ found: boolean }>(sql`
    select exists (
      select from pg_proc where prosrc like '%response.headers%' or prosrc like '%response.status%'
    ) as found`);
  return row?.found ?? false;
};

export const selectIsDistributed = async (db: Queryable): Promise<boolean> => {
  const [row] = await db.query<{ found: boolean }>(
    sql`select exists (select from pg_extension where extname = 'citus') as found`,
  );
  return row?.found ?? false;
};

export interface SettingRow {
  name: string;
  value: string;
}

/**
 * Returns the login role's `pgrst.*` settings. The settings for this database take precedence over those for all
 * databases.
 */
export const selectDatabaseSettings = (db: Queryable): Promise<SettingRow[]> =>
  db.query<SettingRow>(sql`
    select distinct on (1)
      split_part(s, '=', 1) as name,
      substr(s, strpos(s, '=') + 1) as value
    from pg_db_role_setting r
    cross join unnest(r.setconfig) s
    where r.setrole = (select oid from pg_roles where rolname = current_user)
      and r.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and s like 'pgrst.%'
    order by 1, r.setdatabase desc`);

export interface ColumnStatisticsRow extends ColumnStatistics {
  schema: string;
  name: string;
  column: string;
}

/**
 * Returns the statistics of columns in any order. Columns that PostgreSQL hasn't analyzed or doesn't show are left out.
 */
export const selectColumnStatistics = (
  db: Queryable,
  columns: readonly Pick<Comparison, 'schema' | 'name' | 'column'>[],
): Promise<ColumnStatisticsRow[]> =>
  db.query<ColumnStatisticsRow>(sql`
    select distinct on (c.oid, a.attnum)
      n.nspname as schema, c.relname as name, a.attname as "column",
      c.reltuples::float8 as rows,
      exists (
        select from pg_index i
        where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indnkeyatts = 1
          and i.indkey[0] = a.attnum
      ) as "isUnique",
      s.null_frac::float8 as "nullFraction",
      s.n_distinct::float8 as distinct,
      coalesce(cardinality(s.most_common_freqs), 0) as "commonValues",
      coalesce((select sum(f) from unnest(s.most_common_freqs) f), 0)::float8 as "commonFraction",
      coalesce(s.most_common_freqs[1], 0)::float8 as "highestFraction",
      coalesce(s.most_common_freqs[cardinality(s.most_common_freqs)], 0)::float8 as "lowestFraction"
    from json_to_recordset(${JSON.stringify(columns)}::json) of (schema text, name text, "column" text)
    join pg_namespace n on n.nspname = of.schema
    join pg_class c on c.relnamespace = n.oid and c.relname = of.name
    join pg_attribute a on a.attrelid = c.oid and a.attname = of.column
    join pg_stats s on s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname
    order by c.oid, a.attnum, s.inherited desc`);

export interface RoleSettingRow {
  role: string;
  name: string;
  value: string;
}

/**
 * Returns the settings that ALTER ROLE … SET defines for the roles granted to the login role. Settings that the login
 * role can't set are excluded.
 */
export const selectRoleSettings = (db: Queryable): Promise<RoleSettingRow[]> =>
  db.query<RoleSettingRow>(sql`
    select r.rolname as role, p.name, substr(s, strpos(s, '=') + 1) as value
    from pg_auth_members m
    join pg_roles r on r.oid = m.roleid
    cross join unnest(r.rolconfig) s
    join pg_settings p on p.name = split_part(s, '=', 1)
    where m.member = (select oid from pg_roles where rolname = current_user)
      and (p.context = 'user' or has_parameter_privilege(current_user, p.name, 'set'))`);

/** Selects the relations in a schema on which the current role has at least one privilege, for the OpenAPI document. */
export const ACCESSIBLE_RELATIONS = `
  select c.relname
  from pg_class c
  where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
    and (pg_has_role(c.relowner, 'usage')
      or has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
      or has_any_column_privilege(c.oid, 'select, insert, update, references'))`;

/**
 * Selects the functions in a schema that the current role can execute. A function is identified by its name and its
 * parameter types.
 */
export const ACCESSIBLE_ROUTINES = `
  select p.proname || '(' || coalesce((
    select string_agg(t::regtype::text, ', ' order by place) from unnest(p.proargtypes) with ordinality u (t, place)
  ), '') || ')'
  from pg_proc p
  where p.pronamespace = $1::text::regnamespace and p.prokind = 'f' and has_function_privilege(p.oid, 'execute')`;

export const SCHEMA_DESCRIPTION = `select obj_description($1::text::regnamespace, 'pg_namespace')`;
