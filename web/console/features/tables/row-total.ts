/** The grid's number of rows, as far as it is known without counting. */

export interface KnownPage {
  readonly page: number;
  readonly rows: number;
  readonly more: boolean;
}

export interface RowTotal {
  readonly rows: number;
  /** False for an estimate, or if only the loaded rows are known. */
  readonly exact: boolean;
}

/** `counted` is the result of count(*), if it was requested. */
export function rowTotal(
  pages: readonly KnownPage[],
  estimate: number | null,
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
  return { rows: Math.max(seen, Math.min(limit, estimate ?? 0)), exact: false };
}
