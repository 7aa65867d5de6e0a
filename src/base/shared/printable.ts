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
