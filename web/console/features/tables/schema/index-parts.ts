import type { IndexPart } from './api.ts';

/**
 * Parses one line of the form: a column, or an expression in parentheses. `desc` at the end reverses the order.
 * @example
 * indexPartOf('(lower(title)) desc'); // { expression: 'lower(title)', descending: true }
 */
export function indexPartOf(line: string): IndexPart {
  const turned = /\s+(asc|desc)$/i.exec(line);
  const subject = turned === null ? line : line.slice(0, turned.index).trim();
  const descending = turned?.[1]?.toLowerCase() === 'desc' ? { descending: true } : {};
  return subject.startsWith('(') && subject.endsWith(')')
    ? { expression: subject.slice(1, -1), ...descending }
    : { column: subject.replaceAll(/^"|"$/g, ''), ...descending };
}
