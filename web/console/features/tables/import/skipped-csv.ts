/**
 * Writes a CSV file of the rows that an import skipped. Once the operator has corrected the rows, the file can be
 * imported.
 */
import type { Report } from './use-import-run.ts';

export function skippedCsv(skipped: Report['skipped']): string {
  const names = [...new Set(skipped.flatMap(({ values }) => Object.keys(values)))];
  const [line, reason] = [freeName('import_line', names), freeName('import_error', names)];
  const lines = skipped.map((row) => [...names.map((name) => row.values[name]), row.line, row.reason]);
  return [[...names, line, reason], ...lines].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}_`, taken) : name;
}

/** Formats a cell. As in an exported file, NULL is an empty field and an empty string is a quoted field. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
