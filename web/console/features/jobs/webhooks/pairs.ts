/** Parses one `name: value` per line. If a name occurs more than once, the last value is used. */

/**
 * Returns the pairs, or the first invalid line.
 *
 * @example
 * parsePairs('x-a: 1\n\nx-b: 2'); // { pairs: { 'x-a': '1', 'x-b': '2' } }
 */
export function parsePairs(text: string): { pairs: Record<string, string> } | { badLine: number } {
  const pairs: [string, string][] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return { badLine: index + 1 };
    pairs.push([name, value]);
  }
  return { pairs: Object.fromEntries(pairs) };
}
