/**
 * Opens files for reading. In Node, a call that runs in the thread pool uses more CPU time than the system call itself.
 * Only `open` and `read`, which can wait for the disk, run in the thread pool. The metadata of an open file is in
 * memory, so `fstat` and `close` run synchronously.
 */
import { close, closeSync, fstatSync, open, read } from 'node:fs';
import { acquireChunk, type ByteStream, chunkBytes, releaseChunk } from '../byte-stream.ts';
import type { ByteRange } from '../core/range.ts';

/**
 * Files up to this size are closed synchronously. If a file was deleted in the meantime, closing it frees its blocks,
 * which takes longer for a larger file.
 */
const quickCloseBytes = 16 * 1024 * 1024;
/** Bodies up to this size are sent as a string and therefore don't need a buffer that can be released. */
const pooledBytes = 8 * 1024;

/** An open file. `close` must be called. The file stays open until the last read has ended. */
export class OpenFile {
  readonly isDirectory: boolean;
  readonly sizeBytes: number;
  readonly #fd: number;
  #reads = 0;
  #isClosed = false;

  private constructor(fd: number) {
    const stats = fstatSync(fd);
    this.#fd = fd;
    this.isDirectory = stats.isDirectory();
    this.sizeBytes = stats.size;
  }

  static open(path: string): Promise<OpenFile> {
    return new Promise((resolve, reject) => {
      open(path, 'r', (error, fd) => {
        if (error) {
          reject(error);
          return;
        }
        try {
          resolve(new OpenFile(fd));
        } catch (failure) {
          closeSync(fd);
          reject(failure);
        }
      });
    });
  }

  /** Reads up to `length` bytes into the start of the buffer. Resolves with the number of bytes. */
  read(buffer: Buffer, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('The file has been closed');
      this.#reads += 1;
      read(this.#fd, buffer, 0, length, position, (error, bytesRead) => {
        this.#reads -= 1;
        if (this.#isClosed) this.#closeUnused();
        if (error) reject(error);
        else resolve(bytesRead);
      });
    });
  }

  /** Closes the file. Can be called repeatedly. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closeUnused();
  }

  #closeUnused(): void {
    if (this.#reads > 0) return;
    if (this.sizeBytes <= quickCloseBytes) closeSync(this.#fd);
    else close(this.#fd, () => undefined);
  }
}

/** Reads a byte range of up to {@link chunkBytes} into one buffer, and closes the file. */
export async function readWhole(file: OpenFile, { start, end }: ByteRange): Promise<Buffer> {
  const length = end + 1 - start;
  try {
    const buffer = length <= pooledBytes ? Buffer.allocUnsafe(length) : acquireChunk().subarray(0, length);
    for (let filled = 0; filled < length; ) {
      const bytesRead = await file.read(buffer.subarray(filled), length - filled, start + filled);
      if (bytesRead === 0) throw shortened();
      filled += bytesRead;
    }
    return buffer;
  } finally {
    file.close();
  }
}

/**
 * Returns the chunks of a byte range. The file is closed after the last chunk, when the iteration ends early, or when
 * `destroy` is called.
 */
export function fileStream(file: OpenFile, range: ByteRange): ByteStream {
  return {
    [Symbol.asyncIterator]: () => readChunks(file, range),
    release: releaseChunk,
    destroy: () => file.close(),
  };
}

/**
 * Reads a byte range in chunks.
 * @throws {Error} if the file ends before the end of the requested range
 */
export async function* readChunks(file: OpenFile, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  try {
    for (let position = start; position <= end; ) {
      const chunk = acquireChunk();
      const requested = Math.min(chunkBytes, end + 1 - position);
      const bytesRead = await file.read(chunk, requested, position);
      if (bytesRead === 0) throw shortened();
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    file.close();
  }
}

const shortened = (): Error => new Error('The file became shorter after it was opened');
