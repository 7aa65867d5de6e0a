/** Reads the statistics that decide which values of a read are constants. */
import type { Queryable } from '../../platform/database/types.ts';
import { distributionOf } from './core/column-statistics.ts';
import type { Comparison } from './core/plan/comparisons.ts';
import { selectColumnStatistics } from './queries.ts';
import { keyOf } from './schema-cache/types.ts';

/**
 * Returns the slots whose columns have only a few values. Returns undefined if the best plan depends on the value of any
 * other column, or if the statistics of a column aren't known.
 */
export async function readConstantSlots(
  db: Queryable,
  comparisons: readonly Comparison[],
): Promise<ReadonlySet<number> | undefined> {
  const rows = await selectColumnStatistics(db, comparisons);
  const known = new Map(rows.map((row) => [columnKey(row), distributionOf(row)]));
  const slots = new Set<number>();
  for (const comparison of comparisons) {
    const distribution = known.get(columnKey(comparison));
    if (distribution === 'even') continue;
    if (distribution !== 'few' || comparison.slot === undefined) return undefined;
    slots.add(comparison.slot);
  }
  return slots;
}

const columnKey = ({ schema, name, column }: Pick<Comparison, 'schema' | 'name' | 'column'>): string =>
  keyOf(schema, keyOf(name, column));
