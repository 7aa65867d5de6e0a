/**
 * Derives two values from a session cookie: the row's ID (a hash), and the key that encrypts the row's tokens (HKDF,
 * RFC 5869, with AES-256-GCM). A copy of the table is useless without the cookies.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';

export const cookieBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** Returns the bytes that a cookie value encodes, or undefined if the value has the wrong format. */
export function parseCookieValue(value: string | undefined): Buffer | undefined {
  if (value === undefined || !/^[A-Za-z0-9_-]{43}$/.test(value)) return undefined;
  return Buffer.from(value, 'base64url');
}

export function sessionIdOf(secret: Uint8Array): Buffer {
  return createHash('sha256').update('plinth account session id').update(secret).digest();
}

function sealingKey(secret: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'plinth account session tokens', 32));
}

/**
 * Encrypts a value with a key derived from `secret`. `iv` must contain 12 random bytes that haven't been used before.
 */
export function seal(value: unknown, secret: Uint8Array, iv: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/** Decrypts a sealed value. Returns undefined if the bytes were sealed with another secret or have been modified. */
export function unseal(sealed: Uint8Array, secret: Uint8Array): unknown {
  if (sealed.length < ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret), sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]);
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
