/** Writes a run's events as lines of the response. Memory holds only a few events if the client doesn't read them. */
import { PassThrough, type Readable } from 'node:stream';
import type { RunEvent } from './contract.ts';

export interface RunOutput {
  readonly lines: Readable;
  /** Writes an event. Returns false if the buffer is full. */
  emit(event: RunEvent): boolean;
  /** Resolves once the buffer has space, or immediately if the client has disconnected or the signal aborts. */
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
