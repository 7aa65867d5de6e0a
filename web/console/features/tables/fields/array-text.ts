/** Parses and prints array literals in PostgreSQL's text format (manual, 8.15.6). */
import type { Cell } from '../../../api/types.ts';

/**
 * Parses a one-dimensional array. Returns undefined if the text is invalid, has several dimensions or doesn't start at
 * index 1.
 */
export function parseArray(text: string): readonly Cell[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || trimmed.length < 2) return undefined;
  const body = trimmed.slice(1, -1);
  if (body.trim() === '') return [];
  const items: Cell[] = [];
  // Matches a quoted or plain element and the comma or end that follows it.
  const element = /\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^,"{}]*?))\s*(,|$)/y;
  for (;;) {
    const found = element.exec(body);
    if (found === null) return undefined;
    const [, quoted, plain = '', end] = found;
    if (quoted === undefined && plain === '') return undefined;
    items.push(itemOf(quoted, plain));
    if (end === '') return items;
  }
}

function itemOf(quoted: string | undefined, plain: string): Cell {
  if (quoted !== undefined) return quoted.replaceAll(/\\([\s\S])/g, '$1');
  return /^null$/i.test(plain) ? null : plain.replaceAll(/\\([\s\S])/g, '$1');
}

const needsQuotes = /^$|^null$|[\s{}",\\]/i;

export const printArray = (items: readonly Cell[]): string =>
  `{${items
    .map((item) =>
      item === null
        ? 'NULL'
        : needsQuotes.test(item)
          ? `"${item.replaceAll(/[\\"]/g, String.raw`\$&`)}"`
          : item,
    )
    .join(',')}}`;
