/**
 * How deep a client may nest JSON. `JSON.parse` takes any depth, but `JSON.stringify` throws a RangeError on what is nested some
 * thousand levels deep, and a message is written again in places where no client waits for the error.
 */

/** Far beyond any message of an app. */
export const maxDepth = 1000;

const quote = 0x22;
const backslash = 0x5c;
const open = new Set([0x5b, 0x7b]);
const close = new Set([0x5d, 0x7d]);

/** True for a JSON text with more levels than {@link maxDepth}. Of other texts it says nothing. */
export function isTooDeep(text: string): boolean {
  // Each level takes a bracket on both sides.
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
