import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginningOfUserKey, createUserKey, hideUserKeys, isUserKey } from './user-keys.ts';

test('a key has a prefix, random characters and a checksum', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 40, maxLength: 40 }), (bytes) => {
      fc.pre(bytes.some((byte) => byte < 248));
      const key = createUserKey(() => bytes);
      expect(key).toMatch(/^plinth_uk_[0-9A-Za-z]{46}$/);
      expect(isUserKey(key)).toBe(true);
    }),
  );
});

test('a key with a changed character is recognized without a query', () => {
  const key = createUserKey(randomBytes);
  for (let index = 10; index < key.length; index++) {
    const other = key[index] === 'A' ? 'B' : 'A';
    expect(isUserKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
  }
  expect(isUserKey(`${key} `)).toBe(false);
  expect(isUserKey(`x${key}`)).toBe(false);
});

test('hidden keys show only their prefix', () => {
  const key = createUserKey(randomBytes);
  expect(hideUserKeys(`Bearer ${key}, ${key}`)).toBe('Bearer plinth_uk_..., plinth_uk_...');
  expect(beginningOfUserKey(key)).toBe(key.slice(0, 14));
});
