/** The route of the page with the indexes of all tables. Changes use the routes of the schema (`schema/routes.ts`). */
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import type { Api } from '../routes/api.ts';
import type { IndexUse, UnindexedKey } from './contract.ts';
import { coveringIndex, type IndexShape } from './overlaps.ts';

export function indexRoutes(api: Api, db: Pool): void {
  const route = api.feature(() => import('./contract.ts'));
  route('GET /database/indexes', 'read', async () => {
    const [indexes, unindexed_keys, [statistics]] = await Promise.all([
      listIndexes(db),
      listUnindexedKeys(db),
      db.query<{ since: string | null }>(sql`
        select pg_catalog.to_json(stats_reset) #>> '{}' as since from pg_catalog.pg_stat_database
        where datname = pg_catalog.current_database()`),
    ]);
    const byTable = Map.groupBy(indexes, ({ schema, table }) => JSON.stringify([schema, table]));
    return {
      indexes: indexes.map((shape) => {
        const { keys, included, predicate, ...index } = shape;
        const ofTable = byTable.get(JSON.stringify([index.schema, index.table])) ?? [];
        return { ...index, covered_by: coveringIndex(shape, ofTable) ?? null };
      }),
      unindexed_keys,
      since: statistics?.since ?? null,
    };
  });
}

/** The indexes of partitions aren't listed, because they belong to those of the partitioned table. */
const listIndexes = (db: Queryable): Promise<(Omit<IndexUse, 'covered_by'> & IndexShape)[]> =>
  db.query(sql`
    select n.nspname as schema, c.relname as "table", i.relname as name, m.amname as method,
      pg_catalog.pg_get_indexdef(x.indexrelid) as definition, x.indisunique as unique, x.indisvalid as valid,
      (select k.conname from pg_catalog.pg_constraint k where k.conindid = x.indexrelid and k.conrelid = x.indrelid
        and k.contype in ('p', 'u', 'x') limit 1) as constraint,
      i.relpages * pg_catalog.current_setting('block_size')::float8 as size_bytes,
      coalesce(s.idx_scan, 0)::float8 as scans, pg_catalog.to_jsonb(s) ->> 'last_idx_scan' as last_scan,
      coalesce(pg_catalog.pg_get_expr(x.indpred, x.indrelid), '') as predicate,
      (select pg_catalog.array_agg(pg_catalog.concat_ws(' ', pg_catalog.pg_get_indexdef(x.indexrelid, k::int, false),
          x.indclass[k - 1], x.indcollation[k - 1], x.indoption[k - 1]) order by k)
        from pg_catalog.generate_series(1, x.indnkeyatts) k) as keys,
      (select coalesce(pg_catalog.array_agg(pg_catalog.pg_get_indexdef(x.indexrelid, k::int, false) order by k), '{}')
        from pg_catalog.generate_series(x.indnkeyatts + 1, x.indnatts) k) as included
    from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid join pg_catalog.pg_am m on m.oid = i.relam
    join pg_catalog.pg_class c on c.oid = x.indrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_stat_all_indexes s on s.indexrelid = x.indexrelid
    where not i.relispartition and c.relkind in ('r', 'p', 'm')
      and n.nspname not in ('_plinth', 'pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
    order by n.nspname, c.relname, i.relname`);

/** Foreign keys without a valid index of all rows whose first columns are those of the key, in any order. */
export const listUnindexedKeys = (db: Queryable): Promise<UnindexedKey[]> =>
  db.query<UnindexedKey>(sql`
    select n.nspname as schema, c.relname as "table", k.conname as name,
      (select pg_catalog.array_agg(a.attname::text order by u.place)
        from pg_catalog.unnest(k.conkey) with ordinality as u(number, place)
        join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number) as columns,
      case when c.reltuples >= 0 then c.reltuples::float8 end as rows
    from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'f' and k.conparentid = 0 and not c.relispartition
      and n.nspname not in ('_plinth', 'pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
      and not exists (select from pg_catalog.pg_index x where x.indrelid = k.conrelid and x.indisvalid and x.indpred is null
        and k.conkey <@ (x.indkey::int2[])[0:pg_catalog.cardinality(k.conkey) - 1])
    order by n.nspname, c.relname, k.conname`);
