/** Generates random values and compares secrets. */
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../../base/shared/one-time-codes.ts';

/** Generates a version 1 refresh token: 12 characters from the set `a-z2-7`. */
export function refreshTokenText(): string {
  return base32(randomBytes(8)).toLowerCase().slice(0, 12);
}

/** Generates a one-time password with `length` decimal digits, including leading zeros. */
export function oneTimePassword(length: number): string {
  let digits = '';
  while (digits.length < length) digits += String(randomInt(10));
  return digits;
}

/** Returns the hash that is stored for a one-time password. The hashed text includes the password's recipient. */
export function tokenHash(emailOrPhone: string, otp: string): string {
  return createHash('sha224')
    .update(emailOrPhone + otp)
    .digest('hex');
}

/**
 * Generates the hash for a link. Unlike in upstream, it isn't derived from the code in the same email: a request with
 * only a hash names no account, so wrong hashes can't be counted for an account, and a few addresses that together try
 * all codes would find the link of any account.
 */
export function linkHash(email: string): string {
  return tokenHash(email, randomBytes(32).toString('hex'));
}

/** Compares two strings in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}

/**
 * Generates a password for an account that is created without a password. The password contains a character from each
 * required set.
 */
export function randomPassword(requiredSets: readonly string[], length = 40): string {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  const picked = requiredSets.filter((set) => set !== '').map((set) => set[randomInt(set.length)] ?? '');
  while (picked.length < length) picked.push(letters[randomInt(letters.length)] ?? '');
  for (let i = picked.length - 1; i > 0; i--) {
    const j = randomInt(i + 1);
    [picked[i], picked[j]] = [picked[j] ?? '', picked[i] ?? ''];
  }
  return picked.join('');
}
