/** Reads a file, or a byte range of a file, in chunks. */
import type { FileHandle } from 'node:fs/promises';
import { acquireChunk, type ByteStream, chunkBytes, releaseChunk } from '../byte-stream.ts';
import type { ByteRange } from '../core/range.ts';

/**
 * Returns the chunks of a byte range. The file handle is closed after the last chunk, when the iteration ends early, or
 * when `destroy` is called.
 */
export function fileStream(handle: FileHandle, range: ByteRange): ByteStream {
  return {
    [Symbol.asyncIterator]: () => readChunks(handle, range),
    release: releaseChunk,
    destroy: () => void handle.close(),
  };
}

/**
 * Reads a byte range in chunks.
 * @throws {Error} if the file ends before the end of the requested range
 */
export async function* readChunks(handle: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  try {
    for (let position = start; position <= end; ) {
      const chunk = acquireChunk();
      const requested = Math.min(chunkBytes, end + 1 - position);
      const { bytesRead } = await handle.read(chunk, 0, requested, position);
      if (bytesRead === 0) throw new Error('The file became shorter after it was opened');
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
