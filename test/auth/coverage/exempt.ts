/** Parses the table of error codes that are never returned, which is in docs/compatibility.md. */

const heading = '### Error codes that are never returned';

/**
 * Returns the codes in the table.
 * @example exemptCodes('### Error codes that are never returned\n| `unknown` | … |') // Set { 'unknown' }
 */
export function exemptCodes(page: string): ReadonlySet<string> {
  const start = page.indexOf(heading);
  if (start < 0) throw new Error(`docs/compatibility.md has no "${heading}".`);
  const section = page.slice(start + heading.length).split(/\n#/, 1)[0] ?? '';
  const firstCells = section.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm);
  return new Set(
    [...firstCells].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, c = '']) => c)),
  );
}
