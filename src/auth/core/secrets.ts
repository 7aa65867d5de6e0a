/** Random values, and the comparison of secrets. */
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../shared/base32.ts';

/** A refresh token of form 1: 12 characters of `a-z2-7`. */
export function refreshTokenText(): string {
  return base32(randomBytes(8)).toLowerCase().slice(0, 12);
}

/** `length` decimal digits, with leading zeros. */
export function oneTimePassword(length: number): string {
  let digits = '';
  while (digits.length < length) digits += String(randomInt(10));
  return digits;
}

/** The stored hash of a one-time password, bound to its recipient. */
export function tokenHash(emailOrPhone: string, otp: string): string {
  return createHash('sha224')
    .update(emailOrPhone + otp)
    .digest('hex');
}

/** Compares two texts in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}

/** A random password for accounts that are created without one. Contains a character of each required set. */
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
