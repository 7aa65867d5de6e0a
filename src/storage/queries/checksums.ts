/** Statements on `_plinth.storage_checksums`, which only exists in Plinth's own databases. */
import { sql } from '../../kernel/sql.ts';
import type { StatementRunner } from './statement-runner.ts';

/** A stored row. The S3 protocol defines the values. */
export interface StoredChecksum {
  readonly algorithm: string;
  readonly type: string;
  readonly value: string;
}

/**
 * `id`: an object's version or a part's id. Runs in a transaction of the service role. The other statements run as the
 * server.
 */
export async function insertChecksum(
  db: StatementRunner,
  id: string,
  checksum: StoredChecksum,
): Promise<void> {
  await db.query(sql`
    select storage.plinth_keep_checksum(${id}::uuid, ${checksum.algorithm}, ${checksum.type}, ${checksum.value})`);
}

/** `version`: a UUID. */
export async function findChecksum(
  db: StatementRunner,
  version: string,
): Promise<StoredChecksum | undefined> {
  const [row] = await db.query<StoredChecksum>(sql`
    select algorithm, type, value from _plinth.storage_checksums where id = ${version}::uuid`);
  return row;
}

/** Returns checksums by part id for a range of part numbers. */
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

/** Removes checksums whose object or part is gone, except those that might belong to an open transaction. */
export async function deleteLeftChecksums(db: StatementRunner, graceSeconds: number): Promise<void> {
  await db.query(sql`
    delete from _plinth.storage_checksums c
    where made_at < now() - make_interval(secs => ${graceSeconds})
      and not exists (select from storage.objects o where o.version = c.id::text)
      and not exists (select from storage.s3_multipart_uploads_parts p where p.id = c.id)`);
}
