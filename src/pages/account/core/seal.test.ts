import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cookieBytes, parseCookieValue, seal, sessionIdOf, unseal } from './seal.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

test('a sealed value opens only with its own cookie', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      bytes(cookieBytes),
      bytes(cookieBytes),
      bytes(12),
      (value, secret, other, iv) => {
        fc.pre(!Buffer.from(secret).equals(Buffer.from(other)));
        const sealed = seal(value, secret, iv);
        expect(unseal(sealed, secret)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(unseal(sealed, other)).toBeUndefined();
      },
    ),
    { numRuns: 50 },
  );
});

test('a change to any byte is detected', () => {
  const secret = randomBytes(cookieBytes);
  const sealed = seal({ token: 'x' }, secret, randomBytes(12));
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] as number) ^ 1;
    expect(unseal(changed, secret)).toBeUndefined();
  }
  expect(unseal(sealed.subarray(0, 20), secret)).toBeUndefined();
});

test('cookie values are always 32 bytes in base64url', () => {
  const secret = randomBytes(cookieBytes);
  expect(parseCookieValue(secret.toString('base64url'))).toEqual(secret);
  for (const value of [undefined, '', 'x', 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)} `]) {
    expect(parseCookieValue(value)).toBeUndefined();
  }
});

test('the ID of a row reveals nothing about the key', () => {
  const secret = randomBytes(cookieBytes);
  expect(sessionIdOf(secret)).toHaveLength(32);
  expect(unseal(seal(1, sessionIdOf(secret), randomBytes(12)), secret)).toBeUndefined();
});
