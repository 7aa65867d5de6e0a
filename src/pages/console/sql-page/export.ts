/**
 * Streams the complete result of a statement as a file. The statement is run again in a read-only transaction.
 * PostgreSQL sends rows only as fast as the client receives them, so only a few rows are held in memory.
 */
import { PassThrough, type Readable } from 'node:stream';
import { csvLine, guardedCell } from '../../../base/shared/csv.ts';
import type { Database, TextResult } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import { jsonCell, uniqueNames } from './core/cells.ts';
import type { Runnable } from './runnable.ts';
import { begin, cancelOn } from './session.ts';

export interface ExportOptions {
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
  pump(database, runnable, options, file, resolve).then(
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
  file: PassThrough,
  onFirstRow: () => void,
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
