/**
 * Checks that an object meets the limits of its bucket and of the project: its key, its size and its media type.
 * `writeOf` creates rows only for a {@link CheckedObject}, so no upload and no copy can skip these checks. The limits are
 * read before the row is written, so a rule that depends on other rows needs a trigger instead.
 */
import { parseMediaType } from '../../base/shared/http/media-type.ts';
import type { StorageContext } from './context.ts';
import { isMimeAllowed, smallestLimit } from './core/limits.ts';
import { isFolderPlaceholder, isValidKey, type ObjectAddress } from './core/names.ts';
import { readObjectMetadata, storedContentType } from './core/object-headers.ts';
import { StorageError } from './errors.ts';
import { type BucketLimits, findBucketLimits } from './queries/buckets.ts';
import type { Scope } from './scope.ts';

declare const checked: unique symbol;

/** The address of an object that meets its bucket's limits. Only the functions in this file create such values. */
export interface CheckedObject extends ObjectAddress {
  readonly maxBytes: number;
  readonly [checked]: true;
}

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

interface UploadedObject {
  readonly key: string;
  readonly mimeType: string;
  /** The size of the body. Undefined if the client doesn't declare the size. */
  readonly sizeBytes?: number | undefined;
}

/**
 * Checks an object that a client uploads.
 * @param tooLarge creates the error for a declared size that exceeds the limit
 * @throws {StorageError} EntityTooLarge, InvalidMimeType, InvalidKey
 */
export function checkUpload(
  ctx: StorageContext,
  limits: BucketLimits,
  { key, mimeType, sizeBytes = 0 }: UploadedObject,
  tooLarge: () => Error = () => new StorageError('EntityTooLarge'),
): CheckedObject {
  const maxBytes = maxObjectBytes(ctx, limits, key);
  if (sizeBytes > maxBytes) throw tooLarge();
  requireMime(mimeType, limits, key);
  requireKey(key);
  return checkedObject({ bucketId: limits.id, key }, maxBytes);
}

/**
 * Checks an object whose bytes are already stored, such as the source of a copy.
 * @throws {StorageError} InvalidMimeType, EntityTooLarge
 */
export function checkStored(
  ctx: StorageContext,
  limits: BucketLimits,
  { key, mimeType, sizeBytes }: UploadedObject & { readonly sizeBytes: number },
): CheckedObject {
  requireMime(mimeType, limits, key);
  return checkSize(ctx, limits, key, sizeBytes);
}

/** Checks an object whose key and media type were checked when its upload began. @throws {StorageError} EntityTooLarge */
export function checkSize(
  ctx: StorageContext,
  limits: BucketLimits,
  key: string,
  sizeBytes: number,
): CheckedObject {
  const maxBytes = maxObjectBytes(ctx, limits, key);
  if (sizeBytes > maxBytes) throw new StorageError('EntityTooLarge');
  return checkedObject({ bucketId: limits.id, key }, maxBytes);
}

/**
 * Checks the target of a copy or a move. An object that keeps its bucket and its media type may exceed limits that were
 * lowered after its upload. If the bucket is missing, the error is reported later, when the row is written.
 * @throws {StorageError} InvalidMimeType, EntityTooLarge
 */
export async function checkTarget(
  ctx: StorageContext,
  scope: Scope,
  target: ObjectAddress,
  { source, metadata }: { readonly source: SourceObject; readonly metadata: SourceObject['metadata'] },
): Promise<CheckedObject> {
  const isUnchanged =
    target.bucketId === source.bucket_id && metadata?.mimetype === source.metadata?.mimetype;
  const limits = isUnchanged
    ? undefined
    : await findBucketLimits(scope.eachAsService({ readOnly: true }), target.bucketId);
  if (!limits) return checkedObject(target, ctx.fileSizeLimitBytes);
  const read = readObjectMetadata(metadata);
  return checkStored(ctx, limits, {
    key: target.key,
    mimeType: storedContentType(read),
    sizeBytes: read.size ?? 0,
  });
}

interface SourceObject {
  readonly bucket_id: string;
  readonly metadata: Record<string, unknown> | null;
}

const checkedObject = ({ bucketId, key }: ObjectAddress, maxBytes: number): CheckedObject =>
  ({ bucketId, key, maxBytes }) as CheckedObject;

/**
 * Throws if a media type that a client sends is invalid. For example, the check for allowed types would use the first
 * type in `image/png, text/xsl`, but a browser might use the last type.
 * @throws {StorageError} InvalidMimeType
 */
export function requireMediaType(mimeType: string): void {
  if (parseMediaType(mimeType) === undefined) throw unsupported(mimeType);
}

/** Checks that a bucket allows the media type. @throws {StorageError} InvalidMimeType */
function requireMime(mimeType: string, limits: BucketLimits, key: string): void {
  requireMediaType(mimeType);
  if (!isFolderPlaceholder(key) && !isMimeAllowed(mimeType, limits.allowedMimeTypes))
    throw unsupported(mimeType);
}

const unsupported = (mimeType: string): StorageError =>
  new StorageError('InvalidMimeType', `mime type ${mimeType} is not supported`);

export function requireKey(key: string): void {
  if (!isValidKey(key)) throw new StorageError('InvalidKey', `Invalid key: ${key}`);
}
