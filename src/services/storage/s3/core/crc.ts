/**
 * Computes checksums that Node doesn't provide: CRC-32C (RFC 3720) and CRC-64/NVME. The CRCs are both reflected, and
 * are computed bytewise from a table.
 *
 * `@aws-crypto/crc32c` processes 90 MiB/s, whereas this implementation processes 430 MiB/s. `@aws-sdk/crc64-nvme`
 * processes 370 MiB/s, whereas this implementation processes 250 to 340 MiB/s, but the package takes 25 ms and 15 MiB
 * to load ([decision 44](../../../../docs/decisions/0044-shared-and-libraries.md)).
 */

/** A checksum that is updated chunk by chunk. `digest` returns the checksum in big-endian order. */
interface RunningCrc {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

let castagnoli: Uint32Array | undefined;

export function crc32c(): RunningCrc {
  castagnoli ??= table32(0x82f63b78);
  const table = castagnoli;
  let crc = 0xffffffff;
  return {
    update(bytes) {
      let running = crc;
      for (let index = 0; index < bytes.length; index += 1)
        running = (table[(running ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (running >>> 8);
      crc = running >>> 0;
    },
    digest() {
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(~crc >>> 0);
      return sum;
    },
  };
}

/** The table of 64-bit entries, split into 32-bit halves because BigInt would be much slower. */
let nvme: { readonly high: Uint32Array; readonly low: Uint32Array } | undefined;

export function crc64nvme(): RunningCrc {
  nvme ??= table64(0x9a6c9329, 0xac4bc9b5);
  const { high, low } = nvme;
  let crcHigh = 0xffffffff;
  let crcLow = 0xffffffff;
  return {
    update(bytes) {
      let top = crcHigh;
      let bottom = crcLow;
      for (let index = 0; index < bytes.length; index += 1) {
        const entry = (bottom ^ (bytes[index] ?? 0)) & 0xff;
        bottom = ((bottom >>> 8) | (top << 24)) ^ (low[entry] ?? 0);
        top = (top >>> 8) ^ (high[entry] ?? 0);
      }
      crcHigh = top >>> 0;
      crcLow = bottom >>> 0;
    },
    digest() {
      const sum = Buffer.alloc(8);
      sum.writeUInt32BE(~crcHigh >>> 0, 0);
      sum.writeUInt32BE(~crcLow >>> 0, 4);
      return sum;
    },
  };
}

function table32(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, entry) => {
    let value = entry;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value >>> 0;
  });
}

function table64(polynomialHigh: number, polynomialLow: number): { high: Uint32Array; low: Uint32Array } {
  const high = new Uint32Array(256);
  const low = new Uint32Array(256);
  for (let entry = 0; entry < 256; entry += 1) {
    let top = 0;
    let bottom = entry;
    for (let bit = 0; bit < 8; bit += 1) {
      const odd = bottom & 1;
      bottom = (bottom >>> 1) | (top << 31);
      top >>>= 1;
      if (odd) {
        top ^= polynomialHigh;
        bottom ^= polynomialLow;
      }
    }
    high[entry] = top >>> 0;
    low[entry] = bottom >>> 0;
  }
  return { high, low };
}

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

interface SummedPart {
  /** The CRC in big-endian order. */
  readonly sum: Buffer;
  readonly sizeBytes: number;
}

/**
 * Returns the big-endian CRC of the concatenated parts from their CRCs and lengths. Requires at least one part.
 * Appending zero bytes to a string multiplies its CRC by a power of x in GF(2)[x] modulo the CRC's polynomial. Numbers
 * are bit-reflected as in the CRCs, so x^0 is the highest bit.
 */
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
