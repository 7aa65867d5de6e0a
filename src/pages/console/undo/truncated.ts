/** Reads the rows that a TRUNCATE is about to delete. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import {
  type Beginning,
  type CaptureOptions,
  type CountRow,
  changesSince,
  counted,
  type EmptiedTables,
  isExcluded,
  maxBytes,
  maxRows,
  type Shape,
  shapesOf,
  withReader,
} from './capture.ts';
import type { MissingReason } from './contract.ts';
import type { Values } from './core/states.ts';

export interface Truncation {
  readonly beginning: Beginning;
  /** Receives the rows of the tables. */
  readonly emptied: EmptiedTables;
  /** Runs the statement. */
  readonly run: () => Promise<void>;
}

/**
 * Runs the statement in a savepoint, which shows the tables that it empties, including those that it reaches by CASCADE.
 * After the rollback, their rows are read with the snapshot from the beginning of the transaction.
 */
export async function readEmptied(
  tx: Queryable,
  { beginning, emptied, run }: Truncation,
  { database, isOperator }: CaptureOptions,
): Promise<void> {
  const before = await filesOf(tx);
  let oids: readonly number[] = [];
  await tx.exec('savepoint plinth_trial');
  try {
    await run();
    const after = await filesOf(tx);
    oids = [...before].flatMap(([oid, file]) => (after.has(oid) && after.get(oid) !== file ? [oid] : []));
  } catch {
    return;
  } finally {
    await tx.exec('rollback to savepoint plinth_trial; release savepoint plinth_trial');
  }
  const found = oids.filter((oid) => !emptied.has(oid));
  if (found.length === 0) return;
  await tx.exec('savepoint plinth_trial');
  try {
    await tx.exec(`${isOperator ? 'set local role none;' : ''} set local search_path = pg_catalog`);
    const changes = changesSince(beginning, await tx.query<CountRow>(counted));
    const shapes = await shapesOf(tx, found);
    await withReader(database, beginning, async (reader) => {
      for (const shape of shapes) {
        const change = changes.find(({ oid }) => oid === shape.oid);
        const growth = change === undefined ? 0 : change.inserted - change.deleted;
        emptied.set(shape.oid, await rowsOf(tx, reader, shape, growth));
      }
    });
  } catch {
    for (const oid of found) if (!emptied.has(oid)) emptied.set(oid, 'failed');
  } finally {
    await tx.exec('rollback to savepoint plinth_trial; release savepoint plinth_trial');
  }
}

/** The files of the tables. TRUNCATE gives a table a new file. */
async function filesOf(tx: Queryable): Promise<Map<number, number>> {
  const rows = await tx.query<{ oid: number; file: number }>(sql`
    select oid::pg_catalog.int8 as oid, relfilenode::pg_catalog.int8 as file from pg_catalog.pg_class
    where relkind = 'r' and relpersistence <> 't' and oid >= 16384`);
  return new Map(rows.map(({ oid, file }) => [oid, file]));
}

/** @param growth the number of rows that the transaction has added to the table */
async function rowsOf(
  tx: Queryable,
  reader: Queryable,
  { schema, name, columns }: Shape,
  growth: number,
): Promise<readonly Values[] | MissingReason> {
  if (isExcluded(schema)) return 'excluded';
  const table = sql`only ${sql.id(schema, name)}`;
  const cells = columns.map((column) => sql`${sql.id(column)}::text`);
  const size = sql.join(
    [sql.raw('0'), ...cells.map((cell) => sql`coalesce(octet_length(${cell}), 0)::int8`)],
    ' + ',
  );
  const [measured] = await reader.query<{ rows: number; bytes: number }>(sql`
    select count(*)::float8 as rows, coalesce(sum(size), 0)::float8 as bytes
    from (select ${size} as size from ${table} limit ${maxRows + 1}::int) as sizes`);
  if (measured === undefined || measured.rows > maxRows || measured.bytes > maxBytes) return 'too-large';
  // Rows that other sessions have added since aren't in the snapshot.
  const [current] = await tx.query<{ rows: number }>(sql`select count(*)::float8 as rows from ${table}`);
  if (current?.rows !== measured.rows + growth) return 'unclear';
  const { rows } = await reader.queryText(
    sql`select ${cells.length === 0 ? sql.raw('null') : sql.join(cells)} from ${table}`,
  );
  return rows;
}
