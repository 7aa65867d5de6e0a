/** Statements on _plinth.rate_limits. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs, toMs } from '../common/times.ts';
import { type Bucket, horizonMs, staleAfterMs } from './rate-limit-rules.ts';

/**
 * Takes a token from the bucket. If no tokens are left, changes nothing and returns false.
 *
 * A bucket is stored as the time at which the bucket will be full again (generic cell rate algorithm). Taking a token
 * delays this time by `refillMs`. This time is at most `horizonMs` in the future, which is the time for refilling
 * `size` tokens plus a margin.
 */
export async function consumePermission(
  db: Queryable,
  key: string,
  rule: Bucket,
  nowMs: number,
): Promise<boolean> {
  const now = fromMs(nowMs);
  const step = `${rule.refillMs} milliseconds`;
  const stale = `${staleAfterMs(rule)} milliseconds`;
  const base = sql`case when l.full_at > ${now}::timestamptz + ${stale}::interval then ${now}::timestamptz
    else greatest(l.full_at, ${now}) end`;
  const rows = await db.query(sql`
    insert into _plinth.rate_limits as l (key, full_at) values (${key}, ${now}::timestamptz + ${step}::interval)
    on conflict (key) do update set full_at = ${base} + ${step}::interval
      where ${base} + ${step}::interval <= ${now}::timestamptz + ${`${horizonMs(rule)} milliseconds`}::interval
    returning true`);
  return rows.length > 0;
}

/**
 * Returns the time at which the bucket will be full again. If the bucket is already full, returns a time in the past or
 * undefined.
 */
export async function findBucketFullAt(db: Queryable, key: string): Promise<number | undefined> {
  const [row] = await db.query<{ full_at: string }>(
    sql`select full_at from _plinth.rate_limits where key = ${key}`,
  );
  return row && toMs(row.full_at);
}

export async function deleteFullBuckets(db: Queryable, nowMs: number): Promise<void> {
  await db.query(sql`
    delete from _plinth.rate_limits where key in (
      select key from _plinth.rate_limits where full_at < ${fromMs(nowMs)} limit 1000 for update skip locked)`);
}
