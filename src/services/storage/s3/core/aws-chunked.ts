/**
 * Decodes the body encoding `aws-chunked`. The body consists of lines `SIZE[;chunk-signature=…]`, each followed by that
 * number of bytes. The last chunk is empty and can be followed by trailers. See the S3 API reference: "Signature
 * Calculations for the Authorization Header: Transferring Payload in Multiple Chunks" and "… Including trailing
 * headers".
 *
 * The decoder returns the bytes of a chunk before it verifies the chunk's signature. The consumer must discard these
 * bytes if reading fails.
 */
import { createHash } from 'node:crypto';
import { emptyHash, isSignature, sameSignature, sha256Hex } from './signature.ts';

/** The values of `x-amz-content-sha256` that declare this encoding, and the properties of each value. */
const modes: Record<string, { readonly signed: boolean; readonly trailer: boolean }> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
};

export interface ChunkedMode {
  readonly signed: boolean;
  readonly trailer: boolean;
}

export function isStreaming(contentSha256: string | undefined): boolean {
  return contentSha256?.startsWith('STREAMING-') === true;
}

/** Returns the properties of a streaming mode. Returns undefined for an unsupported algorithm (ECDSA). */
export function chunkedMode(contentSha256: string): ChunkedMode | undefined {
  return Object.hasOwn(modes, contentSha256) ? modes[contentSha256] : undefined;
}

/**
 * Signs chunks. Each chunk's signature covers the previous chunk's signature. `seed` is the signature of the request,
 * which the signature of the first chunk covers.
 */
export interface ChunkSigner {
  readonly seed: string;
  /** Returns a signature. `lines` contains the lines of the signed text that follow the previous signature. */
  sign(type: string, lines: readonly string[]): string;
}

export interface ChunkedOptions {
  /** Signs the chunks. Undefined if chunks aren't signed. */
  readonly signer: ChunkSigner | undefined;
  /** The names of the required trailers in lower case. Undefined if the body has no trailers. */
  readonly trailers: readonly string[] | undefined;
  /** The size of the decoded body. */
  readonly decodedLength: number;
  onTrailer(name: string, value: string): void;
}

export type ChunkedFault = 'malformed' | 'signature' | 'length' | 'trailer';

export class ChunkedError extends Error {
  readonly fault: ChunkedFault;
  constructor(fault: ChunkedFault, message: string) {
    super(message);
    this.name = 'ChunkedError';
    this.fault = fault;
  }
}

const maxLineBytes = 1024;
const maxTrailers = 10;

/** Decodes a body. @throws {ChunkedError} */
export async function* decodeChunked(
  body: AsyncIterable<Uint8Array>,
  options: ChunkedOptions,
): AsyncGenerator<Uint8Array> {
  const reader = createReader(body);
  const { signer } = options;
  let previous = signer?.seed ?? '';
  const check = (type: string, lines: readonly string[], given: string): void => {
    if (!signer) return;
    const requested = signer.sign(type, [previous, ...lines]);
    if (!sameSignature(given, requested))
      throw new ChunkedError('signature', "A chunk isn't signed with this key");
    previous = requested;
  };

  let total = 0;
  for (;;) {
    const { sizeBytes, signature } = parseChunkLine(await reader.line(), signer !== undefined);
    total += sizeBytes;
    if (total > options.decodedLength) throw new ChunkedError('length', 'The body is longer than declared');
    const hash = signer && createHash('sha256');
    for (let left = sizeBytes; left > 0; ) {
      const chunk = await reader.bytes(left);
      left -= chunk.byteLength;
      hash?.update(chunk);
      yield chunk;
    }
    check('AWS4-HMAC-SHA256-PAYLOAD', [emptyHash, hash?.digest('hex') ?? ''], signature);
    if (sizeBytes === 0) break;
    if ((await reader.line()) !== '')
      throw new ChunkedError('malformed', "A chunk doesn't end after its declared size");
  }
  if (total < options.decodedLength) throw new ChunkedError('length', 'The body is shorter than declared');
  if (options.trailers) await readTrailers(reader, options, options.trailers, check);
  else if ((await reader.lastLine()) !== '')
    throw new ChunkedError('malformed', 'The body contains data after the last chunk');
}

async function readTrailers(
  reader: Reader,
  options: ChunkedOptions,
  requested: readonly string[],
  check: (type: string, lines: readonly string[], given: string) => void,
): Promise<void> {
  const found: [name: string, value: string][] = [];
  let signature = '';
  for (;;) {
    const line = await reader.lastLine();
    if (line === '') break;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === '' || found.length >= maxTrailers)
      throw new ChunkedError('trailer', 'The trailer is malformed');
    if (name === 'x-amz-trailer-signature') signature = value;
    else found.push([name, value]);
  }
  if (found.length !== requested.length || !found.every(([name]) => requested.includes(name)))
    throw new ChunkedError('trailer', 'The trailer does not match the x-amz-trailer header');
  const signed = found.map(([name, value]) => `${name}:${value}\n`).join('');
  check('AWS4-HMAC-SHA256-TRAILER', [sha256Hex(signed)], signature);
  for (const [name, value] of found) options.onTrailer(name, value);
}

function parseChunkLine(line: string, signed: boolean): { sizeBytes: number; signature: string } {
  const match = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=(\S*))?$/.exec(line);
  if (!match) throw new ChunkedError('malformed', "A chunk doesn't begin with its size");
  const signature = match[2] ?? '';
  if (signed && !isSignature(signature))
    throw new ChunkedError('signature', "A chunk doesn't have a signature");
  return { sizeBytes: Number.parseInt(match[1] ?? '', 16), signature };
}

interface Reader {
  /** Returns a line without its line break (CR LF). */
  line(): Promise<string>;
  /** Reads a line like {@link Reader.line}, but also accepts a last line without a line break. */
  lastLine(): Promise<string>;
  /** Returns at least 1 and at most `maxBytes` bytes. */
  bytes(maxBytes: number): Promise<Buffer>;
}

function createReader(body: AsyncIterable<Uint8Array>): Reader {
  const iterator = body[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let ended = false;

  async function more(): Promise<boolean> {
    if (ended) return false;
    const { value, done } = await iterator.next();
    if (done === true) {
      ended = true;
      return false;
    }
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    held = held.byteLength === 0 ? chunk : Buffer.concat([held, chunk]);
    return true;
  }
  async function readLine(mayEnd: boolean): Promise<string> {
    for (;;) {
      const end = held.indexOf('\r\n');
      if (end > maxLineBytes || (end < 0 && held.byteLength > maxLineBytes + 1))
        throw new ChunkedError('malformed', 'A line between two chunks is too long');
      if (end >= 0) {
        const line = held.toString('latin1', 0, end);
        held = held.subarray(end + 2);
        return line;
      }
      if (await more()) continue;
      if (!mayEnd) throw new ChunkedError('length', 'The body ends too early');
      const line = held.toString('latin1');
      held = Buffer.alloc(0);
      return line;
    }
  }

  return {
    line: () => readLine(false),
    lastLine: () => readLine(true),
    async bytes(maxBytes) {
      while (held.byteLength === 0)
        if (!(await more())) throw new ChunkedError('length', 'The body ends too early');
      const chunk = held.subarray(0, maxBytes);
      held = held.subarray(chunk.byteLength);
      return chunk;
    },
  };
}
