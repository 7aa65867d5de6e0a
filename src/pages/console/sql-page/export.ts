/**
 * Streams the complete result of a statement as a file. The statement is run again in a read-only transaction.
 * PostgreSQL sends rows only as fast as the client receives them, so only a few rows are held in memory.
 */
import { PassThrough, type Readable } from 'node:stream';
import { csvLine, guardedCell } from '../../../base/shared/csv.ts';
import { readArray } from '../../../platform/database/index.ts';
import type { Database, TextResult } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import type { Runnable } from './runnable.ts';
import { begin, cancelOn } from './session.ts';

interface ExportOptions {
  readonly identity: Identity;
  readonly format: 'csv' | 'json';
  readonly guarded: boolean;
  /** The signal is aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

const timeoutMs = 600_000;
const bufferedChars = 1_000_000;
/**
 * The maximum size of a row. Each row is held in memory. If a row is larger, the export fails. If the row's cells were
 * truncated instead, the operator wouldn't notice.
 */
const maxRowBytes = 32 * 1024 * 1024;
/**
 * The highest row limit that the protocol allows (an int32), minus one, because one more row than the limit is
 * requested.
 */
const maxRows = 2 ** 31 - 2;

/**
 * Starts an export. Resolves when PostgreSQL has sent the first row or has completed the statement, so that an early
 * error can still be sent as an error response. After a later error, the file is incomplete.
 */
export async function exportResult(
  database: Database,
  runnable: Runnable,
  options: ExportOptions,
): Promise<Readable> {
  const file = new PassThrough({ highWaterMark: bufferedChars });
  const { promise: begun, resolve, reject } = Promise.withResolvers<void>();
  pump(database, runnable, options, { file, onFirstRow: resolve }).then(
    (hasColumns) => {
      if (hasColumns) {
        file.end();
        resolve();
      } else reject(new ConsoleError('bad_request', { message: "This statement doesn't return rows." }));
    },
    (error: unknown) => {
      reject(error);
      // Closes the connection before the file is complete, so that the client notices that there was an error.
      file.on('error', () => undefined).destroy(error as Error);
    },
  );
  await begun;
  return file;
}

const tooLargeMessage =
  'A row is larger than 32 MiB. Select fewer or shorter values, and export the result again.';

/** Writes the rows to the file. Returns false if the statement's result has no columns. */
async function pump(
  database: Database,
  { text, parameters }: Runnable,
  { identity, format, guarded, signal }: ExportOptions,
  { file, onFirstRow }: { readonly file: PassThrough; readonly onFirstRow: () => void },
): Promise<boolean> {
  const session = await database
    .pool(identity.claims === undefined ? identity.operatorRole : 'authenticator')
    .connect();
  const tooLarge = new AbortController();
  const stopCanceling = cancelOn(session, AbortSignal.any([signal, tooLarge.signal]));
  let print: Printer | undefined;
  let isFirst = true;
  try {
    await begin(session, { identity, isReadOnly: true, timeoutMs }, false);
    await session.runCapped(text, {
      maxRows,
      maxCellBytes: maxRowBytes,
      maxRowBytes,
      parameters,
      columns(columns) {
        print = format === 'json' ? jsonPrinter(columns) : csvPrinter(columns, guarded);
        file.write(print.head);
      },
      row(cells, cut, flow) {
        if (cut.length > 0) tooLarge.abort(new ConsoleError('refused', { message: tooLargeMessage }));
        if (tooLarge.signal.aborted) return;
        const hasRoom = file.write(print?.row(cells, isFirst) ?? '');
        if (isFirst) onFirstRow();
        isFirst = false;
        if (hasRoom) return;
        flow.pause();
        const resume = (): void => {
          file.off('drain', resume).off('close', resume);
          flow.resume();
        };
        file.once('drain', resume).once('close', resume);
      },
    });
    tooLarge.signal.throwIfAborted();
    file.write(print?.tail ?? '');
    await session.exec('rollback');
  } catch (error) {
    // PostgreSQL reports only that the statement was canceled, so an error with the reason for the cancellation is
    // thrown instead.
    tooLarge.signal.throwIfAborted();
    throw error;
  } finally {
    await stopCanceling();
    session.release();
  }
  return print !== undefined;
}

interface Printer {
  readonly head: string;
  row(cells: readonly (string | null)[], isFirst: boolean): string;
  readonly tail: string;
}

type Columns = TextResult['columns'];

function csvPrinter(columns: Columns, guarded: boolean): Printer {
  const line = (cells: readonly (string | null)[]): string =>
    csvLine(guarded ? cells.map(guardedCell) : cells);
  return { head: line(columns.map(({ name }) => name)), row: line, tail: '' };
}

function jsonPrinter(columns: Columns): Printer {
  const keys = uniqueNames(columns.map(({ name }) => name)).map((name) => JSON.stringify(name));
  const types = columns.map(({ typeOid }) => typeOid);
  return {
    head: '[',
    row(cells, isFirst) {
      const fields = cells.map((cell, index) => `${keys[index]}:${jsonCell(cell, types[index] ?? 0)}`);
      return `${isFirst ? '\n' : ',\n'}{${fields.join(',')}}`;
    },
    tail: '\n]\n',
  };
}

const numberOids = [20, 21, 23, 26, 700, 701, 1700];
const booleanOid = 16;
const jsonOids = [114, 3802];
/** The OIDs of array types, each with the OID of the element type. */
const elementOids: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1002: 1042,
  1005: 21,
  1007: 23,
  1009: 25,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1028: 26,
  1115: 1114,
  1182: 1082,
  1185: 1184,
  1231: 1700,
  2951: 2950,
  3807: 3802,
};

/** Matches numbers that JSON can represent. NaN and infinite values don't match. */
const jsonNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Formats a cell as JSON. Numbers keep all of their digits. */
export function jsonCell(text: string | null, typeOid: number): string {
  if (text === null) return 'null';
  if (numberOids.includes(typeOid)) return jsonNumber.test(text) ? text : JSON.stringify(text);
  if (typeOid === booleanOid) return text === 't' ? 'true' : 'false';
  if (jsonOids.includes(typeOid)) return text;
  const element = elementOids[typeOid];
  return element === undefined
    ? JSON.stringify(text)
    : jsonList(readArray(text, (item) => ({ text: item })) as readonly Item[], element);
}

type Item = { readonly text: string } | null | readonly Item[];

function jsonList(items: readonly Item[], typeOid: number): string {
  const printed = items.map((item) =>
    item === null || 'text' in item ? jsonCell(item?.text ?? null, typeOid) : jsonList(item, typeOid),
  );
  return `[${printed.join(',')}]`;
}

/** Makes column names unique, because they are used as the keys of an object. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
    taken.add(unique);
    return unique;
  });
}
