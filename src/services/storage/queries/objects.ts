/** Runs the statements on storage.objects, as the transaction's role. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { isoTimestamp } from '../core/timestamps.ts';
import type { Lookup } from '../lookup.ts';
import type { Scope } from '../scope.ts';
import type { StatementRunner } from './statement-runner.ts';

/** A complete row with ISO timestamps. */
export interface ObjectRow {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly owner_id: string | null;
  readonly version: string | null;
  readonly metadata: Record<string, unknown> | null;
  readonly user_metadata: Record<string, unknown> | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly last_accessed_at: string | null;
}

/**
 * An object in the format that clients receive. As in upstream, `owner` is an empty string if the object doesn't have
 * an owner.
 */
export type ObjectView = Omit<ObjectRow, 'owner' | 'owner_id' | 'version'> & {
  readonly owner: string;
  readonly owner_id: string;
  readonly version: string;
};

export interface ObjectWrite {
  readonly bucketId: string;
  readonly name: string;
  readonly version: string;
  /** The owner's ID, if it is a UUID. Otherwise, null. */
  readonly owner: string | null;
  readonly ownerId: string | null;
  readonly metadata: Record<string, unknown>;
  readonly userMetadata: Record<string, unknown> | null | undefined;
}

const columns = sql`id, bucket_id, name, owner, owner_id, version, metadata, user_metadata,
  created_at, updated_at, last_accessed_at`;

export async function findObject(
  db: StatementRunner,
  bucketId: string,
  name: string,
): Promise<ObjectRow | undefined> {
  const [row] = await db.query<ObjectRow>(
    sql`select ${columns} from storage.objects where bucket_id = ${bucketId} and name = ${name}`,
  );
  return row && withIsoDates(row);
}

const objectWithBucket: Lookup = {
  key: 'storage object with bucket',
  text: `
    select b.public, o.id, o.bucket_id, o.name, o.owner, o.owner_id, o.version, o.metadata, o.user_metadata,
      o.created_at, o.updated_at, o.last_accessed_at
    from storage.buckets b left join storage.objects o on o.bucket_id = b.id and o.name = $2
    where b.id = $1`,
};

/** Returns whether the bucket is public, and the object if it exists. Returns undefined if the bucket doesn't exist. */
export async function findObjectWithBucket(
  scope: Pick<Scope, 'lookUp'>,
  bucketId: string,
  name: string,
): Promise<{ readonly isPublic: boolean; readonly object: ObjectRow | undefined } | undefined> {
  const cells = await scope.lookUp(objectWithBucket, [bucketId, name]);
  if (!cells) return undefined;
  const text = (column: number): string | null => cells[column]?.toString() ?? null;
  const json = (column: number): Record<string, unknown> | null => JSON.parse(text(column) ?? 'null');
  const id = text(1);
  const object = id !== null && {
    id,
    bucket_id: text(2) ?? '',
    name: text(3) ?? '',
    owner: text(4),
    owner_id: text(5),
    version: text(6),
    metadata: json(7),
    user_metadata: json(8),
    created_at: isoTimestamp(text(9)),
    updated_at: isoTimestamp(text(10)),
    last_accessed_at: isoTimestamp(text(11)),
  };
  return { isPublic: text(0) === 't', object: object || undefined };
}

export async function findVisibleNames(
  db: StatementRunner,
  bucketId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(
    sql`select name from storage.objects where bucket_id = ${bucketId} and name = any(${names}::text[])`,
  );
  return new Set(rows.map((row) => row.name));
}

/** Returns the objects with these keys, indexed by key, but not the objects that the caller can't see. */
export async function findVisibleObjects(
  db: StatementRunner,
  bucketId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Pick<ObjectRow, 'id' | 'owner_id'>>> {
  const rows = await db.query<Pick<ObjectRow, 'id' | 'name' | 'owner_id'>>(
    sql`select id, name, owner_id from storage.objects where bucket_id = ${bucketId} and name = any(${names}::text[])`,
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/**
 * Inserts an object. Throws an error with SQLSTATE 23505 if the key exists. Waits for the key's lock ({@link lockKey}).
 * Without this wait, a concurrent replacement that found the key unused could overwrite this row without knowing its
 * version, and that version's bytes would never be removed.
 */
export async function insertObject(db: StatementRunner, object: ObjectWrite): Promise<ObjectRow> {
  const { bucketId, name, version, owner, ownerId, metadata, userMetadata } = object;
  return written(
    await db.query<ObjectRow>(sql`
      insert into storage.objects (${insertedColumns})
      select ${bucketId}, ${name}, ${version}, ${owner}::uuid, ${ownerId}, ${metadata}::jsonb, ${userMetadata}::jsonb
      from ${keyLock(bucketId, name)}
      returning ${columns}`),
  );
}

export async function upsertObject(db: Queryable, object: ObjectWrite): Promise<ObjectRow> {
  return written(
    await db.query<ObjectRow>(sql`
      ${insertion(object)}
      on conflict (name, bucket_id) do update set ${sql.join(updatedColumns(object))}
      returning ${columns}`),
  );
}

/** Inserts or replaces the object to check whether the caller is allowed to do so. */
export async function tryInsertObject(
  db: StatementRunner,
  object: ObjectWrite,
  upsert: boolean,
): Promise<void> {
  await db.query(objectAttempt(object, upsert));
}

/**
 * Returns the statement of {@link tryInsertObject}. The statement doesn't return columns, because the caller might not
 * be allowed to read them.
 */
export function objectAttempt(object: ObjectWrite, upsert: boolean): Sql {
  const conflict = upsert
    ? sql`on conflict (name, bucket_id) do update set ${sql.join(updatedColumns(object))} returning id`
    : sql.empty;
  return sql`${insertion(object)} ${conflict}`;
}

/** Locks the key of an object until the transaction ends. */
export async function lockKey(db: Queryable, bucketId: string, name: string): Promise<void> {
  await db.query(sql`select ${keyLock(bucketId, name)}`);
}

const keyLock = (bucketId: string, name: string): Sql =>
  sql`pg_advisory_xact_lock(hashtextextended(${`${bucketId}/${name}`}, 0))`;

export async function findVersion(
  db: Queryable,
  bucketId: string,
  name: string,
): Promise<string | null | undefined> {
  const [row] = await db.query<{ version: string | null }>(
    sql`select version from storage.objects where bucket_id = ${bucketId} and name = ${name} for update`,
  );
  return row?.version;
}

export interface ObjectMove {
  readonly bucketId: string;
  readonly name: string;
  readonly toBucketId: string;
  readonly toName: string;
  readonly owner: string | null;
  readonly ownerId: string | null;
}

/**
 * Moves an object and returns its ID. Returns undefined if the caller can't see the object. If no new owner is given,
 * the old owner is kept.
 */
export async function moveObject(db: Queryable, move: ObjectMove): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql`
    update storage.objects
    set bucket_id = ${move.toBucketId}, name = ${move.toName},
      owner = coalesce(${move.owner}, owner), owner_id = coalesce(${move.ownerId}, owner_id)
    where bucket_id = ${move.bucketId} and name = ${move.name}
    returning id`);
  return row?.id;
}

/** Deletes the objects with these keys and returns their rows. Skips objects that the caller can't delete. */
export async function deleteObjects(
  db: Queryable,
  bucketId: string,
  names: readonly string[],
): Promise<ObjectRow[]> {
  const rows = await db.query<ObjectRow>(sql`
    delete from storage.objects where bucket_id = ${bucketId} and name = any(${names}::text[]) returning ${columns}`);
  return rows.map(withIsoDates);
}

/** Deletes up to `limit` objects that were created before the given time, and returns their versions. */
export async function deleteObjectsBefore(
  db: Queryable,
  bucketId: string,
  before: Date,
  limit: number,
): Promise<(string | null)[]> {
  const rows = await db.query<{ version: string | null }>(sql`
    delete from storage.objects where id in (
      select id from storage.objects where bucket_id = ${bucketId} and created_at < ${before} limit ${limit}
    ) returning version`);
  return rows.map((row) => row.version);
}

/** Returns those of the versions that have a row, either as an object or as an unfinished upload. */
export async function findLivingVersions(
  db: Queryable,
  versions: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ version: string }>(
    sql`
      select version from storage.objects where version = any(${versions}::text[])
      union all
      select version from storage.s3_multipart_uploads where version = any(${versions}::text[])`,
  );
  return new Set(rows.map((row) => row.version));
}

/**
 * Returns all versions that begin with the given hexadecimal digit. Callers iterate over the digits to process a large
 * number of objects in batches.
 */
export async function listVersionsWith(
  db: Queryable,
  digit: string,
): Promise<{ readonly objects: string[]; readonly uploads: string[] }> {
  const objects = await db.query<{ version: string }>(
    sql`select version from storage.objects where left(version, 1) = ${digit}`,
  );
  const uploads = await db.query<{ version: string }>(
    sql`select version from storage.s3_multipart_uploads where left(version, 1) = ${digit}`,
  );
  return { objects: objects.map(({ version }) => version), uploads: uploads.map(({ version }) => version) };
}

export function viewOf(row: ObjectRow): ObjectView {
  return { ...row, owner: row.owner ?? '', owner_id: row.owner_id ?? '', version: row.version ?? '' };
}

const insertedColumns = sql`bucket_id, name, version, owner, owner_id, metadata, user_metadata`;

function insertion(object: ObjectWrite): Sql {
  return sql`insert into storage.objects (${insertedColumns})
    values (${object.bucketId}, ${object.name}, ${object.version}, ${object.owner}, ${object.ownerId},
      ${object.metadata}, ${object.userMetadata})`;
}

/**
 * Returns the SET clause of an UPDATE that replaces an object. If no new owner or user metadata is given, the statement
 * keeps the old value.
 */
function updatedColumns(object: ObjectWrite): Sql[] {
  const names = ['metadata', 'version'];
  if (object.owner !== null) names.push('owner');
  if (object.ownerId !== null) names.push('owner_id');
  if (object.userMetadata !== undefined && object.userMetadata !== null) names.push('user_metadata');
  return names.map((name) => sql`${sql.id(name)} = excluded.${sql.id(name)}`);
}

function written(rows: ObjectRow[]): ObjectRow {
  const [row] = rows;
  // If a user-defined trigger returns null, the row isn't written.
  if (!row) throw new Error('The row was not written');
  return withIsoDates(row);
}

function withIsoDates(row: ObjectRow): ObjectRow {
  return {
    id: row.id,
    bucket_id: row.bucket_id,
    name: row.name,
    owner: row.owner,
    owner_id: row.owner_id,
    version: row.version,
    metadata: row.metadata,
    user_metadata: row.user_metadata,
    created_at: isoTimestamp(row.created_at),
    updated_at: isoTimestamp(row.updated_at),
    last_accessed_at: isoTimestamp(row.last_accessed_at),
  };
}
