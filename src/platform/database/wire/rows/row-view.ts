/** Reads the cells of a row directly from the received buffer, without creating an object or a string per row. */
import type { RawRow } from '../../types.ts';

export class RowView implements RawRow {
  buffer: Buffer = Buffer.alloc(0);
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** Moves the view to another row. `start` is the offset of the body of that row's DataRow message. */
  moveTo(buffer: Buffer, start: number): this {
    this.buffer = buffer;
    const count = buffer.readUInt16BE(start);
    let offset = start + 2;
    for (let column = 0; column < count; column++) {
      const length = buffer.readInt32BE(offset);
      offset += 4;
      this.#starts[column] = length < 0 ? -1 : offset;
      if (length > 0) offset += length;
      this.#ends[column] = length < 0 ? -1 : offset;
    }
    return this;
  }

  start(column: number): number {
    return this.#starts[column] as number;
  }

  end(column: number): number {
    return this.#ends[column] as number;
  }

  text(column: number): string | null {
    const start = this.start(column);
    return start < 0 ? null : this.buffer.toString('utf8', start, this.end(column));
  }
}
