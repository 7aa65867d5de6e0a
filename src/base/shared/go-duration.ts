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
 * Parses a duration in Go's notation (`1h30m`, `-1.5s`, `0`) into milliseconds. Returns undefined for other text.
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
  // Go's longest duration is 2^63 nanoseconds.
  if (total > 9_223_372_036_854) return undefined;
  return match[1] === '-' ? -total : total;
}
