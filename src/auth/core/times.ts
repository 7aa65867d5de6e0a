/**
 * Times as three worlds write them: PostgreSQL's ISO text (session time zone UTC), RFC 3339 on the wire, milliseconds
 * in between.
 */

/**
 * `2026-01-02 03:04:05.678901+00` (or without zone, which is UTC too) as `2026-01-02T03:04:05.678901Z`. As in PostgreSQL and in
 * Go a fraction ends with its last digit that is not 0, so that a time reads alike before and after it was stored.
 */
export function toRfc3339(postgres: string): string {
  const text = postgres.replace(' ', 'T').replace(/(?:[+-]00(?::?00)?|Z)$/, '');
  return `${text.includes('.') ? text.replace(/\.?0+$/, '') : text}Z`;
}

/** Milliseconds since the epoch of either form. */
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
 * A duration as Go writes it (`1h30m`, `-1.5s`, `0`), in milliseconds; undefined if it is none.
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
  // The longest Go can hold, 2^63 nanoseconds.
  if (total > 9_223_372_036_854) return undefined;
  return match[1] === '-' ? -total : total;
}
