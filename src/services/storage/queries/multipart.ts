/** Runs the statements on storage.s3_multipart_uploads and the parts of multipart uploads. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Part } from '../backend/types.ts';
import { isoTimestamp } from '../core/timestamps.ts';

export interface MultipartUpload {
  readonly id: string;
  readonly bucketId: string;
  readonly key: string;
  /** The upload's version in the backend. */
  readonly version: string;
  readonly metadata: Record<string, unknown> | null;
  readonly userMetadata: Record<string, unknown> | null;
  /** The algorithm and type of the object's checksum. Upstream's table doesn't have columns for these values. */
  readonly checksum?: { readonly algorithm: string; readonly type: string } | undefined;
}

export interface UploadedPart extends Part {
  readonly number: number;
  /** The time at which the upload was created, as an ISO date. */
  readonly createdAt: string | null;
}

/** An upload, or a common prefix of several uploads' keys. For a common prefix, `id` is null. */
export interface UploadLine {
  readonly key: string;
  readonly id: string | null;
  readonly createdAt: string | null;
}

interface UploadRow {
  readonly id: string;
  readonly bucket_id: string;
  readonly key: string;
  readonly version: string;
  readonly metadata: Record<string, unknown> | null;
  readonly user_metadata: Record<string, unknown> | null;
}

interface PartRow {
  readonly id: string;
  readonly part_number: number;
  readonly size: number | string;
  readonly etag: string;
  readonly created_at: string | null;
}

/**
 * Inserts an upload. Upstream stores a signature of `in_progress_size` in `upload_signature`. Plinth adds up the part
 * sizes instead.
 */
export async function insertUpload(
  db: Queryable,
  upload: MultipartUpload & { readonly ownerId: string | null },
): Promise<void> {
  await db.query(sql`
    insert into storage.s3_multipart_uploads
      (id, upload_signature, bucket_id, key, version, owner_id, metadata, user_metadata)
    values (${upload.id}, '', ${upload.bucketId}, ${upload.key}, ${upload.version}, ${upload.ownerId},
      ${{ ...upload.metadata, checksum: upload.checksum }}, ${upload.userMetadata})`);
}

export async function findUpload(
  db: Queryable,
  id: string,
  bucketId: string,
  key: string,
): Promise<MultipartUpload | undefined> {
  const [row] = await db.query<UploadRow>(sql`
    select id, bucket_id, key, version, metadata, user_metadata from storage.s3_multipart_uploads
    where id = ${id} and bucket_id = ${bucketId} and key = ${key}`);
  return row && uploadOf(row);
}

/** Locks the upload until the end of the transaction. Returns false if the upload no longer exists. */
export async function lockUpload(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`select id from storage.s3_multipart_uploads where id = ${id} for update`);
  return rows.length > 0;
}

/** Deletes the upload and the rows of its parts. Returns false if the upload no longer exists. */
export async function deleteUpload(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from storage.s3_multipart_uploads where id = ${id} returning id`);
  return rows.length > 0;
}

/**
 * Returns a condition for uploads that haven't received a part since `before`. Uploads that the hosted service's server
 * signed are excluded, because that server expires its own uploads.
 */
const idleSince = (before: Date): Sql => sql`
  u.upload_signature = '' and u.created_at < ${before} and not exists (
    select from storage.s3_multipart_uploads_parts p where p.upload_id = u.id and p.created_at >= ${before})`;

/**
 * Returns the IDs of uploads that have been idle since `before`, in order. Returns at most `limit` IDs that follow
 * `afterId`.
 */
export async function listIdleUploads(
  db: Queryable,
  before: Date,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select u.id from storage.s3_multipart_uploads u
    where u.id collate "C" > ${afterId} and ${idleSince(before)}
    order by u.id collate "C" limit ${limit}`);
  return rows.map(({ id }) => id);
}

/**
 * Deletes an upload that is still idle, and returns its version. Returns undefined if the upload isn't idle or no
 * longer exists.
 */
export async function deleteIdleUpload(db: Queryable, id: string, before: Date): Promise<string | undefined> {
  const [row] = await db.query<{ version: string }>(sql`
    delete from storage.s3_multipart_uploads u where u.id = ${id} and ${idleSince(before)} returning u.version`);
  return row?.version;
}

/** Returns the upload's parts with a number above `afterNumber`, in order. Returns up to `limit` parts. */
export async function findParts(
  db: Queryable,
  uploadId: string,
  afterNumber: number,
  limit: number,
): Promise<UploadedPart[]> {
  const rows = await db.query<PartRow>(sql`
    select id, part_number, size, etag, created_at from storage.s3_multipart_uploads_parts
    where upload_id = ${uploadId} and part_number > ${afterNumber}
    order by part_number limit ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    number: row.part_number,
    sizeBytes: Number(row.size),
    etag: row.etag,
    createdAt: isoTimestamp(row.created_at),
  }));
}

/** Returns the total size of the upload's parts, not counting the part with this number. */
export async function sizeOfOtherParts(db: Queryable, uploadId: string, number: number): Promise<number> {
  const [row] = await db.query<{ size: number | string }>(sql`
    select coalesce(sum(size), 0)::bigint as size from storage.s3_multipart_uploads_parts
    where upload_id = ${uploadId} and part_number <> ${number}`);
  return Number(row?.size ?? 0);
}

/** Inserts a part and deletes existing parts with the same number. Returns the IDs of the deleted parts. */
export async function replacePart(
  db: Queryable,
  upload: MultipartUpload,
  part: Part & { readonly number: number; readonly ownerId: string | null },
): Promise<string[]> {
  const replaced = await db.query<{ id: string }>(sql`
    delete from storage.s3_multipart_uploads_parts
    where upload_id = ${upload.id} and part_number = ${part.number} returning id`);
  await db.query(sql`
    insert into storage.s3_multipart_uploads_parts
      (id, upload_id, size, part_number, bucket_id, key, etag, owner_id, version)
    values (${part.id}, ${upload.id}, ${part.sizeBytes}, ${part.number}, ${upload.bucketId}, ${upload.key},
      ${part.etag}, ${part.ownerId}, ${upload.version})`);
  await db.query(sql`
    update storage.s3_multipart_uploads set in_progress_size =
      (select coalesce(sum(size), 0) from storage.s3_multipart_uploads_parts where upload_id = ${upload.id})
    where id = ${upload.id}`);
  return replaced.map(({ id }) => id);
}

export interface UploadPage {
  readonly prefix: string;
  readonly delimiter: string;
  readonly keyMarker: string;
  /** The upload ID after which the uploads with the key `keyMarker` are listed. Ignored if there isn't a key marker. */
  readonly idMarker: string;
  readonly limit: number;
}

/**
 * Lists unfinished uploads, sorted by key and ID. Uploads whose keys contain the delimiter after the prefix are
 * grouped.
 */
export async function listUploads(db: Queryable, bucketId: string, page: UploadPage): Promise<UploadLine[]> {
  const { prefix, delimiter, keyMarker, idMarker } = page;
  const folder =
    delimiter === '' ? sql`null` : sql`storage.get_common_prefix(u.key, ${prefix}, ${delimiter})`;
  const rows = await db.query<{ line: string; id: string | null; created_at: string | null }>(sql`
    with line as (
      select coalesce(f.folder, u.key) collate "C" as line,
        case when f.folder is null then u.id end as id,
        case when f.folder is null then u.created_at end as created_at
      from storage.s3_multipart_uploads u, lateral (select ${folder} as folder) f
      where u.bucket_id = ${bucketId} and starts_with(u.key, ${prefix})
    )
    select distinct line, id collate "C" as id, created_at from line
    where ${keyMarker} = '' or line > ${keyMarker}
      or (line = ${keyMarker} and ${idMarker} <> '' and id collate "C" > ${idMarker})
    order by line, 2 limit ${page.limit}`);
  return rows.map((row) => ({ key: row.line, id: row.id, createdAt: isoTimestamp(row.created_at) }));
}

function uploadOf(row: UploadRow): MultipartUpload {
  const { checksum, ...metadata } = row.metadata ?? {};
  return {
    id: row.id,
    bucketId: row.bucket_id,
    key: row.key,
    version: row.version,
    metadata,
    userMetadata: row.user_metadata,
    checksum: checksum as MultipartUpload['checksum'],
  };
}
