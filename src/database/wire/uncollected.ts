/** Runs a script and counts its rows as they arrive without keeping them. */
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { Backend } from './protocol.ts';

export interface UncollectedEnd {
  /** The command tag of the last statement, for example `INSERT 0 1`. Empty for an empty script. */
  readonly commandTag: string;
  /** Undefined if the last statement doesn't return rows. */
  readonly rowCount: number | undefined;
}

class UncollectedScript implements Exchange {
  readonly extended = false;
  readonly #connection: Connection;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined, end: UncollectedEnd) => void;
  #end: UncollectedEnd = { commandTag: '', rowCount: undefined };
  #rowCount: number | undefined;
  #error: PostgresError | undefined;

  constructor(
    connection: Connection,
    onEnd: (error: PostgresError | ConnectionError | undefined, end: UncollectedEnd) => void,
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
        this.#rowCount = 0;
        return;
      case Backend.DataRow:
        this.#rowCount = (this.#rowCount ?? 0) + 1;
        return;
      case Backend.CommandComplete:
        this.#end = { commandTag: buffer.toString('latin1', start, end - 1), rowCount: this.#rowCount };
        this.#rowCount = undefined;
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
    this.#onEnd(this.#error, this.#end);
  }

  lost(error: ConnectionError): void {
    this.#onEnd(error, this.#end);
  }
}

export function runUncollected(connection: Connection, text: string): Promise<UncollectedEnd> {
  return new Promise((resolve, reject) => {
    new UncollectedScript(connection, (error, end) => {
      if (error === undefined) resolve(end);
      else reject(error);
    }).submit(text);
  });
}
