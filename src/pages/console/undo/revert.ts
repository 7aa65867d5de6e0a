/** Takes journaled changes back, as the role of the Console's other changes. Triggers fire as usual. */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { isPostgresError } from '../../../base/shared/errors.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import { shapesOf } from './capture.ts';
import type { RowState } from './contract.ts';
import { isConflict, parentsFirst, stateOf, type Values } from './core/states.ts';
import type { StoredRow, StoredTable } from './journal.ts';

/** The number of rows that are compared with one statement. */
const batchRows = 200;

interface CurrentTable {
  readonly stored: StoredTable;
  /** The table's current name. */
  readonly name: Sql;
  /** The positions of the journaled columns that still exist. */
  readonly positions: readonly number[];
  readonly isKeyed: boolean;
}

/** Finds the tables by their IDs, because tables can have been renamed, and others can have their names now. */
export async function currentTables(
  db: Queryable,
  tables: readonly StoredTable[],
): Promise<Map<number, CurrentTable>> {
  const shapes = await shapesOf(
    db,
    tables.map(({ oid }) => oid),
  );
  const found = new Map<number, CurrentTable>();
  for (const stored of tables) {
    const shape = shapes.find(({ oid }) => oid === stored.oid);
    if (shape === undefined || stored.reason !== null) continue;
    const positions = stored.columns.flatMap((column, index) =>
      shape.columns.includes(column) ? [index] : [],
    );
    const isKeyed =
      stored.key.length > 0 &&
      stored.key.length === shape.key.length &&
      stored.key.every((column) => shape.key.includes(column));
    found.set(stored.number, { stored, name: sql.id(shape.schema, shape.name), positions, isKeyed });
  }
  return found;
}

export interface ComparedRow {
  readonly row: StoredRow;
  readonly state: RowState;
  readonly now: Values | null;
}

/**
 * Compares rows with their current values.
 *
 * @param isRepeat whether the entry has been taken back before. Rows without a key are then conflicts.
 */
export async function compareRows(
  db: Queryable,
  rows: readonly StoredRow[],
  tables: ReadonlyMap<number, CurrentTable>,
  { isRepeat, lock }: { readonly isRepeat: boolean; readonly lock: boolean },
): Promise<ComparedRow[]> {
  const compared: ComparedRow[] = [];
  for (let start = 0; start < rows.length; start += batchRows) {
    const batch = rows.slice(start, start + batchRows);
    for (const [number, table] of tables) {
      const members = batch.filter((row) => row.table === number);
      if (members.length === 0) continue;
      compared.push(
        ...(table.isKeyed
          ? await compareKeyed(db, members, table, lock)
          : await compareKeyless(db, members, table, isRepeat)),
      );
    }
    for (const row of batch) if (!tables.has(row.table)) compared.push({ row, state: 'no-table', now: null });
  }
  return compared.sort((one, other) => one.row.number - other.row.number);
}

async function compareKeyed(
  db: Queryable,
  rows: readonly StoredRow[],
  table: CurrentTable,
  lock: boolean,
): Promise<ComparedRow[]> {
  const { stored, name, positions } = table;
  const keyAt = stored.key.map((column) => stored.columns.indexOf(column));
  const conditions = rows.map((row) => sql`(${keyCondition(table, row)})`);
  const columns = positions.map((index) => sql`${sql.id(stored.columns[index] ?? '')}::text`);
  const { rows: found } = await db.queryText(sql`
    select ${sql.join(columns)} from only ${name} where ${sql.join(conditions, ' or ')}
    ${sql.raw(lock ? 'for update' : '')}`);
  const current = new Map(
    found.map((values) => [JSON.stringify(keyAt.map((index) => values[positions.indexOf(index)])), values]),
  );
  return rows.map((row) => {
    const images = { before: shown(row.before, positions), after: shown(row.after, positions) };
    const key = JSON.stringify(keyAt.map((index) => (row.after ?? row.before)?.[index]));
    const now = current.get(key) ?? null;
    return { row, state: stateOf(images, now), now };
  });
}

/** Without a key, an inserted row is any row with the same values. */
async function compareKeyless(
  db: Queryable,
  rows: readonly StoredRow[],
  table: CurrentTable,
  isRepeat: boolean,
): Promise<ComparedRow[]> {
  const compared: ComparedRow[] = [];
  for (const row of rows) {
    if (isRepeat) compared.push({ row, state: 'unknown', now: null });
    else if (row.after === null) compared.push({ row, state: 'ready', now: null });
    else {
      const found = await db.query(
        sql`select from only ${table.name} where ${sameRow(table, row.after)} limit 1`,
      );
      compared.push({ row, state: found.length > 0 ? 'ready' : 'done', now: null });
    }
  }
  return compared;
}

const shown = (values: Values | null, positions: readonly number[]): Values | null =>
  values === null ? null : positions.map((index) => values[index] ?? null);

function keyCondition({ stored }: CurrentTable, { before, after }: StoredRow): Sql {
  const values = after ?? before ?? [];
  return sql.join(
    stored.key.map((column) => sql`${sql.id(column)} = ${values[stored.columns.indexOf(column)] ?? null}`),
    ' and ',
  );
}

const sameRow = ({ stored, positions }: CurrentTable, values: Values): Sql =>
  sql.join(
    [
      sql.raw('true'),
      ...positions.map(
        (index) =>
          sql`${sql.id(stored.columns[index] ?? '')}::text is not distinct from ${values[index] ?? null}::text`,
      ),
    ],
    ' and ',
  );

/** A change that takes a row back. */
interface Step {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly table: CurrentTable;
  readonly row: StoredRow;
  /** The current row, if the step was confirmed as a conflict. */
  readonly now: Values | null;
}

/**
 * Takes rows back. Conflicts are skipped unless their number is in `anyway`.
 * @throws {ConsoleError} not_changed if a trigger or rule prevents a change
 */
export async function takeBackRows(
  tx: Transaction,
  compared: readonly ComparedRow[],
  tables: ReadonlyMap<number, CurrentTable>,
  anyway: readonly number[],
): Promise<{ undone: number; conflicts: number }> {
  const steps: Step[] = [];
  let conflicts = 0;
  for (const { row, state, now } of compared) {
    const table = tables.get(row.table);
    if (state === 'done') continue;
    if (table === undefined || (isConflict(state) && !anyway.includes(row.number))) {
      conflicts++;
      continue;
    }
    const exists = state === 'ready' || state === 'unknown' ? row.after !== null : now !== null;
    if (row.before === null && !exists) continue;
    const kind = row.before === null ? 'delete' : exists ? 'update' : 'insert';
    steps.push({ kind, table, row, now });
  }
  const numbers = [...new Set(steps.map(({ table }) => table.stored.number))];
  const order = parentsFirst(numbers, await referencesAmong(tx, tables, numbers));
  const stepsOf = (kind: Step['kind']): Step[] => steps.filter((step) => step.kind === kind);
  const insertAll = (inner: Queryable): Promise<void> => insertRows(inner, order, stepsOf('insert'));
  const deleteAll = (inner: Queryable): Promise<void> =>
    deleteRows(inner, order.toReversed(), stepsOf('delete'));
  const updateAll = async (inner: Queryable): Promise<void> => {
    for (const step of stepsOf('update')) await updateRow(inner, step);
  };
  // Foreign keys need rows to be inserted first and deleted last. Unique constraints can need the opposite.
  const orders = [
    [insertAll, updateAll, deleteAll],
    [deleteAll, updateAll, insertAll],
  ];
  let first: unknown;
  for (const actions of orders)
    try {
      await tx.savepoint(async (inner) => {
        for (const action of actions) await action(inner);
        await inner.exec('set constraints all immediate');
      });
      return { undone: steps.length, conflicts };
    } catch (error) {
      if (!isPostgresError(error) || !error.code?.startsWith('23')) throw error;
      first ??= error;
    }
  throw first;
}

async function referencesAmong(
  db: Queryable,
  tables: ReadonlyMap<number, CurrentTable>,
  numbers: readonly number[],
): Promise<[number, number][]> {
  const oids = numbers.map((number) => tables.get(number)?.stored.oid ?? 0);
  const rows = await db.query<{ from: number; to: number }>(sql`
    select conrelid::bigint as from, confrelid::bigint as to from pg_catalog.pg_constraint
    where contype = 'f' and conrelid <> confrelid
      and conrelid = any(${oids}::oid[]) and confrelid = any(${oids}::oid[])`);
  const numberOf = (oid: number): number => numbers[oids.indexOf(oid)] ?? -1;
  return rows.map(({ from, to }) => [numberOf(from), numberOf(to)]);
}

const changedRows = (commandTag: string): number => Number(/\d+$/.exec(commandTag)?.[0] ?? 0);

function requireChanged(commandTag: string, expected: number): void {
  if (changedRows(commandTag) !== expected) throw new ConsoleError('not_changed');
}

/** PostgreSQL allows at most 65,535 parameters in a statement (frontend/backend protocol, Bind). */
const maxParameters = 60_000;

async function insertRows(db: Queryable, order: readonly number[], steps: readonly Step[]): Promise<void> {
  for (const number of order) {
    const members = steps.filter(({ table }) => table.stored.number === number);
    const table = members[0]?.table;
    if (table === undefined) continue;
    const { stored, name, positions } = table;
    const columns = positions.map((index) => sql.id(stored.columns[index] ?? ''));
    const perStatement = Math.max(1, Math.floor(maxParameters / Math.max(1, positions.length)));
    // The rows of a table are inserted with one statement if possible, because they can reference each other.
    for (let start = 0; start < members.length; start += perStatement) {
      const batch = members.slice(start, start + perStatement);
      const values = batch.map(
        ({ row }) => sql`(${sql.join(positions.map((index) => sql`${row.before?.[index] ?? null}`))})`,
      );
      const { commandTag } = await db.queryText(
        columns.length === 0
          ? sql`insert into ${name} default values`
          : sql`insert into ${name} (${sql.join(columns)}) overriding system value values ${sql.join(values)}`,
      );
      requireChanged(commandTag, columns.length === 0 ? 1 : batch.length);
    }
  }
}

async function updateRow(db: Queryable, { table, row, now }: Step): Promise<void> {
  const { stored, name, positions } = table;
  const { before, after } = row;
  // Columns with the same value aren't written, because identity columns can't be.
  const current = now ?? shown(after, positions);
  const changed = positions.filter((index, place) => current?.[place] !== (before?.[index] ?? null));
  if (changed.length === 0) return;
  const assignments = changed.map(
    (index) => sql`${sql.id(stored.columns[index] ?? '')} = ${before?.[index] ?? null}`,
  );
  const { commandTag } = await db.queryText(
    sql`update only ${name} set ${sql.join(assignments)} where ${keyCondition(table, row)}`,
  );
  requireChanged(commandTag, 1);
}

async function deleteRows(db: Queryable, order: readonly number[], steps: readonly Step[]): Promise<void> {
  for (const number of order) {
    const members = steps.filter(({ table }) => table.stored.number === number);
    const table = members[0]?.table;
    if (table === undefined) continue;
    if (!table.isKeyed) {
      for (const { row } of members) {
        const { commandTag } = await db.queryText(sql`
          delete from only ${table.name} where ctid = (
            select ctid from only ${table.name} where ${sameRow(table, row.after ?? [])} limit 1)`);
        requireChanged(commandTag, 1);
      }
      continue;
    }
    for (let start = 0; start < members.length; start += batchRows) {
      const batch = members.slice(start, start + batchRows);
      const conditions = batch.map(({ row }) => sql`(${keyCondition(table, row)})`);
      const { commandTag } = await db.queryText(
        sql`delete from only ${table.name} where ${sql.join(conditions, ' or ')}`,
      );
      // The rows of a batch can delete each other through a foreign key, so a lower number isn't an error.
      if (changedRows(commandTag) === 0) throw new ConsoleError('not_changed');
    }
  }
}
