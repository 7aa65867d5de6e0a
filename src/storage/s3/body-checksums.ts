/** Checksums of a body: those that the client sent, held against the bytes that came, and those that are wanted besides. */
import type { Pieces } from '../pieces.ts';
import { type ChecksumName, checksumOfHeader, decodeChecksum, startChecksum } from './core/checksum.ts';
import { type Algorithm, parseAlgorithm } from './core/object-checksum.ts';
import { S3Error, type S3ErrorName } from './errors.ts';

export interface SentChecksum {
  readonly algorithm: Algorithm;
  /** Base64. */
  readonly value: string;
}

/** The checksum that a client sends with a body. */
export interface SendsChecksum {
  /** Its value may come behind the body. */
  readonly checksumAlgorithm: Algorithm | undefined;
  /** What was found to be true; to be asked when the bytes are read. */
  checksum(): SentChecksum | undefined;
}

/** What the bytes have to sum up to. */
export interface Expectation {
  readonly name: ChecksumName;
  /** Undefined while the trailer has not come. */
  sum: Buffer | undefined;
  readonly fault: S3ErrorName;
}

/** @throws {S3Error} InvalidDigest, InvalidRequest */
export function expectedIn(fields: Iterable<readonly [string, unknown]>): Expectation[] {
  const expected: Expectation[] = [];
  for (const [field, value] of fields) {
    const name = checksumOfHeader(field);
    if (name && typeof value === 'string') expected.push(expectation(name, value));
  }
  requireOne(expected);
  return expected;
}

/** Beside the MD5 of HTTP and the hash that is signed, one checksum is sent at most. */
export function requireOne(expected: readonly Expectation[]): void {
  if (expected.filter(isSent).length > 1)
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
}

function isSent({ name, fault }: Expectation): boolean {
  return name !== 'md5' && fault === 'BadDigest';
}

export function sentOf(expected: readonly Expectation[]): SendsChecksum {
  const sent = expected.find(isSent);
  const algorithm = sent && parseAlgorithm(sent.name);
  return {
    checksumAlgorithm: algorithm,
    checksum: () => algorithm && sent?.sum && { algorithm, value: sent.sum.toString('base64') },
  };
}

/** Sums what passes, for whoever asks when it has. */
export function sumUp(
  bytes: Pieces,
  algorithm: Algorithm,
): { readonly bytes: Pieces; checksum(): SentChecksum } {
  const running = startChecksum(algorithm);
  const summing = (async function* () {
    for await (const chunk of bytes) {
      running.update(chunk);
      yield chunk;
    }
  })();
  return {
    bytes: { [Symbol.asyncIterator]: () => summing, release: bytes.release },
    checksum: () => ({ algorithm, value: running.digest().toString('base64') }),
  };
}

/** @throws {S3Error} InvalidDigest */
export function expectation(name: ChecksumName, base64: string): Expectation {
  const sum = decodeChecksum(name, base64);
  if (!sum) throw new S3Error('InvalidDigest', `The ${name} that you sent is not valid.`);
  return { name, sum, fault: 'BadDigest' };
}

/** @throws {S3Error} while reading: the fault of what is not met. */
export function checked(bytes: Pieces, expected: readonly Expectation[]): Pieces {
  if (expected.length === 0) return bytes;
  return { [Symbol.asyncIterator]: () => summed(bytes, expected), release: bytes.release };
}

async function* summed(
  bytes: AsyncIterable<Uint8Array>,
  expected: readonly Expectation[],
): AsyncGenerator<Uint8Array> {
  const running = expected.map(({ name }) => startChecksum(name));
  for await (const chunk of bytes) {
    for (const sum of running) sum.update(chunk);
    yield chunk;
  }
  for (const [index, { sum, fault }] of expected.entries())
    if (!sum || running[index]?.digest().equals(sum) !== true) throw new S3Error(fault);
}
