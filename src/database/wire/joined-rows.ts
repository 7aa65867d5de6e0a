/**
 * Joins rows with a single cell into one text. The cells are moved together inside the received buffers, over the
 * headers of their messages, so that no object or copy is created per row.
 */
import type { Cells } from './spilled-rows.ts';

/** The bytes before the cell of a DataRow: type, length, number of cells, length of the cell. */
const HEADER_BYTES = 11;
/** The offset of the cell from the start of the message body. */
const CELL_OFFSET = 6;

interface Piece {
  readonly buffer: Buffer;
  readonly start: number;
  end: number;
}

export class JoinedRows {
  readonly #separator: Uint8Array;
  readonly #pieces: Piece[] = [];

  /** `separator` must fit into a row's header. */
  constructor(separator: Uint8Array) {
    if (separator.length > HEADER_BYTES)
      throw new RangeError(`A separator has at most ${HEADER_BYTES} bytes.`);
    this.#separator = separator;
  }

  /** Adds the DataRow whose body is `buffer[start..end)`. Bytes of earlier messages aren't read again. */
  add(buffer: Buffer, start: number, end: number): void {
    const cell = start + CELL_OFFSET;
    const last = this.#pieces.at(-1);
    if (last === undefined || last.buffer !== buffer) {
      this.#pieces.push({ buffer, start: cell, end });
      return;
    }
    for (const byte of this.#separator) buffer[last.end++] = byte;
    if (last.end !== cell) buffer.copyWithin(last.end, cell, end);
    last.end += end - cell;
  }

  /**
   * Returns the pieces as rows, each of which contains several joined rows. The separators between the pieces are still
   * missing.
   */
  take(): Cells[] {
    return this.#pieces.splice(0).map(({ buffer, start, end }) => [buffer.subarray(start, end)]);
  }
}
