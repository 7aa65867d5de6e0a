/**
 * Statements on _plinth.guesses. A budget is stored as the time at which the budget will be full again (generic cell
 * rate algorithm).
 */
import type { Queryable } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { type Streak, streakMemoryMs } from '../core/lockout.ts';
import { type Bucket, horizonMs, staleAfterMs } from '../core/rate-limit-rules.ts';
import { fromMs, toMs } from '../core/times.ts';

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
 * Takes an attempt from the budget even if no attempts are left. The number of remaining attempts never becomes
 * negative.
 */
export async function addAttempt(db: Queryable, key: string, rule: Bucket, nowMs: number): Promise<void> {
  const now = sql`${fromMs(nowMs)}::timestamptz`;
  const step = interval(rule.refillMs);
  await db.query(sql`
    insert into _plinth.guesses as g (key, full_at) values (${key}, ${now} + ${step})
    on conflict (key) do update set full_at =
      least(${baseOf(rule, now)} + ${step}, ${now} + ${interval(rule.size * rule.refillMs)})`);
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

/** Adds a wrong guess to the streak. If the streak is too old, starts a new streak. */
export async function extendStreak(db: Queryable, key: string, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into _plinth.guess_streaks as s (key, failures, last_at) values (${key}, 1, ${now})
    on conflict (key) do update set last_at = excluded.last_at,
      failures = case when s.last_at < ${fromMs(nowMs - streakMemoryMs)} then 1 else s.failures + 1 end`);
}

export async function endStreak(db: Queryable, key: string): Promise<void> {
  await db.query(sql`delete from _plinth.guess_streaks where key = ${key}`);
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
