/**
 * Validates JSON (RFC 8259) without creating objects. The validator is for large bodies, because parsing them would
 * need many times their size in memory. If the input is valid UTF-8, the validator accepts the same input as
 * `JSON.parse`.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Thrown if a body isn't valid JSON. */
export class JsonFault extends Error {}

/** Returns the position of the next byte that isn't whitespace, or the length of `bytes`. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    at++;
  }
  return at;
}

/**
 * Skips whitespace and the expected byte, and returns the position after that byte.
 * @throws {JsonFault} if a different byte follows
 */
export function expectByte(bytes: Uint8Array, start: number, byte: number): number {
  const at = skipSpace(bytes, start);
  if (bytes[at] !== byte) throw new JsonFault();
  return at + 1;
}

/**
 * Skips the value that begins at `start` or after whitespace, and returns the position after the value.
 * @throws {JsonFault}
 */
export function skipValue(bytes: Uint8Array, start: number): number {
  /** The objects and arrays that contain the current position. The innermost object or array is the last. */
  const open: number[] = [];
  let at = start;
  for (;;) {
    at = skipSpace(bytes, at);
    const first = bytes[at];
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      const inside = skipSpace(bytes, at + 1);
      if (bytes[inside] !== closing(first)) {
        open.push(first);
        at = first === OPEN_OBJECT ? skipKey(bytes, inside) : inside;
        continue;
      }
      at = inside + 1;
    } else {
      at = skipScalar(bytes, at);
    }
    for (;;) {
      const container = open.at(-1);
      if (container === undefined) return at;
      at = skipSpace(bytes, at);
      const next = bytes[at++];
      if (next === COMMA) {
        if (container === OPEN_OBJECT) at = skipKey(bytes, at);
        break;
      }
      if (next !== closing(container)) throw new JsonFault();
      open.pop();
    }
  }
}

const closing = (opening: number): number => (opening === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);

/** Skips an object key and its colon, and returns the position after the colon. */
function skipKey(bytes: Uint8Array, start: number): number {
  return expectByte(bytes, skipString(bytes, skipSpace(bytes, start)), COLON);
}

/** Skips the string that begins exactly at `start`, and returns the position after it. */
export function skipString(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) throw new JsonFault();
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) throw new JsonFault();
    if (byte === BACKSLASH) at = skipEscape(bytes, at + 1);
  }
  throw new JsonFault();
}

const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const HEX_DIGITS = new Set(Buffer.from('0123456789abcdefABCDEF'));

/** Returns the position of an escape sequence's last byte. `at` is the position of the letter after the backslash. */
function skipEscape(bytes: Uint8Array, at: number): number {
  const letter = bytes[at] as number;
  if (SIMPLE_ESCAPES.has(letter)) return at;
  if (letter !== 0x75) throw new JsonFault();
  for (let digit = 1; digit <= 4; digit++) {
    if (!HEX_DIGITS.has(bytes[at + digit] as number)) throw new JsonFault();
  }
  return at + 4;
}

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

function skipScalar(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return skipString(bytes, start);
  if (first === MINUS || isDigit(first)) return skipNumber(bytes, start);
  const word = WORDS.find((one) => one.every((byte, index) => bytes[start + index] === byte));
  if (word === undefined) throw new JsonFault();
  return start + word.length;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

function skipNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  at = bytes[at] === ZERO ? at + 1 : skipDigits(bytes, at);
  if (bytes[at] === DOT) at = skipDigits(bytes, at + 1);
  const exponent = bytes[at];
  if (exponent !== 0x65 && exponent !== 0x45) return at;
  const sign = bytes[at + 1];
  return skipDigits(bytes, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
}

/** Skips one or more digits. */
function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at++;
  if (at === start) throw new JsonFault();
  return at;
}
