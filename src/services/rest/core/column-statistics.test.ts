import { describe, expect, it } from 'vitest';
import { type ColumnStatistics, type Distribution, distributionOf } from './column-statistics.ts';

const column = (more: Partial<ColumnStatistics>): ColumnStatistics => ({
  rows: 100_000,
  isUnique: false,
  nullFraction: 0,
  distinct: 100,
  commonValues: 0,
  commonFraction: 0,
  highestFraction: 0,
  lowestFraction: 0,
  ...more,
});
const common = (fractions: readonly number[], distinct: number, more: Partial<ColumnStatistics> = {}) =>
  column({
    distinct,
    commonValues: fractions.length,
    commonFraction: fractions.reduce((sum, one) => sum + one, 0),
    highestFraction: Math.max(...fractions),
    lowestFraction: Math.min(...fractions),
    ...more,
  });

describe('distributionOf', () => {
  it.each<[string, Distribution, ColumnStatistics]>([
    ['a unique column', 'even', column({ isUnique: true, rows: -1 })],
    ['a table that was never analyzed', 'uneven', column({ rows: -1 })],
    ['100 owners with 1,000 rows each', 'even', column({})],
    ['distinct values as a ratio', 'even', column({ distinct: -0.001 })],
    ['few rows for each of many values', 'even', column({ distinct: -0.5 })],
    ['a flag that one row in 100 has', 'few', common([0.99, 0.01], 2)],
    ['one value', 'few', common([1], 1)],
    ['a value with half of the rows, 1,000 others', 'uneven', common([0.5], 1001)],
    ['a value with half of the rows of a small table', 'even', common([0.5], 11, { rows: 90 })],
    ['a common value among values with few rows', 'uneven', common([0.01], 50_000)],
    ['a rare value among common ones', 'uneven', common([...Array(9).fill(0.111), 0.001], 10)],
    ['nulls, which no value selects', 'even', column({ nullFraction: 0.9 })],
    ['only nulls', 'uneven', column({ nullFraction: 1, distinct: 0 })],
  ])('%s: %s', (_name, expected, statistics) => {
    expect(distributionOf(statistics)).toBe(expected);
  });
});
