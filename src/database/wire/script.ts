/** A query in the simple protocol, with one or more statements without parameters. */
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { type Column, readColumns, readTexts } from './messages.ts';
import { Backend } from './protocol.ts';

/** The text result of one statement in the script. */
export interface ScriptResult {
  columns: readonly Column[];
  rows: (readonly (string | null)[])[];
  commandTag: string;
}

export class Script implements Exchange {
  readonly extended = false;
  readonly results: ScriptResult[] = [];
  readonly #connection: Connection;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined, script: Script) => void;
  #current: ScriptResult = { columns: [], rows: [], commandTag: '' };
  #error: PostgresError | undefined;

  constructor(
    connection: Connection,
    onEnd: (error: PostgresError | ConnectionError | undefined, script: Script) => void,
  ) {
    this.#connection = connection;
    this.#onEnd = onEnd;
  }

  submit(text: string): void {
    this.#connection.writer.query(text);
    this.#connection.submit(this);
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    switch (type) {
      case Backend.RowDescription:
        this.#current.columns = readColumns(buffer, start);
        return;
      case Backend.DataRow:
        this.#current.rows.push(readTexts(buffer, start));
        return;
      case Backend.CommandComplete:
        this.#current.commandTag = buffer.toString('latin1', start, end - 1);
        this.results.push(this.#current);
        this.#current = { columns: [], rows: [], commandTag: '' };
        return;
      case Backend.CopyInResponse:
        this.#connection.writer.copyFail('COPY FROM STDIN is not possible here.');
        this.#connection.flush();
    }
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
  }

  ready(): void {
    this.#onEnd(this.#error, this);
  }

  lost(error: ConnectionError): void {
    this.#onEnd(error, this);
  }
}

/** Runs a script and returns the results of its statements. */
export function runScript(connection: Connection, text: string): Promise<ScriptResult[]> {
  return new Promise((resolve, reject) => {
    new Script(connection, (error, script) => {
      if (error === undefined) resolve(script.results);
      else reject(error);
    }).submit(text);
  });
}
