import { expect, test } from 'vitest';
import { createAttempts } from './attempts.ts';

const limits = { max: 2, windowMs: 60_000, addresses: 2 };

test('an address waits after too many failures, and only that one', () => {
  const attempts = createAttempts(limits);
  attempts.failed('a', 0);
  expect(attempts.waitSeconds('a', 1)).toBe(0);
  attempts.failed('a', 1000);
  expect(attempts.waitSeconds('a', 10_000)).toBe(50);
  expect(attempts.waitSeconds('b', 10_000)).toBe(0);
});

test('a window ends', () => {
  const attempts = createAttempts(limits);
  attempts.failed('a', 0);
  attempts.failed('a', 0);
  expect(attempts.waitSeconds('a', 60_000)).toBe(0);
  attempts.failed('a', 60_000);
  expect(attempts.waitSeconds('a', 60_001)).toBe(0);
});

test('the oldest address is forgotten first', () => {
  const attempts = createAttempts({ ...limits, max: 1 });
  for (const address of ['a', 'b', 'c']) attempts.failed(address, 0);
  expect(['a', 'b', 'c'].map((address) => attempts.waitSeconds(address, 0))).toEqual([0, 60, 60]);
});
