import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCostly, isSlower } from './findings.ts';
import { periodOf } from './period.ts';
import { byEntry, callsOf, otherId, selected } from './selection.ts';

const counts = { rows: 0, squares: 0, since: 1 };
const entryOf = (id: string, calls: number, totalMs: number, isOutermost = true) => ({
  ...{ id, role: 'anon', isOutermost, calls, totalMs },
  ...counts,
});

test('nested and outermost calls of a statement are added up', () => {
  const before = byEntry([entryOf('1', 1, 5), entryOf('1', 10, 50, false), entryOf('2', 3, 3)]);
  const found = callsOf(before, [entryOf('1', 3, 9), entryOf('1', 14, 70, false), entryOf('2', 3, 3)]);
  expect(found).toMatchObject([{ id: '1', role: 'anon', calls: 6, totalMs: 24 }]);
});

test('no call is lost if there are too many statements', () => {
  const statement = fc.record({
    id: fc.integer({ min: 1 }).map(String),
    role: fc.constantFrom('anon', 'postgres', 'supabase_auth_admin'),
    calls: fc.integer({ min: 1, max: 100 }),
    totalMs: fc.integer({ min: 1, max: 1000 }),
    rows: fc.constant(0),
    squares: fc.constant(0),
  });
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 300 }), (statements) => {
      const { kept, others } = selected(statements, (role) => role.startsWith('supabase_'));
      const sum = (list: readonly { calls: number; totalMs: number }[]) => ({
        calls: list.reduce((all, { calls }) => all + calls, 0),
        totalMs: list.reduce((all, { totalMs }) => all + totalMs, 0),
      });
      expect(sum([...kept, ...others])).toEqual(sum(statements));
      expect(kept.filter(({ role }) => !role.startsWith('supabase_')).length).toBeLessThanOrEqual(100);
      expect(kept.length).toBeLessThanOrEqual(150);
      expect(new Set(others.map(({ id, role }) => `${id} ${role}`)).size).toBe(others.length);
      expect(others.every(({ id }) => id === otherId)).toBe(true);
    }),
  );
});

test('a statement is slower only if the growth is large, certain and costs time', () => {
  const totals = (calls: number, meanMs: number, deviationMs: number) => ({
    ...{ calls, rows: 0, totalMs: calls * meanMs, squares: deviationMs ** 2 * calls },
  });
  expect(isSlower(totals(1000, 10, 5), totals(200, 40, 20))).toBe(true);
  // The growth is too small, the time is too short, there are too few calls, or the durations vary too much.
  expect(isSlower(totals(1000, 10, 5), totals(200, 15, 5))).toBe(false);
  expect(isSlower(totals(1000, 0.1, 0.1), totals(200, 1, 0.1))).toBe(false);
  expect(isSlower(totals(1000, 10, 5), totals(10, 400, 5))).toBe(false);
  expect(isSlower(totals(20, 10, 5), totals(200, 40, 5))).toBe(false);
  expect(isSlower(totals(100, 10, 5), totals(40, 40, 200))).toBe(false);
  expect(isSlower(totals(1000, 10, 5), { ...totals(200, 40, 20), squares: null })).toBe(true);
});

test('a new statement is costly only with a large part of the time', () => {
  expect(isCostly(6000, 20_000)).toBe(true);
  expect(isCostly(6000, 100_000)).toBe(false);
  expect(isCostly(100, 100)).toBe(false);
});

test('every period ends with the step that contains the current time', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('1h', '6h', '24h', '7d', '30d'),
      fc.integer({ min: 1e12, max: 3e12 }),
      (range, now) => {
        const { start, stepMs, steps } = periodOf(range as '1h', now);
        const end = start + stepMs * steps;
        expect(now).toBeLessThan(end);
        expect(now).toBeGreaterThanOrEqual(end - stepMs);
        expect(start % 60_000).toBe(0);
      },
    ),
  );
});
