/** Writes a report of `inspect` as CSV (RFC 4180), with the names of the columns in JSON output as its header. */
import type { Report } from '../../database/index.ts';

/** @example reportCsv({ name: 'sizes', columns, rows: [{ table: 'a,b' }] }); // 'table\r\n"a,b"\r\n' */
export function reportCsv({ columns, rows }: Report): string {
  const fields = columns.map(({ field }) => field);
  const lines = [fields, ...rows.map((row) => fields.map((field) => row[field]))];
  return lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: string | number | boolean | null | undefined): string {
  const text = cell === null || cell === undefined ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
