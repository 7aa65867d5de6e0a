/**
 * Formats rows as CSV (RFC 4180). As in PostgreSQL's COPY, NULL is written as an empty field and an empty string as a
 * quoted field, so an exported file can be imported again.
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
 * The characters at the beginning of cells that spreadsheet programs run as formulas, including the full-width forms of
 * these characters (OWASP, CSV injection).
 */
const formula = /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/;
/**
 * Matches a separator inside a cell if it is followed by a formula that contains a function, a command or a reference
 * to another file. In many countries, spreadsheet programs use semicolons as separators, and quotation marks in the
 * middle of a cell then don't protect the separators in it. A plus or minus sign before a space doesn't begin a
 * formula, because the sign marks a list item.
 */
const innerFormula = /([;\t\r\n][" ]*)(?=(?:[=@\uff1d\uff20]|[+\-\uff0b\uff0d](?! ))[^;\t\r\n]*[(|!])/g;
/** Formulas that contain neither a function nor a cell reference, so they can only evaluate to numbers. */
const harmless = [
  // Numbers, including numbers with commas between thousands, and PostgreSQL's infinite values.
  /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  /^[+-]Infinity$/,
  // Phone numbers that begin with a country code and consist of 7 to 15 digits (ITU-T E.164) in groups.
  /^\+(?=(?:\D*\d){7,15}\D*$)\d(?:[ ./()-]{0,2}\d)*$/,
  // Negative times in the format that PostgreSQL uses for intervals.
  /^-\d+:\d{2}:\d{2}(?:\.\d+)?$/,
];

/**
 * Adds an apostrophe before text that a spreadsheet program would run as a formula. Numbers and phone numbers aren't
 * changed.
 */
export function guardedCell(text: string | null): string | null {
  if (text === null) return null;
  const inner = text.replaceAll(innerFormula, "$1'");
  return formula.test(text) && !harmless.some((pattern) => pattern.test(text)) ? `'${inner}` : inner;
}
