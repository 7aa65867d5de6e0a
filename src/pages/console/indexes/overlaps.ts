/** Finds indexes that another index of the same table makes unnecessary. */

export interface IndexShape {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly method: string;
  readonly unique: boolean;
  readonly valid: boolean;
  readonly constraint: string | null;
  /** The key columns in order, each with its operator class, collation and order. */
  readonly keys: readonly string[];
  /** The names of the columns in INCLUDE. */
  readonly included: readonly string[];
  /** The condition of a partial index. Empty if the index contains all rows. */
  readonly predicate: string;
}

/**
 * Returns the name of the index that makes `index` unnecessary. An index with identical columns does, and for B-trees
 * also an index that begins with these columns, unless `index` enforces uniqueness.
 */
export function coveringIndex<Shape extends IndexShape>(
  index: Shape,
  ofTable: readonly Shape[],
): string | undefined {
  if (index.constraint !== null) return undefined;
  return ofTable.find((other) => other.name !== index.name && covers(other, index))?.name;
}

function covers(other: IndexShape, index: IndexShape): boolean {
  if (!other.valid || other.method !== index.method || other.predicate !== index.predicate) return false;
  if (!index.included.every((column) => other.included.includes(column))) return false;
  if (!index.keys.every((key, place) => other.keys[place] === key)) return false;
  if (other.keys.length > index.keys.length) return index.method === 'btree' && !index.unique;
  if (index.unique && !other.unique) return false;
  // Of two indexes that cover each other, the first one by name is kept.
  return !coversBack(other, index) || other.constraint !== null || other.name < index.name;
}

const coversBack = (other: IndexShape, index: IndexShape): boolean =>
  other.unique === index.unique &&
  other.included.every((column) => index.included.includes(column)) &&
  index.valid;
