/**
 * Bytes on their way, piece by piece. V8 learns late of memory outside its heap (it lets 64 MiB of dropped buffers wait
 * for a collection), so whoever is done with a piece gives it back at once.
 */

export interface Pieces extends AsyncIterable<Uint8Array> {
  /**
   * For who has looked at a piece for the last time; it is empty afterwards. A piece that is not given back is collected
   * some day.
   */
  release?(piece: Uint8Array): void;
  /** Ends the source, which may be keeping its reader waiting, or has not been asked for anything. */
  destroy?(): void;
}

/** What is read or built in one piece. */
export const pieceBytes = 256 * 1024;
/** So many of them wait for their next use: 4 MiB. */
const mostKept = 16;

const kept: ArrayBuffer[] = [];

/** A buffer of {@link pieceBytes}, of unknown content. */
export function takePiece(): Buffer {
  const buffer = kept.pop();
  return buffer === undefined ? Buffer.allocUnsafeSlow(pieceBytes) : Buffer.from(buffer);
}

/** Takes back what {@link takePiece} gave, or a part of it. The bytes move on, so that nobody is left with a view of them. */
export function givePiece({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== pieceBytes) return;
  if (kept.length < mostKept) kept.push(buffer.transfer());
  else buffer.transfer(0);
}

/** The body of a request: Node gives each chunk memory of its own. */
export function networkPieces(chunks: AsyncIterable<Uint8Array>): Pieces {
  return { [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator](), release: freeChunk };
}

/** Frees the memory of a chunk that has it for itself. */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength)
    buffer.transfer(0);
}
