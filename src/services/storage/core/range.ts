/** Parses a `Range` header with a single byte range (RFC 9110 section 14). */

export interface ByteRange {
  /** The first and the last byte of the range, both inclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a range. Returns undefined if the header is missing or can be ignored (other units, several ranges,
 * malformed).
 *
 * @example
 * parseRange('bytes=-4', 10); // { start: 6, end: 9 }
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return undefined;
    const length = Number(last);
    if (length === 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
