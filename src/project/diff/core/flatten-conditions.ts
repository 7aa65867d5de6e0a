/**
 * PostgreSQL prints `x BETWEEN 1 AND 2 AND y` as `((x >= 1) AND (x <= 2)) AND y`. After PostgreSQL has parsed and
 * printed that text again, all three conditions are in one list, so the same expression has two representations.
 */
interface Group {
  readonly open: number;
  operator?: string;
  /** The parenthesized group before the first operator. */
  first?: { readonly open: number; readonly close: number; readonly operator: string | undefined };
}

const token = /E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|\b(?:AND|OR)\b/gs;

/**
 * Removes the parentheses around the first conditions of a list if the same operator joins these conditions and the
 * list.
 */
export function flattenConditions(text: string): string {
  if (!text.includes('((')) return text;
  const removed = new Set<number>();
  const open: Group[] = [];
  for (const { index, 0: word } of text.matchAll(token)) {
    const group = open.at(-1);
    if (word === '(') open.push({ open: index });
    else if (word === 'AND' || word === 'OR') {
      if (group === undefined || group.operator !== undefined) continue;
      group.operator = word;
      if (group.first !== undefined && text.slice(group.first.close + 1, index) !== ' ') delete group.first;
    } else if (word === ')' && group !== undefined) {
      open.pop();
      const { first, operator } = group;
      if (first !== undefined && operator !== undefined && first.operator === operator)
        for (const position of [first.open, first.close]) removed.add(position);
      const parent = open.at(-1);
      if (parent !== undefined && parent.open + 1 === group.open)
        parent.first = { open: group.open, close: index, operator };
    }
  }
  return removed.size === 0
    ? text
    : text
        .split('')
        .filter((_, index) => !removed.has(index))
        .join('');
}
