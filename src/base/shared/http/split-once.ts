/**
 * Splits a string at the first separator. If the string doesn't contain the separator, the second part is undefined.
 * @example splitOnce('/rows?a=1?', '?'); // ['/rows', 'a=1?']
 */
export function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
