/**
 * Finds syntax errors in the text of a file before it is served. Deno's formatter parses the text from its standard
 * input, so nothing is written, imported or run.
 */
import { spawn } from 'node:child_process';
import { extname } from 'node:path';

export interface SyntaxFault {
  readonly message: string;
  /** The position, starting at 1. */
  readonly line: number;
  readonly column: number;
}

const extensions: Readonly<Record<string, string>> = {
  '.ts': 'ts',
  '.mts': 'mts',
  '.tsx': 'tsx',
  '.js': 'js',
  '.mjs': 'mjs',
  '.jsx': 'jsx',
  '.json': 'json',
  '.jsonc': 'jsonc',
};
const timeoutMs = 10_000;
const maxOutputBytes = 64 * 1024;

/** Returns the first syntax error. Returns undefined if there is none, or if the file's format is unknown. */
export async function findSyntaxFault(
  deno: string,
  path: string,
  text: string,
): Promise<SyntaxFault | undefined> {
  const extension = extensions[extname(path)];
  if (extension === undefined) return undefined;
  const args = ['fmt', '--check', '--no-config', '--ext', extension, '-'];
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = spawn(deno, args, {
    // The environment of the server contains secrets, which the formatter doesn't need.
    env: { NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    if (output.length < maxOutputBytes) output += part;
  });
  child.on('error', () => resolve(''));
  child.on('close', () => resolve(output));
  // The formatter can exit before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  return parseFault(await promise);
}

/**
 * Parses the formatter's output. Output without an error, such as that for an unformatted file, contains no fault.
 * @example
 * parseFault('error: SyntaxError: Expression expected\n  |\n1 | a = ;\n    at file:///_stdin.ts:1:5');
 * // { message: 'Expression expected', line: 1, column: 5 }
 */
export function parseFault(output: string): SyntaxFault | undefined {
  const script = /^error: (?:SyntaxError: )?(.+)$/m.exec(output)?.[1];
  if (script === undefined) return undefined;
  const json = /^Line (\d+), column (\d+): (.+)$/.exec(script);
  if (json !== null) return { message: json[3] ?? '', line: Number(json[1]), column: Number(json[2]) };
  const at = /_stdin\.\w+:(\d+):(\d+)/.exec(output);
  return at === null ? undefined : { message: script, line: Number(at[1]), column: Number(at[2]) };
}
