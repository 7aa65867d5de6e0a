/**
 * Handles the checksums of multipart uploads. The algorithm is selected when the upload is created. A checksum is
 * stored for each part, and the part checksums are combined on completion.
 */
import { findPartChecksums } from '../../queries/checksums.ts';
import type { MultipartUpload, UploadedPart } from '../../queries/multipart.ts';
import { checksumOfHeader } from '../core/checksum.ts';
import {
  type Algorithm,
  type ChecksumPlan,
  checksumHeader,
  checksumOfParts,
  isSameChecksum,
  type ObjectChecksum,
  planChecksum,
} from '../core/object-checksum.ts';
import { S3Error } from '../errors.ts';
import type { S3Call } from '../operation.ts';
import { header, type S3Request } from '../request.ts';

/** Returns the checksum that a request for a new upload specifies. @throws {S3Error} InvalidRequest */
export function plannedChecksum({ service: ctx, request }: S3Call): ChecksumPlan | undefined {
  const plan = planChecksum(
    header(request, 'x-amz-checksum-algorithm'),
    header(request, 'x-amz-checksum-type'),
  );
  if (typeof plan === 'string') throw new S3Error('InvalidRequest', plan);
  return ctx.hasOwnTables ? plan : undefined;
}

export function planOf({ checksum }: MultipartUpload): ChecksumPlan | undefined {
  const plan = checksum && planChecksum(checksum.algorithm, checksum.type);
  return typeof plan === 'object' ? plan : undefined;
}

export function planHeaders({ algorithm, type }: ChecksumPlan): Record<string, string> {
  return { 'x-amz-checksum-algorithm': algorithm.toUpperCase(), 'x-amz-checksum-type': type };
}

/** Returns the stored checksums by part ID. The map is empty if no checksums are stored. */
export async function checksumsOf(
  { service: ctx }: S3Call,
  upload: MultipartUpload,
  parts: readonly UploadedPart[],
): Promise<ReadonlyMap<string, string>> {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!planOf(upload) || !first || !last) return new Map();
  const numbers = { first: first.number, last: last.number };
  return findPartChecksums(ctx.database.pool('supabase_storage_admin'), upload.id, numbers);
}

/**
 * Returns the checksum of the object that the parts will form. Also verifies the checksums that the request contains.
 * @throws {S3Error} BadDigest, InvalidRequest
 */
export function checksumOfWhole(
  request: S3Request,
  plan: ChecksumPlan | undefined,
  parts: readonly UploadedPart[],
  values: ReadonlyMap<string, string>,
): ObjectChecksum | undefined {
  const type = header(request, 'x-amz-checksum-type');
  if (plan && type !== undefined && type.toUpperCase() !== plan.type)
    throw new S3Error('BadDigest', `The upload was created with the checksum type ${plan.type}.`);
  const known = parts.flatMap(({ id, sizeBytes }) => {
    const value = values.get(id);
    return value === undefined ? [] : [{ value, sizeBytes }];
  });
  const whole = plan && known.length === parts.length ? checksumOfParts(plan, known) : undefined;
  for (const [algorithm, value] of sentFor(request)) {
    if (whole?.algorithm !== algorithm)
      throw new S3Error(
        'InvalidRequest',
        `The upload was not created with the checksum algorithm ${algorithm}.`,
      );
    const isSame = isSameChecksum(whole, value);
    if (isSame === undefined)
      throw new S3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`);
    if (!isSame)
      throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
  }
  return whole;
}

/** Checks that the object has the size that the client expects. @throws {S3Error} InvalidRequest */
export function requireObjectSize(request: S3Request, sizeBytes: number): void {
  const declared = header(request, 'x-amz-mp-object-size');
  if (declared !== undefined && declared !== String(sizeBytes))
    throw new S3Error(
      'InvalidRequest',
      `The provided 'x-amz-mp-object-size' header value ${declared.slice(0, 20)} does not match what was computed: ${sizeBytes}`,
    );
}

function sentFor({ headers }: S3Request): [Algorithm, string][] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const algorithm = checksumOfHeader(name);
    return algorithm && algorithm !== 'md5' && typeof value === 'string' ? [[algorithm, value]] : [];
  });
}
