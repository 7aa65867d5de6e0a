import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quantilesOf } from './quantiles.ts';
import { added, type Counter, callsSince, meanOf, type Totals, varianceOf } from './totals.ts';

const durations = fc.array(fc.double({ min: 0.01, max: 10_000, noNaN: true }), {
  minLength: 1,
  maxLength: 50,
});

/** Returns the numbers that PostgreSQL publishes about calls with these durations. */
function totalsOf(list: readonly number[]): Totals {
  const totalMs = list.reduce((sum, ms) => sum + ms, 0);
  const mean = totalMs / list.length;
  const squares = list.reduce((sum, ms) => sum + (ms - mean) ** 2, 0);
  return { calls: list.length, rows: list.length * 2, totalMs, squares };
}

const counterOf = (list: readonly number[], since: number | null = 1): Counter => ({
  ...totalsOf(list),
  since,
});

/** The error that rounding may cause. */
const expectClose = (found: number, expected: number, scale: number): void =>
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(scale)));

test('the difference of two readings equals the calls between them', () => {
  fc.assert(
    fc.property(durations, durations, (before, between) => {
      const all = counterOf([...before, ...between]);
      const found = callsSince(counterOf(before), all);
      const expected = totalsOf(between);
      expect(found?.calls).toBe(expected.calls);
      expect(found?.rows).toBe(expected.rows);
      expectClose(found?.totalMs ?? 0, expected.totalMs, all.totalMs);
      if (found?.squares != null) expectClose(found.squares, expected.squares ?? 0, all.squares ?? 0);
    }),
  );
});

test('the sum of two periods equals the numbers of all calls', () => {
  fc.assert(
    fc.property(durations, durations, (one, other) => {
      const found = added(totalsOf(one), totalsOf(other));
      const expected = totalsOf([...one, ...other]);
      expect(found.calls).toBe(expected.calls);
      expectClose(meanOf(found), meanOf(expected), meanOf(expected));
      expectClose(varianceOf(found) ?? -1, varianceOf(expected) ?? 0, varianceOf(expected) ?? 0);
    }),
  );
});

test('any two readings yield plausible numbers', () => {
  const counter = fc.record({
    calls: fc.nat({ max: 1e9 }),
    rows: fc.nat(),
    totalMs: fc.double({ min: 0, max: 1e12, noNaN: true }),
    squares: fc.option(fc.double({ min: 0, max: 1e15, noNaN: true })),
    since: fc.option(fc.constantFrom(1, 2)),
  });
  fc.assert(
    fc.property(fc.option(counter, { nil: undefined }), counter, (before, now) => {
      const found = callsSince(before, now);
      if (found === undefined) return;
      expect(found.calls).toBeGreaterThan(0);
      expect(found.rows).toBeGreaterThanOrEqual(0);
      expect(found.totalMs).toBeGreaterThanOrEqual(0);
      expect(found.squares ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('all calls of an entry are new if PostgreSQL has discarded and created it again', () => {
  const before = counterOf([1, 2, 3], 1);
  expect(callsSince(before, counterOf([5, 6, 7, 8], 2))).toEqual(totalsOf([5, 6, 7, 8]));
  expect(callsSince(before, { ...counterOf([5], null) })).toEqual(totalsOf([5]));
  expect(callsSince(undefined, counterOf([5]))).toEqual(totalsOf([5]));
  expect(callsSince(before, before)).toBeUndefined();
});

test('the variance is unknown if it would consist of rounding errors', () => {
  const before = { calls: 1e9, rows: 0, totalMs: 1e10, squares: 1e20, since: 1 };
  const now = { calls: 1e9 + 100, rows: 0, totalMs: 1e10 + 1000, squares: 1e20 + 1e5, since: 1 };
  expect(callsSince(before, now)).toMatchObject({ calls: 100, squares: null });
});

test('percentiles are within the limits that the mean and the variance permit', () => {
  const totals = fc.record({
    calls: fc.integer({ min: 1, max: 1_000_000 }),
    rows: fc.constant(0),
    totalMs: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e9, noNaN: true })),
    squares: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true })),
  });
  fc.assert(
    fc.property(totals, (each) => {
      const found = quantilesOf(each);
      if (found === null) return;
      const [mean, deviation] = [meanOf(each), Math.sqrt(varianceOf(each) ?? 0)];
      const rounding = 1 + 1e-9;
      expect(found.p50Ms).toBeLessThanOrEqual(mean * rounding);
      expect(found.p95Ms).toBeGreaterThanOrEqual(found.p50Ms);
      // Every distribution fulfills these inequalities (Cantelli).
      expect(mean - found.p50Ms).toBeLessThanOrEqual(deviation + mean * 1e-9);
      expect(found.p95Ms).toBeLessThanOrEqual((mean + Math.sqrt(19) * deviation) * rounding);
    }),
  );
});

test('percentiles of log-normal durations are estimated well, and others aren’t estimated', () => {
  // The quantiles of a log-normal distribution with the median 10 at equal distances.
  const normal = (p: number): number => 4.91 * (p ** 0.14 - (1 - p) ** 0.14);
  const list = Array.from({ length: 2000 }, (_none, at) => 10 * Math.exp(0.5 * normal((at + 0.5) / 2000)));
  const found = quantilesOf(totalsOf(list));
  expect(found?.p50Ms).toBeGreaterThan(9.5);
  expect(found?.p50Ms).toBeLessThan(10.5);
  expect(found?.p95Ms).toBeGreaterThan(21);
  expect(found?.p95Ms).toBeLessThan(24.5);
  expect(quantilesOf(totalsOf(list.slice(0, 19)))).toBeNull();
  expect(quantilesOf(totalsOf([...Array.from({ length: 999 }, () => 1), 100_000]))).toBeNull();
  expect(quantilesOf({ ...totalsOf(list), squares: null })).toBeNull();
});
