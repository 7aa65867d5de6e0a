/**
 * Generates and parses one-time recovery codes. A code has 80 random bits and the format `abcd-efgh-ijkl-mnop` in the
 * base32 alphabet (RFC 4648). Codes with this many bits don't need a slow hash.
 */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './base32.ts';

const bytesPerCode = 10;

export function newRecoveryCode(): string {
  const letters = base32(randomBytes(bytesPerCode)).toLowerCase();
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}

/**
 * Normalizes a code that a user has typed. Case, spaces and dashes are ignored. Returns undefined if the text isn't a
 * code.
 */
export function parseRecoveryCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s-]/g, '').toLowerCase();
  return /^[a-z2-7]{16}$/.test(letters) ? letters : undefined;
}

/**
 * Returns the hash to store for a code, in hexadecimal. The hash includes the user ID, so two users with the same code
 * have different hashes.
 */
export function recoveryCodeHash(userId: string, letters: string): string {
  return createHash('sha256').update(`${userId}:${letters}`).digest('hex');
}
