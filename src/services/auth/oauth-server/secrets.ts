/** Generates and hashes the OAuth server's random values. */
import { createHash, randomBytes } from 'node:crypto';
import { base32 } from '../../../base/shared/one-time-codes.ts';
import { sameSecret } from '../common/secrets.ts';

/**
 * Generates a client secret, which is 32 random bytes in base64url. The secret is shown only once, when it is
 * generated.
 */
export function clientSecretText(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the SHA-256 hash that is stored, in base64url. Because the secrets are random, a slower hash function isn't
 * necessary.
 */
export function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

export function isClientSecret(secret: string, hash: string | null): boolean {
  return hash !== null && hash !== '' && sameSecret(hashClientSecret(secret), hash);
}

/** Generates an authorization request ID of 32 characters from `a-z2-7`. The consent page's URL contains this ID. */
export function authorizationIdText(): string {
  return base32(randomBytes(20)).toLowerCase();
}

/**
 * Derives, from a code, the ID of the session that is created when a client redeems the code. The ID is a version 8
 * UUID (RFC 9562, section 5.8). If a client sends a code again, the code's row has already been deleted, but this ID
 * still identifies the session that was created with the code.
 */
export function sessionIdOfCode(code: string): string {
  const bytes = createHash('sha256').update(`oauth session of ${code}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
