/** Statements of the two listings; the walking is done in SQL (`sql/0003_listing.sql`). */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { SortColumn, SortOrder } from '../core/cursor.ts';
import { isoTimestamp } from '../core/timestamps.ts';

/** One line of a listing; a folder has a null id. */
export interface ListedLine {
  readonly key?: string;
  readonly name: string;
  readonly id: string | null;
  readonly updated_at: string | null;
  readonly created_at: string | null;
  readonly last_accessed_at: string | null;
  /** JSON as PostgreSQL writes it: most answers pass it on without looking in. */
  readonly metadata: string | null;
}

export interface SearchOptions {
  readonly prefix: string;
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
  readonly column: SortColumn | 'last_accessed_at';
  readonly order: SortOrder;
}

export async function searchObjects(
  db: Queryable,
  bucketId: string,
  options: SearchOptions,
): Promise<ListedLine[]> {
  const rows = await db.query<ListedLine>(sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata::text as metadata
    from storage.search(${options.prefix}, ${bucketId}, ${options.limit}, 1, ${options.offset}, ${options.search},
      ${options.column}, ${options.order})`);
  return rows.map(withIsoDates);
}

export interface PageOptions {
  readonly prefix: string;
  readonly limit: number;
  /** Empty at the first page. */
  readonly startAfter: string;
  readonly column: SortColumn;
  readonly order: SortOrder;
  readonly columnAfter: string | undefined;
}

/** A page below a prefix, deeper keys gathered into folders. */
export async function listFolder(db: Queryable, bucketId: string, page: PageOptions): Promise<ListedLine[]> {
  const levels = page.prefix === '' ? 1 : page.prefix.split('/').length;
  const rows = await db.query<ListedLine>(sql`
    select key, name, id, updated_at, created_at, last_accessed_at, metadata::text as metadata
    from storage.search_v2(${page.prefix}, ${bucketId}, ${page.limit}, ${levels}, ${page.startAfter}, ${page.order},
      ${page.column}, ${page.columnAfter ?? ''})`);
  return rows.map(withIsoDates);
}

/**
 * A page below a prefix as S3 has it: deeper keys gathered by any delimiter, behind `startAfter` in the order of bytes.
 * A folder is behind `startAfter` when one of its keys is, unless `startAfter` ends with the delimiter and so names it.
 */
export async function listByDelimiter(
  db: Queryable,
  bucketId: string,
  delimiter: string,
  page: Pick<PageOptions, 'prefix' | 'limit' | 'startAfter'>,
): Promise<ListedLine[]> {
  const { startAfter } = page;
  // The function takes a key that no object has for the folder of that name; no key can have this character.
  const behind = startAfter === '' || startAfter.endsWith(delimiter) ? startAfter : `${startAfter}\x01`;
  const rows = await db.query<ListedLine>(sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata::text as metadata
    from storage.list_objects_with_delimiter(${bucketId}, ${page.prefix}, ${delimiter}, ${page.limit}, ${behind})`);
  return rows.map(withIsoDates);
}

/** A page of all keys with a prefix. Cursors count whole milliseconds, so the order does too. */
export async function listKeys(db: Queryable, bucketId: string, page: PageOptions): Promise<ListedLine[]> {
  const direction = page.order === 'desc' ? sql`desc` : sql`asc`;
  const beyond = page.order === 'desc' ? sql`<` : sql`>`;
  const moment = page.column === 'name' ? undefined : sql`date_trunc('milliseconds', ${sql.id(page.column)})`;
  const order = moment
    ? sql`${moment} ${direction}, name collate "C" ${direction}`
    : sql`name collate "C" ${direction}`;
  const after =
    page.startAfter === ''
      ? sql.empty
      : moment
        ? sql`and (${moment}, name collate "C") ${beyond} (${page.columnAfter ?? 'epoch'}::timestamptz, ${page.startAfter})`
        : sql`and name collate "C" ${beyond} ${page.startAfter}`;
  const rows = await db.query<ListedLine>(sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata::text as metadata
    from storage.objects
    where bucket_id = ${bucketId}
      and name collate "C" >= ${page.prefix} and name collate "C" < ${`${page.prefix}\u{10ffff}`}
      ${after}
    order by ${order}
    limit ${page.limit}`);
  return rows.map(withIsoDates);
}

function withIsoDates(row: ListedLine): ListedLine {
  return {
    ...row,
    updated_at: isoTimestamp(row.updated_at),
    created_at: isoTimestamp(row.created_at),
    last_accessed_at: isoTimestamp(row.last_accessed_at),
  };
}
