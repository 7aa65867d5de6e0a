/**
 * Where the parts of a JSON text stand, so that a part can be passed on as it was spelled. The text has been through
 * `JSON.parse` already: only strings and nesting are looked at.
 */

/** The texts of an array's elements. */
export function rawElements(text: string): string[] {
  return split(text);
}

/** The texts of an object's members by name; of equal names the last, as `JSON.parse` does. */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  for (const part of split(text)) {
    const colon = endOfString(part, part.indexOf('"'));
    const name: string = JSON.parse(part.slice(0, colon));
    members.set(name, part.slice(part.indexOf(':', colon) + 1).trim());
  }
  return members;
}

/** The top-level parts between the outermost brackets. */
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

/** The index after the closing quote of the string that opens at `at`. */
function endOfString(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index + 1;
  }
  return text.length;
}
