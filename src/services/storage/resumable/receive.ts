/** Receives the body of a request that appends to a resumable upload. */
import type { Readable } from 'node:stream';
import type { Appended } from './types.ts';

export interface Writer {
  /**
   * Returns the position at which the next added byte will be written. The position counts bytes that haven't been
   * written yet.
   */
  position(): number;
  /** Adds a chunk. Returns undefined if more chunks can be added immediately. */
  add(chunk: Uint8Array): Promise<void> | undefined;
  flush(): Promise<void>;
}

/**
 * Copies the request body to the writer. If the client disconnects, the copy ends normally. The function uses events
 * instead of an async iterator because a pending iterator can't be stopped to discard the rest of the body.
 */
export function receive(
  body: Readable,
  writer: Writer,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Appended['end']> {
  return new Promise((resolve, reject) => {
    let left = maxBytes;
    const settle = (done: () => void): void => {
      body.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      signal.removeEventListener('abort', onStop);
      done();
    };
    const onEnd = (): void => settle(() => resolve('complete'));
    const onClose = (): void => settle(() => resolve(body.readableEnded ? 'complete' : 'broken'));
    const onStop = (): void => settle(() => resolve('stopped'));
    const onData = (chunk: Uint8Array): void => {
      if (chunk.byteLength > left) {
        settle(() => resolve('too large'));
        return;
      }
      left -= chunk.byteLength;
      const writing = writer.add(chunk);
      if (writing === undefined) return;
      body.pause();
      writing.then(
        () => body.resume(),
        (error: unknown) => settle(() => reject(error)),
      );
    };
    if (signal.aborted) return resolve('stopped');
    if (body.readableEnded) return resolve('complete');
    if (body.destroyed) return resolve('broken');
    signal.addEventListener('abort', onStop, { once: true });
    body.on('end', onEnd).on('close', onClose).on('error', onClose).on('data', onData);
  });
}
