/**
 * Collects the rows of a statement that might not fit into memory. The first rows are kept in memory, as long as the
 * store allows. Later rows are written to the store.
 */
import type { RowStore } from '../../types.ts';
import type { LargeMessage } from '../messages/message-reader.ts';
import { readCells } from '../messages/messages.ts';

export type Cells = (Buffer | null)[];

const EMPTY = Buffer.alloc(0);

export class SpilledRows {
  readonly store: RowStore;
  readonly #rows: Cells[];
  readonly #before: () => Cells[];
  readonly #column: number;
  #spills = false;

  /**
   * Creates the collection. The store receives the cells of `column`, and `rows` receives the other cells. The callback
   * `before` removes and returns the rows that were collected earlier.
   */
  constructor(rows: Cells[], before: () => Cells[], column: number, store: RowStore) {
    this.#rows = rows;
    this.#before = before;
    this.#column = column;
    this.store = store;
  }

  /**
   * Returns the number of bytes that can be kept in memory. Once rows are written to the store, the result is less than
   * `sizeBytes`.
   */
  room(sizeBytes: number): number {
    if (this.#spills) return 0;
    const room = this.store.keep(sizeBytes);
    if (room !== undefined) return room;
    this.#spills = true;
    for (const cells of this.#before()) this.#store(cells);
    return 0;
  }

  /** Adds a row. `start` is the offset of the body of the row's DataRow message. */
  add(buffer: Buffer, start: number): void {
    this.#store(readCells(buffer, start));
  }

  /** Returns an object that receives a row in chunks. */
  receive(): LargeMessage {
    return new ChunkedRow(this.#column, this.store, (others) => this.#keep(others));
  }

  #store(cells: Cells): void {
    const cell = cells[this.#column] ?? EMPTY;
    this.store.begin(cell.length);
    this.store.write(cell, 0, cell.length);
    this.#keep(cells);
  }

  /**
   * Keeps the cells that the store doesn't contain. A row whose only cell is in the store isn't kept, because the store
   * counts such rows.
   */
  #keep(cells: Cells): void {
    if (cells.length > 1) this.#rows.push(cells.with(this.#column, EMPTY));
  }
}

const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/**
 * Reads a DataRow in chunks. A DataRow contains the number of cells, followed by the length and the bytes of each cell.
 */
class ChunkedRow implements LargeMessage {
  readonly #column: number;
  readonly #store: RowStore;
  readonly #done: (cells: Cells) => void;
  readonly #cells: Cells = [];
  /** The bytes of the number that is being read. */
  readonly #number = Buffer.alloc(LENGTH_BYTES);
  #numberSize = COUNT_BYTES;
  #numberFilled = 0;
  /** The number of bytes of the current cell that haven't arrived yet. */
  #missing = 0;

  constructor(column: number, store: RowStore, done: (cells: Cells) => void) {
    this.#column = column;
    this.#store = store;
    this.#done = done;
  }

  push(buffer: Buffer, start: number, end: number): void {
    let offset = start;
    while (offset < end) {
      offset +=
        this.#missing > 0 ? this.#readCell(buffer, offset, end) : this.#readNumber(buffer, offset, end);
    }
  }

  end(): void {
    this.#done(this.#cells);
  }

  #readNumber(buffer: Buffer, offset: number, end: number): number {
    const taken = buffer.copy(
      this.#number,
      this.#numberFilled,
      offset,
      Math.min(end, offset + this.#numberSize - this.#numberFilled),
    );
    this.#numberFilled += taken;
    if (this.#numberFilled < this.#numberSize) return taken;
    this.#numberFilled = 0;
    if (this.#numberSize === COUNT_BYTES) this.#numberSize = LENGTH_BYTES;
    else this.#begin(this.#number.readInt32BE(0));
    return taken;
  }

  #begin(length: number): void {
    const stored = this.#cells.length === this.#column;
    if (stored) this.#store.begin(Math.max(length, 0));
    this.#missing = Math.max(length, 0);
    this.#cells.push(length < 0 ? null : stored ? EMPTY : Buffer.allocUnsafeSlow(length));
  }

  #readCell(buffer: Buffer, offset: number, end: number): number {
    const until = Math.min(end, offset + this.#missing);
    const index = this.#cells.length - 1;
    const cell = this.#cells[index] as Buffer;
    if (index === this.#column) this.#store.write(buffer, offset, until);
    else buffer.copy(cell, cell.length - this.#missing, offset, until);
    this.#missing -= until - offset;
    return until - offset;
  }
}

/**
 * The number of bytes before the cell in a DataRow message: the type, the length, the number of cells, and the cell's
 * length.
 */
const HEADER_BYTES = 11;
/** The offset of the cell from the start of the message body. */
const CELL_OFFSET = 6;

interface Chunk {
  readonly buffer: Buffer;
  readonly start: number;
  end: number;
}

/**
 * Joins the cells of single-cell rows into one text. Moves the cells together within the received buffers, over the
 * message headers, so no object or copy is created per row.
 */
export class JoinedRows {
  readonly #separator: Uint8Array;
  readonly #chunks: Chunk[] = [];

  /** `separator` must not be longer than the header of a row. */
  constructor(separator: Uint8Array) {
    if (separator.length > HEADER_BYTES)
      throw new RangeError(`A separator can have at most ${HEADER_BYTES} bytes.`);
    this.#separator = separator;
  }

  /**
   * Adds a row. `buffer[start..end)` is the body of its DataRow message. This method may overwrite the bytes of earlier
   * messages.
   */
  add(buffer: Buffer, start: number, end: number): void {
    const cell = start + CELL_OFFSET;
    const last = this.#chunks.at(-1);
    if (last === undefined || last.buffer !== buffer) {
      this.#chunks.push({ buffer, start: cell, end });
      return;
    }
    for (const byte of this.#separator) buffer[last.end++] = byte;
    if (last.end !== cell) buffer.copyWithin(last.end, cell, end);
    last.end += end - cell;
  }

  /**
   * Returns the chunks in the form of rows, each of which contains several joined rows. The caller must add the
   * separator between the chunks.
   */
  take(): Cells[] {
    return this.#chunks.splice(0).map(({ buffer, start, end }) => [buffer.subarray(start, end)]);
  }
}
