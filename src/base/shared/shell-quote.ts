/**
 * Quotes an argument of a command that users copy into a POSIX shell. Names that come from a database can contain any
 * characters.
 *
 * @example shellQuoted("it's") // `'it'\''s'`
 */
export const shellQuoted = (text: string): string =>
  /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
