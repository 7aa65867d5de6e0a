/**
 * Runs a single user statement as an unnamed prepared statement. Passes each row to the caller as it arrives, limits
 * the number of rows, and truncates long cells while reading them. The extended protocol rejects text with more than
 * one statement.
 */
import type { CappedEnd, CappedRows } from '../types.ts';
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { LargeMessage } from './messages/message-reader.ts';
import { Backend, readColumns, Status } from './messages/messages.ts';

export class CappedStatement implements Exchange {
  readonly extended = true;
  readonly #connection: Connection;
  readonly #rows: CappedRows;
  readonly #resolve: (end: CappedEnd) => void;
  readonly #reject: (error: PostgresError | ConnectionError) => void;
  #count = 0;
  #more = false;
  #commandTag = '';
  #error: PostgresError | undefined;

  constructor(
    connection: Connection,
    rows: CappedRows,
    resolve: (end: CappedEnd) => void,
    reject: (error: PostgresError | ConnectionError) => void,
  ) {
    this.#connection = connection;
    this.#rows = rows;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(text: string): void {
    const { writer } = this.#connection;
    const { parameters = [] } = this.#rows;
    writer.parse(
      '',
      text,
      parameters.map(({ typeOid }) => typeOid),
    );
    writer.describeStatement('');
    writer.bind(
      '',
      parameters.map(({ value }) => value),
    );
    // Requests one additional row to determine whether there are more rows than requested.
    writer.execute(this.#rows.maxRows + 1);
    writer.sync();
    this.#connection.submit(this);
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    switch (type) {
      case Backend.RowDescription:
        this.#rows.columns(readColumns(buffer, start));
        return;
      case Backend.DataRow: {
        const row = this.#receive();
        row.push(buffer, start, end);
        row.end();
        return;
      }
      case Backend.PortalSuspended:
        this.#more = true;
        return;
      case Backend.CommandComplete:
        this.#commandTag = buffer.toString('latin1', start, end - 1);
        return;
      case Backend.CopyOutResponse:
        this.#rows.columns([{ name: 'copy', typeOid: 25, tableOid: 0 }]);
        return;
      case Backend.CopyData:
        this.#add([buffer.toString('utf8', start, Math.min(end, start + this.#bytesOf(0)))], []);
        return;
      case Backend.CopyInResponse:
        this.#connection.writer.copyFail("COPY FROM STDIN isn't supported here.");
        this.#connection.writer.sync();
        this.#connection.flush();
    }
  }

  large(type: number): LargeMessage | undefined {
    return type === Backend.DataRow ? this.#receive() : undefined;
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
  }

  ready(status: number): void {
    if (this.#error !== undefined) this.#reject(this.#error);
    else
      this.#resolve({
        commandTag: this.#commandTag,
        more: this.#more,
        inTransaction: status !== Status.Idle,
      });
  }

  lost(error: ConnectionError): void {
    this.#reject(error);
  }

  #receive(): CutRow {
    return new CutRow(
      (column, rowBytes) =>
        Math.min(this.#bytesOf(column), (this.#rows.maxRowBytes ?? Number.POSITIVE_INFINITY) - rowBytes),
      (cells, cut) => this.#add(cells, cut),
    );
  }

  #bytesOf(column: number): number {
    const { maxCellBytes } = this.#rows;
    return typeof maxCellBytes === 'number' ? maxCellBytes : maxCellBytes(this.#count, column);
  }

  #add(cells: readonly (string | null)[], cut: readonly number[]): void {
    this.#count++;
    if (this.#count > this.#rows.maxRows) this.#more = true;
    else this.#rows.row(cells, cut, this.#connection);
  }
}

const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/**
 * Reads a DataRow in chunks and keeps the beginning of each cell. A DataRow contains the number of cells, followed by
 * the length and the bytes of each cell.
 */
class CutRow implements LargeMessage {
  /** Returns the maximum size of a cell. `rowBytes` is the total size of the row's previous cells. */
  readonly #bytesOf: (column: number, rowBytes: number) => number;
  readonly #done: (cells: (string | null)[], cut: number[]) => void;
  readonly #cells: (string | null)[] = [];
  readonly #cut: number[] = [];
  /** The bytes of the number that is being read. */
  readonly #number = Buffer.alloc(LENGTH_BYTES);
  #numberSize = COUNT_BYTES;
  #numberFilled = 0;
  /** The bytes of the current cell that have been kept. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** The total number of bytes kept from the row's previous cells. */
  #rowBytes = 0;
  #missing = 0;
  #isCut = false;

  constructor(
    bytesOf: (column: number, rowBytes: number) => number,
    done: (cells: (string | null)[], cut: number[]) => void,
  ) {
    this.#bytesOf = bytesOf;
    this.#done = done;
  }

  push(buffer: Buffer, start: number, end: number): void {
    let offset = start;
    while (offset < end)
      offset = this.#missing > 0 ? this.#bytes(buffer, offset, end) : this.#digits(buffer, offset);
  }

  end(): void {
    this.#done(this.#cells, this.#cut);
  }

  #digits(buffer: Buffer, offset: number): number {
    this.#number[this.#numberFilled++] = buffer[offset] as number;
    if (this.#numberFilled < this.#numberSize) return offset + 1;
    const isLength = this.#numberSize === LENGTH_BYTES;
    this.#numberFilled = 0;
    this.#numberSize = LENGTH_BYTES;
    if (!isLength) return offset + 1;
    const length = this.#number.readInt32BE(0);
    if (length < 0) this.#cells.push(null);
    else if (length === 0) this.#cells.push('');
    else this.#missing = length;
    return offset + 1;
  }

  #bytes(buffer: Buffer, offset: number, end: number): number {
    const stop = Math.min(end, offset + this.#missing);
    const expected = Math.min(
      stop,
      offset + this.#bytesOf(this.#cells.length, this.#rowBytes) - this.#keptBytes,
    );
    if (expected > offset) {
      // Copies the kept bytes, because the chunk's buffer is reused or is much larger than the kept part.
      this.#kept.push(Buffer.from(buffer.subarray(offset, expected)));
      this.#keptBytes += expected - offset;
    }
    if (expected < stop) this.#isCut = true;
    this.#missing -= stop - offset;
    if (this.#missing === 0) this.#endCell();
    return stop;
  }

  #endCell(): void {
    const text = Buffer.concat(this.#kept).toString('utf8');
    if (this.#isCut) this.#cut.push(this.#cells.length);
    // If the last character was truncated, decoding adds a replacement character, so this code removes it.
    this.#cells.push(this.#isCut ? text.replace(/\uFFFD$/, '') : text);
    this.#kept = [];
    this.#rowBytes += this.#keptBytes;
    this.#keptBytes = 0;
    this.#isCut = false;
  }
}

/** Runs a statement. Resolves after ReadyForQuery. */
export function runCapped(connection: Connection, text: string, rows: CappedRows): Promise<CappedEnd> {
  return new Promise((resolve, reject) => {
    new CappedStatement(connection, rows, resolve, reject).submit(text);
  });
}
