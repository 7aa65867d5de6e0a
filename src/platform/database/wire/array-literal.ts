/** Reads and writes the text format of PostgreSQL's arrays (documentation, section 8.15.6). */

/** Writes an array. Writes null elements as `NULL`, arrays as nested arrays, and all other elements in quotes. */
export function writeArray<T>(items: readonly T[], writeItem: (item: T) => string | null): string {
  let text = '{';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    const item = items[index] as T;
    if (Array.isArray(item)) {
      text += writeArray(item as unknown as T[], writeItem);
      continue;
    }
    const written = writeItem(item);
    text += written === null ? 'NULL' : `"${written.replace(/["\\]/g, '\\$&')}"`;
  }
  return `${text}}`;
}

/**
 * Reads an array in the server's output format, with or without bounds, such as `{1,2}`, `{"a b",NULL,{x}}` or
 * `[0:1]={1,2}`.
 */
export function readArray<T>(text: string, readItem: (text: string) => T): unknown[] {
  const root: unknown[] = [];
  let open: unknown[] = root;
  const outer: unknown[][] = [];
  let offset = text.indexOf('{');
  if (offset < 0) throw new SyntaxError(`This text isn't an array literal: ${text}`);
  while (offset < text.length) {
    const character = text[offset];
    if (character === '{') {
      const inner: unknown[] = [];
      outer.push(open);
      open.push(inner);
      open = inner;
      offset++;
    } else if (character === '}') {
      open = outer.pop() ?? root;
      offset++;
    } else if (character === ',') {
      offset++;
    } else if (character === '"') {
      let value = '';
      let end = offset + 1;
      for (; end < text.length && text[end] !== '"'; end++) {
        if (text[end] === '\\') end++;
        value += text[end];
      }
      open.push(readItem(value));
      offset = end + 1;
    } else {
      let end = offset;
      while (end < text.length && text[end] !== ',' && text[end] !== '}') end++;
      const value = text.slice(offset, end);
      open.push(value === 'NULL' ? null : readItem(value));
      offset = end;
    }
  }
  return root[0] as unknown[];
}
