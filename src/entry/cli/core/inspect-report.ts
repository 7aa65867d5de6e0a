/** Formats an `inspect` report as a table for a terminal and as CSV (RFC 4180) for spreadsheet programs. */
import { guardedCell } from '../../../base/shared/csv.ts';
import { oneLine } from '../../../base/shared/printable.ts';
import type { Cell, CellKind, Column, Report } from '../../../platform/database/index.ts';
import { columns } from '../output.ts';

const binaryUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < binaryUnits.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${binaryUnits[unit]}`;
}

function durationText(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = seconds / 60;
  return minutes < 60 ? `${minutes.toFixed(1)} min` : `${(minutes / 60).toFixed(1)} h`;
}

const numberText: Readonly<Record<Exclude<CellKind, 'text'>, (value: number) => string>> = {
  count: (value) => Math.round(value).toLocaleString('en-US'),
  bytes: bytesText,
  ms: durationText,
  share: (value) => `${(value * 100).toFixed(1)}%`,
};

function cellText(cell: Cell | undefined, kind: CellKind, maxChars: number): string {
  if (cell === null || cell === undefined) return '';
  if (kind !== 'text' && typeof cell === 'number') return numberText[kind](cell);
  const text = cell === true ? 'yes' : cell === false ? 'no' : oneLine(String(cell));
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}

const isNumber = ({ kind }: Column): boolean => kind !== 'text';

/** Right-aligns numbers and truncates text to `maxChars` characters. */
export function reportTable({ columns: shown, rows }: Report, maxChars = 80): string {
  const cells = rows.map((row) => shown.map(({ field, kind }) => cellText(row[field], kind, maxChars)));
  const table = [shown.map(({ label }) => label), ...cells];
  const widths = shown.map((_column, index) => Math.max(...table.map((line) => (line[index] ?? '').length)));
  return columns(
    table.map((line) =>
      line.map((text, index) =>
        isNumber(shown[index] as Column) ? text.padStart(widths[index] ?? 0) : text,
      ),
    ),
  );
}

/**
 * Returns the report as CSV.
 *
 * @example reportCsv({ name: 'sizes', columns, rows: [{ table: 'a,b' }] }); // 'table\r\n"a,b"\r\n'
 */
export function reportCsv({ columns, rows }: Report): string {
  const fields = columns.map(({ field }) => field);
  const lines = [fields, ...rows.map((row) => fields.map((field) => row[field]))];
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(cell: string | number | boolean | null | undefined): string {
  const text =
    cell === null || cell === undefined
      ? ''
      : typeof cell === 'string'
        ? (guardedCell(cell) ?? '')
        : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
