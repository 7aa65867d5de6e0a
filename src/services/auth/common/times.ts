/**
 * Converts between three time formats: the ISO text of a PostgreSQL session whose time zone is UTC, RFC 3339 in
 * requests and responses, and milliseconds.
 */

/**
 * Converts `2026-01-02 03:04:05.678901+00`, with or without the time zone, to `2026-01-02T03:04:05.678901Z`. Removes
 * trailing zeros from the fraction of a second, as PostgreSQL and Go do, so that a time has the same text before and
 * after it is stored.
 */
export function toRfc3339(postgres: string): string {
  // Almost all times end with `+00`, which is cheaper to find than the other spellings of the time zone.
  let end = postgres.endsWith('+00') ? postgres.length - 3 : postgres.search(/(?:[+-]00(?::?00)?|Z|)$/);
  const point = postgres.indexOf('.');
  if (point !== -1) {
    while (postgres.charCodeAt(end - 1) === zero) end--;
    if (end === point + 1) end = point;
  }
  const space = postgres.indexOf(' ');
  if (space === -1) return `${postgres.slice(0, end)}Z`;
  return `${postgres.slice(0, space)}T${postgres.slice(space + 1, end)}Z`;
}

const zero = '0'.charCodeAt(0);

/** Converts a time in PostgreSQL's format or in RFC 3339 format to milliseconds since the epoch. */
export function toMs(text: string): number {
  return Date.parse(toRfc3339(text));
}

export function fromMs(ms: number): string {
  return new Date(ms).toISOString();
}
