/**
 * Converts PostgreSQL's text format of a timestamptz in UTC to an ISO date with milliseconds, which is the format of
 * dates in JSON.
 */

/**
 * Converts a timestamp to an ISO date.
 *
 * @example
 * isoTimestamp('2026-11-21 04:10:36.123456+00'); // '2026-11-21T04:10:36.123Z'
 */
export function isoTimestamp(text: string | null): string | null {
  if (text === null) return null;
  // The format is checked without a regular expression because listings contain thousands of dates. Infinity and years
  // beyond 9999 don't have an ISO format.
  const end = text.length - 3;
  if (text.charCodeAt(4) !== dash || text.charCodeAt(10) !== blank || !text.endsWith('+00')) return text;
  const fraction = end > 20 ? text.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

const dash = 45;
const blank = 32;
