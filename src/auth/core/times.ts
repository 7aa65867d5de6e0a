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

const unitMs: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Parses a Go duration (`1h30m`, `-1.5s`, `0`) into milliseconds. Undefined for other text.
 *
 * @example parseGoDuration('24h') // 86400000
 */
export function parseGoDuration(text: string): number | undefined {
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text);
  if (!match) return undefined;
  let total = 0;
  for (const [, amount, unit] of (match[2] ?? '').matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  // The longest duration in Go, 2^63 nanoseconds.
  if (total > 9_223_372_036_854) return undefined;
  return match[1] === '-' ? -total : total;
}
