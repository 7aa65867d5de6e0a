/** Runs a script, which is a query in the simple protocol with one or more statements and without parameters. */
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { Backend, type Column, readColumns, readTexts } from './messages/messages.ts';

/** The result of one statement in a script, as text. */
export interface ScriptResult {
  columns: readonly Column[];
  rows: (readonly (string | null)[])[];
  commandTag: string;
}

/** Receives the results of a script's statements as they arrive. */
interface ScriptReader {
  /** Called before the first row with the statement's columns, if the statement returns rows. */
  columns(buffer: Buffer, start: number): void;
  row(buffer: Buffer, start: number): void;
  /** Receives a row of COPY TO STDOUT. */
  copied?(buffer: Buffer, start: number, end: number): void;
  /** Called when a statement has ended. */
  complete(commandTag: string): void;
}

class Script implements Exchange {
  readonly extended = false;
  readonly #connection: Connection;
  readonly #reader: ScriptReader;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined) => void;
  #error: PostgresError | undefined;

  constructor(
    connection: Connection,
    reader: ScriptReader,
    onEnd: (error: PostgresError | ConnectionError | undefined) => void,
  ) {
    this.#connection = connection;
    this.#reader = reader;
    this.#onEnd = onEnd;
  }

  submit(text: string): void {
    this.#connection.writer.query(text);
    this.#connection.submit(this);
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    switch (type) {
      case Backend.RowDescription:
        this.#reader.columns(buffer, start);
        return;
      case Backend.DataRow:
        this.#reader.row(buffer, start);
        return;
      case Backend.CopyData:
        this.#reader.copied?.(buffer, start, end);
        return;
      case Backend.CommandComplete:
        this.#reader.complete(buffer.toString('latin1', start, end - 1));
        return;
      case Backend.CopyInResponse:
        this.#connection.writer.copyFail("COPY FROM STDIN isn't supported here.");
        this.#connection.flush();
    }
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
  }

  ready(): void {
    this.#onEnd(this.#error);
  }

  lost(error: ConnectionError): void {
    this.#onEnd(error);
  }
}

/** Runs a script. If a statement fails, rejects with the error of the first statement that failed. */
export function readScript(connection: Connection, text: string, reader: ScriptReader): Promise<void> {
  return new Promise((resolve, reject) => {
    new Script(connection, reader, (error) => {
      if (error === undefined) resolve();
      else reject(error);
    }).submit(text);
  });
}

const emptyResult = (): ScriptResult => ({ columns: [], rows: [], commandTag: '' });

/** Runs a script and returns the results of its statements. */
export async function runScript(connection: Connection, text: string): Promise<ScriptResult[]> {
  const results: ScriptResult[] = [];
  let current = emptyResult();
  await readScript(connection, text, {
    columns(buffer, start) {
      current.columns = readColumns(buffer, start);
    },
    row(buffer, start) {
      current.rows.push(readTexts(buffer, start));
    },
    complete(commandTag) {
      results.push({ ...current, commandTag });
      current = emptyResult();
    },
  });
  return results;
}

interface UncollectedEnd {
  /** The command tag of the last statement, for example `INSERT 0 1`. The tag is empty if the script is empty. */
  readonly commandTag: string;
  /** The number of rows. The number is undefined if the last statement doesn't return rows. */
  readonly rowCount: number | undefined;
}

/** Runs a script, and counts and discards the rows that it returns. */
export async function runUncollected(connection: Connection, text: string): Promise<UncollectedEnd> {
  let end: UncollectedEnd = { commandTag: '', rowCount: undefined };
  let rowCount: number | undefined;
  await readScript(connection, text, {
    columns() {
      rowCount = 0;
    },
    row() {
      rowCount = (rowCount ?? 0) + 1;
    },
    complete(commandTag) {
      end = { commandTag, rowCount };
      rowCount = undefined;
    },
  });
  return end;
}
