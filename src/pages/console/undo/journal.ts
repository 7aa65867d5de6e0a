/** Stores and lists the entries of the journal. Only Plinth's superuser may read and write them. */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import type { Actor } from '../audit.ts';
import type { Captured } from './capture.ts';
import type { JournalEntry, JournalTable, MissingReason } from './contract.ts';
import type { Images, Values } from './core/states.ts';

const pageSize = 50;
/** The number of rows that are sent to the database together. */
const batchRows = 500;

export interface Limits {
  readonly days: number;
  readonly maxBytes: number;
}

export interface NewEntry {
  readonly operator: Actor;
  readonly action: string;
  readonly undoes?: number | undefined;
}

/**
 * Stores an entry for a transaction that is about to be committed, and deletes old entries. Returns the entry's ID.
 */
export function storeEntry(
  db: Pool,
  { operator, action, undoes }: NewEntry,
  { xid, sizeBytes, tables }: Captured,
  { days, maxBytes }: Limits,
): Promise<number> {
  return db.transaction(async (tx) => {
    const [entry] = await tx.query<{ id: number }>(sql`
      insert into _plinth.undo_entries (xid, operator_id, operator_name, action, undoes, size_bytes)
      values (${xid}::xid8, ${operator.id}::uuid, ${operator.name}, ${action}, ${undoes ?? null}::bigint,
        ${sizeBytes}::bigint)
      returning id`);
    if (entry === undefined) throw new Error('the entry was not stored');
    const rows: object[] = [];
    for (const [
      number,
      { oid, schema, name, columns, key, reason, rowCount, rows: images },
    ] of tables.entries()) {
      await tx.query(sql`
        insert into _plinth.undo_tables
          (entry_id, number, table_oid, schema, name, columns, key, reason, row_count)
        values (${entry.id}::bigint, ${number}::int, ${oid}::oid, ${schema}, ${name}, ${columns}::text[],
          ${key}::text[], ${reason}, ${reason === null ? images.length : rowCount}::bigint)`);
      for (const { before, after } of images)
        rows.push({
          number: rows.length,
          table: number,
          ...(before === null ? {} : { before }),
          ...(after === null ? {} : { after }),
        });
    }
    for (let start = 0; start < rows.length; start += batchRows)
      await tx.query(sql`
        insert into _plinth.undo_rows (entry_id, number, table_number, before, after)
        select ${entry.id}::bigint, r.number, r."table", r.before, r.after
        from pg_catalog.jsonb_to_recordset(${JSON.stringify(rows.slice(start, start + batchRows))}::jsonb)
          as r(number int, "table" int, before jsonb, after jsonb)`);
    await tx.query(sql`
      delete from _plinth.undo_entries where at < now() - ${days}::int * interval '1 day' or id in (
        select id from (select id, sum(size_bytes) over (order by id desc) as total from _plinth.undo_entries) as sizes
        where total > ${maxBytes}::bigint and id <> ${entry.id}::bigint)`);
    return entry.id;
  });
}

/** Deletes expired entries and those of transactions that were rolled back, and marks those of committed ones. */
async function settle(db: Queryable, days: number): Promise<void> {
  const state = sql`pg_catalog.pg_xact_status(xid)`;
  await db.query(sql`
    delete from _plinth.undo_entries
    where not is_committed and coalesce(${state}, 'aborted') = 'aborted'
      or at < now() - ${days}::int * interval '1 day'`);
  await db.query(sql`
    update _plinth.undo_entries set is_committed = true where not is_committed and ${state} = 'committed'`);
}

export interface EntryFilter {
  readonly operator?: string | undefined;
  readonly action?: string | undefined;
  readonly table?: string | undefined;
  readonly before?: number | undefined;
}

const isWanted = ({ operator, action, table, before }: EntryFilter): Sql =>
  sql`e.is_committed
    and (${operator ?? null}::text is null or e.operator_name = ${operator ?? null}::text)
    and (${action ?? null}::text is null or e.action = ${action ?? null}::text)
    and (${before ?? null}::bigint is null or e.id < ${before ?? null}::bigint)
    and (${table ?? null}::text is null or exists (select from _plinth.undo_tables t
      where t.entry_id = e.id and t.schema || '.' || t.name = ${table ?? null}::text))`;

type EntryRow = Omit<JournalEntry, 'tables'> & { readonly tables: readonly JournalTable[] };

const fields = sql`e.id,
  pg_catalog.to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  e.operator_name as operator, e.action, e.undoes,
  array(select u.id from _plinth.undo_entries u where u.undoes = e.id and u.is_committed order by u.id) as "undoneBy",
  (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('schema', t.schema, 'name', t.name,
      'rows', t.row_count, 'reason', t.reason) order by t.number), '[]')
    from _plinth.undo_tables t where t.entry_id = e.id) as tables`;

/** Lists the newest entries first. */
export async function listEntries(
  db: Queryable,
  filter: EntryFilter,
  days: number,
): Promise<{ entries: readonly EntryRow[]; more: boolean }> {
  await settle(db, days);
  const entries = await db.query<EntryRow>(sql`
    select ${fields} from _plinth.undo_entries e where ${isWanted(filter)}
    order by e.id desc limit ${pageSize + 1}::int`);
  return { entries: entries.slice(0, pageSize), more: entries.length > pageSize };
}

export async function listFacets(
  db: Queryable,
  days: number,
): Promise<{ operators: string[]; actions: string[]; tables: string[] }> {
  await settle(db, days);
  const [row] = await db.query<{ operators: string[]; actions: string[]; tables: string[] }>(sql`
    select array(select distinct operator_name from _plinth.undo_entries where is_committed order by 1) as operators,
      array(select distinct action from _plinth.undo_entries where is_committed order by 1) as actions,
      array(select distinct t.schema || '.' || t.name from _plinth.undo_tables t
        join _plinth.undo_entries e on e.id = t.entry_id where e.is_committed order by 1 limit 500) as tables`);
  return row ?? { operators: [], actions: [], tables: [] };
}

export interface StoredTable {
  readonly number: number;
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly reason: MissingReason | null;
}

export interface StoredRow extends Images {
  readonly number: number;
  readonly table: number;
}

export interface StoredEntry {
  readonly entry: EntryRow;
  readonly tables: readonly StoredTable[];
}

/** Returns undefined if the entry doesn't exist or its transaction wasn't committed. */
export async function findEntry(db: Queryable, id: number, days: number): Promise<StoredEntry | undefined> {
  await settle(db, days);
  const [entry] = await db.query<EntryRow>(
    sql`select ${fields} from _plinth.undo_entries e where e.id = ${id}::bigint and e.is_committed`,
  );
  if (entry === undefined) return undefined;
  const tables = await db.query<StoredTable>(sql`
    select number, table_oid::bigint as oid, schema, name, columns, key, reason
    from _plinth.undo_tables where entry_id = ${id}::bigint order by number`);
  return { entry, tables };
}

/** Returns the rows with the given numbers, or those of a page. */
export async function findRows(
  db: Queryable,
  id: number,
  wanted:
    | { readonly numbers: readonly number[] }
    | { readonly offset: number; readonly limit: number }
    | undefined,
): Promise<StoredRow[]> {
  const only =
    wanted === undefined
      ? sql.empty
      : 'numbers' in wanted
        ? sql`and number = any(${wanted.numbers}::int[])`
        : sql`and number >= ${wanted.offset}::int and number < ${wanted.offset + wanted.limit}::int`;
  const rows = await db.query<{
    number: number;
    table: number;
    before: Values | null;
    after: Values | null;
  }>(sql`
    select number, table_number as "table", before, after from _plinth.undo_rows
    where entry_id = ${id}::bigint ${only} order by number`);
  return rows;
}

export async function countRows(db: Queryable, id: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from _plinth.undo_rows where entry_id = ${id}::bigint`,
  );
  return row?.count ?? 0;
}
