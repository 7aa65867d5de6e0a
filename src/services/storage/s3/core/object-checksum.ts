/**
 * Handles the stored checksums of objects. The terms are from "Checking object integrity" in the S3 User Guide. A *full
 * object* checksum covers all bytes of the object. A *composite* checksum covers the checksums of the object's parts,
 * and ends with `-` and the number of parts.
 */
import { type ChecksumName, decodeChecksum, startChecksum } from './checksum.ts';
import { type CrcName, combineCrcs } from './crc.ts';

export type Algorithm = Exclude<ChecksumName, 'md5'>;
const checksumTypes = ['COMPOSITE', 'FULL_OBJECT'] as const;
export type ChecksumType = (typeof checksumTypes)[number];

/** The checksum that was requested for a multipart upload. */
export interface ChecksumPlan {
  readonly algorithm: Algorithm;
  readonly type: ChecksumType;
}

export interface ObjectChecksum extends ChecksumPlan {
  /** The checksum in base64. A composite checksum ends with the number of parts. */
  readonly value: string;
}

/**
 * Algorithms that support full object checksums of multipart uploads, because their part checksums can be combined. The
 * first of these algorithms supports only full object checksums.
 */
const fullTypes: readonly Algorithm[] = ['crc64nvme', 'crc32', 'crc32c'];
export const algorithms: readonly Algorithm[] = [...fullTypes, 'sha1', 'sha256'];

/**
 * Parses the checksum headers. Returns undefined if the client doesn't request a checksum, or an error message if the
 * combination of headers is invalid.
 */
export function planChecksum(
  algorithmHeader: string | undefined,
  typeHeader: string | undefined,
): ChecksumPlan | undefined | string {
  if (algorithmHeader === undefined || algorithmHeader === '')
    return typeHeader === undefined
      ? undefined
      : 'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.';
  const algorithm = parseAlgorithm(algorithmHeader);
  if (!algorithm)
    return `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${algorithms.map((name) => name.toUpperCase()).join(', ')}]`;
  const requested = typeHeader?.toUpperCase() ?? (algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE');
  const type = checksumTypes.find((name) => name === requested);
  if (!type) return 'Value for x-amz-checksum-type header is invalid.';
  const fits = type === 'FULL_OBJECT' ? fullTypes.includes(algorithm) : algorithm !== 'crc64nvme';
  return fits
    ? { algorithm, type }
    : `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`;
}

export function parseAlgorithm(text: string): Algorithm | undefined {
  return algorithms.find((name) => name === text.toLowerCase());
}

/** Returns the name of the header `x-amz-checksum-…`. */
export function checksumHeader(algorithm: Algorithm): string {
  return `x-amz-checksum-${algorithm}`;
}

/** Returns the name of the XML element for the checksum. */
export function checksumElement(algorithm: Algorithm): string {
  return `Checksum${algorithm.toUpperCase()}`;
}

/** Parses a stored checksum. Returns undefined if its algorithm or type is unknown. */
export function readChecksum(stored: {
  readonly algorithm: string;
  readonly type: string;
  readonly value: string;
}): ObjectChecksum | undefined {
  const algorithm = parseAlgorithm(stored.algorithm);
  const type = checksumTypes.find((name) => name === stored.type);
  return algorithm && type && { algorithm, type, value: stored.value };
}

/** Returns a checksum that covers all bytes. All algorithms are supported for a body that wasn't uploaded in parts. */
export function wholeChecksum(algorithm: Algorithm, value: string): ObjectChecksum {
  return { algorithm, type: 'FULL_OBJECT', value };
}

/** A part's checksum. `value` is in base64 and covers the part's bytes. */
export interface PartChecksum {
  readonly value: string;
  readonly sizeBytes: number;
}

/** Returns the checksum of the object that the parts form. At least one part is required. */
export function checksumOfParts(plan: ChecksumPlan, parts: readonly PartChecksum[]): ObjectChecksum {
  const sums = parts.map(({ value, sizeBytes }) => ({ sum: Buffer.from(value, 'base64'), sizeBytes }));
  if (plan.type === 'FULL_OBJECT')
    return { ...plan, value: combineCrcs(plan.algorithm as CrcName, sums).toString('base64') };
  const whole = startChecksum(plan.algorithm);
  for (const { sum } of sums) whole.update(sum);
  return { ...plan, value: `${whole.digest().toString('base64')}-${parts.length}` };
}

export function checksumHeaders({ algorithm, type, value }: ObjectChecksum): Record<string, string> {
  return { [checksumHeader(algorithm)]: value, 'x-amz-checksum-type': type };
}

export function checksumElements({ algorithm, type, value }: ObjectChecksum): Record<string, string> {
  return { [checksumElement(algorithm)]: value, ChecksumType: type };
}

/**
 * Whether `sent` is this checksum. Clients can omit the number of parts from a composite checksum. Returns undefined if
 * the text isn't a valid checksum.
 */
export function isSameChecksum(checksum: ObjectChecksum, sent: string): boolean | undefined {
  const [base64 = '', ...count] = sent.split('-');
  if (!decodeChecksum(checksum.algorithm, base64) || count.length > 1) return undefined;
  const isComposite = checksum.type === 'COMPOSITE';
  return (
    sent === checksum.value || (isComposite && count.length === 0 && checksum.value.startsWith(`${sent}-`))
  );
}
