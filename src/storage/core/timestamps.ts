/** PostgreSQL's text of a timestamptz in UTC, as the ISO text with milliseconds that JSON dates have. */

/**
 * @example
 * isoTimestamp('2026-11-21 04:10:36.123456+00'); // '2026-11-21T04:10:36.123Z'
 */
export function isoTimestamp(text: string | null): string | null {
  if (text === null) return null;
  const match = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?\+00$/.exec(text);
  // Infinity and years beyond 9999 have no ISO form.
  if (!match) return text;
  return `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(3, '0').slice(0, 3)}Z`;
}
