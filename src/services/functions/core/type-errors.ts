/**
 * Converts the output of `deno check` to one line per error, which contains the error's location and message. The
 * number of errors is limited, because later errors are usually consequences of earlier errors.
 */

const max = 20;
const begin = /^(TS\d+) \[ERROR\]: (.*)$/;
const locationPattern = /^\s+at (file:\/\/\/\S+:\d+:\d+)$/;

/**
 * Returns one line per error.
 * @example
 * typeErrors("TS2322 [ERROR]: Type 'string' is not …\n    at file:///app/index.ts:1:7"); // ['/app/index.ts:1:7 TS2322: Type …']
 */
export function typeErrors(stderr: string): string[] {
  const found: string[] = [];
  let message: string | undefined;
  for (const line of stderr.split('\n')) {
    const [, code, text] = begin.exec(line) ?? [];
    if (code !== undefined) message = `${code}: ${text}`;
    const at = locationPattern.exec(line)?.[1];
    if (at === undefined || message === undefined) continue;
    found.push(`${decodeURI(at.slice('file://'.length))} ${message}`);
    message = undefined;
    if (found.length === max) break;
  }
  return found;
}
