/**
 * Migrates storage objects. Downloads each body from the source, uploads it to the target, and then copies the values
 * in the source's row to the target's row. If a run ends before the rows are updated, they differ, so the next run
 * migrates the object again.
 */
import { createHash } from 'node:crypto';
import { objectPath } from '../core/object-path.ts';
import type { SharedTable } from '../core/row-text.ts';
import { MigrateError } from '../errors.ts';
import { dropDelta, findDelta, sourcePlaces } from '../rows.ts';
import type { End, ObjectsReport } from '../types.ts';
import {
  objectKey,
  readDeletedObjects,
  readSourceObjects,
  readTargetObjects,
  type SourceObject,
  type TargetObject,
  updateTargetObjects,
} from './queries.ts';
import { createStorageApi, type StorageApi } from './storage-api.ts';

export interface ObjectsOptions {
  readonly parallel: number;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface ObjectsResult extends ObjectsReport {
  /** A sentence for each object that wasn't migrated. */
  readonly failures: readonly string[];
}

/**
 * Columns that can differ even if the object is the same, because reading an object sets `last_accessed_at` and the
 * target's server chooses `version`.
 */
const unstable = new Set(['last_accessed_at', 'version']);
const objectsPerBatch = 100;
const deletedPerRequest = 100;
/**
 * The maximum number of failed objects. If more objects fail, the migration stops, because the objects themselves are
 * unlikely to be the cause.
 */
const maxFailures = 200;

interface Transfer {
  readonly from: StorageApi;
  readonly to: StorageApi;
  readonly signal: AbortSignal | undefined;
}

export async function migrateObjects(
  source: End,
  target: End,
  objects: SharedTable,
  { parallel, onProgress, signal }: ObjectsOptions,
): Promise<ObjectsResult> {
  if (source.storage === undefined || target.storage === undefined)
    throw new Error('both projects need a storage API');
  const transfer: Transfer = {
    from: createStorageApi(source.name, source.storage),
    to: createStorageApi(target.name, target.storage),
    signal,
  };
  const table: SharedTable = { ...objects, key: ['bucket_id', 'name'] };
  const hashed = table.columns.filter((column) => !unstable.has(column));
  const changes = await findDelta(source, target, table, hashed);
  const total = changes.added + changes.changed;
  const failures: string[] = [];
  const counts = { bytes: 0, updated: 0, done: 0 };
  await removeDeleted(target, transfer.to);
  for await (const places of sourcePlaces(target)) {
    for (let start = 0; start < places.length; start += objectsPerBatch) {
      signal?.throwIfAborted();
      const batch = await readSourceObjects(source, table, places.slice(start, start + objectsPerBatch));
      const result = await migrateBatch(target, table, batch, { ...transfer, parallel });
      counts.bytes += result.bytes;
      counts.updated += result.updated;
      counts.done += batch.length;
      failures.push(...result.failures);
      onProgress(`Objects: ${counts.done} of ${total}`);
      if (failures.length > maxFailures)
        throw new MigrateError('storage_rejected', {
          end: target.name,
          request: 'too many objects',
          reason: failures[0] ?? '',
        });
    }
  }
  await dropDelta(target);
  return { ...changes, bytes: counts.bytes, updated: counts.updated, failures };
}

async function removeDeleted(target: End, to: StorageApi): Promise<void> {
  const byBucket = Map.groupBy(await readDeletedObjects(target), ({ bucket }) => bucket);
  for (const [bucket, objects] of byBucket) {
    for (let start = 0; start < objects.length; start += deletedPerRequest)
      await to.remove(
        bucket,
        objects.slice(start, start + deletedPerRequest).map(({ name }) => name),
      );
  }
}

interface BatchResult {
  readonly bytes: number;
  readonly updated: number;
  readonly failures: readonly string[];
}

async function migrateBatch(
  target: End,
  table: SharedTable,
  batch: readonly SourceObject[],
  transfer: Transfer & { readonly parallel: number },
): Promise<BatchResult> {
  const before = await readTargetObjects(target, batch);
  const waiting = batch.filter((object) => !hasSameBody(object, before.get(objectKey(object))));
  const uploaded = new Map<string, Body>();
  const failures: string[] = [];
  const queue = waiting.values();
  const work = async (): Promise<void> => {
    for (const object of queue) {
      try {
        uploaded.set(objectKey(object), await migrateBody(object, transfer));
      } catch (error) {
        transfer.signal?.throwIfAborted();
        failures.push(`Object ${object.bucket}/${object.name}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: transfer.parallel }, work));
  const after = await readTargetObjects(target, batch);
  const ready = batch.filter((object) => {
    const key = objectKey(object);
    const body = uploaded.get(key);
    if (body === undefined) return !waiting.includes(object);
    const row = after.get(key);
    if (row !== undefined && matches(row, body)) return true;
    failures.push(
      `Object ${object.bucket}/${object.name}: the target's copy differs from the bytes that were sent.`,
    );
    return false;
  });
  await updateTargetObjects(target, table, ready);
  return {
    bytes: [...uploaded.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    updated: batch.length - waiting.length,
    failures,
  };
}

/**
 * Whether two objects have the same body. Times are compared too, because different bodies can have the same size and
 * an ETag that isn't a hash.
 */
function hasSameBody({ metadata }: SourceObject, row: TargetObject | undefined): boolean {
  return (
    row !== undefined &&
    row.eTag !== null &&
    row.eTag === metadata.eTag &&
    row.size === String(metadata.size) &&
    row.lastModified === metadata.lastModified
  );
}

interface Body {
  readonly sizeBytes: number;
  readonly md5: string;
}

/** Returns the MD5 hash that an ETag contains. The ETag of a body that was uploaded in parts isn't an MD5 hash. */
const md5Of = (eTag: unknown): string | undefined =>
  typeof eTag === 'string' ? /^"?([0-9a-f]{32})"?$/.exec(eTag)?.[1] : undefined;

const matches = ({ eTag, size }: TargetObject, body: Body): boolean =>
  (md5Of(eTag) ?? body.md5) === body.md5 && Number(size) === body.sizeBytes;

const attempts = 3;
const pauseMs = 500;

async function migrateBody(object: SourceObject, transfer: Transfer): Promise<Body> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateBodyOnce(object, transfer);
    } catch (error) {
      transfer.signal?.throwIfAborted();
      const isRejected = error instanceof MigrateError && /: 4\d\d /.test(error.message);
      if (attempt === attempts || isRejected || error instanceof BodyError) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * attempt));
    }
  }
}

/** Thrown if a body can't be migrated, even with retries. */
class BodyError extends Error {}

/** The `content-length` header is sent for bodies up to this size. */
const bufferedBytes = 4 * 1024 * 1024;

async function migrateBodyOnce(
  { bucket, name, version, metadata }: SourceObject,
  { from, to, signal }: Transfer,
): Promise<Body> {
  if (objectPath(bucket, name) === undefined)
    throw new BodyError("Its name can't be part of a URL. Rename it at the source.");
  const download = await from.download(bucket, name, signal);
  if (download === undefined) throw new BodyError('The source has a row, but no body.');
  const md5 = createHash('md5');
  let sizeBytes = 0;
  async function* counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      md5.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
    }
  }
  const stream = counted(download.bytes);
  const isSmall = download.sizeBytes !== undefined && download.sizeBytes <= bufferedBytes;
  const body = isSmall ? await collect(stream) : stream;
  if (isSmall && sizeBytes !== download.sizeBytes) throw new Error('The download was incomplete.');
  await to.upload(bucket, name, body, {
    contentType: textOf(metadata.mimetype) ?? 'application/octet-stream',
    cacheControl: textOf(metadata.cacheControl),
    version: version ?? undefined,
    signal,
  });
  const digest = md5.digest('hex');
  const expected = md5Of(metadata.eTag);
  if (expected !== undefined && expected !== digest)
    throw new BodyError("The source's body doesn't match the hash in its row.");
  return { sizeBytes, md5: digest };
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Returns a value from the source if it is a single line of visible text, because only such text can be sent as a
 * header.
 */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) ? value : undefined;
