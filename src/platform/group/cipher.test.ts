import { expect, test } from 'vitest';
import { createCipher, fingerprintOf, isFingerprintOf, newSalt } from './cipher.ts';

const secret = 'a secret with at least 32 characters';
const salt = newSalt();
const content = Buffer.from('the keys');

test('only nodes with the same secret and salt can read a content', () => {
  const sealed = createCipher(secret, salt).close('secrets.json', 1, content);
  expect(createCipher(secret, salt).open('secrets.json', 1, sealed)).toEqual(content);
  expect(() => createCipher(`${secret}!`, salt).open('secrets.json', 1, sealed)).toThrow('changed outside');
  expect(() => createCipher(secret, newSalt()).open('secrets.json', 1, sealed)).toThrow('changed outside');
});

test('a content is valid only for its name and version', () => {
  const cipher = createCipher(secret, salt);
  const sealed = cipher.close('secrets.json', 2, content);
  expect(() => cipher.open('api-keys.json', 2, sealed)).toThrow('api-keys.json');
  expect(() => cipher.open('secrets.json', 1, sealed)).toThrow('secrets.json');
  expect(() => cipher.open('secrets.json', 2, sealed.subarray(0, 20))).toThrow('secrets.json');
  sealed[14] = (sealed[14] ?? 0) ^ 1;
  expect(() => cipher.open('secrets.json', 2, sealed)).toThrow('secrets.json');
});

test('the digest and the fingerprint depend on the secret', () => {
  const [cipher, other] = [createCipher(secret, salt), createCipher(`${secret}!`, salt)];
  expect(cipher.digest('a', content)).toBe(createCipher(secret, salt).digest('a', content));
  expect(cipher.digest('a', content)).not.toBe(other.digest('a', content));
  expect(cipher.digest('a', content)).not.toBe(cipher.digest('b', content));
  expect(isFingerprintOf(fingerprintOf(secret, salt), secret, salt)).toBe(true);
  expect(isFingerprintOf(fingerprintOf(secret, salt), `${secret}!`, salt)).toBe(false);
  expect(isFingerprintOf(fingerprintOf(secret, newSalt()), secret, salt)).toBe(false);
});
