/**
 * Conversions between three time formats: PostgreSQL's ISO text (session time zone UTC), RFC 3339 on the wire, and
 * milliseconds.
 */

/**
 * Converts `2026-01-02 03:04:05.678901+00` (or without a zone, which is UTC too) to `2026-01-02T03:04:05.678901Z`.
 * Removes trailing zeros of the fraction, as PostgreSQL and Go do, so that a time looks the same before and after it is
 * stored.
 */
export function toRfc3339(postgres: string): string {
  const text = postgres.replace(' ', 'T').replace(/(?:[+-]00(?::?00)?|Z)$/, '');
  return `${text.includes('.') ? text.replace(/\.?0+$/, '') : text}Z`;
}

/** Converts either format to milliseconds since the epoch. */
export function toMs(text: string): number {
  return Date.parse(toRfc3339(text));
}

export function fromMs(ms: number): string {
  return new Date(ms).toISOString();
}
