/**
 * Grants exclusive write access to an upload. A new request asks the current holder to stop, because the holder is
 * usually waiting for bytes on a connection that the client has abandoned before resuming. Locks within a process use a
 * map, and locks between processes on the same folder use {@link SharedLocks}.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TusError } from './errors.ts';
import type { Lease, LockListener, SharedLocks } from './shared-locks.ts';

/** The time limit for a request to stop. */
const takeOverMs = 5000;
/** The retry interval for a lock held by another process, and the number of retries between requests to release it. */
const retryMs = 50;
const triesAnAsk = 10;

export interface UploadLocks {
  /**
   * Runs `work` exclusively. Its signal is aborted when another request wants the upload or the lock is lost. The abort
   * reason is the error to send to the client.
   * @throws {TusError} Locked: the holder doesn't release the lock. TakenOver: a newer request took over.
   */
  hold<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Runs `work` exclusively if the upload isn't locked, without asking a holder to stop. */
  holdIfFree(id: string, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

interface Holder {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** Undefined while waiting for other processes. */
  lease: Lease | undefined;
}

export function createUploadLocks(openShared: (listener: LockListener) => SharedLocks): UploadLocks {
  const held = new Map<string, Holder>();
  const shared = openShared({
    wanted(id) {
      const holder = held.get(id);
      if (holder?.lease) holder.stop.abort(new TusError('TakenOver'));
    },
    lost() {
      for (const holder of held.values()) if (holder.lease) holder.stop.abort(new TusError('Locked'));
    },
  });

  async function holdAlone<T>(
    id: string,
    takeLease: (stop: AbortSignal) => Promise<Lease | undefined>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const holder: Holder = { stop, ended, lease: undefined };
    held.set(id, holder);
    try {
      const lease = await takeLease(stop.signal);
      if (!lease) return undefined;
      holder.lease = lease;
      let result: T;
      try {
        result = await work(stop.signal);
      } catch (error) {
        await lease.release();
        throw error;
      }
      // The result is only valid if no other process can have written in the meantime.
      if (!(await lease.release())) throw new TusError('Locked');
      return result;
    } finally {
      held.delete(id);
      resolve();
    }
  }

  async function insist(id: string, deadline: number, stop: AbortSignal): Promise<Lease> {
    for (let tries = 0; ; tries += 1) {
      const lease = await shared.take(id);
      if (lease) return lease;
      if (Date.now() >= deadline) throw new TusError('Locked');
      stop.throwIfAborted();
      if (tries % triesAnAsk === 0) await shared.want(id);
      await sleep(retryMs);
    }
  }

  return {
    async hold<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const deadline = Date.now() + takeOverMs;
      for (let holder = held.get(id); holder !== undefined; holder = held.get(id)) {
        holder.stop.abort(new TusError('TakenOver'));
        await endedBy(holder.ended, deadline);
      }
      return (await holdAlone(id, (stop) => insist(id, deadline, stop), work)) as T;
    },
    async holdIfFree(id, work) {
      if (!held.has(id)) await holdAlone(id, () => shared.take(id), work);
    },
    close: () => shared.close(),
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
