/**
 * Parses a worker's standard output. The adapter (deno/adapter.js) begins each line from the console with a header:
 * record separator, level, request ID, unit separator. If a console call prints several lines, they are joined with
 * group separators. Lines without a header don't come from the console: the function wrote them directly to standard
 * output. A function can forge a header, but a forged header affects only the function's own log.
 */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Frame {
  readonly level: LogLevel;
  readonly requestId: string | undefined;
  readonly text: string;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters mark the header
const head = /^\x1e([0-3])([\w-]{0,64})\x1f/;

/**
 * Parses a line.
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
    text: line.slice(all.length).replaceAll('\x1d', '\n'),
  };
}
