/**
 * Reads a table with COPY TO STDOUT. For a plain table, PostgreSQL doesn't plan a query, so the only project code that
 * could run is the output functions of the column types. Expressions in indexes, policies and views aren't evaluated.
 */
import type { Connection } from './connection.ts';
import { readScript } from './script.ts';

/** The cells of a row, as text or null. */
export type CopiedRow = readonly (string | null)[];

/**
 * Reads a table and returns the row count. `relation` is the quoted name of a table, optionally followed by a list of
 * columns in parentheses.
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
