/**
 * Stores an object in three steps: checks permissions, stores the bytes, and writes the row.
 *
 * The first step performs the insert with the caller's permissions and rolls it back. Uploads that violate policies or
 * use an existing key are therefore rejected before any bytes are stored. The service role writes the row in the last
 * step. If the new row replaces another row, policies are checked again.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../platform/database/types.ts';
import type { StoredBody } from './backend/types.ts';
import { type Change, change, storing } from './changes.ts';
import type { StorageContext } from './context.ts';
import { isValidKey, type ObjectAddress } from './core/names.ts';
import { leavesOutcomeOpen } from './database-errors.ts';
import { BytesMissingError, StorageError } from './errors.ts';
import { bucketLimits, type CheckedObject, checkUpload } from './object-limits.ts';
import { type BucketLimits, bucketLimitsById, readBucketLimits } from './queries/buckets.ts';
import { insertChecksum, type StoredChecksum } from './queries/checksums.ts';
import {
  findObject,
  findVersion,
  insertObject,
  lockKey,
  type ObjectRow,
  type ObjectWrite,
  objectAttempt,
  tryInsertObject,
  upsertObject,
} from './queries/objects.ts';
import { type Owner, type Scope, serviceRole } from './scope.ts';
import type { UploadBody } from './upload-body.ts';

interface WriteCheck extends ObjectAddress {
  readonly owner: Owner;
  readonly upsert: boolean;
  readonly metadata: Record<string, unknown>;
  readonly userMetadata: Record<string, unknown> | null | undefined;
}

/**
 * The version in rows that are inserted only to check permissions and then rolled back. Upstream uses the same version,
 * so triggers in projects can detect such rows.
 */
const probeVersion = '1';

/**
 * Checks that the caller is allowed to write an object.
 * @throws {StorageError} AccessDenied, KeyAlreadyExists, RelatedResourceNotFound
 */
export async function requireWritable(scope: Scope, check: WriteCheck): Promise<void> {
  const row = probeOf(check);
  await takenKey(() => tryInsertObject(scope.eachAsUser({ end: 'rollback' }), row, check.upsert));
}

interface NewUpload extends ObjectAddress {
  readonly body: UploadBody;
  readonly owner: Owner;
  readonly upsert: boolean;
  readonly precondition?: Precondition | undefined;
  /**
   * The version that the service role suggests, which is a UUID. The suggestion is ignored if a body with this version
   * exists.
   */
  readonly version?: string | undefined;
  /** Returns the checksum to store. The function must be called after the request body has been read. */
  checksum?(): StoredChecksum | undefined;
}

interface Upload extends NewUpload, CheckedObject {}

const checkOf = (upload: NewUpload): WriteCheck => ({
  ...upload,
  metadata: { mimetype: upload.body.mimeType, contentLength: upload.body.declaredLength },
  userMetadata: upload.body.userMetadata,
});

/**
 * Checks the limits of the bucket and that the caller is allowed to write the object, in one round trip.
 * @throws {StorageError} NoSuchBucket, EntityTooLarge, InvalidMimeType, InvalidKey, AccessDenied, KeyAlreadyExists
 */
export async function requireUploadable(
  ctx: StorageContext,
  scope: Scope,
  upload: NewUpload,
): Promise<CheckedObject> {
  const { key, body } = upload;
  const { limits, error } = await limitsAndPermission(scope, upload);
  const object = checkUpload(ctx, limits, { key, mimeType: body.mimeType, sizeBytes: body.fileLength });
  if (error !== undefined) throw error;
  return object;
}

/**
 * Returns the bucket's limits, and the error if the caller isn't allowed to write the object.
 * @throws {StorageError} NoSuchBucket
 */
async function limitsAndPermission(
  scope: Scope,
  upload: NewUpload,
): Promise<{ readonly limits: BucketLimits; readonly error?: unknown }> {
  const { bucketId, key } = upload;
  // PostgreSQL rejects some invalid keys with a different error.
  if (!isValidKey(key)) return { limits: await bucketLimits(scope, bucketId) };
  const attempt = objectAttempt(probeOf(checkOf(upload)), upload.upsert);
  try {
    const rows = await takenKey(() => scope.tryAndRead(attempt, bucketLimitsById(bucketId)));
    const limits = readBucketLimits(rows);
    // A user-defined trigger can return null, so the insert can succeed even if the bucket doesn't exist.
    if (!limits) throw new StorageError('NoSuchBucket');
    return { limits };
  } catch (error) {
    if (leavesOutcomeOpen(error)) throw error;
    return { limits: await bucketLimits(scope, bucketId), error };
  }
}

/** Checks that the caller is allowed to write the object, and stores it. */
export async function checkAndStore(ctx: StorageContext, scope: Scope, upload: Upload): Promise<ObjectRow> {
  await requireWritable(scope, checkOf(upload));
  return storeUpload(ctx, scope, upload);
}

/** Stores an object that the caller is allowed to write. */
export async function storeUpload(ctx: StorageContext, scope: Scope, upload: Upload): Promise<ObjectRow> {
  const { body } = upload;
  return withUnusedVersion(ctx, upload.version, (version) =>
    change(ctx, [version], async (change) => {
      const stored = await storing(() => ctx.backend.write(version, body.bytes, upload.maxBytes));
      const metadata = metadataOf(stored, {
        mimetype: body.mimeType,
        cacheControl: body.cacheControl,
        ...(body.robotsTag === undefined ? {} : { xRobotsTag: body.robotsTag }),
      });
      change.committing();
      const checksum = ctx.hasOwnTables ? upload.checksum?.() : undefined;
      const row = writeOf(upload, version, metadata, body.userMetadata ?? {});
      const { upsert, precondition } = upload;
      return writeRow(scope, row, { upsert, precondition, checksum, giveUp: change.giveUp });
    }),
  );
}

/**
 * Runs `work` with a version that doesn't have a body yet, which is the suggested one or a new one. Each version
 * belongs to one row, so two concurrent uploads must not suggest the same version.
 */
async function withUnusedVersion<T>(
  ctx: StorageContext,
  suggested: string | undefined,
  work: (version: string) => Promise<T>,
): Promise<T> {
  if (suggested === undefined || suggestedVersions.has(suggested)) return await work(randomUUID());
  suggestedVersions.add(suggested);
  try {
    const existing = await storing(() => ctx.backend.open(suggested));
    await existing?.close();
    return await work(existing === undefined ? suggested : randomUUID());
  } finally {
    suggestedVersions.delete(suggested);
  }
}

const suggestedVersions = new Set<string>();

/**
 * A check that throws if the current row must not be replaced. `current` is undefined if there isn't a current row. The
 * check is called in the transaction that replaces the row.
 */
export type Precondition = (current: ObjectRow | undefined) => void;

export interface WriteConditions {
  /** Whether an existing object is replaced. If the value is false, an existing key causes an error. */
  readonly upsert: boolean;
  readonly precondition?: Precondition | undefined;
}

interface RowOptions extends WriteConditions {
  /** The checksum that is stored with the row. */
  readonly checksum?: StoredChecksum | undefined;
  /** Called with the version of the replaced row. */
  readonly giveUp: Change['giveUp'];
  /** Runs in the same transaction before the row is written. */
  readonly claim?: ((tx: Transaction) => Promise<void>) | undefined;
}

/**
 * Writes the row for a stored version. If the row replaces another row, the bytes of the replaced version are removed.
 */
export async function writeRow(scope: Scope, row: ObjectWrite, options: RowOptions): Promise<ObjectRow> {
  scope.confirmToken();
  return takenKey(() =>
    options.upsert || options.checksum || options.claim
      ? scope.asService((tx) => writeRowIn(scope, tx, row, options))
      : insertObject(scope.eachAsService(), row),
  );
}

/**
 * Writes the row like {@link writeRow}, but within a larger transaction of the service role. Checks again that the
 * caller can replace the row, because another request may have created the row or changed its owner after the upload
 * began.
 */
export async function writeRowIn(
  scope: Scope,
  tx: Transaction,
  row: ObjectWrite,
  options: RowOptions,
): Promise<ObjectRow> {
  scope.confirmToken();
  await options.claim?.(tx);
  if (options.checksum) await insertChecksum(tx, row.version, options.checksum);
  if (!options.upsert) return insertObject(tx, row);
  await lockKey(tx, row.bucketId, row.name);
  const replaced = await findVersion(tx, row.bucketId, row.name);
  if (options.precondition) options.precondition(await findObject(tx, row.bucketId, row.name));
  if (replaced !== undefined && scope.role !== serviceRole)
    await scope.tryAsUser(tx, (inner) => tryInsertObject(inner, { ...row, version: probeVersion }, true));
  const written = await upsertObject(tx, row);
  await options.giveUp([replaced]);
  return written;
}

/** Returns the value of `storage.objects.metadata` for a stored body. */
export function metadataOf(stored: StoredBody, described: Record<string, unknown>): Record<string, unknown> {
  return {
    eTag: stored.etag,
    size: stored.sizeBytes,
    ...described,
    lastModified: stored.lastModified.toISOString(),
    contentLength: stored.sizeBytes,
    httpStatusCode: 200,
  };
}

/** Returns the row of a stored version. The object's limits must have been checked. */
export function writeOf(
  { bucketId, key, owner }: CheckedObject & { readonly owner: Owner },
  version: string,
  metadata: Record<string, unknown>,
  userMetadata: Record<string, unknown> | null | undefined,
): ObjectWrite {
  return { bucketId, name: key, version, ...owner, metadata, userMetadata };
}

/** Returns the row that is inserted to check permissions. */
function probeOf({ bucketId, key, owner, metadata, userMetadata }: WriteCheck): ObjectWrite {
  return { bucketId, name: key, version: probeVersion, ...owner, metadata, userMetadata };
}

async function takenKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError && error.entry === 'ResourceAlreadyExists') {
      throw new StorageError('KeyAlreadyExists', undefined, { cause: error });
    }
    throw error;
  }
}

/** The target of a copy, and the data for its row. */
interface Copy extends CheckedObject, WriteConditions {
  readonly checksum?: StoredChecksum | undefined;
  readonly source: ObjectRow;
  readonly owner: Owner;
  readonly metadata: Record<string, unknown>;
  readonly userMetadata: Record<string, unknown> | null | undefined;
}

/**
 * Copies an object. The copy has the same bytes as the original, but a different key and a new version.
 * @throws {StorageError} AccessDenied, KeyAlreadyExists, RelatedResourceNotFound
 * @throws {BytesMissingError}
 */
export async function copyObject(ctx: StorageContext, scope: Scope, copy: Copy): Promise<ObjectRow> {
  await requireWritable(scope, copy);
  const version = randomUUID();
  return change(ctx, [version], async (change) => {
    const stored = await storing(() => ctx.backend.copy(copy.source.version ?? '', version));
    if (!stored) throw new BytesMissingError();
    const metadata = {
      ...copy.metadata,
      eTag: stored.etag,
      lastModified: stored.lastModified.toISOString(),
    };
    change.committing();
    const { upsert, precondition, checksum } = copy;
    const row = writeOf(copy, version, metadata, copy.userMetadata);
    return writeRow(scope, row, { upsert, precondition, checksum, giveUp: change.giveUp });
  });
}
