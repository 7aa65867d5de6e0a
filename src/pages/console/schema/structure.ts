/** Reads the constraints, indexes and triggers of a table. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { IndexMethod } from './changes.ts';
import type { ConstraintRow, EnumRow, IndexRow, Structure, TriggerRow, Vocabulary } from './contract.ts';
import { typeNames } from './core/type-names.ts';

export async function readStructure(db: Queryable, schema: string, table: string): Promise<Structure> {
  const oid = sql`(select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${table})`;
  const [constraints, indexes, triggers, [size], [replication]] = await Promise.all([
    db.query<ConstraintRow>(sql`
      select k.conname as name,
             case k.contype when 'p' then 'primary key' when 'u' then 'unique' when 'c' then 'check'
               when 'f' then 'foreign key' else 'exclusion' end as kind,
             ${columnNames(sql.raw('k.conrelid'), sql.raw('k.conkey'))} as columns,
             pg_get_constraintdef(k.oid) as definition,
             case when k.contype = 'f' then (
               select jsonb_build_object('schema', tn.nspname, 'table', t.relname, 'columns',
                        to_jsonb(${columnNames(sql.raw('k.confrelid'), sql.raw('k.confkey'))}))
               from pg_class t join pg_namespace tn on tn.oid = t.relnamespace where t.oid = k.confrelid) end as references
      from pg_constraint k
      where k.conrelid = ${oid} and k.contype in ('p', 'u', 'c', 'f', 'x')
      order by k.contype = 'p' desc, k.conname`),
    db.query<IndexRow>(sql`
      select i.relname as name, pg_get_indexdef(x.indexrelid) as definition, m.amname as method,
             x.indisunique as unique, x.indisvalid as valid,
             (select k.conname from pg_constraint k where k.conindid = x.indexrelid and k.conrelid = x.indrelid
                and k.contype in ('p', 'u', 'x') limit 1) as constraint,
             ${sizeOf(sql`x.indexrelid`)} as size_bytes, x.indpred is not null as partial,
             (select coalesce(array_agg(coalesce(a.attname::text, '') order by u.place), '{}')
                from unnest((x.indkey::int2[])[0:x.indnkeyatts - 1]) with ordinality as u(number, place)
                left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = u.number) as columns
      from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am m on m.oid = i.relam
      where x.indrelid = ${oid} order by i.relname`),
    db.query<TriggerRow>(sql`
      select g.tgname as name, pg_get_triggerdef(g.oid) as definition, g.tgenabled <> 'D' as enabled,
             jsonb_build_object('schema', n.nspname, 'name', p.proname) as function
      from pg_trigger g join pg_proc p on p.oid = g.tgfoid join pg_namespace n on n.oid = p.pronamespace
      where g.tgrelid = ${oid} and not g.tgisinternal order by g.tgname`),
    db.query<{ bytes: number }>(sql`
      select ${sizeOf(sql`c.oid`)} + coalesce((
        select sum(${sizeOf(sql`x.indexrelid`)}) from pg_index x where x.indrelid = c.oid), 0) as bytes
      from pg_class c where c.oid = ${oid}`),
    db.query<Pick<Structure, 'publications' | 'replica_identity'>>(sql`
      select case c.relreplident when 'd' then 'default' when 'f' then 'full' when 'n' then 'nothing' else 'index' end
          as replica_identity,
        (select coalesce(array_agg(t.pubname::text order by t.pubname), '{}') from pg_publication_tables t
         where t.schemaname = ${schema} and t.tablename = ${table}) as publications
      from pg_class c where c.oid = ${oid}`),
  ]);
  return {
    publications: replication?.publications ?? [],
    replica_identity: replication?.replica_identity ?? 'default',
    constraints,
    indexes,
    triggers,
    size_bytes: size?.bytes ?? 0,
  };
}

/**
 * Returns the expression for the size of a table with its TOAST table, or of an index, in bytes. PostgreSQL measures a relation only after it has
 * locked it, so the size of an index that is being rebuilt is an estimate.
 */
const sizeOf = (relation: Sql): Sql => sql`
  (select case when exists (
     select from pg_locks l where l.relation = s.oid and l.mode = 'AccessExclusiveLock' and l.granted
       and l.database = (select d.oid from pg_database d where d.datname = current_database()))
   then s.relpages * current_setting('block_size')::float8 else pg_table_size(s.oid)::float8 end
   from pg_class s where s.oid = ${relation})`;

const columnNames = (relation: Sql, numbers: Sql): Sql => sql`
  (select coalesce(array_agg(a.attname::text order by u.place), '{}')
   from unnest(${numbers}) with ordinality as u(number, place)
   join pg_attribute a on a.attrelid = ${relation} and a.attnum = u.number)`;

const ownSchemas = sql.raw(
  "n.nspname not in ('_plinth', 'information_schema', 'pg_catalog', 'pg_toast') and n.nspname not like 'pg\\_%'",
);

export const listEnums = (db: Queryable): Promise<EnumRow[]> =>
  db.query<EnumRow>(sql`
    select n.nspname as schema, t.typname as name,
           (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) as values,
           coalesce((select jsonb_agg(jsonb_build_object('schema', cn.nspname, 'table', c.relname, 'column', a.attname)
                            order by cn.nspname, c.relname, a.attnum)
              from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace cn on cn.oid = c.relnamespace
             where a.atttypid in (t.oid, t.typarray) and c.relkind in ('r', 'p', 'f') and not a.attisdropped), '[]') as columns
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where t.typtype = 'e' and ${ownSchemas}
    order by n.nspname, t.typname`);

/** The methods of extensions follow those of PostgreSQL. */
const indexMethods: IndexMethod[] = ['btree', 'hash', 'gin', 'gist', 'brin', 'spgist', 'hnsw', 'ivfflat'];

export async function readVocabulary(db: Queryable): Promise<Vocabulary> {
  const [schemas, types, functions, methods] = await Promise.all([
    db.query<{ name: string }>(sql`
      select n.nspname as name from pg_namespace n
      where ${ownSchemas} and has_schema_privilege(n.oid, 'usage') order by n.nspname`),
    db.query<Vocabulary['types'][number]>(sql`
      select n.nspname as schema, t.typname as name,
             case t.typtype when 'e' then 'enum' when 'd' then 'domain' when 'c' then 'composite' when 'r' then 'range'
               else 'base' end as kind
      from pg_type t join pg_namespace n on n.oid = t.typnamespace
      where t.typtype in ('e', 'd', 'c', 'r', 'b') and ${ownSchemas}
        and (t.typrelid = 0 or (select c.relkind = 'c' from pg_class c where c.oid = t.typrelid))
        and not exists (select from pg_type e where e.typarray = t.oid)
      order by n.nspname, t.typname`),
    db.query<{ schema: string; name: string }>(sql`
      select n.nspname as schema, p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prorettype = 'trigger'::regtype and (${ownSchemas} or p.proname = 'suppress_redundant_updates_trigger')
      order by n.nspname, p.proname`),
    db.query<{ name: IndexMethod }>(sql`
      select amname as name from pg_am where amtype = 'i' and amname = any (${indexMethods}::text[])
      order by pg_catalog.array_position(${indexMethods}::text[], amname::text)`),
  ]);
  return {
    own_types: [...typeNames],
    index_methods: methods.map(({ name }) => name),
    schemas: schemas.map(({ name }) => name),
    types,
    trigger_functions: functions,
  };
}
