import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { CompletionTable, HistoryRow } from './contract.ts';
import { openRun, type PrivateStore, sealRun } from './private-text.ts';

/** The number of history entries that are kept for each operator. If there are more entries, the oldest are deleted. */
const maxEntries = 500;

export async function listHistory(
  { db, seal }: PrivateStore,
  operatorId: string,
  limit: number,
): Promise<HistoryRow[]> {
  const rows = await db.query<HistoryRow & { readonly sealed: Buffer | null }>(sql`
    select id, text, persona, error, duration_ms, at, sealed from _plinth.sql_history
    where operator_id = ${operatorId} order by id desc limit ${limit}::int`);
  return rows.map(({ sealed, ...row }) =>
    sealed === null ? row : { ...row, ...openRun(seal, operatorId, sealed) },
  );
}

export async function insertHistory(
  { db, seal }: PrivateStore,
  entry: { operatorId: string; text: string; persona: string; error: string | null; durationMs: number },
): Promise<void> {
  await db.query(sql`
    with old as (
      delete from _plinth.sql_history where operator_id = ${entry.operatorId} and id < (
        select id from _plinth.sql_history where operator_id = ${entry.operatorId}
        order by id desc offset ${maxEntries}::int limit 1))
    insert into _plinth.sql_history (operator_id, text, sealed, persona, duration_ms)
    values (${entry.operatorId}, '', ${sealRun(seal, entry.operatorId, entry)}, ${entry.persona}, ${entry.durationMs})`);
}

export async function clearHistory(db: Queryable, operatorId: string): Promise<void> {
  await db.query(sql`delete from _plinth.sql_history where operator_id = ${operatorId}`);
}

export async function typeNames(db: Queryable): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query<{ oid: number; name: string }>(
    sql`select oid, format_type(oid, null) as name from pg_type`,
  );
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

/** Lists the names that the editor suggests, as they currently are in the catalog. The `public` schema comes first. */
export const completionTables = (db: Queryable): Promise<CompletionTable[]> =>
  db.query<CompletionTable>(sql`
    select n.nspname as schema, c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'
    group by n.nspname, c.oid order by n.nspname <> 'public', n.nspname, c.relname limit 2000`);

export const completionFunctions = (db: Queryable): Promise<{ name: string; detail: string }[]> =>
  db.query(sql`
    select distinct on (name, detail) name, detail from (
      select case when n.nspname in ('public', 'extensions') then quote_ident(p.proname)
          else quote_ident(n.nspname) || '.' || quote_ident(p.proname) end as name,
        '(' || left(pg_get_function_identity_arguments(p.oid), 120) || ')' as detail
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'
        and p.prokind in ('f', 'p') and p.prorettype <> 'trigger'::regtype
    ) f order by name, detail limit 2000`);
