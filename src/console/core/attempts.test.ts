import { expect, test } from 'vitest';
import { createAttempts } from './attempts.ts';

const limits = { max: 2, windowMs: 60_000, addresses: 2 };

test('an IP address with too many failures must wait, but others needn’t', () => {
  const attempts = createAttempts(limits);
  attempts.failed('a', 0);
  expect(attempts.waitSeconds('a', 1)).toBe(0);
  attempts.failed('a', 1000);
  expect(attempts.waitSeconds('a', 10_000)).toBe(50);
  expect(attempts.waitSeconds('b', 10_000)).toBe(0);
});

test('the failures expire after the window', () => {
  const attempts = createAttempts(limits);
  attempts.failed('a', 0);
  attempts.failed('a', 0);
  expect(attempts.waitSeconds('a', 60_000)).toBe(0);
  attempts.failed('a', 60_000);
  expect(attempts.waitSeconds('a', 60_001)).toBe(0);
});

test('the oldest IP address is evicted first', () => {
  const attempts = createAttempts({ ...limits, max: 1 });
  for (const address of ['a', 'b', 'c']) attempts.failed(address, 0);
  expect(['a', 'b', 'c'].map((address) => attempts.waitSeconds(address, 0))).toEqual([0, 60, 60]);
});
