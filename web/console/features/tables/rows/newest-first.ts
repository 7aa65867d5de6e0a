import type { Column, Sort } from '../../../api/types.ts';

const series = /^nextval\(|\buuidv7\(/i;
const now =
  /^\(?(now\(\)|(statement|transaction|clock)_timestamp\(\)|timezone\([^,]+, now\(\)\)|current_timestamp\b)/i;

/**
 * Returns a sort order in which the imported rows come first. Returns undefined unless the table has a column whose
 * default grows with each row and that the import doesn't set.
 */
export function newestFirst(columns: readonly Column[], set: ReadonlySet<string>): Sort | undefined {
  // Nullable columns are excluded, because NULLs come first in descending order.
  const unset = columns.filter(({ name, nullable }) => !nullable && !set.has(name));
  const numbered = unset.find(
    ({ identity, default: value }) => identity !== null || series.test(value ?? ''),
  );
  const dated = unset.find(
    ({ type, default: value }) => type.startsWith('timestamp') && now.test(value ?? ''),
  );
  const column = numbered ?? dated;
  return column && { column: column.name, ascending: false };
}
