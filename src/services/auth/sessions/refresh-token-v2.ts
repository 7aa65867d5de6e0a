/**
 * Parses version 2 refresh tokens. Sessions that were imported from hosted projects may have such tokens. A token is
 * encoded in base64url. The decoded token consists of a zero byte (the format version), the session's UUID, a uvarint
 * counter, 16 bytes of HMAC-SHA256 with the session's key, and 4 bytes of SHA-256 over the preceding bytes.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedRefreshToken {
  readonly sessionId: string;
  readonly counter: number;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const signatureBytes = 16;
const checksumBytes = 4;
const minBytes = 1 + 16 + 1 + signatureBytes + checksumBytes;

export function encodeRefreshToken(sessionId: string, counter: number, key: Uint8Array): string {
  const head = Buffer.concat([
    Buffer.of(0),
    Buffer.from(sessionId.replaceAll('-', ''), 'hex'),
    Buffer.from(uvarint(counter)),
  ]);
  const signed = Buffer.concat([head, sign(head, key)]);
  return Buffer.concat([signed, checksum(signed)]).toString('base64url');
}

/** Parses a version 2 token. Returns undefined for any other text. */
export function parseRefreshToken(text: string): SignedRefreshToken | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < minBytes || bytes[0] !== 0) return undefined;
  const body = bytes.subarray(0, -checksumBytes);
  if (!timingSafeEqual(checksum(body), bytes.subarray(-checksumBytes))) return undefined;
  const counter = readUvarint(body.subarray(17, -signatureBytes));
  if (counter === undefined) return undefined;
  const hex = body.subarray(1, 17).toString('hex');
  return {
    sessionId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter,
    signed: body.subarray(0, -signatureBytes),
    signature: body.subarray(-signatureBytes),
  };
}

export function hasSignature(token: SignedRefreshToken, key: Uint8Array): boolean {
  return timingSafeEqual(sign(token.signed, key), token.signature);
}

function sign(bytes: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(bytes).digest().subarray(0, signatureBytes);
}

function checksum(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, checksumBytes);
}

function uvarint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}

/** Parses a number. Returns undefined if bytes remain after the number. */
function readUvarint(bytes: Uint8Array): number | undefined {
  let value = 0;
  for (const [index, byte] of bytes.entries()) {
    value += (byte & 0x7f) * 0x80 ** index;
    const isLast = index === bytes.length - 1;
    if (byte < 0x80 !== isLast) return undefined;
  }
  return Number.isSafeInteger(value) && bytes.length > 0 ? value : undefined;
}
