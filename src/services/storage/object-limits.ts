/** Checks that an object meets the limits of its bucket and of the project: its key, its size and its media type. */
import { parseMediaType } from '../../base/shared/http/media-type.ts';
import type { StorageContext } from './context.ts';
import { isMimeAllowed, smallestLimit } from './core/limits.ts';
import { isFolderPlaceholder, isValidKey, type ObjectAddress } from './core/names.ts';
import { readObjectMetadata, storedContentType } from './core/object-headers.ts';
import { StorageError } from './errors.ts';
import { type BucketLimits, findBucketLimits } from './queries/buckets.ts';
import type { Scope } from './scope.ts';

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
