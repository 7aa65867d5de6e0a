/** Judges from a column's statistics whether the best plan for an equality depends on the value. */

/** The statistics of a column that PostgreSQL has analyzed. */
export interface ColumnStatistics {
  /** The number of rows of the table. Negative if the table hasn't been analyzed. */
  readonly rows: number;
  readonly isUnique: boolean;
  readonly nullFraction: number;
  /** The number of distinct values or, if negative, the negated ratio of this number to the number of rows. */
  readonly distinct: number;
  /** The number of values in the list of the most common values. */
  readonly commonValues: number;
  /** The fraction of the rows that contain any value of this list. */
  readonly commonFraction: number;
  /** The fraction of the rows that contain the most and the least frequent value of this list. */
  readonly highestFraction: number;
  readonly lowestFraction: number;
}

/**
 * How the values of a column are distributed.
 *
 * - `few`: There are only a few values, so a plan for each of them can be kept.
 * - `even`: All values have about the same number of rows, or few rows. One plan is good for all values.
 * - `uneven`: The best plan may depend on the value.
 */
export type Distribution = 'few' | 'even' | 'uneven';

const FEW_VALUES = 8;
/** The factor by which the number of rows of a value can differ from the average. */
const MAX_SKEW = 4;
/** If no value has more rows than this, every plan that finds rows by their value is fast. */
const FEW_ROWS = 50;

export function distributionOf(column: ColumnStatistics): Distribution {
  const { rows, isUnique, nullFraction, commonValues, commonFraction, highestFraction, lowestFraction } =
    column;
  if (isUnique) return 'even';
  const distinct = column.distinct < 0 ? -column.distinct * rows : column.distinct;
  if (rows < 0 || distinct < 1) return 'uneven';
  if (distinct <= FEW_VALUES) return 'few';
  const average = ((1 - nullFraction) * rows) / distinct;
  const others = distinct - commonValues;
  const otherRows = others < 1 ? 0 : ((1 - nullFraction - commonFraction) * rows) / others;
  const most = Math.max(commonValues === 0 ? average : highestFraction * rows, otherRows);
  if (most <= FEW_ROWS) return 'even';
  const least = others < 1 ? lowestFraction * rows : otherRows;
  return most <= MAX_SKEW * average && least * MAX_SKEW >= average ? 'even' : 'uneven';
}
