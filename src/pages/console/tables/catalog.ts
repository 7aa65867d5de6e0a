/** Reads schemas, tables and columns from the system catalogs. Nothing is cached, so the result is always current. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Column, Distribution, ForeignKey, Relation, RelationKey, RelationSummary } from './contract.ts';

/** Lists all relations except those that belong to PostgreSQL or store Plinth's state. */
export const listRelations = (db: Queryable, only: Sql = sql.empty): Promise<RelationSummary[]> =>
  db.query(sql`
    select n.nspname as schema, c.relname as name, ${kindOf} as kind,
           case when c.reltuples < 0 then null else c.reltuples::float8 end as estimated_rows,
           c.relrowsecurity as rls,
           (select count(*) from pg_policy p where p.polrelid = c.oid)::int as policies,
           obj_description(c.oid, 'pg_class') as comment
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'
      and has_table_privilege(c.oid, 'select') ${only}
    order by n.nspname, c.relname`);

export async function findRelation(
  db: Queryable,
  schema: string,
  name: string,
): Promise<Relation | undefined> {
  const [summary] = await listRelations(db, sql`and n.nspname = ${schema} and c.relname = ${name}`);
  if (summary === undefined) return undefined;
  const oid = sql`${`${quoted(schema)}.${quoted(name)}`}::regclass`;
  const columns = await db.query<Column>(sql`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
           pg_get_expr(d.adbin, d.adrelid) as default,
           a.attgenerated <> '' as generated,
           case a.attidentity when 'a' then 'always' when 'd' then 'by default' end as identity,
           exists (select from pg_constraint k where k.conrelid = a.attrelid and k.contype = 'p' and a.attnum = any (k.conkey)) as primary_key,
           (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e where e.enumtypid = a.atttypid) as enum_values,
           (select json_build_object('schema', tn.nspname, 'table', t.relname, 'column', ta.attname)
              from pg_constraint k
              join pg_class t on t.oid = k.confrelid
              join pg_namespace tn on tn.oid = t.relnamespace
              join pg_attribute ta on ta.attrelid = t.oid and ta.attnum = k.confkey[1]
             where k.conrelid = a.attrelid and k.contype = 'f' and k.conkey = array[a.attnum]
             order by k.conname limit 1) as references,
           col_description(a.attrelid, a.attnum) as comment
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${oid} and a.attnum > 0 and not a.attisdropped
    order by a.attnum`);
  const [unique] = await db.query<{ columns: string[] }>(sql`
    select (select array_agg(a.attname::text order by u.place) from unnest(x.indkey[:x.indnkeyatts - 1]) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = x.indrelid and a.attnum = u.number) as columns
    from pg_index x
    where x.indrelid = ${oid} and x.indisunique and x.indisvalid and x.indimmediate
      and x.indpred is null and x.indexprs is null
      and not exists (select from unnest(x.indkey[:x.indnkeyatts - 1]) as u(number)
        join pg_attribute a on a.attrelid = x.indrelid and a.attnum = u.number and not a.attnotnull)
    order by x.indisprimary desc, x.indnkeyatts, x.indexrelid limit 1`);
  const foreignKeys = await db.query<ForeignKey>(sql`
    select k.conname as name, tn.nspname as schema, t.relname as table,
           (select array_agg(a.attname::text order by u.place) from unnest(k.conkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number) as columns,
           (select array_agg(a.attname::text order by u.place) from unnest(k.confkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number) as references
    from pg_constraint k join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
    where k.conrelid = ${oid} and k.contype = 'f' order by k.conname`);
  const [triggers] = await db.query<{ before_insert: boolean }>(sql`
    select exists (select from pg_trigger t where t.tgrelid = ${oid} and not t.tgisinternal and t.tgenabled <> 'D'
      and t.tgtype & ${beforeInsertRow}::int = ${beforeInsertRow}::int) as before_insert`);
  const key: RelationKey =
    unique !== undefined
      ? { kind: 'columns', columns: unique.columns }
      : { kind: summary.kind === 'table' ? 'place' : 'none' };
  return {
    ...summary,
    distribution: await findDistribution(db, oid),
    columns,
    key,
    foreign_keys: foreignKeys,
    insert_trigger: triggers?.before_insert ?? false,
  };
}

/** Returns null if the database doesn't use Citus. */
async function findDistribution(db: Queryable, oid: Sql): Promise<Distribution | null> {
  const [extension] = await db.query<{ found: boolean }>(
    sql`select to_regclass('pg_catalog.pg_dist_partition') is not null as found`,
  );
  if (extension?.found !== true) return null;
  const [found] = await db.query<Distribution>(sql`
    select case when p.partmethod <> 'n' then 'distributed' when p.repmodel = 't' then 'reference'
        when p.colocationid <> 0 then 'single-shard' else 'local' end as kind,
      case when p.partmethod <> 'n' then column_to_column_name(p.logicalrelid, p.partkey) end as column,
      (select count(*)::int from pg_dist_shard s where s.logicalrelid = p.logicalrelid) as shards
    from pg_dist_partition p where p.logicalrelid = ${oid}`);
  return found ?? { kind: 'local', column: null, shards: 0 };
}

/** The bits for ROW, BEFORE and INSERT in `pg_trigger.tgtype`. */
const beforeInsertRow = 1 | 2 | 4;

const kindOf = sql.raw(
  "case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view' when 'm' then 'materialized view' else 'foreign table' end",
);

/** Quotes a name that is passed as a regclass value rather than as part of the statement. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
