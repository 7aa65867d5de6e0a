/**
 * Bloom filters of the IDs in a block. A filter never misses an ID that the block contains, and finds about one in fifty
 * of the IDs that it doesn't contain.
 */
const bitsPerKey = 8;
const hashes = 5;

export function bloomOf(keys: ReadonlySet<string>): Buffer {
  const bits = Buffer.alloc(Math.ceil((keys.size * bitsPerKey) / 8));
  for (const key of keys)
    for (const position of positions(key, bits.length * 8))
      bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7));
  return bits;
}

export function mayContain(bits: Buffer, key: string): boolean {
  if (bits.length === 0) return false;
  return positions(key, bits.length * 8).every(
    (position) => ((bits[position >> 3] ?? 0) >> (position & 7)) & 1,
  );
}

/** Derives the positions from two hashes (Kirsch and Mitzenmacher, Less Hashing, Same Performance). */
function positions(key: string, size: number): number[] {
  const first = hash(key, 0x811c9dc5);
  const second = hash(key, 0x01234567) | 1;
  return Array.from({ length: hashes }, (_none, round) => ((first + round * second) >>> 0) % size);
}

/** FNV-1a, with a final mix because the filter uses the remainder. */
function hash(key: string, seed: number): number {
  let value = seed;
  for (let index = 0; index < key.length; index++)
    value = Math.imul(value ^ key.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
