import { expect, test } from 'vitest';
import { bucketOf, lockoutWaitMs } from './rules.ts';

const settings = {
  anonymous_users: 30,
  token_refresh: 150,
  sign_in_sign_ups: 30,
  token_verifications: 30,
  web3: 0,
};

test('limits match the settings', () => {
  expect(bucketOf('token', settings)).toEqual({ size: 30, refillMs: 2000 });
  expect(bucketOf('anonymous', settings)).toEqual({ size: 30, refillMs: 120_000 });
  expect(bucketOf('factor_verify', settings)).toEqual({ size: 30, refillMs: 4000 });
  expect(bucketOf('otp', settings)).toEqual({ size: 30, refillMs: 10_000 });
  expect(bucketOf('web3', settings)).toBeUndefined();
});

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
