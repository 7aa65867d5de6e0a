import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignedWith } from './notes.ts';

test('a key from the source proves whether the JWT secret was copied', () => {
  const head = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.e30`;
  const key = `${head}.${createHmac('sha256', 'the secret').update(head).digest('base64url')}`;
  expect(isSignedWith(key, 'the secret')).toBe(true);
  expect(isSignedWith(key, 'another')).toBe(false);
  expect(isSignedWith(`${head}.x`, 'the secret')).toBe(false);
  expect(isSignedWith('sb_secret_abc', 'the secret')).toBeUndefined();
});
