/**
 * Writes rows as CSV (RFC 4180). As in PostgreSQL's COPY, NULL is an empty field and an empty string is a quoted field,
 * so an exported file can be imported again.
 */

const needsQuotes = /[",\r\n]/;

export function csvLine(values: readonly (string | null)[]): string {
  let line = '';
  for (let index = 0; index < values.length; index++) {
    if (index > 0) line += ',';
    const value = values[index];
    if (value === null || value === undefined) continue;
    line += value === '' || needsQuotes.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  }
  return `${line}\r\n`;
}

/** The first characters of cells that spreadsheets run as formulas (OWASP, CSV injection). */
const formula = /^(?:\s*[=+\-@]|[\t\r\n])/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Puts an apostrophe in front of text that a spreadsheet would run as a formula. Numbers stay unchanged. */
export const guardedCell = (text: string | null): string | null =>
  text !== null && formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
