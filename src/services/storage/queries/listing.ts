/**
 * Builds the statements for listings, which SQL functions implement (`sql/0002_functions.sql`). The results of list v1
 * and v2 are read as bytes, with the columns in the order of `core/listing.ts`.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { SortColumn, SortOrder } from '../core/cursor.ts';
import { isoTimestamp } from '../core/timestamps.ts';
import type { StatementRunner } from './statement-runner.ts';

/** A line of a listing. The ID is null if the line represents a folder. */
export interface ListedLine {
  readonly name: string;
  readonly id: string | null;
  readonly updated_at: string | null;
  readonly created_at: string | null;
  readonly last_accessed_at: string | null;
  readonly metadata: unknown;
}

/** Runs a listing statement and returns its lines as objects with ISO timestamps. */
export async function readLines(db: StatementRunner, statement: Sql): Promise<ListedLine[]> {
  const rows = await db.query<ListedLine>(statement);
  return rows.map((row) => ({
    ...row,
    updated_at: isoTimestamp(row.updated_at),
    created_at: isoTimestamp(row.created_at),
    last_accessed_at: isoTimestamp(row.last_accessed_at),
  }));
}

export interface SearchOptions {
  readonly prefix: string;
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
  readonly column: SortColumn | 'last_accessed_at';
  readonly order: SortOrder;
}

export function searchObjects(bucketId: string, options: SearchOptions): Sql {
  return sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata
    from storage.search(${options.prefix}, ${bucketId}, ${options.limit}, 1, ${options.offset}, ${options.search},
      ${options.column}, ${options.order})`;
}

export interface PageOptions {
  readonly prefix: string;
  readonly limit: number;
  /** The name after which the page starts. Empty on the first page. */
  readonly startAfter: string;
  readonly column: SortColumn;
  readonly order: SortOrder;
  readonly columnAfter: string | undefined;
}

/** Selects a page of keys below a prefix. Deeper keys are grouped into folders. */
export function listFolder(bucketId: string, page: PageOptions): Sql {
  const levels = page.prefix === '' ? 1 : page.prefix.split('/').length;
  return sql`
    select key, name, id, updated_at, created_at, last_accessed_at, metadata
    from storage.search_v2(${page.prefix}, ${bucketId}, ${page.limit}, ${levels}, ${page.startAfter}, ${page.order},
      ${page.column}, ${page.columnAfter ?? ''})`;
}

/**
 * Selects a page of keys below a prefix, according to S3's rules. Keys that contain the delimiter after the prefix are
 * grouped into folders. The page starts after `startAfter` in byte order. A folder is included if one of its keys comes
 * after `startAfter`, unless `startAfter` ends with the delimiter and therefore denotes the folder itself.
 */
export function listByDelimiter(
  bucketId: string,
  delimiter: string,
  page: Pick<PageOptions, 'prefix' | 'limit' | 'startAfter'>,
): Sql {
  const { startAfter } = page;
  // The SQL function treats `startAfter` as a folder if no object has this key. A character that keys can't contain is
  // appended to `startAfter` to prevent this.
  const behind = startAfter === '' || startAfter.endsWith(delimiter) ? startAfter : `${startAfter}\x01`;
  return sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata
    from storage.list_objects_with_delimiter(${bucketId}, ${page.prefix}, ${delimiter}, ${page.limit}, ${behind})`;
}

/**
 * Selects a page of all keys with a prefix. Dates are compared in whole milliseconds, which is the precision of the
 * cursors.
 */
export function listKeys(bucketId: string, page: PageOptions): Sql {
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
  return sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata
    from storage.objects
    where bucket_id = ${bucketId}
      and name collate "C" >= ${page.prefix} and name collate "C" < ${`${page.prefix}\u{10ffff}`}
      ${after}
    order by ${order}
    limit ${page.limit}`;
}
