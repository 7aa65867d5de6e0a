/**
 * Imports the rows of a file into a table, either all of them or none. Rows are inserted in batches. If a batch is
 * rejected, it is halved repeatedly until the invalid rows are found, so that each of them is reported with its line
 * and PostgreSQL's error.
 *
 * Uses INSERT because PostgreSQL doesn't support COPY for views or with row-level security, which applies to personas.
 * COPY would also save little time because reading the file takes longer than writing the rows (two thirds of the time
 * for 200,000 rows).
 */
import type { PostgresErrorShape, Queryable, Transaction } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { ConsoleError } from '../errors.ts';
import type { ImportFault, ImportReport, Relation } from './contract.ts';
import { FaultLog } from './core/fault-log.ts';
import { textOfValue } from './core/json-values.ts';
import type { SourceRow } from './import-source.ts';
import { table } from './read.ts';

/** Maps the columns of the file to the columns of the table. */
export type Mapping = Readonly<Record<string, string>>;

const batchRows = 500;
const batchChars = 1_000_000;

export interface ImportOptions {
  readonly mapping: Mapping;
  /** The same value for every row, by column of the table. */
  readonly fixed?: Readonly<Record<string, string | null>> | undefined;
  /** Whether invalid rows are skipped. */
  readonly skip?: boolean;
}

export interface ImportResult {
  readonly report: ImportReport;
  /** Whether the rows can be committed. */
  readonly mayWrite: boolean;
}

interface Target {
  /** The column of the file. Undefined if each row has the same value. */
  readonly source: string | undefined;
  readonly fixed: string | null;
  readonly column: string;
  /**
   * The column's type without its modifier, in the format of `format_type`. With the modifier, the cast would truncate
   * text that is too long, and the column would accept it.
   */
  readonly type: string;
  readonly isArray: boolean;
}

interface Row {
  readonly line: number;
  /** The values for the table's columns. If a value is undefined, the column's default is used. */
  readonly cells: readonly (string | null | undefined)[];
  /** The values in the file. */
  readonly values: SourceRow['values'];
}

/**
 * Imports the rows. `onRows` is called with the number of rows that have been read. @throws {ConsoleError} bad_request
 */
export async function importRows(
  tx: Transaction,
  relation: Relation,
  options: ImportOptions,
  source: AsyncIterable<SourceRow>,
  onRows: (rows: number) => void,
): Promise<ImportResult> {
  const targets = await targetsOf(tx, relation, options);
  const log = new FaultLog(options.skip === true);
  let rows = 0;
  let batch: Row[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await insertAll(tx, relation, targets, batch, log);
    batch = [];
    chars = 0;
    onRows(rows);
  };
  const result = (): ImportResult => ({ report: { rows, ...log.report() }, mayWrite: log.mayWrite(rows) });
  for await (const { line, values, fault } of source) {
    rows++;
    const row = { line, values, cells: targets.map((target) => cellOf(values, target)) };
    if (fault !== undefined) log.add({ line, message: fault }, { values, columnOf: () => undefined });
    else {
      if (batch.length > 0 && shapeOf(batch[0]) !== shapeOf(row)) await flush();
      batch.push(row);
      chars += row.cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
      if (batch.length >= batchRows || chars > batchChars) await flush();
    }
    if (log.isFull) return result();
  }
  await flush();
  // Deferred constraints are checked now so that their errors can be reported.
  const late = await attempt(tx, (inner) => inner.exec('set constraints all immediate'));
  if (late !== undefined) log.add(late);
  return result();
}

async function targetsOf(
  tx: Queryable,
  relation: Relation,
  { mapping, fixed = {} }: ImportOptions,
): Promise<Target[]> {
  const types = await tx.query<{ name: string; type: string; is_array: boolean }>(sql`
    select a.attname as name, format_type(a.atttypid, -1) as type, t.typcategory = 'A' as is_array
    from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_class c on c.oid = a.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${relation.schema} and c.relname = ${relation.name} and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''`);
  const entries = Object.entries(mapping);
  const constants = Object.entries(fixed);
  const columns = new Set([...entries.map(([, column]) => column), ...constants.map(([column]) => column)]);
  if (entries.length === 0 || columns.size !== entries.length + constants.length)
    throw new ConsoleError('bad_request', {
      message: 'Map each column of the file to a different column of the table.',
    });
  const targetOf = (column: string): Pick<Target, 'column' | 'type' | 'isArray'> => {
    const type = types.find(({ name }) => name === column);
    if (type === undefined)
      throw new ConsoleError('bad_request', { message: `The column ${column} can't be written.` });
    return { column, type: type.type, isArray: type.is_array };
  };
  return [
    ...entries.map(([source, column]) => ({ source, fixed: null, ...targetOf(column) })),
    ...constants.map(([column, value]) => ({ source: undefined, fixed: value, ...targetOf(column) })),
  ];
}

function cellOf(values: SourceRow['values'], { source, fixed, isArray }: Target): string | null | undefined {
  if (source === undefined) return fixed;
  return Object.hasOwn(values, source) ? textOfValue(values[source], isArray) : undefined;
}

/**
 * Returns a key that is equal for rows with values in the same columns, because these rows can be inserted together.
 */
const shapeOf = (row: Row | undefined): string =>
  row?.cells.map((cell) => (cell === undefined ? '-' : '+')).join('') ?? '';

async function insertAll(
  tx: Transaction,
  relation: Relation,
  targets: readonly Target[],
  rows: readonly Row[],
  log: FaultLog,
): Promise<void> {
  if (log.isFull) return;
  const fault = await attempt(tx, async (inner) => {
    await inner.query(insertion(relation, targets, rows));
  });
  if (fault === undefined) return;
  const [first] = rows;
  if (rows.length === 1 && first !== undefined) {
    const columnOf = (text: string): string | undefined =>
      targets.find((_, index) => first.cells[index] === text)?.column;
    log.add({ ...fault, line: first.line }, { values: first.values, columnOf });
    return;
  }
  const middle = Math.ceil(rows.length / 2);
  await insertAll(tx, relation, targets, rows.slice(0, middle), log);
  await insertAll(tx, relation, targets, rows.slice(middle), log);
}

function insertion(relation: Relation, targets: readonly Target[], rows: readonly Row[]): Sql {
  const given = targets
    .map((target, index) => ({ target, index }))
    .filter(({ index }) => rows[0]?.cells[index] !== undefined);
  if (given.length === 0)
    return sql`insert into ${table(relation)} select from generate_series(1, ${rows.length}::int)`;
  const names = sql.join(given.map(({ target }) => sql.id(target.column)));
  const arrays = sql.join(
    given.map(({ index }) => sql`${rows.map(({ cells }) => cells[index] ?? null)}::text[]`),
  );
  const places = sql.join(given.map((_, place) => sql.id(`c${place}`)));
  const values = sql.join(
    given.map(({ target }, place) => sql`v.${sql.id(`c${place}`)}::${sql.raw(target.type)}`),
  );
  return sql`insert into ${table(relation)} (${names}) overriding system value
    select ${values} from unnest(${arrays}) with ordinality as v(${places}, place) order by v.place`;
}

/** Inserts rows in a savepoint. Returns PostgreSQL's error if the insert fails. */
async function attempt(
  tx: Transaction,
  work: (inner: Transaction) => Promise<void>,
): Promise<ImportFault | undefined> {
  try {
    await tx.savepoint(work);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || !('severity' in error)) throw error;
    const { message, detail, column, code } = error as PostgresErrorShape;
    // If the statement was canceled or timed out, no row caused the error.
    if (code === '57014') throw error;
    return { line: null, message, detail, column, sqlstate: code };
  }
}
