/**
 * One-time recovery codes: 80 random bits, written as `abcd-efgh-ijkl-mnop` in the letters of base32 (RFC 4648). So many
 * bits need no slow hash.
 */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './base32.ts';

const bytesPerCode = 10;

export function newRecoveryCode(): string {
  const letters = base32(randomBytes(bytesPerCode)).toLowerCase();
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}

/** The letters of a code as people type it: in any case, with blanks and dashes anywhere. Undefined if it is none. */
export function parseRecoveryCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s-]/g, '').toLowerCase();
  return /^[a-z2-7]{16}$/.test(letters) ? letters : undefined;
}

/** What is kept: bound to its user, so that equal codes of two users do not show. Hexadecimal. */
export function recoveryCodeHash(userId: string, letters: string): string {
  return createHash('sha256').update(`${userId}:${letters}`).digest('hex');
}
