/**
 * Grants exclusive write access to an upload. A new request signals the lock holder to stop. The lock holder is usually
 * reading from a connection that the client has abandoned. Locks within a process use a map, and locks between
 * processes that share a folder use {@link SharedLocks}.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TusError } from './errors.ts';
import type { Lease, LockListener, SharedLocks } from './shared-locks.ts';

/** How long a new request waits for the current lock holder to stop. */
const takeOverMs = 5000;
/**
 * The interval between attempts to acquire a lock that another process holds, and the number of attempts after which
 * the lock is requested again.
 */
const retryMs = 50;
const triesPerQuery = 10;

export interface UploadLocks {
  /**
   * Runs `work` exclusively. The signal passed to `work` is aborted when another request needs the upload or when the
   * lock is lost. The abort reason is the error to send to the client.
   * @throws {TusError} Locked if the lock holder doesn't release the lock, or TakenOver if a newer request took over
   * the upload
   */
  hold<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Runs `work` exclusively if the upload isn't locked. If the upload is locked, does nothing and doesn't signal the
   * lock holder to stop.
   */
  holdIfFree(id: string, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

interface Holder {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** The lock that excludes other processes. Undefined while this request waits for other processes. */
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
      // If the lock was lost, another process may have written to the upload since then, so the result isn't valid.
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
      if (performance.now() >= deadline) throw new TusError('Locked');
      stop.throwIfAborted();
      if (tries % triesPerQuery === 0) await shared.want(id);
      await sleep(retryMs);
    }
  }

  return {
    async hold<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const deadline = performance.now() + takeOverMs;
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

/**
 * Waits until the lock holder has stopped.
 * @throws {TusError} Locked if the lock holder doesn't stop before the deadline
 */
async function endedBy(ended: Promise<void>, deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TusError('Locked')), Math.max(0, deadline - performance.now()));
  });
  try {
    await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
