/** Reads all tables with their columns and foreign keys, for the diagram. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { listRelations } from '../tables/catalog.ts';
import type { DiagramColumn, DiagramKey, DiagramTable } from './contract.ts';

interface OfTable {
  of_schema: string;
  of_table: string;
}

export async function readDiagram(db: Queryable): Promise<DiagramTable[]> {
  const [relations, columns, keys] = await Promise.all([listRelations(db), readColumns(db), readKeys(db)]);
  const columnsByTable = Map.groupBy(columns, idOf);
  const keysByTable = Map.groupBy(keys, idOf);
  return relations.map((relation) => {
    const id = idOf({ of_schema: relation.schema, of_table: relation.name });
    return {
      ...relation,
      columns: (columnsByTable.get(id) ?? []).map(withoutTable),
      foreign_keys: (keysByTable.get(id) ?? []).map(withoutTable),
    };
  });
}

const idOf = ({ of_schema, of_table }: OfTable): string => JSON.stringify([of_schema, of_table]);

function withoutTable<T extends OfTable>({ of_schema, of_table, ...rest }: T): Omit<T, keyof OfTable> {
  return rest;
}

const readColumns = (db: Queryable): Promise<(DiagramColumn & OfTable)[]> =>
  db.query(sql`
    select n.nspname as of_schema, c.relname as of_table, a.attname as name,
           format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
           coalesce(a.attnum = any (p.conkey), false) as primary_key
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and a.attnum > 0 and not a.attisdropped
      and n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'
    order by n.nspname, c.relname, a.attnum`);

/**
 * Properties that only newer versions of PostgreSQL have are read from the row as JSON.
 * A foreign key that PostgreSQL adds for a partition is omitted, because the partitioned table has the same key.
 */
const readKeys = (db: Queryable): Promise<(DiagramKey & OfTable)[]> =>
  db.query(sql`
    select n.nspname as of_schema, c.relname as of_table, k.conname as name,
           tn.nspname as schema, t.relname as table, ${action('k.confdeltype')} as on_delete,
           ${action('k.confupdtype')} as on_update, k.condeferred as deferrable,
           k.condeferrable = k.condeferred and k.confmatchtype = 's' and k.convalidated
             and (to_jsonb(k) ->> 'confdelsetcols') is null
             and coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
             and not coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false) as editable,
           (select array_agg(a.attname::text order by u.place) from unnest(k.conkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number) as columns,
           (select array_agg(a.attname::text order by u.place) from unnest(k.confkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number) as references,
           exists (select from pg_index x where x.indrelid = k.conrelid and x.indisunique and x.indisvalid
             and x.indpred is null and x.indexprs is null
             and (x.indkey::int2[])[0:x.indnkeyatts - 1] <@ k.conkey) as unique,
           not exists (select from pg_attribute a
             where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and not a.attnotnull) as required
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
    where k.contype = 'f' and k.conparentid = 0 and not c.relispartition
      and n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'
    order by n.nspname, c.relname, k.conname`);

/** Returns the name of a referential action, which PostgreSQL stores as a letter. */
const action = (column: string) =>
  sql.raw(`case ${column} when 'r' then 'restrict' when 'c' then 'cascade' when 'n' then 'set null'
    when 'd' then 'set default' else 'no action' end`);
