/**
 * Resumable uploads: begun, gone on with, finished as an object, given up. Whoever may not write is refused before a
 * byte is kept, at every request; only who began an upload may see it or go on with it.
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
import { findLivingVersions } from '../queries/objects.ts';
import type { Owner, Scope } from '../scope.ts';
import type { StorageService } from '../service.ts';
import {
  bucketLimits,
  maxObjectBytes,
  metadataOf,
  type ObjectAddress,
  type Precondition,
  requireKey,
  requireMime,
  requireWritable,
  writeOf,
  writeRow,
} from '../uploads.ts';
import { TusError } from './errors.ts';
import type { StagedUpload } from './staging.ts';

/** An upload that is not finished by then is removed; upstream documents a day. */
export const uploadLifetimeMs = 24 * 60 * 60 * 1000;

/** Who asks, and what for. */
export interface Uploader {
  readonly scope: Scope;
  readonly owner: Owner;
  /** Names the same caller at each request. */
  readonly identity: string;
  readonly upsert: boolean;
  readonly precondition?: Precondition;
}

export interface NewUpload {
  readonly sizeBytes: number | undefined;
  readonly metadata: TusMetadata;
}

/** An upload as it stands. */
export interface Progress {
  readonly upload: StagedUpload;
  readonly offset: number;
  /** Its object is there. */
  readonly isFinished: boolean;
}

/** Bucket and key of a new upload. @throws {TusError} MetadataRequired @throws {StorageError} InvalidBucketName, InvalidKey */
export function addressOf(metadata: TusMetadata): ObjectAddress {
  const { bucketName, objectName } = metadata;
  if (typeof bucketName !== 'string' || typeof objectName !== 'string')
    throw new TusError('MetadataRequired');
  if (!isValidBucketName(bucketName)) throw new StorageError('InvalidBucketName');
  requireKey(objectName);
  return { bucketId: bucketName, key: objectName };
}

/** @throws {TusError} MaxSizeExceeded @throws {StorageError} as an upload by the same caller would. */
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

/** Removes an upload that its own first request made and could not go on with. */
export async function forgetUpload(service: StorageService, id: string): Promise<void> {
  await service.resumable.staging.remove(id);
}

/** @throws {TusError} UploadNotFound (also for somebody else's), UploadExpired */
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

/** How far it is. An upload whose bytes are all there but whose object is not (a crash came between) is finished first. */
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
  /** Names the length of an upload that began without. */
  readonly sizeBytes: number | undefined;
  readonly contentLength: number | undefined;
  readonly body: Readable;
}

/**
 * Adds bytes at the offset that the client believes in; the last ones make the object.
 * @throws {TusError} OffsetConflict, LengthRequired, MaxSizeExceeded, SizeExceeded, and the reason of the signal
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
  // A try to store it was not finished: since then its caller may have lost the right.
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

/** May the caller write this object now? @throws {StorageError} AccessDenied, KeyAlreadyExists, RelatedResourceNotFound */
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

/** The most bytes that the object may have. @throws {TusError} MaxSizeExceeded when it is known to have more. */
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

/** Makes the object of an upload that is all there. What is refused for good takes its bytes along. */
async function finishUpload(
  service: StorageService,
  uploader: Uploader,
  upload: StagedUpload,
): Promise<void> {
  const { staging } = service.resumable;
  // Never a version twice: what an earlier try left is settled on its own.
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
  // Its bytes were given up once the object was there; that it has been deleted or replaced since changes nothing.
  return living.has(storedAs) || (await service.resumable.staging.offset(upload.id)) === undefined;
}

const mayReplace = (uploader: Uploader, upload: StagedUpload): boolean => upload.upsert || uploader.upsert;

const mimeTypeOf = (upload: StagedUpload): string => upload.metadata.contentType || defaultType;

const userMetadataOf = (upload: StagedUpload): Record<string, unknown> | undefined =>
  parseMetadataField(upload.metadata.metadata ?? undefined);
