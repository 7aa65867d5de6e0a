/**
 * Detects data changes without reading data. PostgreSQL's snapshot, the set of committed transactions, changes whenever
 * a writing transaction ends, regardless of who ran it. One query per interval serves all waiting pages, and no query
 * runs while no page is waiting.
 */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';

/** The interval between two queries. Changes must be visible within two seconds. */
const intervalMs = 400;
/** After this time, a waiting page receives the same snapshot again. */
const maxWaitMs = 20_000;
/** The maximum number of waiting pages. Other pages receive the current snapshot and ask again later. */
const maxWaiting = 100;

export interface Snapshots {
  /**
   * Returns the current snapshot. Waits while it equals `after`, until the signal aborts or the time limit is reached.
   */
  next(after: string | undefined, signal: AbortSignal): Promise<string>;
  /** Ends all pending requests. Otherwise, the server would wait for them when it stops. */
  stop(): void;
}

export function createSnapshots(db: Queryable): Snapshots {
  const waiting = new Set<() => void>();
  let reading: Promise<string> | undefined;
  let isStopped = false;

  /** Reads the snapshot. Concurrent calls share a query. */
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
