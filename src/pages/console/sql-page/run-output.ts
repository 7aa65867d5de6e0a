/**
 * Writes the events of a run as lines of the response. If the client doesn't read the response, only a few events are
 * held in memory.
 */
import { PassThrough, type Readable } from 'node:stream';
import type { RunEvent } from './contract.ts';

export interface RunOutput {
  readonly lines: Readable;
  /** Writes an event. Returns false if the output buffer is full. */
  emit(event: RunEvent): boolean;
  /**
   * Resolves when the output buffer has space, or immediately if the client has disconnected or the signal has been
   * aborted.
   */
  drained(signal: AbortSignal): Promise<void>;
  end(): void;
}

export function createRunOutput(): RunOutput {
  const lines = new PassThrough();
  return {
    lines,
    emit: (event) => lines.write(`${JSON.stringify(event)}\n`),
    async drained(signal) {
      if (!lines.writableNeedDrain || lines.destroyed || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const done = (): void => resolve();
      lines.once('drain', done).once('close', done);
      signal.addEventListener('abort', done, { once: true });
      await promise;
      lines.off('drain', done).off('close', done);
      signal.removeEventListener('abort', done);
    },
    end: () => void lines.end(),
  };
}
