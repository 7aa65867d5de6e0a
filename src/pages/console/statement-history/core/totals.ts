/**
 * Computes what happened between two readings of pg_stat_statements. PostgreSQL counts since the entry was created and
 * publishes the number, mean and standard deviation of the durations. All of these can be subtracted and added exactly,
 * because the standard deviation is stored as a sum of squares. The minimum and the maximum can't be subtracted.
 */

/** The calls of a statement in a period. */
export interface Totals {
  /** The number of calls, which is at least 1. */
  readonly calls: number;
  readonly rows: number;
  readonly totalMs: number;
  /** The sum of the squared deviations of the durations from their mean. Null if unknown. */
  readonly squares: number | null;
}

/** An entry of pg_stat_statements. */
export interface Counter extends Totals {
  /**
   * When PostgreSQL created or reset the entry, in milliseconds since the epoch. Null before PostgreSQL 17, which
   * doesn't record this time.
   */
  readonly since: number | null;
}

/**
 * The smallest part of the larger sum that a difference of two sums may be. PostgreSQL computes with double precision
 * numbers, so a smaller difference consists mostly of rounding errors.
 */
const minRelativeSquares = 1e-9;

/**
 * Returns the calls between two readings of an entry. Returns undefined if there were none.
 *
 * @param before the earlier reading. Undefined if the entry didn't exist, so all of its calls are new.
 */
export function callsSince(before: Counter | undefined, now: Counter): Totals | undefined {
  if (before === undefined || isReset(before, now)) return now.calls > 0 ? totalsOf(now) : undefined;
  const calls = now.calls - before.calls;
  if (calls === 0) return undefined;
  const totalMs = now.totalMs - before.totalMs;
  return { calls, rows: Math.max(0, now.rows - before.rows), totalMs, squares: squaresSince(before, now) };
}

/** Whether PostgreSQL discarded the entry and created it again, or an operator reset the statistics. */
const isReset = (before: Counter, now: Counter): boolean =>
  (before.since !== null && now.since !== null && before.since !== now.since) ||
  now.calls < before.calls ||
  now.totalMs < before.totalMs;

/** Solves the formula of {@link added} for the second part. */
function squaresSince(before: Counter, now: Counter): number | null {
  if (before.squares === null || now.squares === null) return null;
  const calls = now.calls - before.calls;
  if (before.calls === 0) return now.squares;
  const between = before.totalMs / before.calls - (now.totalMs - before.totalMs) / calls;
  const squares = now.squares - before.squares - (between ** 2 * before.calls * calls) / now.calls;
  // A single call doesn't deviate from the mean.
  if (calls === 1) return 0;
  return squares > now.squares * minRelativeSquares ? squares : null;
}

/** Returns the calls of two periods or two entries (Chan, Golub and LeVeque, 1979). */
export function added(one: Totals, other: Totals): Totals {
  const calls = one.calls + other.calls;
  const between = one.totalMs / one.calls - other.totalMs / other.calls;
  return {
    calls,
    rows: one.rows + other.rows,
    totalMs: one.totalMs + other.totalMs,
    squares:
      one.squares === null || other.squares === null
        ? null
        : one.squares + other.squares + (between ** 2 * one.calls * other.calls) / calls,
  };
}

export const meanOf = ({ calls, totalMs }: Totals): number => totalMs / calls;

/** The variance of the durations. Null if unknown. */
export const varianceOf = ({ calls, squares }: Totals): number | null =>
  squares === null ? null : squares / calls;

const totalsOf = ({ calls, rows, totalMs, squares }: Counter): Totals => ({ calls, rows, totalMs, squares });
