/** Stores the token buckets of the rate limits. */
import type { Queryable } from '../../../platform/database/types.ts';
import { consumePermission, deleteFullBuckets, findBucketFullAt } from './rate-limit-queries.ts';
import { type Bucket, fullAtFrom, horizonMs } from './rate-limit-rules.ts';

export interface Buckets {
  /** Takes one token. If no token is left, changes nothing and returns false. */
  take(key: string, rule: Bucket, nowMs: number): Promise<boolean>;
  /** Returns the number of milliseconds until a token is available. */
  waitMs(key: string, rule: Bucket, nowMs: number): Promise<number>;
  /** Deletes buckets that have refilled completely. */
  sweep(nowMs: number): Promise<void>;
}

/**
 * Stores buckets in the database, which all processes share. `db` must not be the connection of a request's
 * transaction.
 */
export function sharedBuckets(db: Queryable): Buckets {
  return {
    take: (key, rule, nowMs) => consumePermission(db, key, rule, nowMs),
    waitMs: async (key, rule, nowMs) => untilToken(await findBucketFullAt(db, key), rule, nowMs),
    sweep: (nowMs) => deleteFullBuckets(db, nowMs),
  };
}

/** Stores buckets in this process, for databases without Plinth's own tables. */
export function localBuckets(): Buckets {
  /** The time at which each bucket will be full again. See `consumePermission`. */
  const fullAtMs = new Map<string, number>();
  return {
    async take(key, rule, nowMs) {
      const next = fullAtFrom(fullAtMs.get(key), rule, nowMs) + rule.refillMs;
      if (next > nowMs + horizonMs(rule)) return false;
      fullAtMs.set(key, next);
      return true;
    },
    waitMs: async (key, rule, nowMs) => untilToken(fullAtMs.get(key), rule, nowMs),
    async sweep(nowMs) {
      for (const [key, full] of fullAtMs) if (full < nowMs) fullAtMs.delete(key);
    },
  };
}

const untilToken = (storedMs: number | undefined, rule: Bucket, nowMs: number): number =>
  Math.max(0, fullAtFrom(storedMs, rule, nowMs) + rule.refillMs - nowMs - horizonMs(rule));
