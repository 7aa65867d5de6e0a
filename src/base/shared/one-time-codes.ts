/**
 * Codes for a second factor: recovery codes, and the time-based one-time passwords of authenticator apps (RFC 6238)
 * with SHA-1, six digits, 30-second steps and one step of clock skew in either direction.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const periodSeconds = 30;
const digits = 6;
const skewSteps = 1;

/** Generates a secret of 20 random bytes, encoded as base32. */
export function totpSecret(): string {
  return base32(randomBytes(20));
}

/** Returns the code for a time step, or undefined if the secret isn't valid base32. */
export function totpCode(secret: string, step: number): string | undefined {
  const key = decodeBase32(secret);
  if (!key) return undefined;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash[hash.length - 1] ?? 0) & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

/** Returns the oldest step whose code is still accepted. */
export function oldestTotpStep(nowMs: number): number {
  return currentStep(nowMs) - skewSteps;
}

export function currentStep(nowMs: number): number {
  return Math.floor(nowMs / 1000 / periodSeconds);
}

/**
 * Returns the time step of a code. The caller must ensure that each step is accepted only once (RFC 6238 section 5.2).
 */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  const typed = code.trim();
  if (!/^\d{6}$/.test(typed)) return undefined;
  const current = currentStep(nowMs);
  let matching: number | undefined;
  for (let step = current - skewSteps; step <= current + skewSteps; step++) {
    const expected = totpCode(secret, step);
    // The loop doesn't exit early, because its duration would reveal which time step matched.
    if (expected !== undefined && timingSafeEqual(Buffer.from(expected), Buffer.from(typed))) matching = step;
  }
  return matching;
}

/** Returns the URI that authenticator apps read from the QR code. The URI's parameters are sorted by name. */
export function totpUri(issuer: string, account: string, secret: string): string {
  return (
    `otpauth://totp/${encodePath(`${issuer}:${account}`)}?algorithm=SHA1&digits=${digits}` +
    `&issuer=${encode(issuer)}&period=${periodSeconds}&secret=${secret}`
  );
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes a path as Go's net/url does, which leaves some characters unchanged. */
function encodePath(text: string): string {
  return encode(text).replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent);
}

const bytesPerCode = 10;

/**
 * Generates a one-time recovery code. A code has 80 random bits and the format `abcd-efgh-ijkl-mnop` in the base32
 * alphabet (RFC 4648). Codes with this many bits don't need a slow hash.
 */
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

/** The alphabet of base32 (RFC 4648 section 6), which authenticator apps and the codes that users type have. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes as RFC 4648 base32 without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      text += alphabet[(buffer >> (bits - 5)) & 31];
      bits -= 5;
    }
  }
  if (bits > 0) text += alphabet[(buffer << (5 - bits)) & 31];
  return text;
}

/** Decodes base32 text. Spaces and padding are ignored. Returns undefined if the text contains any other characters. */
export function decodeBase32(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const letter of text.toUpperCase().replace(/[\s=]/g, '')) {
    const value = alphabet.indexOf(letter);
    if (value < 0) return undefined;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((buffer >> bits) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
}
