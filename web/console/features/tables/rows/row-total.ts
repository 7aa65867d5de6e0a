/**
 * Determines how many rows the grid shows. The number can be an estimate, because counting the rows of a large table is
 * slow.
 */

export interface KnownPage {
  readonly page: number;
  readonly rows: number;
  readonly more: boolean;
}

export interface RowTotal {
  readonly rows: number;
  /** Whether the number is exact. The number isn't exact if it is an estimate or the number of loaded rows. */
  readonly exact: boolean;
}

/**
 * Returns the number of rows. The first page contains an estimate or, for a small table, a count. `counted` is the
 * result of `count(*)`, if the operator requested an exact count.
 */
export function rowTotal(
  pages: readonly KnownPage[],
  first: { readonly estimate: number | null; readonly isExact: boolean } | undefined,
  counted: number | undefined,
  pageSize: number,
): RowTotal {
  let seen = 0;
  let limit = Number.POSITIVE_INFINITY;
  for (const { page, rows, more } of pages) {
    const end = page * pageSize + rows;
    if (rows === 0 && page > 0) {
      limit = Math.min(limit, page * pageSize);
      continue;
    }
    if (!more) return { rows: end, exact: true };
    seen = Math.max(seen, end + 1);
  }
  if (counted !== undefined) return { rows: counted, exact: true };
  const estimate = first?.estimate ?? 0;
  if (first?.isExact === true && estimate >= seen) return { rows: estimate, exact: true };
  return { rows: Math.max(seen, Math.min(limit, estimate)), exact: false };
}
