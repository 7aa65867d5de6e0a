/**
 * Joins the cells of single-cell rows into one text. Moves the cells together within the received buffers, over the
 * message headers, so no object or copy is created per row.
 */
import type { Cells } from './spilled-rows.ts';

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
