/**
 * Detects that data has changed without reading the data. PostgreSQL's snapshot describes which transactions have been
 * committed. The snapshot changes whenever a transaction that wrote data ends, regardless of who ran the transaction. A
 * single query per interval is shared by all waiting pages, and no queries run while no page is waiting.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

/** The interval between two queries. The interval is short enough for changes to become visible within two seconds. */
const intervalMs = 400;
/** How long a page waits before it receives the same snapshot again. */
const maxWaitMs = 20_000;
/**
 * The maximum number of waiting pages. Additional pages immediately receive the current snapshot, and can repeat their
 * request later.
 */
const maxWaiting = 100;

export interface Snapshots {
  /**
   * Returns the current snapshot. Waits as long as the snapshot equals `after`, until the signal is aborted or the time
   * limit is reached.
   */
  next(after: string | undefined, signal: AbortSignal): Promise<string>;
  /**
   * Ends all requests that are waiting for a new snapshot. Otherwise, the server would wait for these requests when it
   * stops.
   */
  stop(): void;
}

export function createSnapshots(db: Queryable): Snapshots {
  const waiting = new Set<() => void>();
  let reading: Promise<string> | undefined;
  let isStopped = false;

  /** Reads the snapshot. Concurrent calls share a single query. */
  function read(): Promise<string> {
    reading ??= db
      .query<{ snapshot: string }>(sql`select pg_current_snapshot()::text as snapshot`)
      .then(([row]) => row?.snapshot ?? '')
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  function pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, intervalMs);
      waiting.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  return {
    async next(after, signal) {
      let snapshot = await read();
      const end = performance.now() + maxWaitMs;
      const mayWait = (): boolean =>
        !isStopped && !signal.aborted && waiting.size < maxWaiting && performance.now() < end;
      while (snapshot === after && mayWait()) {
        await pause(signal);
        snapshot = await read();
      }
      return snapshot;
    },
    stop() {
      isStopped = true;
      for (const end of [...waiting]) end();
    },
  };
}
