/**
 * Rows of one cell each, wanted as one text. The cells are moved together where they lie in what the socket brought, over
 * the headers of their messages: no object and no copy a row.
 */
import type { Cells } from './spilled-rows.ts';

/** What stands before the cell of a DataRow: type, length, number of cells, length of the cell. */
const HEADER_BYTES = 11;
/** From the body of the message to the cell. */
const CELL_OFFSET = 6;

interface Piece {
  readonly buffer: Buffer;
  readonly start: number;
  end: number;
}

export class JoinedRows {
  readonly #separator: Uint8Array;
  readonly #pieces: Piece[] = [];

  /** `separator`: bytes that fit into the header of a row. */
  constructor(separator: Uint8Array) {
    if (separator.length > HEADER_BYTES)
      throw new RangeError(`A separator has at most ${HEADER_BYTES} bytes.`);
    this.#separator = separator;
  }

  /** The DataRow whose body is `buffer[start..end)`. Bytes of messages before it are not read any more. */
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

  /** The pieces as rows, each several joined ones; the separator is still due between them. */
  take(): Cells[] {
    return this.#pieces.splice(0).map(({ buffer, start, end }) => [buffer.subarray(start, end)]);
  }
}
