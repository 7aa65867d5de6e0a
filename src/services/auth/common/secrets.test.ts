import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  base32,
  decodeBase32,
  totpCode,
  totpSecret,
  totpStep,
  totpUri,
} from '../../../base/shared/one-time-codes.ts';
import { webhookSignature } from '../hooks/webhook-signature.ts';
import { oneTimePassword, randomPassword, refreshTokenText, sameSecret, tokenHash } from './secrets.ts';

test('parsing base32 reverses printing it', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodeBase32(base32(bytes))).toEqual(bytes);
    }),
  );
  expect(base32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
  expect(decodeBase32('MZ1')).toBeUndefined();
});

test('random values have the expected format', () => {
  for (let i = 0; i < 50; i++) {
    expect(refreshTokenText()).toMatch(/^[a-z2-7]{12}$/);
    expect(oneTimePassword(8)).toMatch(/^\d{8}$/);
    const password = randomPassword(['abc', '0123456789', ''], 20);
    expect(password).toMatch(/^(?=.*[abc])(?=.*\d).{20}$/);
  }
});

test('a token hash is SHA-224 of owner and code', () => {
  expect(tokenHash('a@example.com', '123456')).toMatch(/^[0-9a-f]{56}$/);
  expect(tokenHash('a@example.com', '123456')).not.toBe(tokenHash('b@example.com', '123456'));
});

test('sameSecret compares', () => {
  expect(sameSecret('a', 'a')).toBe(true);
  expect(sameSecret('a', 'ab')).toBe(false);
});

describe('totp', () => {
  // The values are from RFC 6238, appendix B, but the codes are truncated to six digits. The secret is
  // "12345678901234567890".
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
  ])('at %d', (seconds, code) => {
    expect(totpCode(secret, Math.floor(seconds / 30))).toBe(code);
    const step = Math.floor(seconds / 30);
    expect(totpStep(secret, code, seconds * 1000)).toBe(step);
    expect(totpStep(secret, code, (seconds + 30) * 1000)).toBe(step);
    expect(totpStep(secret, code, (seconds + 61) * 1000)).toBeUndefined();
  });

  test('a malformed code doesn’t match', () => {
    for (const code of ['', '28708', '2870820', 'abcdef'])
      expect(totpStep(secret, code, 59_000)).toBeUndefined();
    expect(totpStep('not base32!', '287082', 59_000)).toBeUndefined();
  });

  test('the URI for an authenticator app', () => {
    expect(totpSecret()).toMatch(/^[A-Z2-7]{32}$/);
    expect(totpUri('My App:1', 'a+b@x.de', 'ABC')).toBe(
      'otpauth://totp/My%20App:1:a+b@x.de?algorithm=SHA1&digits=6&issuer=My%20App%3A1&period=30&secret=ABC',
    );
  });
});

test('webhook signatures follow Standard Webhooks', () => {
  // These values are from the reference libraries of Standard Webhooks.
  const secret = 'v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1614265330,
    body: '{"test": 2432232314}',
  };
  expect(webhookSignature(secret, message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  expect(webhookSignature(`${secret}|${secret}`, message).split(', ')).toHaveLength(2);
  expect(() => webhookSignature('plain', message)).toThrow('v1,whsec_');
});
