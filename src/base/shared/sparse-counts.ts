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

/** Whether a value can be stored as a count, which is an unsigned 32-bit integer. */
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;

/**
 * Parses saved counts, which are lists of counts under a name each.
 *
 * @param limits the maximum number of names and of lists per name, and the minimum length of a list
 * @returns an empty list if any part of the data has another format
 * @example parseSavedCounts([['rest', [[5, 0, 2]]]], { names: 9, lists: 9, minLength: 1 }) // [['rest', [[5, 0, 2]]]]
 */
export function parseSavedCounts(saved: unknown, limits: SavedCountsLimits): SavedCounts {
  const isValid =
    Array.isArray(saved) && saved.length <= limits.names && saved.every((entry) => isNamed(entry, limits));
  return isValid ? saved : [];
}

export type SavedCounts = [name: string, lists: number[][]][];

interface SavedCountsLimits {
  readonly names: number;
  readonly lists: number;
  readonly minLength: number;
}

function isNamed(entry: unknown, { lists: maxLists, minLength }: SavedCountsLimits): boolean {
  if (!Array.isArray(entry) || entry.length !== 2) return false;
  const [name, lists]: unknown[] = entry;
  return (
    typeof name === 'string' &&
    Array.isArray(lists) &&
    lists.length <= maxLists &&
    lists.every((list) => Array.isArray(list) && list.length >= minLength && list.every(isCount))
  );
}
