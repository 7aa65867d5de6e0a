/**
 * Lists tables for upstream's tool `list_tables`.
 *
 * Upstream's query reads the columns of all tables again for each table, so it takes a quarter of a second in a new
 * project, and seconds in a large one. This query reads each table's own columns, in their order, and returns the same
 * fields (`postgresTableSchema` in `@supabase/mcp-server-supabase` 0.13).
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

/** The schemas whose tables are listed, or those whose tables aren't. */
export interface SchemaFilter {
  readonly isExcluded: boolean;
  readonly schemas: readonly string[];
}

/**
 * Returns the schemas that a query of `list_tables` selects. Returns undefined for other queries. Of upstream's tools,
 * only `list_tables` sends parameters.
 */
export function schemaFilterOf(
  query: string,
  parameters: readonly unknown[] | undefined,
): SchemaFilter | undefined {
  const [isList, not] =
    /^\s*with\s+tables as \([\s\S]+\bwhere schema( not)? in \(\$1(?:, \$\d+)*\)$/.exec(query) ?? [];
  if (isList === undefined) return undefined;
  const schemas = (parameters ?? []).filter((value) => typeof value === 'string');
  return schemas.length === 0 ? undefined : { isExcluded: not !== undefined, schemas };
}

export async function listTables(
  db: Queryable,
  { isExcluded, schemas }: SchemaFilter,
): Promise<readonly Record<string, unknown>[]> {
  const rows = await db.query<{ fields: Record<string, unknown> }>(sql`
    with foreign_key as materialized (
      select k.oid, k.conrelid, k.confrelid, json_build_object(
        'id', k.oid::bigint,
        'constraint_name', k.conname,
        'source_schema', source_schema.nspname,
        'source_table_name', source.relname,
        'source_columns', ${columnNames(sql`k.conrelid`, sql`k.conkey`)},
        'target_table_schema', target_schema.nspname,
        'target_table_name', target.relname,
        'target_columns', ${columnNames(sql`k.confrelid`, sql`k.confkey`)}) as fields
      from pg_constraint k
        join pg_class source on source.oid = k.conrelid
        join pg_namespace source_schema on source_schema.oid = source.relnamespace
        join pg_class target on target.oid = k.confrelid
        join pg_namespace target_schema on target_schema.oid = target.relnamespace
      where k.contype = 'f'
    ), related as (
      select r.table_id, json_agg(k.fields order by k.oid) as fields
      from foreign_key k, lateral (select k.conrelid union select k.confrelid) r (table_id)
      group by r.table_id
    )
    select json_build_object(
      'id', c.oid::bigint,
      'schema', n.nspname,
      'name', c.relname,
      'rls_enabled', c.relrowsecurity,
      'rls_forced', c.relforcerowsecurity,
      'replica_identity',
        case c.relreplident when 'd' then 'DEFAULT' when 'i' then 'INDEX' when 'f' then 'FULL' else 'NOTHING' end,
      'bytes', total.bytes,
      'size', pg_size_pretty(total.bytes),
      'live_rows_estimate', pg_stat_get_live_tuples(c.oid),
      'dead_rows_estimate', pg_stat_get_dead_tuples(c.oid),
      'comment', obj_description(c.oid, 'pg_class'),
      'primary_keys', coalesce((
        select json_agg(json_build_object(
          'schema', n.nspname, 'table_name', c.relname, 'name', a.attname, 'table_id', c.oid::bigint
        ) order by array_position(i.indkey::smallint[], a.attnum))
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = c.oid and i.indisprimary), '[]'),
      'relationships', coalesce(related.fields, '[]'),
      'columns', ${tableColumns}) as fields
    from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      cross join lateral (select pg_total_relation_size(c.oid) as bytes) total
      left join related on related.table_id = c.oid
    where c.relkind in ('r', 'p')
      and not pg_is_other_temp_schema(n.oid)
      and (n.nspname = any (${schemas}::text[])) <> ${isExcluded}::boolean
      and (pg_has_role(c.relowner, 'usage')
        or has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
        or has_any_column_privilege(c.oid, 'select, insert, update, references'))
    order by n.nspname, c.relname`);
  return rows.map(({ fields }) => fields);
}

/** The names of the columns with these numbers, in the order of the numbers. */
const columnNames = (table: Sql, numbers: Sql): Sql => sql`(
  select json_agg(a.attname order by key.position)
  from unnest(${numbers}) with ordinality key (number, position)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = key.number)`;

/** The columns of table `c` in schema `n` that the role can use. The type of a domain is the type that it is based on. */
const tableColumns: Sql = sql`coalesce((
  select json_agg(json_build_object(
    'table_id', c.oid::bigint,
    'schema', n.nspname,
    'table', c.relname,
    'id', c.oid || '.' || a.attnum,
    'ordinal_position', a.attnum,
    'name', a.attname,
    'default_value', (
      select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where d.adrelid = c.oid and d.adnum = a.attnum),
    'data_type', case
      when base.typelem <> 0 and base.typlen = -1 then 'ARRAY'
      when base.typnamespace = 'pg_catalog'::regnamespace then format_type(base.oid, null)
      else 'USER-DEFINED' end,
    'format', base.typname,
    'is_identity', a.attidentity <> '',
    'identity_generation', case a.attidentity when 'a' then 'ALWAYS' when 'd' then 'BY DEFAULT' end,
    'is_generated', a.attgenerated = 's',
    'is_nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
    'is_updatable', true,
    'is_unique', exists (
      select from pg_constraint k where k.conrelid = c.oid and k.contype = 'u' and k.conkey = array[a.attnum]),
    'check', (
      select pg_get_expr(k.conbin, k.conrelid, true) from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] order by k.oid limit 1),
    'enums', coalesce((
      select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
      where e.enumtypid in (base.oid, base.typelem)), '[]'),
    'comment', col_description(c.oid, a.attnum)
  ) order by a.attnum)
  from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    join pg_type base on base.oid = case t.typtype when 'd' then t.typbasetype else t.oid end
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and (pg_has_role(c.relowner, 'usage')
      or has_column_privilege(c.oid, a.attnum, 'select, insert, update, references'))), '[]')`;
