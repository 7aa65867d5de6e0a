/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, one step of skew either way. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32, decodeBase32 } from './base32.ts';

const periodSeconds = 30;
const digits = 6;
const skewSteps = 1;

/** 20 bytes as base32. */
export function totpSecret(): string {
  return base32(randomBytes(20));
}

/** The code of one time step. */
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

/** The oldest step whose code is still accepted. */
export function oldestTotpStep(nowMs: number): number {
  return currentStep(nowMs) - skewSteps;
}

export function currentStep(nowMs: number): number {
  return Math.floor(nowMs / 1000 / periodSeconds);
}

/** The time step that a code belongs to. Each step may be accepted once (RFC 6238 section 5.2): the caller remembers it. */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  const typed = code.trim();
  if (!/^\d{6}$/.test(typed)) return undefined;
  const current = currentStep(nowMs);
  let matching: number | undefined;
  for (let step = current - skewSteps; step <= current + skewSteps; step++) {
    const expected = totpCode(secret, step);
    // No early exit: the time taken must not tell which step matched.
    if (expected !== undefined && timingSafeEqual(Buffer.from(expected), Buffer.from(typed))) matching = step;
  }
  return matching;
}

/** The URI that authenticator apps read from the QR code; parameters in the order of their names. */
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

/** As Go's net/url writes a path: these stay as they are. */
function encodePath(text: string): string {
  return encode(text).replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent);
}
