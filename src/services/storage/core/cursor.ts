/**
 * Encodes and decodes the cursors of list v2 (pages of objects). A cursor is the base64 encoding of the lines `l:`
 * (last name), `o:` (order), `c:` (column), and `a:` (value of the column, an ISO date). The format is the same as
 * upstream's, so cursors from the hosted service are valid too.
 */

export type SortColumn = 'name' | 'created_at' | 'updated_at';
export type SortOrder = 'asc' | 'desc';

export interface ListCursor {
  /** The name of the last entry on the previous page. The name of a folder ends with a slash. */
  readonly startAfter: string;
  readonly order?: SortOrder;
  readonly column?: SortColumn;
  readonly columnAfter?: string;
}

const columns: readonly string[] = ['name', 'created_at', 'updated_at'] satisfies SortColumn[];

export function encodeCursor(cursor: ListCursor): string {
  const lines = [`l:${cursor.startAfter}`];
  if (cursor.order) lines.push(`o:${cursor.order}`);
  if (cursor.column) lines.push(`c:${cursor.column}`);
  if (cursor.columnAfter) lines.push(`a:${cursor.columnAfter}`);
  return Buffer.from(lines.join('\n')).toString('base64');
}

/** Parses a cursor. Returns undefined if a line, the order, the column or the date is invalid. */
export function decodeCursor(text: string): ListCursor | undefined {
  let startAfter = '';
  let order: SortOrder = 'asc';
  let column: SortColumn | undefined;
  let columnAfter: string | undefined;
  for (const line of Buffer.from(text, 'base64').toString('utf8').split('\n')) {
    const value = line.slice(2);
    if (line.startsWith('l:')) startAfter = value;
    else if (line.startsWith('o:') && (value === 'asc' || value === 'desc')) order = value;
    else if (line.startsWith('c:') && columns.includes(value)) column = value as SortColumn;
    else if (line.startsWith('a:') && isIsoDate(value)) columnAfter = value;
    else return undefined;
  }
  if (startAfter.includes('\0')) return undefined;
  return { startAfter, order, column, columnAfter };
}

function isIsoDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
