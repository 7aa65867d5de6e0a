/**
 * Creates, resumes, finishes and terminates resumable uploads. Each request checks the caller's write access before any
 * bytes are stored. Only the creator of an upload can see or resume it.
 */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { change, storing } from '../changes.ts';
import type { StorageContext } from '../context.ts';
import { isValidBucketName, type ObjectAddress } from '../core/names.ts';
import { defaultType } from '../core/object-headers.ts';
import { type TusMetadata, tusCacheControl, type UploadId } from '../core/tus.ts';
import { parseMetadataField } from '../core/user-metadata.ts';
import { StorageError, storageErrors } from '../errors.ts';
import { bucketLimits, type CheckedObject, checkUpload, requireKey } from '../object-limits.ts';
import { findLivingVersions } from '../queries/objects.ts';
import type { Owner, Scope } from '../scope.ts';
import { metadataOf, type Precondition, requireWritable, writeOf, writeRow } from '../write-object.ts';
import { TusError } from './errors.ts';
import type { StagedUpload } from './types.ts';

/** The duration after which unfinished uploads are removed, which is one day as in upstream's documentation. */
export const uploadLifetimeMs = 24 * 60 * 60 * 1000;

/** The caller of a request, and whether the caller is allowed to replace an existing object. */
export interface Uploader {
  readonly scope: Scope;
  readonly owner: Owner;
  /** The caller's identity, which is the same in all of the caller's requests. */
  readonly identity: string;
  readonly upsert: boolean;
  readonly precondition?: Precondition;
}

export interface NewUpload {
  readonly sizeBytes: number | undefined;
  readonly metadata: TusMetadata;
}

/** The current state of an upload. */
export interface Progress {
  readonly upload: StagedUpload;
  readonly offset: number;
  /** Whether the object has been stored. */
  readonly isFinished: boolean;
}

/**
 * Returns the bucket and the key of a new upload.
 * @throws {TusError} MetadataRequired
 * @throws {StorageError} InvalidBucketName, InvalidKey
 */
export function addressOf(metadata: TusMetadata): ObjectAddress {
  const { bucketName, objectName } = metadata;
  if (typeof bucketName !== 'string' || typeof objectName !== 'string')
    throw new TusError('MetadataRequired');
  if (!isValidBucketName(bucketName)) throw new StorageError('InvalidBucketName');
  requireKey(objectName);
  return { bucketId: bucketName, key: objectName };
}

/**
 * Creates an upload.
 * @throws {TusError} MaxSizeExceeded
 * @throws {StorageError} if a plain upload would throw the error too
 */
export async function beginUpload(
  ctx: StorageContext,
  uploader: Uploader,
  address: ObjectAddress,
  { sizeBytes, metadata }: NewUpload,
): Promise<StagedUpload> {
  const upload = {
    ...address,
    id: randomUUID(),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    metadata,
    beganBy: uploader.identity,
    upsert: uploader.upsert,
    createdAt: ctx.clock.now(),
  };
  await requireInLimits(ctx, uploader, upload);
  await requireAllowed(uploader, upload);
  await storing(() => ctx.resumable.staging.create(upload));
  return upload;
}

/** Removes an upload after the request that created it has failed. */
export async function forgetUpload(ctx: StorageContext, id: string): Promise<void> {
  await ctx.resumable.staging.remove(id);
}

/**
 * Finds one of the caller's uploads.
 * @throws {TusError} UploadNotFound (also if the upload belongs to another caller), UploadExpired
 */
export async function findUpload(
  ctx: StorageContext,
  uploader: Uploader,
  named: UploadId,
): Promise<StagedUpload> {
  const upload = await ctx.resumable.staging.find(named.id);
  if (
    upload === undefined ||
    upload.bucketId !== named.bucketId ||
    upload.key !== named.key ||
    upload.beganBy !== uploader.identity
  )
    throw new TusError('UploadNotFound');
  if (isExpired(upload, ctx.clock.now())) throw new TusError('UploadExpired');
  return upload;
}

function isExpired(upload: StagedUpload, nowMs: number): boolean {
  return nowMs > upload.createdAt + uploadLifetimeMs;
}

/**
 * Returns the progress of an upload. If all bytes were received but the server crashed before it stored the object, the
 * object is stored first.
 */
export async function progressOf(
  ctx: StorageContext,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<Progress> {
  const offset = await ctx.resumable.staging.offset(upload.id);
  if (await isStored(ctx, uploader, upload)) {
    if (offset !== undefined) await ctx.resumable.staging.removeBytes(upload.id);
    return { upload, offset: upload.sizeBytes ?? 0, isFinished: true };
  }
  if (offset === undefined) throw new TusError('UploadNotFound');
  if (offset !== upload.sizeBytes) return { upload, offset, isFinished: false };
  const object = await requireInLimits(ctx, uploader, upload);
  await requireAllowed(uploader, upload);
  await finishUpload(ctx, uploader, upload, object);
  return { upload, offset, isFinished: true };
}

export interface Addition {
  readonly offset: number;
  /** The total size, which the client sends here if the upload was created without a size. */
  readonly sizeBytes: number | undefined;
  readonly contentLength: number | undefined;
  readonly body: Readable;
  /** Aborted when another request takes over the upload. */
  readonly signal: AbortSignal;
}

/**
 * Appends bytes at the offset that the client specifies. After the last bytes, the object is stored.
 * @throws {TusError} OffsetConflict, LengthRequired, MaxSizeExceeded, SizeExceeded, and the signal's abort reason
 */
export async function addBytes(
  ctx: StorageContext,
  uploader: Uploader,
  known: StagedUpload,
  addition: Addition,
): Promise<Progress> {
  const { staging } = ctx.resumable;
  const at = await staging.offset(known.id);
  if (at === undefined || (await isStored(ctx, uploader, known))) {
    if (addition.offset !== known.sizeBytes) throw new TusError('OffsetConflict');
    return progressOf(ctx, uploader, known);
  }
  if (at !== addition.offset) throw new TusError('OffsetConflict');
  // An earlier attempt to store the object was interrupted. The caller may have lost access since the interrupted
  // attempt.
  if (known.storedAs !== undefined) await requireAllowed(uploader, known);
  const upload = await withLength(ctx, known, addition.sizeBytes, at);
  const maxBytes = (upload.sizeBytes ?? (await requireInLimits(ctx, uploader, upload)).maxBytes) - at;
  if ((addition.contentLength ?? 0) > maxBytes) throw new TusError('SizeExceeded');
  const object = await requireInLimits(ctx, uploader, upload);
  const { offset, end } = await storing(() =>
    staging.append(upload.id, addition.body, { offset: at, maxBytes, signal: addition.signal }),
  );
  if (end === 'too large') throw new TusError('SizeExceeded');
  if (end === 'stopped') throw addition.signal.reason;
  const isFinished = offset === upload.sizeBytes;
  if (isFinished) await finishUpload(ctx, uploader, upload, object);
  return { upload, offset, isFinished };
}

/** Removes an unfinished upload. @throws {TusError} AlreadyComplete if the object was stored */
export async function terminateUpload(
  ctx: StorageContext,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<void> {
  if (await isStored(ctx, uploader, upload)) throw new TusError('AlreadyComplete');
  await ctx.resumable.staging.remove(upload.id);
}

/**
 * Throws unless the caller is currently allowed to write this object.
 * @throws {StorageError} AccessDenied, KeyAlreadyExists, RelatedResourceNotFound
 */
export async function requireAllowed(uploader: Uploader, upload: StagedUpload): Promise<void> {
  await requireWritable(uploader.scope, {
    bucketId: upload.bucketId,
    key: upload.key,
    owner: uploader.owner,
    upsert: mayReplace(uploader, upload),
    metadata: { mimetype: upload.metadata.contentType ?? undefined, contentLength: upload.sizeBytes },
    userMetadata: userMetadataOf(upload),
  });
}

/**
 * Checks that the object meets the current limits of its bucket.
 * @throws {TusError} MaxSizeExceeded if the declared size is too large
 * @throws {StorageError} NoSuchBucket, InvalidMimeType
 */
async function requireInLimits(
  ctx: StorageContext,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<CheckedObject> {
  const limits = await bucketLimits(uploader.scope, upload.bucketId);
  const { key, sizeBytes } = upload;
  return checkUpload(
    ctx,
    limits,
    { key, sizeBytes, mimeType: mimeTypeOf(upload) },
    () => new TusError('MaxSizeExceeded'),
  );
}

async function withLength(
  ctx: StorageContext,
  upload: StagedUpload,
  sizeBytes: number | undefined,
  offset: number,
): Promise<StagedUpload> {
  if (sizeBytes === undefined) return upload;
  if (upload.sizeBytes !== undefined || sizeBytes < offset) throw new TusError('LengthRequired');
  return storing(() => ctx.resumable.staging.setSize(upload, sizeBytes));
}

/**
 * Stores the object when all bytes have been received. If the object is permanently rejected, the bytes are removed.
 */
async function finishUpload(
  ctx: StorageContext,
  uploader: Uploader,
  upload: StagedUpload,
  object: CheckedObject,
): Promise<void> {
  const { staging } = ctx.resumable;
  const attempt = await storing(() => staging.attempt(upload));
  try {
    await change(ctx, attempt.newVersions, async (change) => {
      const stored = await storing(() => attempt.store());
      const metadata = metadataOf(stored, {
        mimetype: mimeTypeOf(upload),
        cacheControl: tusCacheControl(upload.metadata.cacheControl),
      });
      const row = writeOf(
        { ...object, owner: uploader.owner },
        attempt.version,
        metadata,
        userMetadataOf(upload) ?? {},
      );
      change.committing();
      const { scope, precondition } = uploader;
      const upsert = mayReplace(uploader, upload);
      return writeRow(scope, row, { upsert, precondition, giveUp: change.giveUp, claim: attempt.claim });
    });
  } catch (error) {
    if (error instanceof StorageError && storageErrors[error.entry].status < 500)
      await staging.remove(upload.id);
    throw error;
  }
  await staging.removeBytes(upload.id);
}

async function isStored(ctx: StorageContext, uploader: Uploader, upload: StagedUpload): Promise<boolean> {
  const { storedAs } = upload;
  if (storedAs === undefined) return false;
  const living = await uploader.scope.asService((tx) => findLivingVersions(tx, [storedAs]), {
    readOnly: true,
  });
  // The bytes are removed only after the object has been stored. If the bytes no longer exist, the upload is finished,
  // even if the object has since been deleted or replaced.
  return living.has(storedAs) || (await ctx.resumable.staging.offset(upload.id)) === undefined;
}

const mayReplace = (uploader: Uploader, upload: StagedUpload): boolean => upload.upsert || uploader.upsert;

const mimeTypeOf = (upload: StagedUpload): string => upload.metadata.contentType || defaultType;

const userMetadataOf = (upload: StagedUpload): Record<string, unknown> | undefined =>
  parseMetadataField(upload.metadata.metadata ?? undefined);
