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
  // The classes are exact to within a tenth.
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

test('a request that took long is counted in the minute in which it arrived', () => {
  const activity = createFunctionActivity();
  activity.add({ function: 'a', at: start + minute, status: 200, durationMs: 1 });
  activity.add({ function: 'a', at: start, status: 200, durationMs: 90_000 });
  expect(activity.recent('a', start + minute).slice(-2)).toMatchObject([{ requests: 1 }, { requests: 1 }]);
});
