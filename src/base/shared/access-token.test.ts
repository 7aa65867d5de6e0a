import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accessToken, bearerToken, isAccessToken, parseLifetime, tokenBytes } from './access-token.ts';

const token = accessToken(randomBytes(tokenBytes));

describe('an access token', () => {
  test('has the format that the upstream CLI accepts', () => {
    expect(token).toMatch(/^sbp_(oauth_)?[a-f0-9]{40}$/);
    expect(isAccessToken(token)).toBe(true);
  });

  test.each(['', 'sbp_', `${token}0`, token.slice(0, -1), token.toUpperCase(), `x${token}`, `${token}\n`])(
    'can’t be %j',
    (text) => expect(isAccessToken(text)).toBe(false),
  );
});

describe('an Authorization header', () => {
  test.each([`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token} `])('%s', (header) =>
    expect(bearerToken(header)).toBe(token),
  );

  test.each([
    undefined,
    '',
    token,
    `Basic ${token}`,
    `Bearer ${token},`,
    `Bearer ${token} ${token}`,
    'Bearer ',
  ])('rejects %s', (header) => expect(bearerToken(header)).toBeUndefined());

  test('every text is parsed as a token or undefined', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = bearerToken(text);
        expect(found === undefined || isAccessToken(found)).toBe(true);
      }),
    );
  });
});

describe('a lifetime', () => {
  test.each([
    ['1h', 3600],
    ['90d', 7_776_000],
    ['2w', 1_209_600],
    ['10y', 315_360_000],
    ['never', null],
  ])('%s', (text, seconds) => expect(parseLifetime(text)).toBe(seconds));

  test.each(['', '0d', '-1d', '11y', '90', 'd', '1.5d', '90 d', '90days', '9999999d'])('rejects %j', (text) =>
    expect(parseLifetime(text)).toBeUndefined(),
  );
});
