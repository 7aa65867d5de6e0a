/**
 * Runs COPY in the simple protocol: FROM STDIN in chunks that are sent as soon as they have been read, so memory use is
 * constant, and TO STDOUT.
 */
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { Backend } from './messages/messages.ts';
import { readScript } from './script.ts';

class CopyIn implements Exchange {
  readonly extended = false;
  readonly #accepted = Promise.withResolvers<boolean>();
  readonly #ended = Promise.withResolvers<void>();
  #error: PostgresError | ConnectionError | undefined;

  /**
   * Resolves to true when the server is ready to receive data, and to false if the statement failed or doesn't read
   * data.
   */
  readonly accepted = this.#accepted.promise;
  readonly ended = this.#ended.promise;

  get failure(): PostgresError | ConnectionError | undefined {
    return this.#error;
  }

  message(type: number): void {
    if (type === Backend.CopyInResponse) this.#accepted.resolve(true);
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
    this.#accepted.resolve(false);
  }

  ready(): void {
    this.#accepted.resolve(false);
    this.#ended.resolve();
  }

  lost(error: ConnectionError): void {
    this.#error ??= error;
    this.ready();
  }
}

/**
 * Sends `chunks` as the data of a COPY FROM STDIN statement. All chunks are read from `chunks`, even if the server
 * rejects the data. If reading from `chunks` throws, the statement fails.
 * @throws {PostgresError}
 */
export async function copyIn(
  connection: Connection,
  statement: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const copy = new CopyIn();
  connection.writer.query(statement);
  connection.submit(copy);
  const isAccepted = await copy.accepted;
  try {
    for await (const chunk of chunks) {
      // The server ignores data after an error.
      if (!isAccepted || copy.failure !== undefined) continue;
      connection.writer.copyData(chunk);
      connection.flush();
      await connection.drained();
    }
  } catch (error) {
    if (isAccepted) connection.writer.copyFail('The data could not be read.');
    connection.flush();
    await copy.ended;
    throw error;
  }
  if (isAccepted && copy.failure === undefined) {
    connection.writer.copyDone();
    connection.flush();
  }
  await copy.ended;
  if (copy.failure !== undefined) throw copy.failure;
}

/** The cells of a row, as text or null. */
export type CopiedRow = readonly (string | null)[];

/**
 * Reads a table and returns the row count. For a plain table, PostgreSQL doesn't plan a query, so the only project code
 * that could run is the output functions of the column types. Expressions in indexes, policies and views aren't
 * evaluated. `relation` is the quoted name of a table, optionally followed by a list of columns in parentheses.
 */
export async function copyOut(
  connection: Connection,
  relation: string,
  onRow?: (row: CopiedRow) => void,
): Promise<number> {
  let rowCount = 0;
  await readScript(connection, `copy ${relation} to stdout`, {
    columns() {},
    row() {},
    copied(buffer, start, end) {
      rowCount += 1;
      onRow?.(readCopiedRow(buffer.toString('utf8', start, end)));
    },
    complete() {},
  });
  return rowCount;
}

/**
 * Runs a COPY TO STDOUT statement and passes each row to `onLine` in COPY's text format, including the line break. The
 * bytes are valid only during the call of `onLine`, which can pause the connection.
 */
export async function copyLines(
  connection: Connection,
  statement: string,
  onLine: (buffer: Buffer, start: number, end: number) => void,
): Promise<void> {
  await readScript(connection, statement, { columns() {}, row() {}, copied: onLine, complete() {} });
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Parses a line in COPY's text format, in which tabs, line breaks and backslashes are escaped. */
export function readCopiedRow(line: string): CopiedRow {
  const text = line.endsWith('\n') ? line.slice(0, -1) : line;
  return text
    .split('\t')
    .map((cell) =>
      cell === '\\N' ? null : cell.replaceAll(/\\(.)/g, (_all, letter: string) => escapes[letter] ?? letter),
    );
}
