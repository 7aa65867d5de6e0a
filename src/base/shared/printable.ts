/**
 * Neutralizes characters that a terminal, psql or a reader would interpret instead of displaying. Names, values and
 * messages from a database, a request or another server can contain such characters.
 */

/** Control characters (C0, DEL, C1), Unicode's line separators, and the controls that reorder bidirectional text. */
const control = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const controlExceptLayout = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** The characters of `control` that JSON strings can contain without an escape. */
const rawInJson = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const replacement = '\ufffd';

/**
 * Returns text that can be written to a terminal. Line breaks and tabs are kept.
 *
 * @example printable('a\u001b[2J\nb') // 'a�[2J\nb'
 */
export const printable = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(controlExceptLayout, replacement);

/** Returns text that stays on one line of a terminal, of a table or of a comment. */
export const oneLine = (text: string): string => text.replace(control, replacement);

/** Escapes the characters in JSON that a terminal would interpret. The result represents the same value. */
export const escapedJson = (json: string): string =>
  json.replace(rawInJson, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns the value as JSON that can be written to a terminal. */
export const jsonText = (value: unknown, indent?: number): string =>
  escapedJson(JSON.stringify(value, null, indent));

/** Escapes text for HTML and XML, for use in elements and in quoted attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Escapes text like {@link escapeMarkup}, and also escapes whitespace that an XML parser would change in an attribute.
 */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Quotes an argument of a command that users copy into a POSIX shell. Names that come from a database can contain any
 * characters.
 *
 * @example shellQuoted("it's") // `'it'\''s'`
 */
export const shellQuoted = (text: string): string =>
  /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Formats a size in bytes for display. @example sizeText(1536) // '1.5 KiB' */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/**
 * Removes the secret part of each `sb_secret_` key, for text that the project's SQL can read.
 * @example hideSecretKeys('{"apikey":"sb_secret_abc"}') // '{"apikey":"sb_secret_..."}'
 */
export const hideSecretKeys = (text: string): string => text.replace(/sb_secret_[\w-]+/g, 'sb_secret_...');
