/**
 * Formats listings, which consist of lines (list v1) or pages (list v2). Rows contain an optional key, then the columns
 * name, id, updated_at, created_at, last_accessed_at and metadata. Responses contain these columns in the same order.
 */
import type { RawRow } from '../../../platform/database/types.ts';
import { ByteWriter } from './byte-writer.ts';
import { encodeCursor, type SortColumn, type SortOrder } from './cursor.ts';
import { isoTimestamp } from './timestamps.ts';

/**
 * Normalizes the prefix of a list v1 request so that it ends with a slash. An empty prefix denotes the bucket's root.
 */
export function folderPrefix(prefix: string): string {
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
}

/** Writes the response body of list v1. {@link ByteWriter} describes `takeChunk`. */
export class LinesWriter {
  readonly #out: ByteWriter;
  #separator = '[';

  constructor(takeChunk: () => Buffer) {
    this.#out = new ByteWriter(takeChunk);
  }

  add(row: RawRow): void {
    this.#out.ascii(this.#separator);
    this.#separator = ',';
    writeLine(this.#out, row, false);
  }

  end(): Buffer[] {
    this.#out.ascii(this.#separator === '[' ? '[]' : ']');
    return this.#out.end();
  }
}

export interface PageOptions {
  readonly limit: number;
  readonly column: SortColumn | undefined;
  readonly order: SortOrder | undefined;
  /** Whether the rows begin with the key column. */
  readonly hasKeys: boolean;
}

/**
 * Writes the response body of list v2. The writer accepts one more line than `limit`. If the additional line exists,
 * there is a next page.
 */
export class PageWriter {
  readonly #options: PageOptions;
  readonly #folders: ByteWriter;
  readonly #objects: ByteWriter;
  #lines = 0;
  #folderCount = 0;
  #next: { readonly nextCursor: string; readonly nextCursorKey: string } | undefined;

  constructor(options: PageOptions, takeChunk: () => Buffer) {
    this.#options = options;
    this.#folders = new ByteWriter(takeChunk);
    this.#objects = new ByteWriter(takeChunk);
  }

  add(row: RawRow): void {
    const { limit, hasKeys } = this.#options;
    this.#lines += 1;
    if (this.#lines > limit) return;
    const isFolder = row.start(hasKeys ? 2 : 1) < 0;
    const out = isFolder ? this.#folders : this.#objects;
    const before = isFolder ? this.#folderCount : this.#lines - 1 - this.#folderCount;
    if (before > 0) out.ascii(',');
    writeLine(out, row, hasKeys, isFolder ? '/' : '');
    if (isFolder) this.#folderCount += 1;
    if (this.#lines === limit) this.#next = this.#cursorBehind(row, isFolder);
  }

  end(): Buffer[] {
    const hasNext = this.#lines > this.#options.limit;
    const head = JSON.stringify({ hasNext, ...(hasNext ? this.#next : {}) }).slice(0, -1);
    return [
      Buffer.from(`${head},"folders":[`),
      ...this.#folders.end(),
      Buffer.from('],"objects":['),
      ...this.#objects.end(),
      Buffer.from(']}'),
    ];
  }

  #cursorBehind(row: RawRow, isFolder: boolean): { nextCursor: string; nextCursorKey: string } {
    const { column, order, hasKeys } = this.#options;
    const first = hasKeys ? 1 : 0;
    const name = row.text(first) ?? '';
    const moments = { updated_at: first + 2, created_at: first + 3 };
    const moment =
      column === 'updated_at' || column === 'created_at'
        ? isoTimestamp(row.text(moments[column]))
        : undefined;
    return {
      nextCursor: encodeCursor({
        // The slash distinguishes a folder from an object with the same name, and lets the next page skip the folder's
        // contents.
        startAfter: isFolder ? `${name}/` : name,
        order,
        column,
        columnAfter: moment ?? undefined,
      }),
      nextCursorKey: name,
    };
  }
}

/** The text that is written before a cell, and the text for a null cell. */
interface Label {
  readonly open: string;
  readonly nothing: string;
}

const label = (name: string): Label => ({ open: `,"${name}":"`, nothing: `,"${name}":null` });
const idLabel = label('id');
const momentLabels = [label('updated_at'), label('created_at'), label('last_accessed_at')];

/** Writes a line. `suffix` is appended to the name, because folders in list v2 end with a slash. */
function writeLine(out: ByteWriter, row: RawRow, hasKey: boolean, suffix = ''): void {
  const { buffer } = row;
  let column = 0;
  if (hasKey) {
    out.ascii('{"key":"');
    out.escaped(buffer, row.start(column), row.end(column));
    out.ascii('","name":"');
    column += 1;
  } else {
    out.ascii('{"name":"');
  }
  out.escaped(buffer, row.start(column), row.end(column));
  if (suffix !== '') out.ascii(suffix);
  out.ascii('"');
  column += 1;
  // A UUID never requires JSON escapes.
  if (opened(out, idLabel, row, column)) {
    out.copy(buffer, row.start(column), row.end(column));
    out.ascii('"');
  }
  for (const moment of momentLabels) {
    column += 1;
    if (!opened(out, moment, row, column)) continue;
    out.timestamp(buffer, row.start(column), row.end(column));
    out.ascii('"');
  }
  column += 1;
  // PostgreSQL returns this value as JSON, which is copied unchanged.
  out.ascii(row.start(column) < 0 ? ',"metadata":null' : ',"metadata":');
  out.copy(buffer, row.start(column), row.end(column));
  out.ascii('}');
}

function opened(out: ByteWriter, { open, nothing }: Label, row: RawRow, column: number): boolean {
  const isThere = row.start(column) >= 0;
  out.ascii(isThere ? open : nothing);
  return isThere;
}
