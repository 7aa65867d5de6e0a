import { expect, test } from 'vitest';
import { createFunctionActivity } from './activity.ts';

const minute = 60_000;
const start = 1000 * minute;

test('requests, errors and durations are counted per minute', () => {
  const activity = createFunctionActivity();
  for (let index = 1; index <= 100; index++)
    activity.add({
      function: 'a',
      at: start + index,
      status: index <= 7 ? 500 : 200,
      durationMs: index * 10,
    });
  activity.add({ function: 'a', at: start + minute, status: null, durationMs: 5 });
  const recent = activity.recent('a', start + minute + 1);
  expect(recent).toHaveLength(60);
  const [full, current] = recent.slice(-2);
  expect(full).toMatchObject({ at: start, requests: 100, errors: 7 });
  // A duration class represents a duration to within 10%.
  expect(full?.p50Ms).toBeGreaterThan(450);
  expect(full?.p50Ms).toBeLessThan(550);
  expect(full?.p95Ms).toBeGreaterThan(855);
  expect(full?.p95Ms).toBeLessThan(1045);
  expect(current).toMatchObject({ at: start + minute, requests: 1, errors: 0 });
  expect(recent[0]).toEqual({ at: start - 58 * minute, requests: 0, errors: 0, p50Ms: null, p95Ms: null });
  expect(activity.recent('b', start).every(({ requests }) => requests === 0)).toBe(true);
});

test('minutes older than an hour, and functions that weren’t used recently, are forgotten', () => {
  const activity = createFunctionActivity();
  for (let index = 0; index < 70; index++)
    activity.add({ function: 'a', at: start + index * minute, status: 200, durationMs: 1 });
  const recent = activity.recent('a', start + 69 * minute);
  expect(recent.map(({ requests }) => requests)).toEqual(Array(60).fill(1));
  for (let index = 0; index < 200; index++)
    activity.add({ function: `f${index}`, at: start, status: 200, durationMs: 1 });
  expect(activity.recent('a', start + 69 * minute).every(({ requests }) => requests === 0)).toBe(true);
});

test('saved counts are loaded, unless they are older than an hour or from the future', () => {
  const before = createFunctionActivity();
  for (const [index, durationMs] of [1, 20, 400].entries())
    before.add({ function: 'a', at: start + index * minute, status: index === 1 ? 500 : 200, durationMs });
  const saved: unknown = JSON.parse(JSON.stringify(before.save(start + 2 * minute)));
  const loadedAt = (now: number) => {
    const after = createFunctionActivity();
    after.load(saved, now);
    return after;
  };
  const now = start + 2 * minute;
  const after = loadedAt(now);
  expect(after.recent('a', now)).toEqual(before.recent('a', now));
  after.add({ function: 'a', at: now, status: 200, durationMs: 1 });
  expect(after.recent('a', now).at(-1)).toMatchObject({ requests: 2 });
  expect(loadedAt(start + 61 * minute).save(start + 61 * minute)).toEqual([
    ['a', [[1002, 1, 0, expect.any(Number), 1]]],
  ]);
  expect(loadedAt(start + 62 * minute).save(start + 62 * minute)).toEqual([]);
  expect(loadedAt(start - minute).save(now)).toEqual([]);
  for (const broken of [undefined, null, 'x', [['a', [[1, -1, 0]]]], [['a', [['x']]]], { a: [] }])
    expect(() => after.load(broken, now)).not.toThrow();
});

test('a long request is counted in the minute of its arrival', () => {
  const activity = createFunctionActivity();
  activity.add({ function: 'a', at: start + minute, status: 200, durationMs: 1 });
  activity.add({ function: 'a', at: start, status: 200, durationMs: 90_000 });
  expect(activity.recent('a', start + minute).slice(-2)).toMatchObject([{ requests: 1 }, { requests: 1 }]);
});
