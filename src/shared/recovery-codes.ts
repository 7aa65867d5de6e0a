/**
 * One-time recovery codes: 80 random bits, formatted as `abcd-efgh-ijkl-mnop` in the base32 alphabet (RFC 4648). With
 * that many bits, no slow hash is needed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './base32.ts';

const bytesPerCode = 10;

export function newRecoveryCode(): string {
  const letters = base32(randomBytes(bytesPerCode)).toLowerCase();
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}

/** Normalizes a typed code: any case, with spaces and dashes anywhere. Returns undefined if it isn't a code. */
export function parseRecoveryCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s-]/g, '').toLowerCase();
  return /^[a-z2-7]{16}$/.test(letters) ? letters : undefined;
}

/** The stored hash. It includes the user, so that equal codes of two users aren't recognizable. Hexadecimal. */
export function recoveryCodeHash(userId: string, letters: string): string {
  return createHash('sha256').update(`${userId}:${letters}`).digest('hex');
}
