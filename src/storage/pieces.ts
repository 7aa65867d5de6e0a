/**
 * Byte streams in pieces. V8 delays garbage collection of memory outside its heap (up to 64 MiB of dropped buffers), so
 * consumers release each piece immediately.
 */

export interface Pieces extends AsyncIterable<Uint8Array> {
  /**
   * Called by the last consumer of a piece, which is empty afterward. Pieces that aren't released are
   * garbage-collected.
   */
  release?(piece: Uint8Array): void;
  /** Ends the source, even while its reader is waiting or before it was read. */
  destroy?(): void;
}

/** The size of a piece that is read or built. */
export const pieceBytes = 256 * 1024;
/** The maximum number of pieces kept for reuse: 4 MiB. */
const mostKept = 16;

const kept: ArrayBuffer[] = [];

/** Returns a buffer of {@link pieceBytes} with unknown content. */
export function acquirePiece(): Buffer {
  const buffer = kept.pop();
  return buffer === undefined ? Buffer.allocUnsafeSlow(pieceBytes) : Buffer.from(buffer);
}

/**
 * Takes back a buffer from {@link acquirePiece}, or a part of it. The memory is transferred, so existing views become
 * empty.
 */
export function releasePiece({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== pieceBytes) return;
  if (kept.length < mostKept) kept.push(buffer.transfer());
  else buffer.transfer(0);
}

/** Wraps a request body. Node allocates separate memory for each chunk. */
export function networkPieces(chunks: AsyncIterable<Uint8Array>): Pieces {
  return { [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator](), release: freeChunk };
}

/** Frees a chunk's memory if no other view shares it. */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength)
    buffer.transfer(0);
}
