/**
 * Defines byte streams that are read in chunks. V8 delays the garbage collection of memory outside its heap (up to 64
 * MiB of discarded buffers). Consumers therefore release each chunk as soon as possible.
 */

export interface ByteStream extends AsyncIterable<Uint8Array> {
  /**
   * The last consumer of a chunk must call this method. The chunk is empty after the call. A chunk that isn't released
   * is garbage-collected.
   */
  release?(chunk: Uint8Array): void;
  /** Ends the source, even while a reader is waiting for the next chunk or before anything has been read. */
  destroy?(): void;
}

/** The size of the chunks that are read or built. */
export const chunkBytes = 256 * 1024;
/** The maximum number of chunks that are kept for reuse, with a total size of 4 MiB. */
const maxKept = 16;

const kept: ArrayBuffer[] = [];

/** Returns a buffer of {@link chunkBytes}. The content of the buffer is undefined. */
export function acquireChunk(): Buffer {
  const buffer = kept.pop();
  return buffer === undefined ? Buffer.allocUnsafeSlow(chunkBytes) : Buffer.from(buffer);
}

/**
 * Releases a buffer from {@link acquireChunk}, or a part of such a buffer. The buffer's memory is transferred, so
 * existing views of it become empty.
 */
export function releaseChunk({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== chunkBytes) return;
  if (kept.length < maxKept) kept.push(buffer.transfer());
  else buffer.transfer(0);
}

/** Returns a stream of the chunks of a request body. Node allocates separate memory for each chunk. */
export function networkStream(chunks: AsyncIterable<Uint8Array>): ByteStream {
  return { [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator](), release: freeChunk };
}

/** Frees a chunk's memory if no other view shares it. */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength === byteLength)
    buffer.transfer(0);
}
