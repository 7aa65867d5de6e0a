import type { Column, Sort } from '../../api/types.ts';

const series = /^nextval\(|\buuidv7\(/i;
const now =
  /^\(?(now\(\)|(statement|transaction|clock)_timestamp\(\)|timezone\([^,]+, now\(\)\)|current_timestamp\b)/i;

/**
 * Returns the order in which the rows of an import come first. It needs a column whose default grows with each row and
 * that the import hasn't set.
 */
export function newestFirst(columns: readonly Column[], set: ReadonlySet<string>): Sort | undefined {
  // In descending order, NULLs would come first.
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
