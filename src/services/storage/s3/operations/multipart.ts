/** Creates multipart uploads and stores their parts. */
import { randomUUID } from 'node:crypto';
import type { StoredBody } from '../../backend/types.ts';
import { storing } from '../../changes.ts';
import type { StorageContext } from '../../context.ts';
import { defaultType } from '../../core/object-headers.ts';
import type { ByteRange } from '../../core/range.ts';
import { BytesMissingError, StorageError } from '../../errors.ts';
import { bucketLimits, checkUpload, maxObjectBytes, requireKey } from '../../object-limits.ts';
import { insertChecksum } from '../../queries/checksums.ts';
import {
  findUpload,
  insertUpload,
  lockUpload,
  type MultipartUpload,
  replacePart,
  sizeOfOtherParts,
} from '../../queries/multipart.ts';
import type { ObjectRow } from '../../queries/objects.ts';
import { withCurrentObject } from '../../readable-object.ts';
import { requireWritable } from '../../write-object.ts';
import { type Body, openBody } from '../body.ts';
import { type SentChecksum, sumUp } from '../body-checksums.ts';
import { checksumElement, checksumHeader } from '../core/object-checksum.ts';
import { writeXml } from '../core/xml.ts';
import { S3Error } from '../errors.ts';
import {
  headersOf,
  readVersion,
  requireCopyConditions,
  type S3Call,
  type S3Response,
  userMetadataOf,
} from '../operation.ts';
import { header, numberParam, type S3Request } from '../request.ts';
import { planHeaders, plannedChecksum, planOf } from './multipart-checksums.ts';
import { findCopySource } from './write-objects.ts';

export const maxParts = 10_000;

export async function createMultipart(call: S3Call): Promise<S3Response> {
  const { service: ctx, scope, request } = call;
  request.fastify.raw.resume();
  const limits = await bucketLimits(scope, request.bucket);
  requireKey(request.key);
  const mimeType = header(request, 'content-type') ?? defaultType;
  const { bucketId, key } = checkUpload(ctx, limits, { key: request.key, mimeType });
  const upload = {
    id: randomUUID(),
    version: randomUUID(),
    bucketId,
    key,
    ownerId: scope.owner.ownerId,
    metadata: { mimetype: mimeType, cacheControl: header(request, 'cache-control') ?? 'no-cache' },
    userMetadata: userMetadataOf(headersOf(request.headers)),
    checksum: plannedChecksum(call),
  };
  await requireUploadWritable(call, upload);
  await scope.asService((tx) => insertUpload(tx, upload));
  return {
    headers: upload.checksum && planHeaders(upload.checksum),
    xml: writeXml('InitiateMultipartUploadResult', {
      Bucket: upload.bucketId,
      Key: upload.key,
      UploadId: upload.id,
    }),
  };
}

export async function uploadPart(call: S3Call): Promise<S3Response> {
  const { request, auth } = call;
  const number = partNumber(request);
  const body = openBody(request, auth);
  if (body.sizeBytes === undefined) throw new S3Error('MissingContentLength');
  const upload = await requireUpload(call);
  const part = await storePart(call, upload, number, { ...body, sizeBytes: body.sizeBytes });
  const checksums = [body.checksum(), part.checksum].filter((checksum) => checksum !== undefined);
  const headers = checksums.map(({ algorithm, value }) => [checksumHeader(algorithm), value]);
  return { headers: { ...Object.fromEntries(headers), etag: part.etag } };
}

export async function uploadPartCopy(call: S3Call): Promise<S3Response> {
  const { request } = call;
  request.fastify.raw.resume();
  const number = partNumber(request);
  const upload = await requireUpload(call);
  return withCurrentObject(
    () => findCopySource(call),
    (source) => copyPart(call, upload, number, source),
  );
}

async function copyPart(
  call: S3Call,
  upload: MultipartUpload,
  number: number,
  source: ObjectRow,
): Promise<S3Response> {
  const { service: ctx, request } = call;
  requireCopyConditions(request, source);
  const body = await ctx.backend.open(source.version ?? '');
  if (!body) throw new BytesMissingError();
  // The source object is closed here and reopened when the part is stored. Otherwise, the source object would stay open
  // if the request is rejected in between.
  await body.close();
  const range = copyRange(request, body.sizeBytes);
  const sizeBytes = range ? range.end - range.start + 1 : body.sizeBytes;
  const bytes = readVersion(ctx, source.version ?? '', range);
  const part = await storePart(call, upload, number, {
    bytes,
    sizeBytes,
    checksumAlgorithm: undefined,
    checksum: () => undefined,
  });
  return {
    xml: writeXml('CopyPartResult', {
      LastModified: part.lastModified.toISOString(),
      ETag: part.etag,
      ...(part.checksum && { [checksumElement(part.checksum.algorithm)]: part.checksum.value }),
    }),
  };
}

/**
 * Returns the upload that the request identifies by ID and key. The caller must be allowed to write the upload.
 * @throws {S3Error} NoSuchUpload
 */
export async function requireUpload(call: S3Call): Promise<MultipartUpload> {
  const upload = await findOwn(call);
  if (!upload) throw new S3Error('NoSuchUpload');
  await requireUploadWritable(call, upload);
  return upload;
}

/** Returns the upload that the request identifies by ID and key. */
export function findOwn({ scope, request }: S3Call): Promise<MultipartUpload | undefined> {
  const id = request.param('uploadId') ?? '';
  return scope.asService((tx) => findUpload(tx, id, request.bucket, request.key), { readOnly: true });
}

function requireUploadWritable(
  { scope }: S3Call,
  upload: Pick<MultipartUpload, 'bucketId' | 'key' | 'metadata' | 'userMetadata'>,
): Promise<void> {
  const { bucketId, key, metadata, userMetadata } = upload;
  return requireWritable(scope, {
    bucketId,
    key,
    owner: scope.owner,
    upsert: true,
    metadata: metadata ?? {},
    userMetadata,
  });
}

async function storePart(
  call: S3Call,
  upload: MultipartUpload,
  number: number,
  body: Body & { readonly sizeBytes: number },
): Promise<StoredBody & { readonly checksum: SentChecksum | undefined }> {
  const { service: ctx, scope } = call;
  const { sizeBytes } = body;
  const limits = await bucketLimits(scope, upload.bucketId);
  const maxBytes = maxObjectBytes(ctx, limits, upload.key);
  const others = await scope.asService((tx) => sizeOfOtherParts(tx, upload.id, number), { readOnly: true });
  if (others + sizeBytes > maxBytes) throw new StorageError('EntityTooLarge');

  const id = randomUUID();
  const plan = planOf(upload);
  // The client's checksum is verified while the body is read. If the upload requires a different algorithm from the
  // client's, the checksum with the required algorithm is computed here.
  const summed = plan && plan.algorithm !== body.checksumAlgorithm ? sumUp(body.bytes, plan.algorithm) : body;
  const stored = await storing(() =>
    ctx.backend.writePart(upload.version, id, summed.bytes, sizeBytes),
  ).catch(async (error: unknown) => {
    // Another request ended the upload during this request and removed the upload's folder.
    if (await findOwn(call)) throw error;
    await removeUpload(ctx, upload);
    throw new S3Error('NoSuchUpload', undefined, { cause: error });
  });
  if (stored.sizeBytes !== sizeBytes) {
    await ctx.backend.removeParts(upload.version, [id]);
    throw new S3Error('IncompleteBody');
  }
  const part = { id, number, sizeBytes, etag: stored.etag, ownerId: scope.owner.ownerId };
  const checksum = plan && summed.checksum();
  const replaced = await scope.asService(async (tx) => {
    if (!(await lockUpload(tx, upload.id))) return undefined;
    if ((await sizeOfOtherParts(tx, upload.id, number)) + sizeBytes > maxBytes) return 'too large';
    if (plan && checksum) await insertChecksum(tx, id, { ...plan, value: checksum.value });
    return replacePart(tx, upload, part);
  });
  if (typeof replaced === 'object') {
    await ctx.backend.removeParts(upload.version, replaced);
    return { ...stored, checksum };
  }
  if (replaced === undefined) {
    await removeUpload(ctx, upload);
    throw new S3Error('NoSuchUpload');
  }
  await ctx.backend.removeParts(upload.version, [id]);
  throw new StorageError('EntityTooLarge');
}

/** Removes the upload's folder again after a late part has recreated it. */
async function removeUpload({ backend }: StorageContext, { version }: MultipartUpload): Promise<void> {
  const intent = await backend.announce([]);
  await intent.settle([version]);
}

function partNumber(request: S3Request): number {
  const number = numberParam(request, 'partNumber', { min: 1, max: maxParts, fallback: 0 });
  if (number === 0) throw new S3Error('InvalidArgument', 'Part number is missing');
  return number;
}

/** Parses `bytes=FIRST-LAST`. Both numbers are required and must be within the size of the source. */
function copyRange(request: S3Request, sourceBytes: number): ByteRange | undefined {
  const text = header(request, 'x-amz-copy-source-range');
  if (text === undefined) return undefined;
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text);
  const [start, end] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || start > end)
    throw new S3Error(
      'InvalidArgument',
      'The x-amz-copy-source-range value must be of the form bytes=first-last',
    );
  if (end >= sourceBytes)
    throw new S3Error(
      'InvalidArgument',
      `Range specified is not valid for source object of size: ${sourceBytes}`,
    );
  return { start, end };
}
