/** Decodes a request body and verifies it against its signature and checksums. */
import { type ByteStream, networkStream } from '../byte-stream.ts';
import type { Authenticated } from './authenticate.ts';
import {
  checked,
  type Expectation,
  expectation,
  expectedIn,
  requireOne,
  type SendsChecksum,
  sentOf,
} from './body-checksums.ts';
import {
  ChunkedError,
  type ChunkedFault,
  chunkedMode,
  decodeChunked,
  isStreaming,
} from './core/aws-chunked.ts';
import { checksumOfHeader } from './core/checksum.ts';
import { unsignedPayload } from './core/signature.ts';
import { S3Error, type S3ErrorName } from './errors.ts';
import { header, type S3Request } from './request.ts';

export interface Body extends SendsChecksum {
  /**
   * The decoded bytes, which can be read only once. Reading throws if the body is invalid.
   * @throws {S3Error} BadDigest, ContentSha256Mismatch, SignatureDoesNotMatch, IncompleteBody, MalformedTrailer
   */
  readonly bytes: ByteStream;
  /** The size after decoding. Undefined if the client didn't send the size. */
  readonly sizeBytes: number | undefined;
}

const faults: Record<ChunkedFault, S3ErrorName> = {
  malformed: 'IncompleteBody',
  length: 'IncompleteBody',
  signature: 'SignatureDoesNotMatch',
  trailer: 'MalformedTrailer',
};

/** The maximum size of an XML body, which is read into memory. */
const maxXmlBytes = 4 * 1024 * 1024;

/**
 * Opens the request's body.
 * @throws {S3Error} InvalidDigest, InvalidRequest, MissingContentLength, InvalidArgument, NotImplemented
 */
export function openBody(request: S3Request, auth: Authenticated): Body {
  return openExpecting(request, auth, expectedIn(Object.entries(request.headers)));
}

function openExpecting(request: S3Request, auth: Authenticated, expected: Expectation[]): Body {
  const expectMd5 = header(request, 'content-md5');
  if (expectMd5 !== undefined) expected.push(expectation('md5', expectMd5));

  // If the reader stops early, the socket must stay open because the response is sent over it.
  const raw = networkStream(request.fastify.raw.iterator({ destroyOnReturn: false }));
  if (isStreaming(auth.contentSha256)) {
    const { bytes, sizeBytes } = openChunked(request, auth, raw, expected);
    return { bytes: checked(bytes, expected), sizeBytes, ...sentOf(expected) };
  }
  if (/^[0-9a-f]{64}$/.test(auth.contentSha256)) {
    const sum = Buffer.from(auth.contentSha256, 'hex');
    expected.push({ name: 'sha256', sum, fault: 'ContentSha256Mismatch' });
  } else if (auth.contentSha256 !== unsignedPayload) {
    throw new S3Error(
      'InvalidArgument',
      'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a hash or a streaming algorithm',
    );
  }
  const length = header(request, 'content-length');
  return {
    bytes: checked(raw, expected),
    sizeBytes: length === undefined ? undefined : Number(length),
    ...sentOf(expected),
  };
}

/**
 * Opens the file of a form and verifies the file against the form's checksum field, as {@link openBody} does with a
 * checksum header.
 */
export function openFormFile(
  fields: Iterable<readonly [string, string]>,
  bytes: AsyncIterable<Uint8Array>,
): SendsChecksum & Pick<Body, 'bytes'> {
  const expected = expectedIn(fields);
  return { bytes: checked(bytes, expected), ...sentOf(expected) };
}

/**
 * Reads a small body as text.
 * @throws {S3Error} MalformedXML if the body is too large, and any error that occurs while the body is read
 */
export function readText(request: S3Request, auth: Authenticated): Promise<string> {
  return textOf(openBody(request, auth));
}

/**
 * Reads the body like {@link readText}. Checksum headers aren't verified, because they refer to the resulting object
 * instead of the body.
 */
export function readDescription(request: S3Request, auth: Authenticated): Promise<string> {
  return textOf(openExpecting(request, auth, []));
}

async function textOf({ bytes }: Body): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxXmlBytes) throw new S3Error('MalformedXML', 'The XML is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function openChunked(
  request: S3Request,
  auth: Authenticated,
  raw: AsyncIterable<Uint8Array>,
  expected: Expectation[],
): { bytes: AsyncIterable<Uint8Array>; sizeBytes: number } {
  const mode = chunkedMode(auth.contentSha256);
  if (!mode) throw new S3Error('NotImplemented', `${auth.contentSha256} is not supported`);
  const length = header(request, 'x-amz-decoded-content-length');
  if (length === undefined || !/^\d{1,15}$/.test(length))
    throw new S3Error('MissingContentLength', 'You must provide the x-amz-decoded-content-length header.');
  const trailers = (header(request, 'x-amz-trailer') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const trailing = new Map<string, Expectation>();
  for (const trailer of mode.trailer ? trailers : []) {
    const name = checksumOfHeader(trailer);
    if (name) trailing.set(trailer, { name, sum: undefined, fault: 'BadDigest' });
  }
  expected.push(...trailing.values());
  requireOne(expected);
  const sizeBytes = Number(length);
  const bytes = decodeChunked(raw, {
    signer: mode.signed ? auth.chunkSigner : undefined,
    trailers: mode.trailer ? trailers : undefined,
    decodedLength: sizeBytes,
    onTrailer(name, value) {
      const waiting = trailing.get(name);
      if (waiting) waiting.sum = expectation(waiting.name, value).sum;
    },
  });
  return { bytes: translated(bytes), sizeBytes };
}

async function* translated(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (error instanceof ChunkedError)
      throw new S3Error(faults[error.fault], error.message, { cause: error });
    throw error;
  }
}
