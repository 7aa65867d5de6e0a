/**
 * Migrates the rows of one table.
 *
 * Finds the rows of one table that differ. The target joins the fingerprints of both tables, so memory use is constant.
 */
import { sql } from '../../base/kernel/sql.ts';
import { copyTable } from '../../operations/dump/index.ts';
import type { CopySession } from '../../platform/database/index.ts';
import {
  copyIntoStatement,
  fingerprintQuery,
  rowsAtQuery,
  rowsBetweenQuery,
  rowsQuery,
  type SharedTable,
  summaryQuery,
} from './core/row-text.ts';
import { inTransaction } from './ends.ts';
import { hasRows, readBlocks } from './queries.ts';
import type { Changes, End, TableReport } from './types.ts';

/** The number of blocks per transaction, which is 128 MiB of a table at the default block size. */
const blocksPerPart = 16_384;

interface RowsOptions {
  /** Called with the number of rows that have been copied so far. */
  readonly onRows: (rows: number) => void;
  /** Whether to keep rows that are missing on the source, because later steps still need these rows. */
  readonly keepDeleted?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export async function migrateRows(
  source: End,
  target: End,
  table: SharedTable,
  options: RowsOptions,
): Promise<TableReport> {
  if (!(await hasRows(target.session, table.table))) return await fillTable(source, target, table, options);
  return table.key.length === 0
    ? await replaceRows(source, target, table, options)
    : await migrateDelta(source, target, table, options);
}

/**
 * Fills an empty table, and uses several transactions if the table is large. A table without a primary key is filled in
 * one transaction, because an interrupted copy couldn't be resumed.
 */
async function fillTable(
  source: End,
  target: End,
  table: SharedTable,
  { onRows, signal }: RowsOptions,
): Promise<TableReport> {
  const blocks = table.key.length === 0 ? 0 : await readBlocks(source.session, table.table);
  let rows = 0;
  for (let first = 0; first === 0 || first < blocks; first += blocksPerPart) {
    signal?.throwIfAborted();
    const end = first + blocksPerPart < blocks ? first + blocksPerPart : undefined;
    const query = first === 0 && end === undefined ? rowsQuery(table) : rowsBetweenQuery(table, first, end);
    rows += await inTransaction(target, () =>
      copyRows(source, target, { table, query, onRows: (part) => onRows(rows + part) }),
    );
  }
  return { table: table.table, added: rows, changed: 0, deleted: 0, replaced: false };
}

/**
 * Copies rows. Uses the default search path, because a project's checks and generated columns can rely on this path.
 */
async function copyRows(
  source: End,
  target: End,
  {
    table,
    query,
    onRows,
  }: { readonly table: SharedTable; readonly query: string; readonly onRows: (rows: number) => void },
): Promise<number> {
  await target.session.exec(`set local search_path = "$user", public, extensions`);
  const copied = await copyTable(
    source.session,
    target.session,
    { from: `COPY (${query}) TO STDOUT`, to: copyIntoStatement(table) },
    ({ rows }) => onRows(rows),
  );
  await target.session.exec(`set local search_path = ''`);
  return copied.rows;
}

async function migrateDelta(
  source: End,
  target: End,
  table: SharedTable,
  { onRows, keepDeleted = false, signal }: RowsOptions,
): Promise<TableReport> {
  return await inTransaction(target, async () => {
    const { session } = target;
    // Row positions are valid only as long as no other session changes the rows.
    await session.exec(`lock table only ${table.table} in share row exclusive mode`);
    const changes = await findDelta(source, target, table);
    await session.exec(
      `delete from only ${table.table} t where t.ctid = any (array(select target from pg_temp.plinth_delta where target is not null${keepDeleted ? ' and source is not null' : ''}))`,
    );
    let rows = 0;
    for await (const places of sourcePlaces(target)) {
      signal?.throwIfAborted();
      const query = rowsAtQuery(table, places);
      rows += await copyRows(source, target, { table, query, onRows: (part) => onRows(rows + part) });
    }
    await dropDelta(target);
    const deleted = keepDeleted ? 0 : changes.deleted;
    return { table: table.table, ...changes, deleted, replaced: false };
  });
}

async function replaceRows(
  source: End,
  target: End,
  table: SharedTable,
  { onRows }: RowsOptions,
): Promise<TableReport> {
  const [before, after] = [await summaryOf(target.session, table), await summaryOf(source.session, table)];
  if (before.rows === after.rows && before.hash === after.hash)
    return { table: table.table, added: 0, changed: 0, deleted: 0, replaced: false };
  return await inTransaction(target, async () => {
    await target.session.exec(`delete from only ${table.table}`);
    const added = await copyRows(source, target, { table, query: rowsQuery(table), onRows });
    return { table: table.table, added, changed: 0, deleted: Number(before.rows), replaced: true };
  });
}

interface Summary {
  readonly rows: string;
  readonly hash: string;
}

export async function summaryOf({ query }: CopySession, table: SharedTable): Promise<Summary> {
  const [row] = await query<Summary>(sql.raw(summaryQuery(table)));
  return row as Summary;
}

/**
 * Fills the target's temporary table `plinth_delta`, in which `source` and `target` are the positions of rows that
 * differ. A new row doesn't have a position in `target`, and a deleted row doesn't have one in `source`.
 */
export async function findDelta(
  source: End,
  target: End,
  table: SharedTable,
  hashed: readonly string[] = table.columns,
): Promise<Changes> {
  const { session } = target;
  await session.exec(
    'drop table if exists pg_temp.plinth_rows, pg_temp.plinth_delta;' +
      'create temporary table plinth_rows (place pg_catalog.tid, key pg_catalog.text collate "C", hash pg_catalog.bytea)',
  );
  await copyTable(source.session, session, {
    from: `COPY (${fingerprintQuery(table, hashed)}) TO STDOUT`,
    to: 'COPY pg_temp.plinth_rows FROM STDIN',
  });
  await session.exec(`
    create temporary table plinth_delta as
      select s.place as source, t.place as target from pg_temp.plinth_rows s
      full join (${fingerprintQuery(table, hashed)}) t (place, key, hash) on t.key = s.key
      where s.key is null or t.key is null or s.hash <> t.hash;
    drop table pg_temp.plinth_rows;
    create index on pg_temp.plinth_delta (source)`);
  const [row] = await session.query<{ added: number; changed: number; deleted: number }>(sql`
    select count(*) filter (where target is null) as added, count(*) filter (where source is null) as deleted,
      count(*) filter (where source is not null and target is not null) as changed
    from pg_temp.plinth_delta`);
  return { added: row?.added ?? 0, changed: row?.changed ?? 0, deleted: row?.deleted ?? 0 };
}

export const dropDelta = ({ session }: End): Promise<void> =>
  session.exec('drop table if exists pg_temp.plinth_delta');

const placesPerBatch = 5_000;

/** Yields the positions of the source's rows that are new or changed. */
export async function* sourcePlaces({ session }: End): AsyncGenerator<string[]> {
  for (let offset = '(0,0)'; ; ) {
    const rows = await session.query<{ place: string }>(sql`
      select source::text as place from pg_temp.plinth_delta where source > ${offset}::tid
      order by source limit ${placesPerBatch}::int`);
    if (rows.length === 0) return;
    yield rows.map(({ place }) => place);
    offset = rows.at(-1)?.place as string;
  }
}
