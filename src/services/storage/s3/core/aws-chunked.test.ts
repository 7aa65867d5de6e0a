import { createHmac, randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkedError, type ChunkSigner, decodeChunked } from './aws-chunked.ts';
import { sha256Hex } from './signature.ts';

const signer: ChunkSigner = {
  seed: sha256Hex('seed'),
  sign: (type, lines) =>
    createHmac('sha256', 'key')
      .update([type, ...lines].join('\n'))
      .digest('hex'),
};

function encode(chunks: readonly Buffer[]): Buffer {
  let previous = signer.seed;
  const parts: (string | Buffer)[] = [];
  for (const chunk of [...chunks, Buffer.alloc(0)]) {
    previous = signer.sign('AWS4-HMAC-SHA256-PAYLOAD', [previous, sha256Hex(''), sha256Hex(chunk)]);
    parts.push(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`, chunk);
    if (chunk.length > 0) parts.push('\r\n');
  }
  return Buffer.concat([...parts, '\r\n'].map((part) => Buffer.from(part)));
}

/** Yields the bytes in pieces of the given sizes, as a network delivers them, with pauses between the pieces. */
async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    if (size % 2 === 0) await turn();
    yield Uint8Array.from(bytes.subarray(at, at + size));
    at += size;
  }
}

async function decoded(body: AsyncIterable<Uint8Array>, decodedLength: number): Promise<Buffer> {
  const found: Uint8Array[] = [];
  const options = { signer, trailers: undefined, decodedLength, onTrailer: () => undefined };
  for await (const chunk of decodeChunked(body, options)) {
    found.push(chunk);
    if (chunk.length % 3 === 0) await turn();
  }
  return Buffer.concat(found);
}

const bodies = fc.record({
  chunks: fc.array(fc.integer({ min: 1, max: 90_000 }), { maxLength: 5 }),
  sizes: fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 4 }),
  cut: fc.double({ min: 0, max: 0.999, noNaN: true }),
});
const limits = { seed: 1, numRuns: 40 };

test('decodes a body however the network divides it, and a body that ends early is an error', () =>
  fc.assert(
    fc.asyncProperty(bodies, async ({ chunks, sizes, cut }) => {
      const plain = chunks.map((size) => randomBytes(size));
      const whole = Buffer.concat(plain);
      const encoded = encode(plain);
      // Tiny pieces of a large body would only make the test slow.
      const large = sizes.map((size) => Math.max(size, Math.ceil(encoded.length / 500)));
      expect((await decoded(pieces(encoded, large), whole.length)).equals(whole)).toBe(true);
      // The line break after the last chunk is optional.
      const early = encoded.subarray(0, Math.floor((encoded.length - 4) * cut));
      await expect(decoded(pieces(early, large), whole.length)).rejects.toBeInstanceOf(ChunkedError);
    }),
    limits,
  ));
