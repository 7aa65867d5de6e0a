/**
 * Limits the length of text in characters. A character is a code point, as in PostgreSQL's `char_length`. The property
 * `length` counts some characters twice, such as emoji. GoTrue's messages also say "characters" where it counts bytes,
 * so limits of GoTrue are checked with `Buffer.byteLength` instead.
 */

/** Whether the text has more than `max` characters. Doesn't read text that is certainly too long. */
export const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max);

/** Throws the error that `fault` returns if the text has more than `max` characters. */
export function requireLength(text: string, max: number, fault: () => Error): void {
  if (isLonger(text, max)) throw fault();
}
