/** Packs an array of counts, most of which are zero, into a short list of numbers for a file. */

/**
 * Returns the index and the value of each count that isn't zero.
 *
 * @example packCounts([0, 7, 0, 2]) // [1, 7, 3, 2]
 */
export const packCounts = (counts: Iterable<number>): number[] =>
  Array.from(counts).flatMap((count, index) => (count === 0 ? [] : [index, count]));

/** Adds packed counts to `counts`. Indexes outside `counts` are ignored. */
export function addPackedCounts(counts: Uint32Array, packed: readonly number[]): void {
  for (let at = 0; at + 1 < packed.length; at += 2) {
    const [index = 0, count = 0] = packed.slice(at, at + 2);
    if (index < counts.length) counts[index] = (counts[index] ?? 0) + count;
  }
}
