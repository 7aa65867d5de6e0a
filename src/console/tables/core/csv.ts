/**
 * Formats rows as CSV (RFC 4180). As in PostgreSQL's COPY, NULL is an empty field and an empty string is a quoted
 * field, so an exported file can be imported again.
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

/**
 * The first characters of cells that spreadsheets run as formulas, including their full-width forms (OWASP, CSV
 * injection).
 */
const formula = /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/;
/**
 * Matches a separator inside a cell, followed by a formula that contains a function, a command or a reference to
 * another file. In many countries, spreadsheets use semicolons as separators, and quotes in the middle of a cell then
 * don't protect its separators. A plus or minus sign before a space doesn't begin a formula, because it marks a list
 * item.
 */
const innerFormula = /([;\t\r\n][" ]*)(?=(?:[=@\uff1d\uff20]|[+\-\uff0b\uff0d](?! ))[^;\t\r\n]*[(|!])/g;
/** Values that contain neither a function nor a cell reference, so they can only be numbers. */
const harmless = [
  // Numbers, including those with commas between thousands, and PostgreSQL's infinities.
  /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  /^[+-]Infinity$/,
  // Phone numbers with a country code: 7 to 15 digits (ITU-T E.164) in groups.
  /^\+(?=(?:\D*\d){7,15}\D*$)\d(?:[ ./()-]{0,2}\d)*$/,
  // Negative times as formatted in PostgreSQL's intervals.
  /^-\d+:\d{2}:\d{2}(?:\.\d+)?$/,
];

/** Adds an apostrophe before text that a spreadsheet would run as a formula. Numbers and phone numbers don't change. */
export function guardedCell(text: string | null): string | null {
  if (text === null) return null;
  const inner = text.replaceAll(innerFormula, "$1'");
  return formula.test(text) && !harmless.some((pattern) => pattern.test(text)) ? `'${inner}` : inner;
}
