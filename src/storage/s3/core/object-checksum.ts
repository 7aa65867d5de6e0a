/**
 * Checksums that are kept with an object. Glossary, after "Checking object integrity" of the S3 User Guide: a
 * *full object* checksum is that of all bytes; a *composite* one is that of its parts' checksums, and ends with `-` and
 * their number.
 */
import { type ChecksumName, decodeChecksum, startChecksum } from './checksum.ts';
import { type CrcName, combineCrcs } from './crc-combine.ts';

export type Algorithm = Exclude<ChecksumName, 'md5'>;
const checksumTypes = ['COMPOSITE', 'FULL_OBJECT'] as const;
export type ChecksumType = (typeof checksumTypes)[number];

/** What the client wants of an upload in parts. */
export interface ChecksumPlan {
  readonly algorithm: Algorithm;
  readonly type: ChecksumType;
}

export interface ObjectChecksum extends ChecksumPlan {
  /** Base64, of a composite one with the number of parts. */
  readonly value: string;
}

/** Those that can be put together of parts; the first can be nothing else. */
const fullTypes: readonly Algorithm[] = ['crc64nvme', 'crc32', 'crc32c'];
export const algorithms: readonly Algorithm[] = [...fullTypes, 'sha1', 'sha256'];

/** The plan of two headers; undefined: no checksum is asked for. Text: why there can be none such. */
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
  const wanted = typeHeader?.toUpperCase() ?? (algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE');
  const type = checksumTypes.find((name) => name === wanted);
  if (!type) return 'Value for x-amz-checksum-type header is invalid.';
  const fits = type === 'FULL_OBJECT' ? fullTypes.includes(algorithm) : algorithm !== 'crc64nvme';
  return fits
    ? { algorithm, type }
    : `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`;
}

export function parseAlgorithm(text: string): Algorithm | undefined {
  return algorithms.find((name) => name === text.toLowerCase());
}

/** `x-amz-checksum-…`. */
export function checksumHeader(algorithm: Algorithm): string {
  return `x-amz-checksum-${algorithm}`;
}

/** The element of S3's XML. */
export function checksumElement(algorithm: Algorithm): string {
  return `Checksum${algorithm.toUpperCase()}`;
}

/** One that was kept; undefined where it is none of these. */
export function readChecksum(stored: {
  readonly algorithm: string;
  readonly type: string;
  readonly value: string;
}): ObjectChecksum | undefined {
  const algorithm = parseAlgorithm(stored.algorithm);
  const type = checksumTypes.find((name) => name === stored.type);
  return algorithm && type && { algorithm, type, value: stored.value };
}

/** A checksum of all bytes; any algorithm will do for a body that came in one piece. */
export function wholeChecksum(algorithm: Algorithm, value: string): ObjectChecksum {
  return { algorithm, type: 'FULL_OBJECT', value };
}

/** `value`: of the part's bytes, in base64. */
export interface PartChecksum {
  readonly value: string;
  readonly sizeBytes: number;
}

/** The checksum of the object that these parts make; there is at least one. */
export function checksumOfParts(plan: ChecksumPlan, parts: readonly PartChecksum[]): ObjectChecksum {
  const sums = parts.map(({ value, sizeBytes }) => ({ sum: Buffer.from(value, 'base64'), sizeBytes }));
  if (plan.type === 'FULL_OBJECT')
    return { ...plan, value: combineCrcs(plan.algorithm as CrcName, sums).toString('base64') };
  const whole = startChecksum(plan.algorithm);
  for (const { sum } of sums) whole.update(sum);
  return { ...plan, value: `${whole.digest().toString('base64')}-${parts.length}` };
}

/** Of a checksum what an answer says in its headers. */
export function checksumHeaders({ algorithm, type, value }: ObjectChecksum): Record<string, string> {
  return { [checksumHeader(algorithm)]: value, 'x-amz-checksum-type': type };
}

/** And in its XML. */
export function checksumElements({ algorithm, type, value }: ObjectChecksum): Record<string, string> {
  return { [checksumElement(algorithm)]: value, ChecksumType: type };
}

/** Whether the client means this one; of a composite it may leave the number of parts out. Undefined: it is no checksum. */
export function isSameChecksum(checksum: ObjectChecksum, sent: string): boolean | undefined {
  const [base64 = '', ...count] = sent.split('-');
  if (!decodeChecksum(checksum.algorithm, base64) || count.length > 1) return undefined;
  const isComposite = checksum.type === 'COMPOSITE';
  return (
    sent === checksum.value || (isComposite && count.length === 0 && checksum.value.startsWith(`${sent}-`))
  );
}
