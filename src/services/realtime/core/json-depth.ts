/**
 * Limits the nesting depth of JSON from clients. `JSON.parse` accepts any depth, but `JSON.stringify` throws a
 * RangeError at several thousand levels. Some messages are serialized in code that can't report this error to the
 * client.
 */

/** The maximum number of levels. Real messages need far fewer levels. */
export const maxDepth = 1000;

const quote = 0x22;
const backslash = 0x5c;
const open = new Set([0x5b, 0x7b]);
const close = new Set([0x5d, 0x7d]);

/** Whether a JSON document has more than {@link maxDepth} levels. The result is unspecified for invalid JSON. */
export function isTooDeep(text: string): boolean {
  // Each level needs two brackets, so a shorter document can't exceed the limit.
  if (text.length <= 2 * maxDepth) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === backslash) at++;
      else if (code === quote) isInString = false;
    } else if (code === quote) isInString = true;
    else if (open.has(code)) {
      if (++depth > maxDepth) return true;
    } else if (close.has(code)) depth--;
  }
  return false;
}
