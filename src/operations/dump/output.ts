/**
 * Opens the destination of a dump, which is a stream or a file. A file gets its final name only once it is complete.
 */
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { DumpError } from './errors.ts';

export interface DumpOutput {
  write(text: string): Promise<void>;
  /** Copies the bytes. Returns a promise if the caller must wait before it calls the method again. */
  push(chunk: Uint8Array | string): Promise<void> | undefined;
  /** Resolves when all data is written. If the destination is a file, it is then complete and on disk. */
  finish(): Promise<void>;
  /** Removes an incomplete file. */
  discard(): Promise<void>;
}

/**
 * The size of the buffer in which rows are collected before they are written. Most rows are small, so writing each row
 * separately would be slow.
 */
const bufferBytes = 64 * 1024;

export function streamOutput(stream: Writable): DumpOutput {
  let buffer = Buffer.allocUnsafe(bufferBytes);
  let length = 0;
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  const flush = (): Promise<void> | undefined => {
    if (failure !== undefined) return Promise.reject(failure);
    if (length === 0) return undefined;
    const chunk = buffer.subarray(0, length);
    buffer = Buffer.allocUnsafe(bufferBytes);
    length = 0;
    return stream.write(chunk) ? undefined : drained(stream);
  };
  const push = (chunk: Uint8Array | string): Promise<void> | undefined => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (bytes.length >= bufferBytes) {
      const before = flush();
      const isFull = !stream.write(Buffer.from(bytes));
      return isFull ? drained(stream) : before;
    }
    const waits = length + bytes.length > bufferBytes ? flush() : undefined;
    buffer.set(bytes, length);
    length += bytes.length;
    return waits;
  };
  return {
    write: async (text) => push(text),
    push,
    async finish() {
      await flush();
      if (failure !== undefined) throw failure;
    },
    discard: async () => undefined,
  };
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      stream.off('drain', resolved).off('error', failed).off('close', resolved);
    };
    const resolved = (): void => {
      done();
      resolve();
    };
    const failed = (error: Error): void => {
      done();
      reject(error);
    };
    stream.on('drain', resolved).on('error', failed).on('close', resolved);
  });
}

/**
 * Ends the stream and waits until everything is written. Node's `finished` would wait until the file is closed, but the
 * file must be synced before it is closed. A stream that has already failed doesn't emit its error again.
 */
export function ended(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored !== null) {
      reject(stream.errored);
      return;
    }
    stream.once('error', reject);
    // The callback is also called with the error of a write.
    stream.end((error?: Error | null) => (error ? reject(stream.errored ?? error) : resolve()));
  });
}

/**
 * Opens a file that only its owner can read, because a dump can contain personal data.
 * @throws {DumpError} file_unwritable
 */
export async function fileOutput(path: string): Promise<DumpOutput> {
  const partial = `${path}.${process.pid}.partial`;
  const rejected = (error: unknown): DumpError =>
    new DumpError('file_unwritable', { file: path, reason: (error as Error).message }, error);
  const file = await open(partial, 'w', 0o600).catch((error: unknown) => {
    throw rejected(error);
  });
  const stream = createWriteStream(partial, { fd: file.fd, autoClose: false });
  const output = streamOutput(stream);
  return {
    ...output,
    async finish() {
      try {
        await output.finish();
        await ended(stream);
        await file.sync();
        await file.close();
        await rename(partial, path);
        const folder = await open(dirname(path), 'r');
        await folder.sync().catch(() => undefined);
        await folder.close();
      } catch (error) {
        throw rejected(error);
      }
    },
    async discard() {
      stream.destroy();
      await file.close().catch(() => undefined);
      await rm(partial, { force: true });
    },
  };
}
