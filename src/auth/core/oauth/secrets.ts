/** Random values of the OAuth server, and what is kept of them. */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from '../../../kernel/base32.ts';
import { sameSecret } from '../secrets.ts';

/** 32 bytes as base64url; told once, at registration. */
export function clientSecretText(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database keeps: SHA-256, base64url. The secret is random, so nothing slower is needed. */
export function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

export function isClientSecret(secret: string, hash: string | null): boolean {
  return hash !== null && hash !== '' && sameSecret(hashClientSecret(secret), hash);
}

/** 32 of `a-z2-7`: names an authorization request in the address of the consent page. */
export function authorizationIdText(): string {
  return base32(randomBytes(20)).toLowerCase();
}

/**
 * The id of the session that a code becomes. It follows from the code (as a UUID of version 8, RFC 9562 section 5.8), so
 * that a code which comes a second time tells what it made the first time, though its row is gone by then.
 */
export function sessionIdOfCode(code: string): string {
  const bytes = createHash('sha256').update(`oauth session of ${code}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
