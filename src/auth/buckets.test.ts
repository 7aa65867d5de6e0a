import { expect, test } from 'vitest';
import { localBuckets } from './buckets.ts';

test('a burst, then one per interval, separately per key', async () => {
  const buckets = localBuckets();
  const rule = { size: 2, refillMs: 1000 };
  const take = (nowMs: number, key = 'a') => buckets.take(key, rule, nowMs);
  expect([await take(0), await take(0), await take(0)]).toEqual([true, true, false]);
  expect(await take(0, 'b')).toBe(true);
  expect([await take(499), await take(1000), await take(1000)]).toEqual([false, true, false]);
  // This request read the clock before the previous one did.
  expect(await take(1999)).toBe(true);
  await buckets.sweep(2000);
  expect(await take(2000)).toBe(false);
  await buckets.sweep(10_000);
  expect([await take(10_000), await take(10_000), await take(10_000)]).toEqual([true, true, false]);
});
