import { expect, test } from 'vitest';
import { lockoutWaitMs } from './lockout.ts';

const rules = { after: 3, firstWaitMs: 1000, maxWaitMs: 5000 };
const waitAfter = (failures: number, nowMs = 0) => lockoutWaitMs({ failures, lastAtMs: 0 }, rules, nowMs);

test('the wait begins after the allowed failures, doubles, and has a maximum', () => {
  expect([0, 2, 3, 4, 5, 6, 1000].map((failures) => waitAfter(failures))).toEqual([
    0, 0, 1000, 2000, 4000, 5000, 5000,
  ]);
});

test('the wait passes, and a clock that was set back doesn’t extend it', () => {
  expect(waitAfter(4, 500)).toBe(1500);
  expect(waitAfter(4, 2000)).toBe(0);
  expect(waitAfter(4, -3_600_000)).toBe(2000);
});

test('0 disables the waits', () => {
  expect(lockoutWaitMs({ failures: 99, lastAtMs: 0 }, { ...rules, after: 0 }, 0)).toBe(0);
});
