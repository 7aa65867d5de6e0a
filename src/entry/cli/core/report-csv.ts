/**
 * Formats an `inspect` report as CSV (RFC 4180). The header contains the same column names as the JSON output. The
 * reports are meant for spreadsheet programs and contain other users' SQL and names, so formulas are neutralized.
 */

import { guardedCell } from '../../../base/shared/csv.ts';
import type { Report } from '../../../platform/database/index.ts';

/**
 * Returns the report as CSV.
 *
 * @example reportCsv({ name: 'sizes', columns, rows: [{ table: 'a,b' }] }); // 'table\r\n"a,b"\r\n'
 */
export function reportCsv({ columns, rows }: Report): string {
  const fields = columns.map(({ field }) => field);
  const lines = [fields, ...rows.map((row) => fields.map((field) => row[field]))];
  return lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: string | number | boolean | null | undefined): string {
  const text =
    cell === null || cell === undefined
      ? ''
      : typeof cell === 'string'
        ? (guardedCell(cell) ?? '')
        : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
