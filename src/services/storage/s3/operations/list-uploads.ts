/** Implements ListMultipartUploads and ListParts. */
import { findParts, listUploads } from '../../queries/multipart.ts';
import { encodeListedKey } from '../core/encoding.ts';
import { checksumElement } from '../core/object-checksum.ts';
import { writeXml } from '../core/xml.ts';
import { requireBucket, type S3Call, type S3Response } from '../operation.ts';
import { numberParam } from '../request.ts';
import { encodingOf } from './list-objects.ts';
import { maxParts, requireUpload } from './multipart.ts';
import { checksumsOf, planOf } from './multipart-checksums.ts';

/** The default page size, which is also S3's maximum. */
const defaultLines = 1000;

export async function listMultipart(call: S3Call): Promise<S3Response> {
  const { scope, request } = call;
  const limit = numberParam(request, 'max-uploads', { min: 1, max: defaultLines, fallback: defaultLines });
  const encoding = encodingOf(request);
  const encode = encoding === 'url' ? encodeListedKey : (key: string) => key;
  const prefix = request.param('prefix') ?? '';
  const delimiter = request.param('delimiter') ?? '';
  const keyMarker = request.param('key-marker') ?? '';
  const idMarker = request.param('upload-id-marker') ?? '';
  await requireBucket(call);
  const page = { prefix, delimiter, keyMarker, idMarker, limit: limit + 1 };
  const found = await scope.asUser((tx) => listUploads(tx, request.bucket, page));
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    xml: writeXml('ListMultipartUploadsResult', {
      Bucket: request.bucket,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker,
      NextKeyMarker: last && encode(last.key),
      NextUploadIdMarker: last && (last.id ?? last.key),
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: encoding,
      MaxUploads: limit,
      IsTruncated: last !== undefined,
      Upload: shown
        .filter(({ id }) => id !== null)
        .map((upload) => ({
          Key: encode(upload.key),
          UploadId: upload.id ?? undefined,
          StorageClass: 'STANDARD',
          Initiated: upload.createdAt ?? undefined,
        })),
      CommonPrefixes: shown.filter(({ id }) => id === null).map(({ key }) => ({ Prefix: encode(key) })),
    }),
  };
}

export async function listParts(call: S3Call): Promise<S3Response> {
  const { scope, request } = call;
  const limit = Math.min(
    numberParam(request, 'max-parts', { min: 1, max: 2_147_483_647, fallback: defaultLines }),
    defaultLines,
  );
  const marker = numberParam(request, 'part-number-marker', { min: 0, max: maxParts, fallback: 0 });
  const upload = await requireUpload(call);
  const found = await scope.asService((tx) => findParts(tx, upload.id, marker, limit + 1), {
    readOnly: true,
  });
  const shown = found.slice(0, limit);
  const plan = planOf(upload);
  const values = await checksumsOf(call, upload, shown);
  const isTruncated = found.length > limit;
  return {
    xml: writeXml('ListPartsResult', {
      Bucket: upload.bucketId,
      Key: upload.key,
      UploadId: upload.id,
      StorageClass: 'STANDARD',
      PartNumberMarker: marker,
      NextPartNumberMarker: isTruncated ? shown.at(-1)?.number : undefined,
      MaxParts: limit,
      IsTruncated: isTruncated,
      ChecksumAlgorithm: plan?.algorithm.toUpperCase(),
      ChecksumType: plan?.type,
      Part: shown.map((part) => ({
        PartNumber: part.number,
        LastModified: part.createdAt ?? undefined,
        ETag: part.etag,
        Size: part.sizeBytes,
        ...(plan && { [checksumElement(plan.algorithm)]: values.get(part.id) }),
      })),
    }),
  };
}
