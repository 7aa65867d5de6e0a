/** Completes and aborts multipart uploads. */
import { randomUUID } from 'node:crypto';
import { change, storing } from '../../changes.ts';
import { bucketLimits, checkSize } from '../../object-limits.ts';
import { deleteUpload, findParts, type UploadedPart } from '../../queries/multipart.ts';
import { metadataOf, writeOf, writeRowIn } from '../../write-object.ts';
import { readDescription } from '../body.ts';
import { type Algorithm, algorithms, checksumElement, checksumElements } from '../core/object-checksum.ts';
import { childText, readXml } from '../core/read-xml.ts';
import { writeXml } from '../core/xml.ts';
import { S3Error } from '../errors.ts';
import { type S3Call, type S3Response, writeConditions } from '../operation.ts';
import { findOwn, maxParts, requireUpload } from './multipart.ts';
import { checksumOfWhole, checksumsOf, planOf, requireObjectSize } from './multipart-checksums.ts';
import { conditionally, etagOf } from './write-objects.ts';

export async function completeMultipart(call: S3Call): Promise<S3Response> {
  const { service: ctx, scope, auth, request } = call;
  const conditions = writeConditions(request);
  const requested = readParts(await readDescription(request, auth));
  const upload = await requireUpload(call);
  const stored = await scope.asService((tx) => findParts(tx, upload.id, 0, maxParts), { readOnly: true });
  const values = await checksumsOf(call, upload, stored);
  const plan = planOf(upload);
  const parts = chooseParts(requested, stored, (part, { checksums }) => {
    const sent = plan && checksums.get(plan.algorithm);
    return sent === undefined || sent === values.get(part.id);
  });
  if (!parts) throw await missingPart(call);
  const limits = await bucketLimits(scope, request.bucket);
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const checked = checkSize(ctx, limits, request.key, sizeBytes);
  requireObjectSize(request, sizeBytes);
  const checksum = checksumOfWhole(request, plan, parts, values);

  const version = randomUUID();
  const row = await conditionally(() =>
    change(ctx, [version], async (change) => {
      const stored = await storing(() => ctx.backend.assemble(upload.version, parts, version));
      if (!stored) throw await missingPart(call);
      const object = writeOf(
        { ...checked, owner: scope.owner },
        version,
        metadataOf(stored, upload.metadata ?? {}),
        upload.userMetadata ?? {},
      );
      change.committing();
      return scope.asService(async (tx) => {
        if (!(await deleteUpload(tx, upload.id))) throw new S3Error('NoSuchUpload');
        await change.giveUp([upload.version]);
        return writeRowIn(scope, tx, object, { ...conditions, checksum, giveUp: change.giveUp });
      });
    }),
  );
  return {
    xml: writeXml('CompleteMultipartUploadResult', {
      Location: request.path,
      Bucket: request.bucket,
      Key: request.key,
      ETag: etagOf(row),
      ...(checksum && checksumElements(checksum)),
    }),
  };
}

/** Returns InvalidPart for a missing part, or NoSuchUpload if another request has ended the upload. */
async function missingPart(call: S3Call): Promise<S3Error> {
  return new S3Error((await findOwn(call)) ? 'InvalidPart' : 'NoSuchUpload');
}

export async function abortMultipart(call: S3Call): Promise<S3Response> {
  const { service: ctx, scope } = call;
  const upload = await requireUpload(call);
  await change(ctx, [], async (change) => {
    change.committing();
    await scope.asService(async (tx) => {
      if (!(await deleteUpload(tx, upload.id))) throw new S3Error('NoSuchUpload');
      await change.giveUp([upload.version]);
    });
  });
  return { status: 204 };
}

interface RequestedPart {
  readonly number: number;
  readonly etag: string;
  /** The checksums that the client sent, in base64. */
  readonly checksums: ReadonlyMap<Algorithm, string>;
}

/**
 * Parses the list of parts, which is empty if the client doesn't list any parts.
 * @throws {S3Error} MalformedXML, InvalidPartOrder
 */
function readParts(text: string): RequestedPart[] {
  if (text.trim() === '') return [];
  const root = readXml(text);
  if (root?.name !== 'CompleteMultipartUpload') throw new S3Error('MalformedXML');
  const requested = root.children
    .filter(({ name }) => name === 'Part')
    .map((part) => ({
      number: Number(childText(part, 'PartNumber')),
      etag: (childText(part, 'ETag') ?? '').replaceAll('"', '').trim(),
      checksums: new Map(
        algorithms.flatMap((name) => {
          const value = childText(part, checksumElement(name))?.trim();
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    }));
  if (!requested.every(({ number }) => Number.isInteger(number))) throw new S3Error('MalformedXML');
  if (requested.some(({ number }, index) => index > 0 && number <= (requested[index - 1]?.number ?? 0)))
    throw new S3Error('InvalidPartOrder');
  return requested;
}

/**
 * Returns the stored parts that the client lists, or all stored parts if the client doesn't list any. Returns undefined
 * if a part is missing.
 */
function chooseParts(
  requested: readonly RequestedPart[],
  stored: readonly UploadedPart[],
  isSame: (part: UploadedPart, requested: RequestedPart) => boolean,
): UploadedPart[] | undefined {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  if (requested.length === 0) return stored.length === 0 ? undefined : [...stored];
  const matching = requested.flatMap((one) => {
    const part = byNumber.get(one.number);
    return part?.etag === `"${one.etag}"` && isSame(part, one) ? [part] : [];
  });
  return matching.length < requested.length ? undefined : matching;
}
