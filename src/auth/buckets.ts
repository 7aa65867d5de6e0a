/** Where the permissions of limits are counted. */
import type { Queryable } from '../database/types.ts';
import { type Bucket, horizonMs } from './core/rate-limit-rules.ts';
import { deleteFullBuckets, takePermission } from './queries/rate-limits.ts';

export interface Buckets {
  /** Takes one permission; false: there is none left, and nothing changed. */
  take(key: string, rule: Bucket, nowMs: number): Promise<boolean>;
  /** Forgets buckets that are full again. */
  sweep(nowMs: number): Promise<void>;
}

/** In the database, for all processes on it. `db` is no connection that a transaction of a request holds. */
export function sharedBuckets(db: Queryable): Buckets {
  return {
    take: (key, rule, nowMs) => takePermission(db, key, rule, nowMs),
    sweep: (nowMs) => deleteFullBuckets(db, nowMs),
  };
}

/** In this process alone, for a database that holds no tables of ours. */
export function localBuckets(): Buckets {
  /** When each is full again; see `takePermission`. */
  const fullAtMs = new Map<string, number>();
  return {
    async take(key, rule, nowMs) {
      const next = Math.max(fullAtMs.get(key) ?? nowMs, nowMs) + rule.refillMs;
      if (next > nowMs + horizonMs(rule)) return false;
      fullAtMs.set(key, next);
      return true;
    },
    async sweep(nowMs) {
      for (const [key, full] of fullAtMs) if (full < nowMs) fullAtMs.delete(key);
    },
  };
}
