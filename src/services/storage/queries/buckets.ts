/** Runs the statements on storage.buckets, as the transaction's role. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { escapeLike } from '../../../base/shared/sql/escape-like.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { isoTimestamp } from '../core/timestamps.ts';
import type { StatementRunner } from './statement-runner.ts';

export interface BucketLimits {
  readonly id: string;
  readonly fileSizeLimit: number | null;
  readonly allowedMimeTypes: readonly string[];
}

/**
 * A bucket in the format that clients receive. As in upstream, `owner` is an empty string if the bucket doesn't have an
 * owner.
 */
export interface BucketView {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly public: boolean;
  readonly type?: string;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: readonly string[] | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

interface BucketRow {
  readonly id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly public: boolean;
  readonly type: string;
  readonly file_size_limit: number | string | null;
  readonly allowed_mime_types: string[] | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface NewBucket {
  readonly id: string;
  readonly name: string;
  readonly public: boolean;
  readonly fileSizeLimit?: number | null;
  readonly allowedMimeTypes?: readonly string[] | null;
  readonly owner: string | null;
  readonly ownerId: string | null;
}

export interface BucketChanges {
  readonly public?: boolean;
  readonly fileSizeLimit?: number | null;
  readonly allowedMimeTypes?: readonly string[] | null;
}

export interface BucketListOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly sortColumn?: 'id' | 'name' | 'created_at' | 'updated_at';
  readonly sortOrder?: 'asc' | 'desc';
  readonly search?: string;
  /** Whether the response includes the field `type`, which some clients can't handle. */
  readonly withType: boolean;
}

const viewColumns = sql`id, name, owner, public, type, file_size_limit, allowed_mime_types, created_at, updated_at`;

export async function insertBucket(db: Queryable, bucket: NewBucket): Promise<void> {
  await db.query(sql`
    insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
    values (${bucket.id}, ${bucket.name}, ${bucket.owner}, ${bucket.ownerId}, ${bucket.public},
      ${bucket.fileSizeLimit}, ${bucket.allowedMimeTypes})`);
}

export async function listBuckets(db: Queryable, options: BucketListOptions): Promise<BucketView[]> {
  const where = options.search ? sql`where name ilike ${`%${escapeLike(options.search)}%`}` : sql.empty;
  const direction = options.sortOrder === 'desc' ? sql`desc` : sql`asc`;
  const order = options.sortColumn ? sql`order by ${sql.id(options.sortColumn)} ${direction}` : sql.empty;
  const limit = options.limit === undefined ? sql.empty : sql`limit ${options.limit}`;
  const offset = options.offset === undefined ? sql.empty : sql`offset ${options.offset}`;
  const rows = await db.query<BucketRow>(
    sql`select ${viewColumns} from storage.buckets ${where} ${order} ${limit} ${offset}`,
  );
  return rows.map((row) => viewOf(row, options.withType));
}

export async function findBucket(db: Queryable, id: string): Promise<BucketView | undefined> {
  const [row] = await db.query<BucketRow>(sql`select ${viewColumns} from storage.buckets where id = ${id}`);
  return row && viewOf(row, false);
}

export async function findBucketLimits(db: StatementRunner, id: string): Promise<BucketLimits | undefined> {
  return readBucketLimits(await db.query(bucketLimitsById(id)));
}

/** Returns the statement of {@link findBucketLimits}. */
export const bucketLimitsById = (id: string): Sql =>
  sql`select id, file_size_limit, allowed_mime_types from storage.buckets where id = ${id}`;

/** Reads the row of {@link bucketLimitsById}. */
export function readBucketLimits(rows: readonly object[]): BucketLimits | undefined {
  const [row] = rows as Pick<BucketRow, 'id' | 'file_size_limit' | 'allowed_mime_types'>[];
  return (
    row && {
      id: row.id,
      fileSizeLimit: row.file_size_limit === null ? null : Number(row.file_size_limit),
      allowedMimeTypes: row.allowed_mime_types ?? [],
    }
  );
}

/** Whether any buckets exist. Throws if the tables can't be read. */
export async function hasBuckets(db: Queryable): Promise<boolean> {
  return (await db.query(sql`select from storage.buckets limit 1`)).length > 0;
}

/** Updates a bucket. Returns false if the bucket doesn't exist or the caller's policies don't allow the update. */
export async function updateBucket(db: Queryable, id: string, changes: BucketChanges): Promise<boolean> {
  const assignments: Sql[] = [];
  if (changes.public !== undefined) assignments.push(sql`public = ${changes.public}`);
  if (changes.fileSizeLimit !== undefined) assignments.push(sql`file_size_limit = ${changes.fileSizeLimit}`);
  if (changes.allowedMimeTypes !== undefined)
    assignments.push(sql`allowed_mime_types = ${changes.allowedMimeTypes}`);
  const rows = await db.query(
    sql`update storage.buckets set ${sql.join(assignments)} where id = ${id} returning id`,
  );
  return rows.length > 0;
}

export async function deleteBucket(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from storage.buckets where id = ${id} returning id`);
  return rows.length > 0;
}

/** Counts the objects of a bucket, up to `limit`. Returns undefined if the bucket doesn't exist. */
export async function countObjects(
  db: Queryable,
  bucketId: string,
  limit: number,
): Promise<number | undefined> {
  const [row] = await db.query<{ count: number | string }>(sql`
    select (select count(*) from (select from storage.objects where bucket_id = b.id limit ${limit}) o) as count
    from storage.buckets b where b.id = ${bucketId}`);
  return row && Number(row.count);
}

function viewOf(row: BucketRow, withType: boolean): BucketView {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner ?? '',
    public: row.public,
    ...(withType ? { type: row.type } : {}),
    file_size_limit: row.file_size_limit === null ? null : Number(row.file_size_limit),
    allowed_mime_types: row.allowed_mime_types,
    created_at: isoTimestamp(row.created_at),
    updated_at: isoTimestamp(row.updated_at),
  };
}
