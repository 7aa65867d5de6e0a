/**
 * Scans JSON from clients: locates the parts of a document so that a part can be forwarded verbatim, and measures its
 * nesting. Only strings and nesting are scanned, so the document must already have been validated with `JSON.parse`.
 */

/** Returns the raw JSON of each array element. */
export function rawElements(text: string): string[] {
  return split(text);
}

/**
 * Returns the raw JSON of an object's members, indexed by member name. If a member name occurs more than once, the last
 * of these members is used, as in `JSON.parse`.
 */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  for (const part of split(text)) {
    const colon = endOfString(part, part.indexOf('"'));
    const name: string = JSON.parse(part.slice(0, colon));
    members.set(name, part.slice(part.indexOf(':', colon) + 1).trim());
  }
  return members;
}

/** Splits the content of the outermost brackets into its top-level parts. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at) - 1;
        break;
      case '[':
      case '{':
        if (depth++ === 0) start = at + 1;
        break;
      case ']':
      case '}':
        if (--depth === 0) {
          const last = text.slice(start, at).trim();
          if (last !== '') parts.push(last);
          return parts;
        }
        break;
      case ',':
        if (depth === 1) {
          parts.push(text.slice(start, at).trim());
          start = at + 1;
        }
        break;
    }
  }
  return parts;
}

/** Returns the index after the closing quote of the string that begins at index `at`. */
function endOfString(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index + 1;
  }
  return text.length;
}

/**
 * The maximum number of levels. Real messages need far fewer levels. `JSON.parse` accepts any depth, but
 * `JSON.stringify` throws a RangeError at several thousand levels. Some messages are serialized in code that can't
 * report this error to the client.
 */
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
