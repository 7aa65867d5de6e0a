/** Counts the rows of a response. */

/**
 * Returns the number of rows in a REST response. Returns null if the response doesn't contain rows or if it is cut.
 * @example rowsOf({ status: 200, text: '[{"id":1}]', isCut: false }, {}); // 1
 */
export function rowsOf(
  { status, text, isCut }: { readonly status: number; readonly text: string; readonly isCut: boolean },
  contentRange: string | undefined,
): number | null {
  if (status >= 400) return null;
  if (!isCut && text !== '') {
    try {
      const value: unknown = JSON.parse(text);
      if (Array.isArray(value)) return value.length;
      if (value !== null && typeof value === 'object') return 1;
    } catch {
      // The body is CSV or another format, so the range is used.
    }
  }
  const range = /^(\d+)-(\d+)\//.exec(contentRange ?? '');
  if (range !== null) return Number(range[2]) - Number(range[1]) + 1;
  return contentRange?.startsWith('*/') === true ? 0 : null;
}
