import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketOf, networkOf } from './rate-limit-rules.ts';

const settings = {
  anonymous_users: 30,
  token_refresh: 150,
  sign_in_sign_ups: 30,
  token_verifications: 30,
  web3: 0,
};

test('buckets as the settings say', () => {
  expect(bucketOf('token', settings)).toEqual({ size: 30, refillMs: 2000 });
  expect(bucketOf('anonymous', settings)).toEqual({ size: 30, refillMs: 120_000 });
  expect(bucketOf('factor_verify', settings)).toEqual({ size: 30, refillMs: 4000 });
  expect(bucketOf('otp', settings)).toEqual({ size: 30, refillMs: 10_000 });
  expect(bucketOf('web3', settings)).toBeUndefined();
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1:2:203.0.113.9', '2001:db8:0:0::/64'],
  ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
])('%s is of %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('whoever changes the last 64 bits stays in the same network, and nobody else does', () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  const half = fc.array(group, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(half, half, half, (prefix, a, b) => {
      const of = (host: string[]) => networkOf([...prefix, ...host].join(':'));
      return of(a) === of(b) && of(a) === `${prefix.join(':')}::/64`;
    }),
  );
});
