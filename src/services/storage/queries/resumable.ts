/** Runs the statements on Plinth's tables for resumable uploads whose bytes are in a bucket. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import type { StagedUpload } from '../resumable/types.ts';
import type { StatementRunner } from './statement-runner.ts';

/** The state of an upload, as it is stored. */
export interface UploadState extends StagedUpload {
  readonly receivedBytes: number;
  /** The ID of the multipart upload in S3. Undefined until the first part is stored. */
  readonly s3UploadId: string | undefined;
  readonly isFinished: boolean;
  /** Whether the upload was given up, so that only its bytes remain to be removed. */
  readonly isRemoved: boolean;
}

/** Stored bytes of an upload: a part of the multipart upload, or a separate object that is too small for a part. */
export interface StoredPiece {
  readonly id: string;
  readonly position: number;
  readonly sizeBytes: number;
  readonly number: number | undefined;
  readonly etag: string | undefined;
  readonly md5: string;
}

interface StateRow {
  readonly id: string;
  readonly bucket_id: string;
  readonly key: string;
  readonly size_bytes: number | null;
  readonly metadata: string;
  readonly began_by: string;
  readonly upsert: boolean;
  readonly received_bytes: number;
  readonly s3_upload_id: string | null;
  readonly created_ms: number;
  readonly is_finished: boolean;
  readonly is_removed: boolean;
}

interface PieceRow {
  readonly id: string;
  readonly position: number;
  readonly size_bytes: number;
  readonly number: number | null;
  readonly etag: string | null;
  readonly md5: string;
}

export async function insertResumable(db: StatementRunner, upload: StagedUpload): Promise<void> {
  const created = new Date(upload.createdAt);
  await db.query(sql`
    insert into _plinth.resumable_uploads
      (id, bucket_id, key, size_bytes, metadata, began_by, upsert, created_at, touched_at)
    values (${upload.id}, ${upload.bucketId}, ${upload.key}, ${upload.sizeBytes ?? null},
      ${JSON.stringify(upload.metadata)}, ${upload.beganBy}, ${upload.upsert}, ${created}, ${created})`);
}

export async function findResumable(db: StatementRunner, id: string): Promise<UploadState | undefined> {
  const [row] = await db.query<StateRow>(sql`
    select id, bucket_id, key, size_bytes, metadata, began_by, upsert, received_bytes, s3_upload_id,
      (extract(epoch from created_at) * 1000)::float8 as created_ms,
      finished_at is not null as is_finished, removed_at is not null as is_removed
    from _plinth.resumable_uploads where id = ${id}`);
  return row && stateOf(row);
}

export async function setResumableSize(db: StatementRunner, id: string, sizeBytes: number): Promise<void> {
  await db.query(sql`update _plinth.resumable_uploads set size_bytes = ${sizeBytes} where id = ${id}`);
}

/** Stores the ID of the multipart upload, unless another process has stored one. Returns the stored ID. */
export async function keepS3Upload(
  db: StatementRunner,
  id: string,
  s3UploadId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ s3_upload_id: string }>(sql`
    update _plinth.resumable_uploads set s3_upload_id = coalesce(s3_upload_id, ${s3UploadId})
    where id = ${id} and finished_at is null and removed_at is null returning s3_upload_id`);
  return row?.s3_upload_id;
}

/**
 * Reserves the number of the next part. Returns undefined if the upload no longer ends at `position`, because another
 * process has written to it.
 */
export async function reservePart(
  db: StatementRunner,
  id: string,
  position: number,
): Promise<number | undefined> {
  const [row] = await db.query<{ number: number }>(sql`
    update _plinth.resumable_uploads set next_part = next_part + 1
    where id = ${id} and received_bytes = ${position} and finished_at is null and removed_at is null
    returning next_part - 1 as number`);
  return row?.number;
}

export async function findPieces(db: StatementRunner, id: string): Promise<StoredPiece[]> {
  const rows = await db.query<PieceRow>(sql`
    select id, position, size_bytes, number, etag, md5 from _plinth.resumable_parts
    where upload_id = ${id} order by position`);
  return rows.map(pieceOf);
}

/** Returns the pieces that are stored as separate objects, in order. They are the last bytes of the upload. */
export async function findTail(db: StatementRunner, id: string): Promise<StoredPiece[]> {
  const rows = await db.query<PieceRow>(sql`
    select id, position, size_bytes, number, etag, md5 from _plinth.resumable_parts
    where upload_id = ${id} and number is null order by position`);
  return rows.map(pieceOf);
}

interface Growth {
  readonly id: string;
  /** The end of the upload before this piece. */
  readonly from: number;
  /** The new end of the upload. */
  readonly to: number;
  readonly piece: StoredPiece;
  /** Whether the piece contains all bytes of the tail, whose rows are then deleted. */
  readonly replacesTail: boolean;
  readonly now: Date;
}

/** Adds a stored piece. Returns false if another process has written to the upload. */
export async function addPiece(db: StatementRunner, growth: Growth): Promise<boolean> {
  const { id, piece, replacesTail } = growth;
  const rows = await db.query(sql`
    with grown as (
      update _plinth.resumable_uploads set received_bytes = ${growth.to}, touched_at = ${growth.now}
      where id = ${id} and received_bytes = ${growth.from} and finished_at is null and removed_at is null
      returning id
    ), replaced as (
      delete from _plinth.resumable_parts p using grown
      where p.upload_id = grown.id and p.number is null and ${replacesTail}::boolean
    )
    insert into _plinth.resumable_parts (upload_id, id, position, size_bytes, number, etag, md5)
    select id, ${piece.id}::uuid, ${piece.position}::bigint, ${piece.sizeBytes}::bigint, ${piece.number ?? null}::integer,
      ${piece.etag ?? null}::text, ${piece.md5}::text
    from grown returning id`);
  return rows.length > 0;
}

/** Marks the upload as finished in the transaction that writes the object's row. */
export async function finishResumable(tx: Transaction, id: string): Promise<boolean> {
  const [row] = await tx.query<{ done: boolean }>(
    sql`select storage.plinth_finish_upload(${id}::uuid) as done`,
  );
  return row?.done === true;
}

/**
 * Gives an upload up, and returns the ID of its multipart upload if one was begun. Afterward, no other process can begin
 * one. Returns undefined if the upload is finished or doesn't exist.
 */
export async function giveUpResumable(
  db: StatementRunner,
  id: string,
  now: Date,
): Promise<{ readonly s3UploadId: string | undefined } | undefined> {
  const [row] = await db.query<{ s3_upload_id: string | null }>(sql`
    update _plinth.resumable_uploads set removed_at = coalesce(removed_at, ${now})
    where id = ${id} and finished_at is null returning s3_upload_id`);
  return row && { s3UploadId: row.s3_upload_id ?? undefined };
}

export async function deleteResumable(db: StatementRunner, id: string): Promise<void> {
  await db.query(sql`delete from _plinth.resumable_uploads where id = ${id}`);
}

/** Deletes the rows of pieces whose bytes are in the finished object. */
export async function deletePieces(db: StatementRunner, id: string): Promise<void> {
  await db.query(sql`delete from _plinth.resumable_parts where upload_id = ${id}`);
}

/**
 * Returns the uploads that haven't changed since `before`, and the uploads that were given up but whose bytes might
 * remain because the process ended. With an `id`, considers only this upload.
 */
export async function listIdleResumable(db: StatementRunner, before: Date, id?: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from _plinth.resumable_uploads
    where (touched_at < ${before} or removed_at is not null) and (${id ?? null}::uuid is null or id = ${id ?? null}::uuid)
    order by touched_at`);
  return rows.map((row) => row.id);
}

/** Returns the IDs of unfinished uploads that begin with a hexadecimal digit. */
export async function listResumableWith(db: StatementRunner, digit: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from _plinth.resumable_uploads where left(id::text, 1) = ${digit} and finished_at is null`);
  return rows.map(({ id }) => id);
}

const stateOf = (row: StateRow): UploadState => ({
  id: row.id,
  bucketId: row.bucket_id,
  key: row.key,
  ...(row.size_bytes === null ? {} : { sizeBytes: Number(row.size_bytes) }),
  metadata: JSON.parse(row.metadata) as StagedUpload['metadata'],
  beganBy: row.began_by,
  upsert: row.upsert,
  createdAt: Math.round(row.created_ms),
  ...(row.is_finished ? { storedAs: row.id } : {}),
  receivedBytes: Number(row.received_bytes),
  s3UploadId: row.s3_upload_id ?? undefined,
  isFinished: row.is_finished,
  isRemoved: row.is_removed,
});

const pieceOf = (row: PieceRow): StoredPiece => ({
  id: row.id,
  position: Number(row.position),
  sizeBytes: Number(row.size_bytes),
  number: row.number ?? undefined,
  etag: row.etag ?? undefined,
  md5: row.md5,
});
