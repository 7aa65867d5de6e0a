/** Implements PutObject and CopyObject. */

import { defaultType, readObjectMetadata, storedContentType } from '../../core/object-headers.ts';
import { StorageError } from '../../errors.ts';
import { bucketLimits, checkStored, checkUpload, requireKey } from '../../object-limits.ts';
import type { BucketLimits } from '../../queries/buckets.ts';
import { findObject, type ObjectRow } from '../../queries/objects.ts';
import { withCurrentObject } from '../../readable-object.ts';
import { checkAndStore, copyObject, type WriteConditions } from '../../write-object.ts';
import { openBody } from '../body.ts';
import { sumUp } from '../body-checksums.ts';
import { percentDecode } from '../core/encoding.ts';
import {
  checksumElements,
  checksumHeaders,
  type ObjectChecksum,
  parseAlgorithm,
  wholeChecksum,
} from '../core/object-checksum.ts';
import { writeXml } from '../core/xml.ts';
import { S3Error } from '../errors.ts';
import {
  checksumOf,
  headersOf,
  readVersion,
  requireCopyConditions,
  type S3Call,
  type S3Response,
  userMetadataOf,
  writeConditions,
} from '../operation.ts';
import { header, onlyVersion, type S3Request } from '../request.ts';

export async function putObject(call: S3Call): Promise<S3Response> {
  const { service: ctx, scope, auth, request } = call;
  const conditions = writeConditions(request);
  const body = openBody(request, auth);
  // S3 clients create a folder by uploading an empty object whose key ends with a slash. Plinth stores a placeholder
  // file instead of this object.
  const isFolder = request.key.endsWith('/') && body.sizeBytes === 0;
  const key = isFolder ? `${request.key}.emptyFolderPlaceholder` : request.key;
  const limits = await bucketLimits(scope, request.bucket);
  const mimeType = header(request, 'content-type') ?? defaultType;
  const object = checkUpload(ctx, limits, { key, mimeType, sizeBytes: body.sizeBytes });
  const checksum = (): ObjectChecksum | undefined => {
    const sent = body.checksum();
    return sent && wholeChecksum(sent.algorithm, sent.value);
  };
  const row = await conditionally(() =>
    checkAndStore(ctx, scope, {
      ...object,
      body: {
        bytes: body.bytes,
        mimeType,
        cacheControl: header(request, 'cache-control') ?? 'no-cache',
        robotsTag: undefined,
        userMetadata: userMetadataOf(headersOf(request.headers)),
        declaredLength: body.sizeBytes,
        discard: () => undefined,
      },
      owner: scope.owner,
      checksum,
      ...conditions,
    }),
  );
  const kept = checksum();
  return { headers: { ...(kept && checksumHeaders(kept)), etag: etagOf(row) } };
}

export async function copyObjectTo(call: S3Call): Promise<S3Response> {
  const { scope, request } = call;
  request.fastify.raw.resume();
  const conditions = writeConditions(request);
  requireKey(request.key);
  const limits = await bucketLimits(scope, request.bucket);
  return withCurrentObject(
    () => findCopySource(call),
    (source) => copyFrom(call, source, limits, conditions),
  );
}

async function copyFrom(
  call: S3Call,
  source: ObjectRow,
  limits: BucketLimits,
  conditions: WriteConditions,
): Promise<S3Response> {
  const { service: ctx, scope, request } = call;
  requireCopyConditions(request, source);
  const replaces = header(request, 'x-amz-metadata-directive')?.toUpperCase() === 'REPLACE';
  const metadata: Record<string, unknown> = {
    ...source.metadata,
    ...(replaces
      ? {
          mimetype: header(request, 'content-type') ?? defaultType,
          cacheControl: header(request, 'cache-control') ?? 'no-cache',
        }
      : {}),
  };
  const object = checkStored(ctx, limits, {
    key: request.key,
    mimeType: replaces
      ? (header(request, 'content-type') ?? defaultType)
      : storedContentType(readObjectMetadata(metadata)),
    sizeBytes: Number(metadata.size ?? 0),
  });
  const checksum = await checksumOfCopy(call, source);
  const row = await conditionally(() =>
    copyObject(ctx, scope, {
      ...object,
      source,
      owner: scope.owner,
      metadata,
      userMetadata: replaces ? userMetadataOf(headersOf(request.headers)) : (source.user_metadata ?? {}),
      checksum,
      ...conditions,
    }),
  );
  return {
    xml: writeXml('CopyObjectResult', {
      LastModified: String(row.metadata?.lastModified ?? row.updated_at),
      ETag: etagOf(row),
      ...(checksum && checksumElements(checksum)),
    }),
  };
}

/**
 * Returns the checksum that the request specifies. If the request doesn't specify a checksum, returns the source's
 * checksum if that checksum covers the full object. A copy has no parts, so it can't have a composite checksum.
 * @throws {S3Error} InvalidRequest
 * @throws {StorageError} NoSuchKey
 */
async function checksumOfCopy(call: S3Call, source: ObjectRow): Promise<ObjectChecksum | undefined> {
  const { service: ctx, request } = call;
  const requested = header(request, 'x-amz-checksum-algorithm');
  const algorithm = requested === undefined ? undefined : parseAlgorithm(requested);
  if (requested !== undefined && !algorithm)
    throw new S3Error('InvalidRequest', 'Checksum algorithm provided is unsupported.');
  if (!ctx.hasOwnTables) return undefined;
  const known = await checksumOf(call, source);
  if (known?.type === 'FULL_OBJECT' && known.algorithm === (algorithm ?? known.algorithm)) return known;
  if (!algorithm) return undefined;
  const { bytes, checksum } = sumUp(readVersion(ctx, source.version ?? '', undefined), algorithm);
  for await (const _ of bytes);
  return wholeChecksum(algorithm, checksum().value);
}

/** Returns the object in `x-amz-copy-source` if the caller's policies allow it. @throws {StorageError} NoSuchKey */
export async function findCopySource({ scope, request }: S3Call): Promise<ObjectRow> {
  const address = copySource(request);
  const source = await scope.asUser((tx) => findObject(tx, address.bucketId, address.key));
  if (!source) throw new StorageError('NoSuchKey');
  return source;
}

/** Parses a percent-encoded `BUCKET/KEY`, with or without a leading slash. */
function copySource(request: S3Request): { bucketId: string; key: string } {
  const [text = '', ...query] = (header(request, 'x-amz-copy-source') ?? '').split('?');
  const path = percentDecode(text)?.replace(/^\//, '') ?? '';
  const slash = path.indexOf('/');
  if (slash < 1 || slash === path.length - 1 || path.includes('\0'))
    throw new S3Error(
      'InvalidArgument',
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    );
  if (query.length > 0 && query.join() !== `versionId=${onlyVersion}`)
    throw new S3Error('NotImplemented', "Object versions aren't supported");
  return { bucketId: path.slice(0, slash), key: path.slice(slash + 1) };
}

/** Runs a conditional write. If `If-None-Match: *` was sent and the key exists, the error is PreconditionFailed. */
export async function conditionally<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const taken =
      error instanceof StorageError &&
      (error.entry === 'KeyAlreadyExists' || error.entry === 'ResourceAlreadyExists');
    if (taken) throw new S3Error('PreconditionFailed', undefined, { cause: error });
    throw error;
  }
}

export function etagOf(row: ObjectRow): string | undefined {
  const etag = row.metadata?.eTag;
  return typeof etag === 'string' ? etag : undefined;
}
