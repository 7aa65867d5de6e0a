/**
 * Formats log lines as `logfmt`, which consists of `key=value` pairs, quoted if necessary. The module has no side
 * effects.
 */
import { jsonText, oneLine } from '../../base/shared/printable.ts';

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
    .map(([key, value]) => `${oneLine(key)}=${textOf(value)}`)
    .join(' ')}\n`;
}

const levelNames: Readonly<Record<string, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** Values that don't need quotes if they contain only visible characters. */
const plain = /^[^\s"=\\]+$/;

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return plain.test(text) && oneLine(text) === text ? text : jsonText(text);
}
