/**
 * Parses a worker's standard output. The adapter (deno/adapter.js) prefixes console output with a header: record
 * separator, level, request ID, unit separator. Other output was written by the function directly. A function can forge
 * a header, but this only affects the function's own log.
 */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Frame {
  readonly level: LogLevel;
  readonly requestId: string | undefined;
  readonly text: string;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what marks a head
const head = /^\x1e([0-3])([\w-]{0,64})\x1f/;

/**
 * @example
 * parseFrame('\x1e2abc\x1fcareful'); // { level: 'warn', requestId: 'abc', text: 'careful' }
 */
export function parseFrame(line: string): Frame {
  const match = head.exec(line);
  if (match === null) return { level: 'info', requestId: undefined, text: line };
  const [all, level, requestId] = match;
  return {
    level: levels[Number(level)] as LogLevel,
    requestId: requestId === '' ? undefined : requestId,
    text: line.slice(all.length),
  };
}
