/** Uploads in parts: create, send and copy parts, complete, abort. */
import { randomUUID } from 'node:crypto';
import { storing } from '../../backend-errors.ts';
import { change } from '../../changes.ts';
import type { ByteRange } from '../../core/range.ts';
import { StorageError } from '../../errors.ts';
import {
  deleteUpload,
  findParts,
  findUpload,
  insertUpload,
  lockUpload,
  type MultipartUpload,
  replacePart,
  sizeOfOtherParts,
  type UploadedPart,
} from '../../queries/multipart.ts';
import type { StorageService } from '../../service.ts';
import {
  bucketLimits,
  maxObjectBytes,
  metadataOf,
  requireKey,
  requireMime,
  requireWritable,
  writeOf,
  writeRowIn,
} from '../../uploads.ts';
import { openBody, readText } from '../body.ts';
import type { S3Answer, S3Call } from '../call.ts';
import { childText, readXml } from '../core/xml-reader.ts';
import { writeXml } from '../core/xml-writer.ts';
import { S3Error } from '../errors.ts';
import { headersOf, userMetadataOf } from '../object-metadata.ts';
import { requireCopyConditions, writeConditions } from '../preconditions.ts';
import { header, numberParam, type S3Request } from '../request.ts';
import { conditionally, defaultType, etagOf, findCopySource } from './write-objects.ts';

export const maxParts = 10_000;

export async function createMultipart(call: S3Call): Promise<S3Answer> {
  const { scope, request } = call;
  request.fastify.raw.resume();
  const limits = await bucketLimits(scope, request.bucket);
  requireKey(request.key);
  const mimeType = header(request, 'content-type') ?? defaultType;
  requireMime(mimeType, limits, request.key);
  const upload = {
    id: randomUUID(),
    version: randomUUID(),
    bucketId: request.bucket,
    key: request.key,
    ownerId: scope.owner.ownerId,
    metadata: { mimetype: mimeType, cacheControl: header(request, 'cache-control') ?? 'no-cache' },
    userMetadata: userMetadataOf(headersOf(request.headers)),
  };
  await requireUploadWritable(call, upload);
  await scope.asService((tx) => insertUpload(tx, upload));
  return {
    xml: writeXml('InitiateMultipartUploadResult', {
      Bucket: upload.bucketId,
      Key: upload.key,
      UploadId: upload.id,
    }),
  };
}

export async function uploadPart(call: S3Call): Promise<S3Answer> {
  const { request, auth } = call;
  const number = partNumber(request);
  const body = openBody(request, auth);
  if (body.sizeBytes === undefined) throw new S3Error('MissingContentLength');
  const upload = await requireUpload(call);
  const part = await storePart(call, upload, number, body.bytes, body.sizeBytes);
  return { headers: { ...body.checksumHeaders, etag: part.etag } };
}

export async function uploadPartCopy(call: S3Call): Promise<S3Answer> {
  const { service, request } = call;
  request.fastify.raw.resume();
  const number = partNumber(request);
  const upload = await requireUpload(call);
  const source = await findCopySource(call);
  requireCopyConditions(request, source);
  const body = await service.backend.open(source.version ?? '');
  if (!body) throw new StorageError('NoSuchKey');
  // Opened again when the part is stored: before that it may be refused, and nothing would close it.
  await body.close();
  const range = copyRange(request, body.sizeBytes);
  const sizeBytes = range ? range.end - range.start + 1 : body.sizeBytes;
  const bytes = readVersion(service, source.version ?? '', range);
  const part = await storePart(call, upload, number, bytes, sizeBytes);
  return {
    xml: writeXml('CopyPartResult', { LastModified: part.lastModified.toISOString(), ETag: part.etag }),
  };
}

export async function completeMultipart(call: S3Call): Promise<S3Answer> {
  const { service, scope, auth, request } = call;
  const conditions = writeConditions(request);
  const wanted = readParts(await readText(request, auth));
  const upload = await requireUpload(call);
  const parts = chooseParts(
    wanted,
    await scope.asService((tx) => findParts(tx, upload.id, 0, maxParts), { readOnly: true }),
  );
  if (!parts) throw await missingPart(call);
  const limits = await bucketLimits(scope, request.bucket);
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  if (sizeBytes > maxObjectBytes(service, limits, request.key)) throw new StorageError('EntityTooLarge');

  const version = randomUUID();
  const row = await conditionally(() =>
    change(service, [version], async (change) => {
      const stored = await storing(() => service.backend.assemble(upload.version, parts, version));
      if (!stored) throw await missingPart(call);
      const target = { bucketId: request.bucket, key: request.key, owner: scope.owner };
      const object = writeOf(
        target,
        version,
        metadataOf(stored, upload.metadata ?? {}),
        upload.userMetadata ?? {},
      );
      change.committing();
      return scope.asService(async (tx) => {
        if (!(await deleteUpload(tx, upload.id))) throw new S3Error('NoSuchUpload');
        await change.giveUp([upload.version]);
        return writeRowIn(tx, conditions, object, change.giveUp);
      });
    }),
  );
  return {
    xml: writeXml('CompleteMultipartUploadResult', {
      Location: request.path,
      Bucket: request.bucket,
      Key: request.key,
      ETag: etagOf(row),
    }),
  };
}

/** A part is gone with its upload, when somebody else was quicker to end that. */
async function missingPart(call: S3Call): Promise<S3Error> {
  return new S3Error((await findOwn(call)) ? 'InvalidPart' : 'NoSuchUpload');
}

export async function abortMultipart(call: S3Call): Promise<S3Answer> {
  const { service, scope } = call;
  const upload = await requireUpload(call);
  await change(service, [], async (change) => {
    change.committing();
    await scope.asService(async (tx) => {
      if (!(await deleteUpload(tx, upload.id))) throw new S3Error('NoSuchUpload');
      await change.giveUp([upload.version]);
    });
  });
  return { status: 204 };
}

/** The upload of this id for this very key, if the caller may write that. @throws {S3Error} NoSuchUpload */
export async function requireUpload(call: S3Call): Promise<MultipartUpload> {
  const upload = await findOwn(call);
  if (!upload) throw new S3Error('NoSuchUpload');
  await requireUploadWritable(call, upload);
  return upload;
}

function findOwn({ scope, request }: S3Call): Promise<MultipartUpload | undefined> {
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
  bytes: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): Promise<{ readonly etag: string; readonly lastModified: Date }> {
  const { service, scope } = call;
  const limits = await bucketLimits(scope, upload.bucketId);
  const maxBytes = maxObjectBytes(service, limits, upload.key);
  const others = await scope.asService((tx) => sizeOfOtherParts(tx, upload.id, number), { readOnly: true });
  if (others + sizeBytes > maxBytes) throw new StorageError('EntityTooLarge');

  const id = randomUUID();
  const stored = await storing(() => service.backend.writePart(upload.version, id, bytes, sizeBytes)).catch(
    async (error: unknown) => {
      // Its folder is taken away with the upload, in the middle of it.
      throw (await findOwn(call)) ? error : new S3Error('NoSuchUpload', undefined, { cause: error });
    },
  );
  if (stored.sizeBytes !== sizeBytes) {
    await service.backend.removeParts(upload.version, [id]);
    throw new S3Error('IncompleteBody');
  }
  const part = { id, number, sizeBytes, etag: stored.etag, ownerId: scope.owner.ownerId };
  const replaced = await scope.asService(async (tx) => {
    if (!(await lockUpload(tx, upload.id))) return undefined;
    if ((await sizeOfOtherParts(tx, upload.id, number)) + sizeBytes > maxBytes) return 'too large';
    return replacePart(tx, upload, part);
  });
  if (typeof replaced === 'object') {
    await service.backend.removeParts(upload.version, replaced);
    return stored;
  }
  await service.backend.removeParts(upload.version, [id]);
  throw replaced === undefined ? new S3Error('NoSuchUpload') : new StorageError('EntityTooLarge');
}

function partNumber(request: S3Request): number {
  const number = numberParam(request, 'partNumber', { min: 1, max: maxParts, fallback: 0 });
  if (number === 0) throw new S3Error('InvalidArgument', 'Part number is missing');
  return number;
}

/** `bytes=FIRST-LAST`, both given and within the source. */
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

interface WantedPart {
  readonly number: number;
  readonly etag: string;
}

/** Empty when the client leaves the choice to us. @throws {S3Error} MalformedXML, InvalidPartOrder */
function readParts(text: string): WantedPart[] {
  if (text.trim() === '') return [];
  const root = readXml(text);
  if (root?.name !== 'CompleteMultipartUpload') throw new S3Error('MalformedXML');
  const wanted = root.children
    .filter(({ name }) => name === 'Part')
    .map((part) => ({
      number: Number(childText(part, 'PartNumber')),
      etag: (childText(part, 'ETag') ?? '').replaceAll('"', '').trim(),
    }));
  if (!wanted.every(({ number }) => Number.isInteger(number))) throw new S3Error('MalformedXML');
  if (wanted.some(({ number }, index) => index > 0 && number <= (wanted[index - 1]?.number ?? 0)))
    throw new S3Error('InvalidPartOrder');
  return wanted;
}

/** The stored parts that the client names; all of them when it names none. Undefined when one is not there. */
function chooseParts(
  wanted: readonly WantedPart[],
  stored: readonly UploadedPart[],
): UploadedPart[] | undefined {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  const parts = wanted.length === 0 ? [...stored] : wanted.map(({ number }) => byNumber.get(number));
  const matching = parts.filter(
    (part, index): part is UploadedPart =>
      part !== undefined && (wanted.length === 0 || part.etag === `"${wanted[index]?.etag}"`),
  );
  return matching.length === 0 || matching.length < parts.length ? undefined : matching;
}

async function* readVersion(
  service: StorageService,
  version: string,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const body = await service.backend.open(version);
  if (!body) throw new StorageError('NoSuchKey');
  const bytes = await body.read(range);
  if (Buffer.isBuffer(bytes)) yield bytes;
  else yield* bytes;
}
