import { expect, test } from 'vitest';
import { expiryHealth, renewalTime, retryDelay, standardBackoff } from './renewal.ts';

const day = 24 * 60 * 60_000;
const validity = { notBefore: 0, notAfter: 90 * day };

test('a certificate is renewed after two thirds of its lifetime, with a random spread of 5%', () => {
  expect(renewalTime(validity, 0)).toBe(60 * day);
  expect(renewalTime(validity, 1)).toBeCloseTo(64.5 * day);
});

test('attempts are repeated at increasing intervals', () => {
  const minutes = [1, 2, 3, 4].map((failures) => retryDelay(failures, 0, standardBackoff) / 60_000);
  expect(minutes).toEqual([3, 6, 12, 24]);
  expect(retryDelay(1, 1, standardBackoff)).toBe(3.6 * 60_000);
  expect(retryDelay(50, 0, standardBackoff)).toBe(standardBackoff.maxMs);
});

test.each([
  ['early', 70 * day, 'ok'],
  ['14 days before', 76 * day + 1, 'degraded'],
  ['expired', 90 * day, 'failing'],
] as const)('the health of a 90-day certificate: %s', (_, now, status) => {
  expect(expiryHealth('api.example.com', validity, now).status).toBe(status);
});

test('a short-lived certificate causes a warning when a sixth of its lifetime remains', () => {
  const sixDays = { notBefore: 0, notAfter: 6 * day };
  expect(expiryHealth('a', sixDays, 5 * day - 1)).toEqual({ status: 'ok' });
  expect(expiryHealth('a', sixDays, 5 * day + 1)).toEqual({
    status: 'degraded',
    message: 'The certificate for a expires at 1970-01-07T00:00 UTC.',
  });
});
