/**
 * Implements time-based one-time passwords (RFC 6238) with SHA-1, six digits, 30-second steps and one step of clock
 * skew in either direction.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32, decodeBase32 } from './base32.ts';

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
