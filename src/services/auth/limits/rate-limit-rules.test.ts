import { expect, test } from 'vitest';
import { bucketOf } from './rate-limit-rules.ts';

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
