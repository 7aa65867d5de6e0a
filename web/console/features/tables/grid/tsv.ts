/**
 * Formats and parses tab-separated text, as spreadsheets copy and paste it. NULL is an empty cell and an empty string
 * is a quoted cell, so both are preserved when text is copied and pasted. Cells that begin like a formula are copied
 * unchanged, because an added apostrophe would be pasted as part of the value.
 */
import type { Cell } from '../../../api/types.ts';

export function printTsv(rows: readonly (readonly Cell[])[]): string {
  const text = rows.map((cells) => cells.map(printCell).join('\t')).join('\n');
  // A single NULL is copied as an empty line, because empty text would be the same as a clipboard without text.
  return text === '' ? '\n' : text;
}

function printCell(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || /["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Parses text. A quote has a special meaning only at the beginning of a cell, and a line break at the end doesn't start
 * a row.
 */
export function parseTsv(text: string): Cell[][] {
  const rows: Cell[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    const { cell, end } = readCell(text, at);
    rows.at(-1)?.push(cell);
    const separator = text[end];
    if (separator === undefined) break;
    at = end + 1;
    if (separator === '\t') continue;
    if (separator === '\r' && text[at] === '\n') at++;
    if (at >= text.length) break;
    rows.push([]);
  }
  return rows;
}

function readCell(text: string, start: number): { cell: Cell; end: number } {
  if (text[start] === '"') {
    const quoted = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y;
    quoted.lastIndex = start;
    const match = quoted.exec(text);
    if (match !== null) return { cell: (match[1] ?? '').replaceAll('""', '"'), end: quoted.lastIndex };
  }
  const plain = /[^\t\r\n]*/y;
  plain.lastIndex = start;
  const [cell = ''] = plain.exec(text) ?? [];
  return { cell: cell === '' ? null : cell, end: plain.lastIndex };
}
