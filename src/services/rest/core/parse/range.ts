/** Determines row ranges from `limit`, `offset` and the Range header, and formats the Content-Range of the response. */
import { restError } from '../../errors.ts';

/**
 * A range of row numbers from `lower` to `upper`, inclusive. If `upper` is undefined, the range is unbounded. If
 * `upper` is less than `lower`, the range is empty.
 */
export interface RowRange {
  readonly lower: number;
  readonly upper: number | undefined;
}

export const ALL_ROWS: RowRange = { lower: 0, upper: undefined };
/** The empty range that `limit=0` selects. All other empty ranges are errors. */
const NO_ROWS: RowRange = { lower: 0, upper: -1 };

const isEmpty = (range: RowRange) => range.upper !== undefined && range.upper < range.lower;
const isLimitZero = (range: RowRange) => range.upper === -1;
export const isAllRows = (range: RowRange) => range.lower === 0 && range.upper === undefined;

function intersect(a: RowRange, b: RowRange): RowRange {
  const lower = Math.max(a.lower, b.lower);
  if (a.upper === undefined) return { lower, upper: b.upper };
  return { lower, upper: b.upper === undefined ? a.upper : Math.min(a.upper, b.upper) };
}

/**
 * Combines the `limit` and `offset` of a level to a range. `limit` or `offset` is undefined if the parameter is absent.
 * If the parameter isn't an integer, the number in its argument is undefined.
 */
export function rangeOf(
  limit: { limit: number | undefined } | undefined,
  offset: { offset: number | undefined } | undefined,
): RowRange {
  const limited: RowRange = limit?.limit === undefined ? ALL_ROWS : { lower: 0, upper: limit.limit - 1 };
  if (offset === undefined) return limited;
  const lower = offset.offset ?? 0;
  if (limit === undefined) return { lower, upper: undefined };
  const count = limited.upper === undefined ? 0 : limited.upper + 1;
  return { lower, upper: lower + count - 1 };
}

/** PostgreSQL's largest bigint, plus 1. */
const BIGINT_END = 2n ** 63n;
/** The largest number below 2^63 that JavaScript can represent. */
const LARGEST = 2 ** 63 - 1024;

/**
 * Parses a row number. A number that JavaScript can't represent exactly is rounded. The rounded number has the same
 * effect in PostgreSQL, because both numbers are beyond all rows or out of range.
 */
export function rowNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  if (number < 0) return Math.max(number, -LARGEST);
  return BigInt(text) < BIGINT_END ? Math.min(number, LARGEST) : 2 ** 63;
}

const HEADER = /^(\d+)-(\d*)$/;

/** Parses the value of a Range header, such as `0-9` or `10-`. Any other format selects all rows. */
export function rangeHeader(text: string | undefined): RowRange {
  const found = text === undefined ? null : HEADER.exec(text);
  if (found === null) return ALL_ROWS;
  const [, first = '', last = ''] = found;
  return { lower: rowNumber(first), upper: last === '' ? undefined : rowNumber(last) };
}

/**
 * Combines the Range header with the `limit` and `offset` of the root.
 * @throws {RestError} PGRST103 if the range is empty, except for `limit=0`
 */
export function topLevelRange(header: RowRange, parameters: RowRange): RowRange {
  if (isLimitZero(parameters)) return NO_ROWS;
  const range =
    isEmpty(header) || isEmpty(parameters) ? { lower: 1, upper: 0 } : intersect(header, parameters);
  if (isEmpty(range)) {
    throw restError('PGRST103', {
      details: isEmpty(header)
        ? 'The lower boundary must be lower than or equal to the upper boundary in the Range header.'
        : 'Limit should be greater than or equal to zero.',
    });
  }
  return range;
}

/** Returns the LIMIT and OFFSET clauses for a range. The LIMIT is capped at the server's row limit. */
export function limitOffset(
  range: RowRange,
  maxRows: number | undefined,
): { limit: number | undefined; offset: number } {
  if (isLimitZero(range)) return { limit: 0, offset: 0 };
  const requested = range.upper === undefined ? undefined : range.upper - range.lower + 1;
  const limit = maxRows === undefined ? requested : Math.min(requested ?? maxRows, maxRows);
  return { limit, offset: range.lower };
}

export interface RangeResponse {
  readonly status: 200 | 206 | 416;
  readonly contentRange: string;
}

/** Returns the status and the Content-Range of the response. `total` is undefined if the rows weren't counted. */
export function rangeResponse(range: RowRange, rows: number, total: number | undefined): RangeResponse {
  const upper = range.lower + rows - 1;
  const contentRange = contentRangeText(range.lower, upper, total);
  if (total === undefined) return { status: 200, contentRange };
  if (range.lower > total) return { status: 416, contentRange };
  return { status: rows < total ? 206 : 200, contentRange };
}

export function contentRangeText(lower: number, upper: number, total: number | undefined): string {
  const rows = total !== 0 && lower <= upper ? `${lower}-${upper}` : '*';
  return `${rows}/${total ?? '*'}`;
}
