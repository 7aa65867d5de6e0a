/** Verifies the received bytes against the checksums that the client sends, and computes additional checksums. */
import type { ByteStream } from '../byte-stream.ts';
import { type ChecksumName, checksumOfHeader, decodeChecksum, startChecksum } from './core/checksum.ts';
import { type Algorithm, parseAlgorithm } from './core/object-checksum.ts';
import { S3Error, type S3ErrorName } from './errors.ts';

export interface SentChecksum {
  readonly algorithm: Algorithm;
  /** The checksum in base64. */
  readonly value: string;
}

/** A body for which the client can send a checksum. */
export interface SendsChecksum {
  /** The algorithm. The checksum itself may arrive after the body. */
  readonly checksumAlgorithm: Algorithm | undefined;
  /** Returns the verified checksum. Must be called after the bytes have been read. */
  checksum(): SentChecksum | undefined;
}

/** A checksum that the body must match. */
export interface Expectation {
  readonly name: ChecksumName;
  /** The expected checksum. Undefined until the trailer has been received. */
  sum: Buffer | undefined;
  readonly fault: S3ErrorName;
}

/** Returns the checksums that the headers or fields contain. @throws {S3Error} InvalidDigest, InvalidRequest */
export function expectedIn(fields: Iterable<readonly [string, unknown]>): Expectation[] {
  const expected: Expectation[] = [];
  for (const [field, value] of fields) {
    const name = checksumOfHeader(field);
    if (name && typeof value === 'string') expected.push(expectation(name, value));
  }
  requireOne(expected);
  return expected;
}

/** Throws if the client sent more than one checksum. The Content-MD5 header and the signed hash don't count. */
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

/** Computes a checksum while the bytes are read. */
export function sumUp(
  bytes: ByteStream,
  algorithm: Algorithm,
): { readonly bytes: ByteStream; checksum(): SentChecksum } {
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

/** Parses a base64 checksum that the body must match. @throws {S3Error} InvalidDigest */
export function expectation(name: ChecksumName, base64: string): Expectation {
  const sum = decodeChecksum(name, base64);
  if (!sum) throw new S3Error('InvalidDigest', `The ${name} that you sent is not valid.`);
  return { name, sum, fault: 'BadDigest' };
}

/**
 * Returns the bytes unchanged, and verifies them while they are read.
 * @throws {S3Error} while the bytes are read, if an expected checksum doesn't match
 */
export function checked(bytes: ByteStream, expected: readonly Expectation[]): ByteStream {
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
