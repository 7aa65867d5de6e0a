import { expect, test } from 'vitest';
import { localBuckets } from './rate-limits.ts';

test('allows a burst, then one per interval, separately for each key', async () => {
  const buckets = localBuckets();
  const rule = { size: 2, refillMs: 1000 };
  const take = (nowMs: number, key = 'a') => buckets.take(key, rule, nowMs);
  expect([await take(0), await take(0), await take(0)]).toEqual([true, true, false]);
  expect(await take(0, 'b')).toBe(true);
  expect([await take(499), await take(1000), await take(1000)]).toEqual([false, true, false]);
  // A request is allowed slightly early, because the clock of the process that handled the previous request may have
  // been ahead.
  expect(await take(1999)).toBe(true);
  await buckets.sweep(2000);
  expect(await take(2000)).toBe(false);
  await buckets.sweep(10_000);
  expect([await take(10_000), await take(10_000), await take(10_000)]).toEqual([true, true, false]);
});

const hourMs = 3_600_000;

test.each([1, 24, 24 * 365])('a bucket is usable after the clock was set back by %i hours', async (hours) => {
  const buckets = localBuckets();
  const rule = { size: 2, refillMs: 1000 };
  const start = 10 * 365 * 24 * hourMs;
  expect([
    await buckets.take('a', rule, start),
    await buckets.take('a', rule, start),
    await buckets.take('a', rule, start),
  ]).toEqual([true, true, false]);
  const earlier = start - hours * hourMs;
  expect([
    await buckets.take('a', rule, earlier),
    await buckets.take('a', rule, earlier),
    await buckets.take('a', rule, earlier),
  ]).toEqual([true, true, false]);
});

test('a bucket is not reset by a server whose clock is slightly behind', async () => {
  const buckets = localBuckets();
  const rule = { size: 2, refillMs: 1000 };
  for (let n = 0; n < 2; n++) await buckets.take('a', rule, hourMs);
  for (const skewMs of [1, 1000, 30_000]) expect(await buckets.take('a', rule, hourMs - skewMs)).toBe(false);
});
