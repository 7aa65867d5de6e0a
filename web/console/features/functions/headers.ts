/** Parses the HTTP headers in a text field, which contains one `name: value` per line. */

export type Header = readonly [name: string, value: string];

/**
 * Returns the headers, or the first invalid line.
 *
 * @example
 * parseHeaders('x-a: 1\n\nx-b: 2'); // { headers: [['x-a', '1'], ['x-b', '2']] }
 */
export function parseHeaders(text: string): { headers: Header[] } | { badLine: number } {
  const headers: Header[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return { badLine: index + 1 };
    headers.push([name, value]);
  }
  return { headers };
}
