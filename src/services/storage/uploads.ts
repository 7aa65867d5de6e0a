/**
 * Stores an object in three steps: checks permissions, stores the bytes, and writes the row.
 *
 * The first step performs the insert with the caller's permissions and rolls it back. Uploads that violate policies or
 * use an existing key are therefore rejected before any bytes are stored. The service role writes the row in the last
 * step. If the new row replaces another row, policies are checked again.
 */
import { randomUUID } from 'node:crypto';
import { parseMediaType } from '../../base/shared/http/media-type.ts';
import type { Transaction } from '../../platform/database/types.ts';
import type { StoredBody } from './backend/types.ts';
import { storing } from './backend-errors.ts';
import { change } from './changes.ts';
import type { StorageContext } from './context.ts';
import { isMimeAllowed, smallestLimit } from './core/limits.ts';
import { isFolderPlaceholder, isValidKey } from './core/names.ts';
import { readObjectMetadata, storedContentType } from './core/object-headers.ts';
import { StorageError } from './errors.ts';
import type { ObjectAddress } from './object-address.ts';
import { type BucketLimits, findBucketLimits } from './queries/buckets.ts';
import { insertChecksum, type StoredChecksum } from './queries/checksums.ts';
import {
  findObject,
  findVersion,
  insertObject,
  lockKey,
  type ObjectRow,
  type ObjectWrite,
  tryInsertObject,
  upsertObject,
} from './queries/objects.ts';
import { type Owner, type Scope, serviceRole } from './scope.ts';
import type { UploadBody } from './upload-body.ts';

/** Returns a bucket's limits. @throws {StorageError} NoSuchBucket */
export async function bucketLimits(scope: Scope, bucketId: string): Promise<BucketLimits> {
  const limits = await findBucketLimits(scope.eachAsService({ readOnly: true }), bucketId);
  if (!limits) throw new StorageError('NoSuchBucket');
  return limits;
}

/**
 * Returns the maximum object size, which is the smaller of the project's and the bucket's limits. The maximum is 0 for
 * a folder placeholder.
 */
export function maxObjectBytes(ctx: StorageContext, limits: BucketLimits, key: string): number {
  return isFolderPlaceholder(key) ? 0 : smallestLimit(ctx.fileSizeLimitBytes, limits.fileSizeLimit);
}

/**
 * Throws if a media type that a client sends is invalid. For example, the check for allowed types would use the first
 * type in `image/png, text/xsl`, but a browser might use the last type.
 * @throws {StorageError} InvalidMimeType
 */
export function requireMediaType(mimeType: string): void {
  if (parseMediaType(mimeType) === undefined) throw unsupported(mimeType);
}

/** Checks that a bucket allows the media type. @throws {StorageError} InvalidMimeType */
export function requireMime(mimeType: string, limits: BucketLimits, key: string): void {
  requireMediaType(mimeType);
  if (!isFolderPlaceholder(key) && !isMimeAllowed(mimeType, limits.allowedMimeTypes))
    throw unsupported(mimeType);
}

const unsupported = (mimeType: string): StorageError =>
  new StorageError('InvalidMimeType', `mime type ${mimeType} is not supported`);

export function requireKey(key: string): void {
  if (!isValidKey(key)) throw new StorageError('InvalidKey', `Invalid key: ${key}`);
}

/**
 * Checks that a moved or copied object meets the target bucket's limits. If the bucket is missing, the error is
 * reported later, when the row is written.
 * @throws {StorageError} EntityTooLarge, InvalidMimeType
 */
export async function requireFits(
  ctx: StorageContext,
  scope: Scope,
  { bucketId, key }: ObjectAddress,
  metadata: Record<string, unknown> | null,
): Promise<void> {
  const limits = await findBucketLimits(scope.eachAsService({ readOnly: true }), bucketId);
  if (!limits) return;
  const read = readObjectMetadata(metadata);
  requireMime(storedContentType(read), limits, key);
  if ((read.size ?? 0) > maxObjectBytes(ctx, limits, key)) throw new StorageError('EntityTooLarge');
}

export interface WriteCheck extends ObjectAddress {
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
  const row = writeOf(check, probeVersion, check.metadata, check.userMetadata);
  await takenKey(() => tryInsertObject(scope.eachAsUser({ end: 'rollback' }), row, check.upsert));
}

export interface Upload extends ObjectAddress {
  readonly body: UploadBody;
  readonly maxBytes: number;
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

export async function storeUpload(ctx: StorageContext, scope: Scope, upload: Upload): Promise<ObjectRow> {
  const { body } = upload;
  await requireWritable(scope, {
    ...upload,
    metadata: { mimetype: body.mimeType, contentLength: body.declaredLength },
    userMetadata: body.userMetadata,
  });
  return withUnusedVersion(ctx, upload.version, (version) =>
    change(ctx, [version], async (change) => {
      const stored = await storing(() => ctx.backend.write(version, body.bytes, upload.maxBytes));
      const metadata = metadataOf(stored, {
        mimetype: body.mimeType,
        cacheControl: body.cacheControl,
        ...(body.robotsTag === undefined ? {} : { xRobotsTag: body.robotsTag }),
      });
      change.committing();
      const checksum = ctx.keepsChecksums ? upload.checksum?.() : undefined;
      return writeRow(
        scope,
        { ...upload, checksum },
        writeOf(upload, version, metadata, body.userMetadata ?? {}),
        change.giveUp,
      );
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

export interface RowOptions extends WriteConditions {
  /** The checksum that is stored with the row. */
  readonly checksum?: StoredChecksum | undefined;
}

type GiveUp = (versions: readonly (string | null | undefined)[]) => Promise<void>;

/**
 * Writes the row for a stored version. If the row replaces another row, the bytes of the replaced version are removed.
 */
export async function writeRow(
  scope: Scope,
  options: RowOptions,
  row: ObjectWrite,
  giveUp: GiveUp,
): Promise<ObjectRow> {
  scope.confirmToken();
  return takenKey(() =>
    options.upsert || options.checksum
      ? scope.asService((tx) => writeRowIn(scope, tx, options, row, giveUp))
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
  options: RowOptions,
  row: ObjectWrite,
  giveUp: GiveUp,
): Promise<ObjectRow> {
  scope.confirmToken();
  if (options.checksum) await insertChecksum(tx, row.version, options.checksum);
  if (!options.upsert) return insertObject(tx, row);
  await lockKey(tx, row.bucketId, row.name);
  const replaced = await findVersion(tx, row.bucketId, row.name);
  if (options.precondition) options.precondition(await findObject(tx, row.bucketId, row.name));
  if (replaced !== undefined && scope.role !== serviceRole)
    await scope.tryAsUser(tx, (inner) => tryInsertObject(inner, { ...row, version: probeVersion }, true));
  const written = await upsertObject(tx, row);
  await giveUp([replaced]);
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

export function writeOf(
  target: ObjectAddress & { readonly owner: Owner },
  version: string,
  metadata: Record<string, unknown>,
  userMetadata: Record<string, unknown> | null | undefined,
): ObjectWrite {
  const { bucketId, key, owner } = target;
  return { bucketId, name: key, version, ...owner, metadata, userMetadata };
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
