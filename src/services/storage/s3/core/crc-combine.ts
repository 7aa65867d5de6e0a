/**
 * Computes the CRC of concatenated byte strings from their CRCs and lengths. Appending zero bytes to a string
 * multiplies its CRC by a power of x in GF(2)[x] modulo the CRC's polynomial. Numbers are bit-reflected as in the CRCs,
 * so x^0 is the highest bit.
 */

export type CrcName = 'crc32' | 'crc32c' | 'crc64nvme';

interface Field {
  /** The polynomial without its highest-degree term. */
  readonly polynomial: bigint;
  readonly one: bigint;
}

const fields: Record<CrcName, Field> = {
  crc32: { polynomial: 0xedb88320n, one: 1n << 31n },
  crc32c: { polynomial: 0x82f63b78n, one: 1n << 31n },
  crc64nvme: { polynomial: 0x9a6c9329ac4bc9b5n, one: 1n << 63n },
};

export interface SummedPart {
  /** The CRC in big-endian order. */
  readonly sum: Buffer;
  readonly sizeBytes: number;
}

/** Returns the big-endian CRC of the concatenated parts. Requires at least one part. */
export function combineCrcs(name: CrcName, parts: readonly SummedPart[]): Buffer {
  const field = fields[name];
  // The factors are cached, because most parts have the same length.
  const shifts = new Map<number, bigint>();
  let crc = 0n;
  for (const { sum, sizeBytes } of parts) {
    let shift = shifts.get(sizeBytes);
    if (shift === undefined) {
      shift = byteShift(field, sizeBytes);
      shifts.set(sizeBytes, shift);
    }
    crc = multiply(field, shift, crc) ^ BigInt(`0x${sum.toString('hex')}`);
  }
  const digits = (parts[0]?.sum.length ?? 0) * 2;
  return Buffer.from(crc.toString(16).padStart(digits, '0'), 'hex');
}

/** Returns x to the power of 8 · `bytes`. */
function byteShift(field: Field, bytes: number): bigint {
  let power = field.one;
  let square = field.one >> 8n;
  for (let rest = BigInt(bytes); rest > 0n; rest >>= 1n) {
    if (rest & 1n) power = multiply(field, power, square);
    square = multiply(field, square, square);
  }
  return power;
}

function multiply({ polynomial, one }: Field, a: bigint, b: bigint): bigint {
  let product = 0n;
  let shifted = b;
  for (let bit = one; bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n;
  }
  return product;
}
