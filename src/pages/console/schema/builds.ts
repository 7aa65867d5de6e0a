/** Reads the progress of indexes that are being built, by the Console or by any other session. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { outlineOf, redactLiterals } from '../queries-page/core/outline.ts';
import type { IndexBuild } from './contract.ts';

interface Row extends Omit<IndexBuild, 'statement'> {
  readonly text: string;
}

/**
 * Returns the builds on a table. `isRedacted` hides literals in the statements. The name is unknown during an ordinary
 * CREATE INDEX, because the index is visible only to its transaction.
 */
export async function readIndexBuilds(
  db: Queryable,
  {
    schema,
    table,
    isRedacted,
  }: { readonly schema: string; readonly table: string; readonly isRedacted: boolean },
): Promise<IndexBuild[]> {
  // The share of blocks is preferred, because pgvector reports tuples without their total number.
  const rows = await db.query<Row>(sql`
    select p.pid, i.relname::text as name, p.command, p.phase,
      case when p.blocks_total > 0 then least(1, p.blocks_done::float8 / p.blocks_total)
        when p.tuples_total > 0 then least(1, p.tuples_done::float8 / p.tuples_total) end as share,
      extract(epoch from pg_catalog.clock_timestamp() - a.query_start)::float8 * 1000 as "elapsedMs", a.query as text
    from pg_catalog.pg_stat_progress_create_index p
    join pg_catalog.pg_stat_activity a on a.pid = p.pid
    join pg_catalog.pg_class c on c.oid = p.relid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_class i on i.oid = p.index_relid
    where p.datname = pg_catalog.current_database() and n.nspname = ${schema} and c.relname = ${table}
    order by a.query_start, p.pid`);
  return rows.map(({ text, ...build }) => ({
    ...build,
    statement: outlineOf(isRedacted ? redactLiterals(text) : text),
  }));
}
