/**
 * Formats log lines as `logfmt`, which consists of `key=value` pairs, quoted if necessary. The module has no side
 * effects.
 */

/** Converts a line of JSON that pino has written. The known fields come first in the converted line. */
export function logfmtOf(line: string): string {
  const { time, level, service, message, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const pairs = Object.entries({
    time,
    level: levelNames[String(level)] ?? level,
    service,
    message,
    ...rest,
  });
  return `${pairs
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${textOf(value)}`)
    .join(' ')}\n`;
}

const levelNames: Readonly<Record<string, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=\\\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text);
}
