/**
 * Statements on _plinth.rate_limits and _plinth.guesses. A bucket or budget is stored as the time at which it will be
 * full again (generic cell rate algorithm).
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs, toMs } from '../common/times.ts';
import {
  type Bucket,
  type Budget,
  type ExtendedStreak,
  horizonMs,
  type Reservation,
  type Streak,
  type StreakClaim,
  staleAfterMs,
  streakMemoryMs,
} from './rules.ts';

/**
 * Takes a token from the bucket. If no tokens are left, changes nothing and returns false.
 *
 * Taking a token delays the time at which the bucket will be full by `refillMs`. This time is at most `horizonMs` in the
 * future, which is the time for refilling `size` tokens plus a margin.
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

/** Returns the time at which the stored budget will be full. See `staleAfterMs`. */
const baseOf = (rule: Bucket, now: Sql) =>
  sql`case when g.full_at > ${now} + ${interval(staleAfterMs(rule))} then ${now} else greatest(g.full_at, ${now}) end`;

const interval = (ms: number) => sql`${`${ms} milliseconds`}::interval`;

/** Takes an attempt from the budget. If no attempts are left, changes nothing and returns false. */
export async function consumeAttempt(
  db: Queryable,
  key: string,
  rule: Bucket,
  nowMs: number,
): Promise<boolean> {
  const now = sql`${fromMs(nowMs)}::timestamptz`;
  const step = interval(rule.refillMs);
  const rows = await db.query(sql`
    insert into _plinth.guesses as g (key, full_at) values (${key}, ${now} + ${step})
    on conflict (key) do update set full_at = ${baseOf(rule, now)} + ${step}
      where ${baseOf(rule, now)} + ${step} <= ${now} + ${interval(horizonMs(rule))}
    returning true`);
  return rows.length > 0;
}

/**
 * Extends the streak and takes an attempt from the budget. If the streak's wait applies, changes nothing. The rows are
 * always locked in the same order, the streak before the budget, so that concurrent statements can't deadlock.
 */
export async function reserveAttempt(
  db: Queryable,
  { key, rule }: Budget,
  streak: StreakClaim,
  nowMs: number,
): Promise<Reservation> {
  const now = sql`${fromMs(nowMs)}::timestamptz`;
  const step = interval(rule.refillMs);
  const { after, firstWaitMs, maxWaitMs } = streak.rules;
  // The same rule as `lockoutWaitMs`.
  const wait = sql`least(${interval(maxWaitMs)}, ${interval(firstWaitMs)} * 2 ^ least(30, greatest(0, s.failures - ${after})))`;
  const [row] = await db.query<{
    failures: number | null;
    previous_at: string | null;
    is_reserved: boolean;
  }>(sql`
    with previous as (
      select last_at from _plinth.guess_streaks where key = ${streak.key} for update
    ), streak as (
      insert into _plinth.guess_streaks as s (key, failures, last_at)
      select ${streak.key}, 1, ${now} where (select count(*) from previous) >= 0
      on conflict (key) do update set last_at = excluded.last_at,
        failures = case when s.last_at < ${fromMs(nowMs - streakMemoryMs)} then 1 else s.failures + 1 end
        where s.failures < ${after} or s.last_at + ${wait} <= ${now}
      returning failures
    ), budget as (
      insert into _plinth.guesses as g (key, full_at)
      select ${key}, ${now} + ${step} where exists (select from streak)
      on conflict (key) do update set full_at = ${baseOf(rule, now)} + ${step}
        where ${baseOf(rule, now)} + ${step} <= ${now} + ${interval(horizonMs(rule))}
      returning true
    )
    select (select failures from streak) as failures, (select last_at from previous) as previous_at,
      exists (select from budget) as is_reserved`);
  if (row === undefined || row.failures === null) return { kind: 'paused' };
  const { failures, previous_at } = row;
  const previousAtMs = previous_at === null ? undefined : toMs(previous_at);
  const extended = { key: streak.key, failures, atMs: nowMs, previousAtMs };
  return { kind: row.is_reserved ? 'reserved' : 'used_up', streak: extended };
}

/** Adds an attempt back to the budget after a correct guess. */
export async function returnAttempt(db: Queryable, key: string, rule: Bucket): Promise<void> {
  await db.query(sql`
    update _plinth.guesses set full_at = full_at - ${interval(rule.refillMs)} where key = ${key}`);
}

/**
 * Returns the time at which the budget will be full again. If the budget is already full, returns a time in the past or
 * undefined.
 */
export async function findFullAt(db: Queryable, key: string): Promise<number | undefined> {
  const [row] = await db.query<{ full_at: string }>(
    sql`select full_at from _plinth.guesses where key = ${key}`,
  );
  return row && toMs(row.full_at);
}

/** Returns the streak of consecutive wrong guesses. */
export async function findStreak(db: Queryable, key: string): Promise<Streak | undefined> {
  const [row] = await db.query<{ failures: number; last_at: string }>(
    sql`select failures, last_at from _plinth.guess_streaks where key = ${key}`,
  );
  return row && { failures: row.failures, lastAtMs: toMs(row.last_at) };
}

/** Ends the streak after a correct guess, and adds the attempt back to the budget. */
export async function endStreak(db: Queryable, streakKey: string, { key, rule }: Budget): Promise<void> {
  await db.query(sql`
    with streak as (delete from _plinth.guess_streaks where key = ${streakKey} returning true)
    update _plinth.guesses set full_at = full_at - ${interval(rule.refillMs)}
    where key = ${key} and (select count(*) from streak) >= 0`);
}

/**
 * Removes an attempt from the streak because no secret was compared. If no later attempt has extended the streak, its
 * wait again starts with the previous attempt.
 */
export async function shortenStreak(
  db: Queryable,
  { key, failures, atMs, previousAtMs }: ExtendedStreak,
): Promise<void> {
  const previous = previousAtMs === undefined ? sql`last_at` : sql`${fromMs(previousAtMs)}::timestamptz`;
  await db.query(sql`
    update _plinth.guess_streaks set failures = failures - 1,
      last_at = case when failures = ${failures} and last_at = ${fromMs(atMs)}::timestamptz then ${previous} else last_at end
    where key = ${key} and failures > 0`);
}

/** Deletes all counts whose keys begin with this text. */
export async function clearAttempts(db: Queryable, prefix: string): Promise<void> {
  await db.query(sql`delete from _plinth.guesses where starts_with(key, ${prefix})`);
  await db.query(sql`delete from _plinth.guess_streaks where starts_with(key, ${prefix})`);
}

export async function deleteFullAttempts(db: Queryable, nowMs: number): Promise<void> {
  await db.query(sql`delete from _plinth.guesses where full_at < ${fromMs(nowMs)}`);
  await db.query(sql`delete from _plinth.guess_streaks where last_at < ${fromMs(nowMs - streakMemoryMs)}`);
}
