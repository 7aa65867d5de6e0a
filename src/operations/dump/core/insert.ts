import { readCopiedRow } from '../../../platform/database/index.ts';
import { literal } from './text.ts';

/**
 * Converts a line in COPY's text format to an INSERT statement. The server converts the literals to the column types.
 */
export function insertText(prefix: string, columns: readonly string[], line: string): string {
  if (columns.length === 0) return `${prefix}DEFAULT VALUES;\n`;
  const values = readCopiedRow(line).map((cell) => (cell === null ? 'NULL' : literal(cell)));
  return `${prefix}VALUES (${values.join(', ')});\n`;
}
