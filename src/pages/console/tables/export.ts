/**
 * Streams all rows in the current view of a table as a file. The cursor reads at most a few megabytes more than the
 * client has received, so memory use is constant. If the client disconnects, the statement is stopped.
 */
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { csvLine, guardedCell } from '../../../base/shared/csv.ts';
import type { Transaction, TransactionWork } from '../../../platform/database/types.ts';
import type { Filter, Relation, Sort } from './contract.ts';
import { matching, where } from './core/filters.ts';
import { orderBy } from './core/order.ts';
import { orderOf, table } from './read.ts';

export type ExportFormat = 'csv' | 'json';

export interface ExportQuery {
  readonly format: ExportFormat;
  /** Whether to neutralize CSV cells that a spreadsheet program would run as formulas. */
  readonly guarded: boolean;
  readonly filters: readonly Filter[];
  readonly sort: readonly Sort[];
}

/**
 * The number of characters that each fetch is meant to return. The number of rows to fetch is estimated from the size
 * of the previous rows.
 */
const batchChars = 1_000_000;
const maxBatchRows = 4096;
const firstBatchRows = 64;

/**
 * Starts an export. Resolves when the first rows have arrived, so that an early error can still be sent as an error
 * response. After a later error, the file is incomplete. `run` runs a transaction as the operator, and `signal` aborts
 * when the client disconnects.
 */
export function exportRows(
  run: <T>(work: TransactionWork<T>) => Promise<T>,
  relation: Relation,
  query: ExportQuery,
  signal: AbortSignal,
): Promise<Readable> {
  return streamRows(run, statement(relation, query), printer(relation, query), signal);
}

/** Streams the rows that any statement returns, like {@link exportRows}. */
export async function streamRows(
  run: <T>(work: TransactionWork<T>) => Promise<T>,
  rows: Sql,
  print: Printer,
  signal: AbortSignal,
): Promise<Readable> {
  const file = new PassThrough({ highWaterMark: batchChars });
  // The export is also stopped if the client disconnects before the file is sent.
  const closed = new AbortController();
  file.once('close', () => closed.abort());
  const stopped = AbortSignal.any([signal, closed.signal]);
  const { promise: begun, resolve, reject } = Promise.withResolvers<void>();
  run(async (tx) => {
    await tx.queryText(sql`declare plinth_export no scroll cursor for ${rows}`);
    await pump(tx, { print, file, signal: stopped, onStart: resolve });
  }).then(
    () => file.end(),
    (error: unknown) => {
      reject(error);
      // Closes the connection before the file is complete, so that the client notices that there was an error.
      file.on('error', () => undefined).destroy(error as Error);
    },
  );
  await begun;
  return file;
}

interface Pump {
  readonly print: Printer;
  readonly file: PassThrough;
  readonly signal: AbortSignal;
  readonly onStart: () => void;
}

async function pump(tx: Transaction, { print, file, signal, onStart }: Pump): Promise<void> {
  let size = firstBatchRows;
  const fetch = () => tx.queryText(sql.raw(`fetch ${size} from plinth_export`));
  let batch = await fetch();
  file.write(print.head);
  onStart();
  for (let isFirst = true; batch.rows.length > 0; isFirst = false) {
    signal.throwIfAborted();
    let text = '';
    for (const [index, row] of batch.rows.entries()) text += print.row(row, isFirst && index === 0);
    size = nextSize(size, text.length, batch.rows.length);
    const isFull = !file.write(text);
    const [next] = await Promise.all([fetch(), isFull ? once(file, 'drain', { signal }) : undefined]);
    batch = next;
  }
  file.write(print.tail);
}

/** Returns the number of rows to fetch next. */
function nextSize(size: number, chars: number, rows: number): number {
  const fitting = batchChars / Math.max(chars / rows, 1);
  const requested = Math.min(fitting, size * 4, maxBatchRows);
  return 2 ** Math.max(0, Math.floor(Math.log2(requested)));
}

function statement(relation: Relation, { format, filters, sort }: ExportQuery): Sql {
  const names = relation.columns.map(({ name }) => sql.id(name));
  const inner = sql`select ${names.length === 0 ? sql.empty : sql.join(names)} from ${table(relation)}
    ${where(matching(relation, filters))}
    ${relation.key.kind === 'place' && sort.length === 0 ? sql.empty : orderBy(orderOf(relation, sort))}`;
  if (format === 'json') return sql`select row_to_json(page.*)::text from (${inner}) as page`;
  const cells = names.map((name) => sql`${name}::text`);
  return sql`select ${cells.length === 0 ? sql.empty : sql.join(cells)} from (${inner}) as page`;
}

/** Formats rows as text. */
export interface Printer {
  readonly head: string;
  row(cells: readonly (string | null)[], isFirst: boolean): string;
  readonly tail: string;
}

function printer(relation: Relation, { format, guarded }: ExportQuery): Printer {
  if (format === 'json')
    return { head: '[', row: ([text], isFirst) => `${isFirst ? '\n' : ',\n'}${text}`, tail: '\n]\n' };
  const line = (cells: readonly (string | null)[]): string =>
    csvLine(guarded ? cells.map(guardedCell) : cells);
  return { head: line(relation.columns.map(({ name }) => name)), row: line, tail: '' };
}
