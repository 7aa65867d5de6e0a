/** Reads a file or a byte range of it in pieces. */
import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '../core/range.ts';
import { acquirePiece, type Pieces, pieceBytes, releasePiece } from '../pieces.ts';

/** Closes the handle after the last piece, when iteration ends early, or on `destroy`. */
export function filePieces(handle: FileHandle, range: ByteRange): Pieces {
  return {
    [Symbol.asyncIterator]: () => readPieces(handle, range),
    release: releasePiece,
    destroy: () => void handle.close(),
  };
}

/** @throws {Error} if the file ends before the range */
export async function* readPieces(handle: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  try {
    for (let position = start; position <= end; ) {
      const piece = acquirePiece();
      const wanted = Math.min(pieceBytes, end + 1 - position);
      const { bytesRead } = await handle.read(piece, 0, wanted, position);
      if (bytesRead === 0) throw new Error('The file is shorter than it was when opened');
      position += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
