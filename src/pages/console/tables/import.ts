/**
 * Imports either all rows of a file into a table or, if there is an error, none. The rows are inserted in batches. If
 * PostgreSQL rejects a batch, the batch is repeatedly split in half to find the invalid rows, so that each of them is
 * reported with its line number and PostgreSQL's error.
 *
 * Rows are inserted with INSERT. COPY can't be used because PostgreSQL doesn't support it for views or for tables with
 * row-level security, which applies to personas. In addition, COPY would save little time, because reading the file
 * takes longer than writing the rows (two thirds of the total time for 200,000 rows).
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { PostgresErrorShape, Queryable, Transaction } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { ImportFault, ImportReport, Relation } from './contract.ts';
import { FaultLog } from './core/fault-log.ts';
import { textOfValue } from './core/json-elements.ts';
import type { SourceRow } from './import-source.ts';
import { table } from './read.ts';

/** The table's column for each column of the file. */
export type Mapping = Readonly<Record<string, string>>;

const batchRows = 500;
const batchChars = 1_000_000;

export interface ImportOptions {
  readonly mapping: Mapping;
  /** Values that are the same in every row, by the table's column. */
  readonly fixed?: Readonly<Record<string, string | null>> | undefined;
  /** Whether to skip invalid rows. */
  readonly skip?: boolean;
  /** Whether the transaction will be rolled back. If true, the rows don't use values from sequences. */
  readonly isTrial?: boolean;
}

export interface ImportResult {
  readonly report: ImportReport;
  /** Whether the rows may be committed. */
  readonly mayWrite: boolean;
}

interface Target {
  /** The file's column. Undefined if all rows have the same value in the table's column. */
  readonly source: string | undefined;
  readonly fixed: string | null;
  readonly column: string;
  /**
   * The column's type without its modifier, in the format of `format_type`. With the modifier, a cast would truncate
   * text that is too long instead of causing an error.
   */
  readonly type: string;
  readonly isArray: boolean;
}

/** A column whose default is the next value of a sequence. */
interface SequenceColumn {
  readonly name: string;
  readonly type: string;
  /** The sequence's maximum value. */
  readonly max: string;
  /** The names of the constraints that include the column. */
  readonly constraints: readonly string[];
}

/**
 * The values that are used instead of sequence values in a dry run, because a rollback doesn't return values to a
 * sequence. These values count down from each sequence's maximum, which the sequence hasn't reached, so they don't
 * collide with values used by other sessions. Resetting the sequence after the dry run wouldn't be safe, because other
 * sessions can take values in the meantime.
 */
class TrialValues {
  readonly #columns: readonly SequenceColumn[];
  #used = 0;

  constructor(columns: readonly SequenceColumn[]) {
    this.#columns = columns;
  }

  /**
   * Returns the sequence columns for which no value is given, each with an expression for its value. `rows` is the
   * number of rows to insert, and `place` is the number of the row.
   */
  take(given: readonly string[], rows: number, place: Sql): readonly { column: string; value: Sql }[] {
    const start = this.#used;
    this.#used += rows;
    return this.#columns
      .filter(({ name }) => !given.includes(name))
      .map(({ name, type, max }) => ({
        column: name,
        value: sql`(${max}::numeric - ${start}::int - ${place})::${sql.raw(type)}`,
      }));
  }
}

interface Row {
  readonly line: number;
  /** The values for the table's columns, in order. Undefined stands for the default of the column. */
  readonly cells: readonly (string | null | undefined)[];
  /** The values as read from the file. */
  readonly values: SourceRow['values'];
}

export interface ImportSource {
  readonly source: AsyncIterable<SourceRow>;
  /** Called with the number of rows read so far. */
  readonly onRows: (rows: number) => void;
}

/** Imports the rows. @throws {ConsoleError} bad_request */
export async function importRows(
  tx: Transaction,
  relation: Relation,
  options: ImportOptions,
  { source, onRows }: ImportSource,
): Promise<ImportResult> {
  const targets = await targetsOf(tx, relation, options);
  const { isTrial = false, skip = false } = options;
  // Unless invalid rows are skipped, an invalid row prevents the whole import, so the rows don't need to be tried
  // first.
  const sequences = isTrial || skip ? await sequenceColumns(tx, relation) : [];
  const to: Destination = {
    relation,
    targets,
    assumed: isTrial ? new TrialValues(sequences) : undefined,
    tried: isTrial ? [] : sequences,
  };
  const log = new FaultLog(skip);
  let rows = 0;
  let batch: Row[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await insertAll(tx, to, batch, log);
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
  // Deferred constraints are checked now, so that their errors can be reported.
  const late = await attempt(tx, (inner) => inner.exec('set constraints all immediate'));
  if (late !== undefined) log.add(faultOf(late, null));
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
      throw new ConsoleError('bad_request', {
        message: `The column ${column} doesn't exist or is generated, so no values can be inserted into it.`,
      });
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
 * Returns text that is the same for all rows that have values in the same columns and can therefore be inserted
 * together.
 */
const shapeOf = (row: Row | undefined): string =>
  row?.cells.map((cell) => (cell === undefined ? '-' : '+')).join('') ?? '';

interface Destination {
  readonly relation: Relation;
  readonly targets: readonly Target[];
  /**
   * The values that a dry run uses instead of sequence values. Undefined if the rows use the next values of the
   * sequences.
   */
  readonly assumed: TrialValues | undefined;
  /**
   * The rows are first inserted with other values in the sequence columns, so that invalid rows don't use up sequence
   * values.
   */
  readonly tried: readonly SequenceColumn[];
}

/** Lists the ascending sequences that belong to an identity column or a `serial` column. */
const sequenceColumns = (tx: Queryable, relation: Relation): Promise<SequenceColumn[]> =>
  tx.query<SequenceColumn>(sql`
    select a.attname as name, format_type(a.atttypid, -1) as type, s.seqmax::text as max,
      array(select k.conname::text from pg_constraint k where k.conrelid = c.oid and a.attnum = any (k.conkey)) as constraints
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.refobjsubid = a.attnum
      and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    join pg_sequence s on s.seqrelid = d.objid and s.seqincrement > 0
    left join pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
    where n.nspname = ${relation.schema} and c.relname = ${relation.name}
      and (a.attidentity <> '' or pg_get_expr(f.adbin, f.adrelid) like 'nextval(%')`);

async function insertAll(
  tx: Transaction,
  to: Destination,
  rows: readonly Row[],
  log: FaultLog,
): Promise<void> {
  if (log.isFull) return;
  const isSingle = rows.length === 1;
  const insert = async (inner: Transaction): Promise<void> => {
    await inner.query(insertion(to, rows));
  };
  const failed = to.tried.length === 0 ? undefined : await tryRows(tx, to, rows);
  const isDecided = failed !== undefined && !(isSingle && mayBeTheValue(failed, to.tried));
  const fault = isDecided ? failed : await attempt(tx, insert);
  if (fault === undefined) return;
  const [first] = rows;
  if (isSingle && first !== undefined) {
    const columnOf = (text: string): string | undefined =>
      to.targets.find((_, index) => first.cells[index] === text)?.column;
    log.add(faultOf(fault, first.line), { values: first.values, columnOf });
    return;
  }
  const middle = Math.ceil(rows.length / 2);
  await insertAll(tx, to, rows.slice(0, middle), log);
  await insertAll(tx, to, rows.slice(middle), log);
}

/**
 * Inserts rows with assumed sequence values and then removes the rows again. Returns PostgreSQL's error if the insert
 * fails.
 */
async function tryRows(
  tx: Transaction,
  to: Destination,
  rows: readonly Row[],
): Promise<PostgresErrorShape | undefined> {
  const undo = new Error('the rows were only tried');
  try {
    return await attempt(tx, async (inner) => {
      await inner.query(insertion({ ...to, assumed: new TrialValues(to.tried) }, rows));
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
    return undefined;
  }
}

/**
 * Whether an assumed sequence value can be the cause of an error. An assumed value can be the cause if a constraint
 * that includes the column was violated, a partition is missing, or a trigger raised an exception.
 */
function mayBeTheValue({ code, constraint }: PostgresErrorShape, tried: readonly SequenceColumn[]): boolean {
  if (constraint !== undefined) return tried.some(({ constraints }) => constraints.includes(constraint));
  return code === '23514' || code?.startsWith('P0') === true;
}

function insertion({ relation, targets, assumed: trial }: Destination, rows: readonly Row[]): Sql {
  const given = targets
    .map((target, index) => ({ target, index }))
    .filter(({ index }) => rows[0]?.cells[index] !== undefined);
  const columns = given.map(({ target }) => target.column);
  const place = sql.id('v', 'place');
  const assumed = trial?.take(columns, rows.length, place) ?? [];
  const names = sql.join([...columns, ...assumed.map(({ column }) => column)].map((name) => sql.id(name)));
  if (given.length === 0) {
    const source = sql`generate_series(1, ${rows.length}::int) as v(place)`;
    if (assumed.length === 0) return sql`insert into ${table(relation)} select from ${source}`;
    return sql`insert into ${table(relation)} (${names}) overriding system value
      select ${sql.join(assumed.map(({ value }) => value))} from ${source}`;
  }
  const arrays = sql.join(
    given.map(({ index }) => sql`${rows.map(({ cells }) => cells[index] ?? null)}::text[]`),
  );
  const places = sql.join(given.map((_, at) => sql.id(`c${at}`)));
  const values = sql.join([
    ...given.map(({ target }, at) => sql`v.${sql.id(`c${at}`)}::${sql.raw(target.type)}`),
    ...assumed.map(({ value }) => value),
  ]);
  return sql`insert into ${table(relation)} (${names}) overriding system value
    select ${values} from unnest(${arrays}) with ordinality as v(${places}, place) order by v.place`;
}

/** Inserts rows in a savepoint. Returns PostgreSQL's error if the insert fails. */
async function attempt(
  tx: Transaction,
  work: (inner: Transaction) => Promise<void>,
): Promise<PostgresErrorShape | undefined> {
  try {
    await tx.savepoint(work);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || !('severity' in error)) throw error;
    const fault = error as PostgresErrorShape;
    // If the statement was canceled or timed out, the error wasn't caused by a row.
    if (fault.code === '57014') throw error;
    return fault;
  }
}

const faultOf = (
  { message, detail, column, code }: PostgresErrorShape,
  line: number | null,
): ImportFault => ({ line, message, detail, column, sqlstate: code });
