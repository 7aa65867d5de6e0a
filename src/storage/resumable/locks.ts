/**
 * One writer for an upload. Who comes later asks the one before to end: most often that one waits for bytes of a
 * connection that the client has long given up, and the client is back to go on.
 */
import { TusError } from './errors.ts';

/** How long a request that was asked to end may take. */
const takeOverMs = 5000;

export interface UploadLocks {
  /**
   * Runs `work` alone; its signal is aborted when somebody else wants the upload.
   * @throws {TusError} Locked
   */
  hold<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  isHeld(id: string): boolean;
}

export function createUploadLocks(): UploadLocks {
  const held = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();

  return {
    async hold(id, work) {
      const deadline = Date.now() + takeOverMs;
      for (let holder = held.get(id); holder !== undefined; holder = held.get(id)) {
        holder.stop.abort();
        await endedBy(holder.ended, deadline);
      }
      const stop = new AbortController();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      held.set(id, { stop, ended });
      try {
        return await work(stop.signal);
      } finally {
        held.delete(id);
        resolve();
      }
    },
    isHeld: (id) => held.has(id),
  };
}

/** @throws {TusError} Locked */
async function endedBy(ended: Promise<void>, deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TusError('Locked')), Math.max(0, deadline - Date.now()));
  });
  try {
    await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
