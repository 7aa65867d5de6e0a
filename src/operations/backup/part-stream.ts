/** Splits BASE_BACKUP's output into the archive's bytes and the manifest's bytes. */
import type { BaseBackupPart } from '../../platform/database/types.ts';

/** The maximum number of buffered bytes. If more bytes are buffered, PostgreSQL must wait. */
const heldBytes = 8 * 1024 * 1024;

export interface PartStream {
  /** Adds a part of the backup that has been received. The caller must pass this function to `baseBackup`. */
  push(part: BaseBackupPart): void;
  /** Must be called when the backup has ended or failed. */
  end(error?: Error): void;
  /** The number of archives, one per tablespace. */
  readonly archives: number;
  /** At the first call, yields the bytes of the archive. At the second call, yields the manifest. */
  next(): AsyncGenerator<Buffer>;
}

export function createPartStream(flow: { pause(): void; resume(): void }): PartStream {
  const parts: BaseBackupPart[] = [];
  let held = 0;
  let isPaused = false;
  let archives = 0;
  let ended = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;

  const signal = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    get archives() {
      return archives;
    },
    push(part) {
      if (part.kind === 'archive') archives += 1;
      parts.push(part);
      if (part.kind === 'data') held += part.bytes.length;
      if (held > heldBytes && !isPaused) {
        isPaused = true;
        flow.pause();
      }
      signal();
    },
    end(error) {
      ended = true;
      failure = error;
      signal();
    },
    async *next() {
      for (;;) {
        const part = parts.shift();
        if (part === undefined) {
          if (failure !== undefined) throw failure;
          if (ended) return;
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          await promise;
          continue;
        }
        if (part.kind === 'manifest') return;
        if (part.kind === 'archive') continue;
        held -= part.bytes.length;
        if (isPaused && held < heldBytes / 2) {
          isPaused = false;
          flow.resume();
        }
        yield part.bytes;
      }
    },
  };
}
