/** Runs the statements on `_plinth.storage_checksums`, which exists only in Plinth's own databases. */
import { sql } from '../../../base/kernel/sql.ts';
import type { StatementRunner } from './statement-runner.ts';

/** A stored checksum. The values are in the format that the S3 protocol defines. */
export interface StoredChecksum {
  readonly algorithm: string;
  readonly type: string;
  readonly value: string;
}

/**
 * Stores a checksum. `id` is an object's version or a part's ID. The insert can run in a transaction of the service
 * role, but the other statements run with the server's own roles.
 */
export async function insertChecksum(
  db: StatementRunner,
  id: string,
  checksum: StoredChecksum,
): Promise<void> {
  await db.query(sql`
    select storage.plinth_keep_checksum(${id}::uuid, ${checksum.algorithm}, ${checksum.type}, ${checksum.value})`);
}

/** Returns the checksum of a version, which must be a UUID. */
export async function findChecksum(
  db: StatementRunner,
  version: string,
): Promise<StoredChecksum | undefined> {
  const [row] = await db.query<StoredChecksum>(sql`
    select algorithm, type, value from _plinth.storage_checksums where id = ${version}::uuid`);
  return row;
}

/** Returns the checksums of the parts whose numbers are in a range, keyed by part ID. */
export async function findPartChecksums(
  db: StatementRunner,
  uploadId: string,
  numbers: { readonly first: number; readonly last: number },
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; value: string }>(sql`
    select c.id, c.value from storage.s3_multipart_uploads_parts p join _plinth.storage_checksums c on c.id = p.id
    where p.upload_id = ${uploadId} and p.part_number between ${numbers.first} and ${numbers.last}`);
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/**
 * Removes checksums whose object or part doesn't exist. Recent checksums are kept because their object or part might
 * belong to an open transaction.
 */
export async function deleteLeftChecksums(db: StatementRunner, graceSeconds: number): Promise<void> {
  await db.query(sql`
    delete from _plinth.storage_checksums c
    where made_at < now() - make_interval(secs => ${graceSeconds})
      and not exists (select from storage.objects o where o.version = c.id::text)
      and not exists (select from storage.s3_multipart_uploads_parts p where p.id = c.id)`);
}
