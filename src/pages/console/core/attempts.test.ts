import { expect, test } from 'vitest';
import { createAttempts } from './attempts.ts';

const limits = { max: 2, windowMs: 60_000, addresses: 2 };

test('an IP address with too many failures must wait, but others needn’t', () => {
  const attempts = createAttempts(limits);
  attempts.reserve('a', 0);
  expect(attempts.waitSeconds('a', 1)).toBe(0);
  attempts.reserve('a', 1000);
  expect(attempts.waitSeconds('a', 10_000)).toBe(50);
  expect(attempts.waitSeconds('b', 10_000)).toBe(0);
});

test('the failures expire after the window', () => {
  const attempts = createAttempts(limits);
  attempts.reserve('a', 0);
  attempts.reserve('a', 0);
  expect(attempts.waitSeconds('a', 60_000)).toBe(0);
  attempts.reserve('a', 60_000);
  expect(attempts.waitSeconds('a', 60_001)).toBe(0);
});

test('the oldest IP address is evicted first', () => {
  const attempts = createAttempts({ ...limits, max: 1 });
  for (const address of ['a', 'b', 'c']) attempts.reserve(address, 0);
  expect(['a', 'b', 'c'].map((address) => attempts.waitSeconds(address, 0))).toEqual([0, 60, 60]);
});

test('concurrent attempts can’t exceed the limit, and a right one doesn’t count', () => {
  const attempts = createAttempts(limits);
  // All attempts are reserved before the first secret has been looked up.
  expect([1, 2, 3, 4].map(() => attempts.reserve('a', 0))).toEqual([0, 0, 60, 60]);
  attempts.release('a');
  expect([attempts.reserve('a', 0), attempts.reserve('a', 0)]).toEqual([0, 60]);
});
