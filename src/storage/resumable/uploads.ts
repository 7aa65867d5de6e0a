/**
 * Resumable uploads: creates, resumes, finishes and terminates them. Each request checks write access before any bytes
 * are stored. Only the creator of an upload can see or resume it.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { StoredBody } from '../backend/types.ts';
import { storing } from '../backend-errors.ts';
import { change } from '../changes.ts';
import { isValidBucketName } from '../core/names.ts';
import { defaultType } from '../core/object-headers.ts';
import { type TusMetadata, tusCacheControl } from '../core/tus-headers.ts';
import type { UploadId } from '../core/upload-id.ts';
import { parseMetadataField } from '../core/user-metadata.ts';
import { StorageError, storageErrors } from '../errors.ts';
import type { ObjectAddress } from '../object-address.ts';
import { findLivingVersions } from '../queries/objects.ts';
import type { Owner, Scope } from '../scope.ts';
import type { StorageService } from '../service.ts';
import {
  bucketLimits,
  maxObjectBytes,
  metadataOf,
  type Precondition,
  requireKey,
  requireMime,
  requireWritable,
  writeOf,
  writeRow,
} from '../uploads.ts';
import { TusError } from './errors.ts';
import type { StagedUpload } from './staging.ts';

/** Unfinished uploads are removed after this time. Upstream documents one day. */
export const uploadLifetimeMs = 24 * 60 * 60 * 1000;

/** The caller of a request and what it may write. */
export interface Uploader {
  readonly scope: Scope;
  readonly owner: Owner;
  /** Identifies the same caller across requests. */
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
  /** Whether the object was stored. */
  readonly isFinished: boolean;
}

/**
 * Returns the bucket and key of a new upload. @throws {TusError} MetadataRequired @throws {StorageError}
 * InvalidBucketName, InvalidKey
 */
export function addressOf(metadata: TusMetadata): ObjectAddress {
  const { bucketName, objectName } = metadata;
  if (typeof bucketName !== 'string' || typeof objectName !== 'string')
    throw new TusError('MetadataRequired');
  if (!isValidBucketName(bucketName)) throw new StorageError('InvalidBucketName');
  requireKey(objectName);
  return { bucketId: bucketName, key: objectName };
}

/** @throws {TusError} MaxSizeExceeded @throws {StorageError} the same errors as a plain upload */
export async function beginUpload(
  service: StorageService,
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
    createdAt: service.clock.now(),
  };
  await allowedBytes(service, uploader, upload);
  await requireAllowed(uploader, upload);
  await storing(() => service.resumable.staging.create(upload));
  return upload;
}

/** Removes an upload whose creating request failed. */
export async function forgetUpload(service: StorageService, id: string): Promise<void> {
  await service.resumable.staging.remove(id);
}

/** @throws {TusError} UploadNotFound (also for uploads by other callers), UploadExpired */
export async function findUpload(
  service: StorageService,
  uploader: Uploader,
  named: UploadId,
): Promise<StagedUpload> {
  const upload = await service.resumable.staging.find(named.id);
  if (
    upload === undefined ||
    upload.bucketId !== named.bucketId ||
    upload.key !== named.key ||
    upload.beganBy !== uploader.identity
  )
    throw new TusError('UploadNotFound');
  if (isExpired(upload, service.clock.now())) throw new TusError('UploadExpired');
  return upload;
}

function isExpired(upload: StagedUpload, nowMs: number): boolean {
  return nowMs > upload.createdAt + uploadLifetimeMs;
}

/**
 * Returns the progress. If all bytes were received but a crash prevented storing the object, the upload is finished
 * first.
 */
export async function progressOf(
  service: StorageService,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<Progress> {
  const offset = await service.resumable.staging.offset(upload.id);
  if (await isStored(service, uploader, upload)) {
    if (offset !== undefined) await service.resumable.staging.removeBytes(upload.id);
    return { upload, offset: upload.sizeBytes ?? 0, isFinished: true };
  }
  if (offset === undefined) throw new TusError('UploadNotFound');
  if (offset !== upload.sizeBytes) return { upload, offset, isFinished: false };
  await requireAllowed(uploader, upload);
  await finishUpload(service, uploader, upload);
  return { upload, offset, isFinished: true };
}

export interface Addition {
  readonly offset: number;
  /** The length of an upload that began without one. */
  readonly sizeBytes: number | undefined;
  readonly contentLength: number | undefined;
  readonly body: Readable;
}

/**
 * Appends bytes at the offset given by the client. The last bytes complete the object.
 * @throws {TusError} OffsetConflict, LengthRequired, MaxSizeExceeded, SizeExceeded, and the signal's abort reason
 */
export async function addBytes(
  service: StorageService,
  uploader: Uploader,
  known: StagedUpload,
  addition: Addition,
  signal: AbortSignal,
): Promise<Progress> {
  const { staging } = service.resumable;
  const at = await staging.offset(known.id);
  if (at === undefined || (await isStored(service, uploader, known))) {
    if (addition.offset !== known.sizeBytes) throw new TusError('OffsetConflict');
    return progressOf(service, uploader, known);
  }
  if (at !== addition.offset) throw new TusError('OffsetConflict');
  // An earlier attempt to store the object was interrupted, and the caller may have lost access since.
  if (known.storedAs !== undefined) await requireAllowed(uploader, known);
  const upload = await withLength(service, known, addition.sizeBytes, at);
  const maxBytes = (upload.sizeBytes ?? (await allowedBytes(service, uploader, upload))) - at;
  if ((addition.contentLength ?? 0) > maxBytes) throw new TusError('SizeExceeded');
  await allowedBytes(service, uploader, upload);
  const { offset, end } = await storing(() =>
    staging.append(upload.id, addition.body, { offset: at, maxBytes, signal }),
  );
  if (end === 'too large') throw new TusError('SizeExceeded');
  if (end === 'stopped') throw signal.reason;
  const isFinished = offset === upload.sizeBytes;
  if (isFinished) await finishUpload(service, uploader, upload);
  return { upload, offset, isFinished };
}

/** @throws {TusError} AlreadyComplete */
export async function terminateUpload(
  service: StorageService,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<void> {
  if (await isStored(service, uploader, upload)) throw new TusError('AlreadyComplete');
  await service.resumable.staging.remove(upload.id);
}

/**
 * Checks that the caller can write this object now. @throws {StorageError} AccessDenied, KeyAlreadyExists,
 * RelatedResourceNotFound
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

/** Returns the maximum size of the object. @throws {TusError} MaxSizeExceeded if the declared size is larger */
async function allowedBytes(
  service: StorageService,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<number> {
  const limits = await bucketLimits(uploader.scope, upload.bucketId);
  const maxBytes = maxObjectBytes(service, limits, upload.key);
  if ((upload.sizeBytes ?? 0) > maxBytes) throw new TusError('MaxSizeExceeded');
  requireMime(mimeTypeOf(upload), limits, upload.key);
  return maxBytes;
}

async function withLength(
  service: StorageService,
  upload: StagedUpload,
  sizeBytes: number | undefined,
  offset: number,
): Promise<StagedUpload> {
  if (sizeBytes === undefined) return upload;
  if (upload.sizeBytes !== undefined || sizeBytes < offset) throw new TusError('LengthRequired');
  const changed = { ...upload, sizeBytes };
  await storing(() => service.resumable.staging.save(changed));
  return changed;
}

/** Stores the object of a complete upload. If it is permanently rejected, its bytes are removed. */
async function finishUpload(
  service: StorageService,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<void> {
  const { staging } = service.resumable;
  // Versions are never reused because the intent of an earlier attempt is settled separately.
  const version = randomUUID();
  await storing(() => staging.save({ ...upload, storedAs: version }));
  const { bucketId, key } = upload;
  try {
    await change(service, [version], async (change) => {
      const stored = await storing(() => storeStaged(service, upload, version));
      const metadata = metadataOf(stored, {
        mimetype: mimeTypeOf(upload),
        cacheControl: tusCacheControl(upload.metadata.cacheControl),
      });
      const row = writeOf(
        { bucketId, key, owner: uploader.owner },
        version,
        metadata,
        userMetadataOf(upload) ?? {},
      );
      change.committing();
      const { scope, precondition } = uploader;
      const upsert = mayReplace(uploader, upload);
      return writeRow(scope, { upsert, precondition }, row, change.giveUp);
    });
  } catch (error) {
    if (error instanceof StorageError && storageErrors[error.entry].status < 500)
      await staging.remove(upload.id);
    throw error;
  }
  await staging.removeBytes(upload.id);
}

async function storeStaged(
  service: StorageService,
  upload: StagedUpload,
  version: string,
): Promise<StoredBody> {
  const path = service.resumable.staging.pathOf(upload.id);
  if (service.backend.storeFile) return service.backend.storeFile(version, path);
  return service.backend.write(version, createReadStream(path), upload.sizeBytes ?? 0);
}

async function isStored(service: StorageService, uploader: Uploader, upload: StagedUpload): Promise<boolean> {
  const { storedAs } = upload;
  if (storedAs === undefined) return false;
  const living = await uploader.scope.asService((tx) => findLivingVersions(tx, [storedAs]), {
    readOnly: true,
  });
  // The bytes were removed after the object was stored. A later deletion or replacement of the object doesn't matter.
  return living.has(storedAs) || (await service.resumable.staging.offset(upload.id)) === undefined;
}

const mayReplace = (uploader: Uploader, upload: StagedUpload): boolean => upload.upsert || uploader.upsert;

const mimeTypeOf = (upload: StagedUpload): string => upload.metadata.contentType || defaultType;

const userMetadataOf = (upload: StagedUpload): Record<string, unknown> | undefined =>
  parseMetadataField(upload.metadata.metadata ?? undefined);
