/**
 * Tests bodies with the aws-chunked encoding, with and without signatures and trailers, and bodies that were tampered
 * with.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  GetObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StorageServer, startStorage } from '../server.ts';
import { codeOf, s3Client, sha256, signByHand } from './clients.ts';

let server: StorageServer;
let s3: S3Client;
beforeAll(async () => {
  server = await startStorage();
  s3 = s3Client(server);
});
afterAll(async () => {
  s3.destroy();
  await server.stop();
});

const signedMode = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const trailerMode = `${signedMode}-TRAILER`;
const unsignedMode = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const sumOf = (bytes: Uint8Array) => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum.toString('base64');
};

interface Chunked {
  readonly mode: string;
  readonly chunks: readonly Buffer[];
  readonly decodedLength?: number;
  readonly announce?: string;
  readonly trailer?: Record<string, string>;
  /** Modifies the body in transit. */
  readonly tamper?: (body: Buffer<ArrayBuffer>) => Buffer<ArrayBuffer>;
}

async function send(key: string, request: Chunked): Promise<string | number> {
  const { mode, chunks, trailer } = request;
  const length = request.decodedLength ?? chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const announce = request.announce ?? (trailer && Object.keys(trailer).join(','));
  const signed = signByHand(server, {
    method: 'PUT',
    path: `/open/${key}`,
    contentSha256: mode,
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(length),
      ...(announce ? { 'x-amz-trailer': announce } : {}),
    },
  });
  let previous = signed.signature;
  const encoded: (Buffer | string)[] = [];
  for (const chunk of [...chunks, Buffer.alloc(0)]) {
    if (mode === unsignedMode) encoded.push(`${chunk.length.toString(16)}\r\n`);
    else {
      previous = signed.sign('AWS4-HMAC-SHA256-PAYLOAD', previous, sha256(''), sha256(chunk));
      encoded.push(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`);
    }
    if (chunk.length > 0) encoded.push(chunk, '\r\n');
  }
  if (trailer) {
    const lines = Object.entries(trailer).map(([name, value]) => `${name}:${value}`);
    encoded.push(...lines.map((line) => `${line}\r\n`));
    if (mode !== unsignedMode) {
      const hash = sha256(lines.map((line) => `${line}\n`).join(''));
      encoded.push(`x-amz-trailer-signature:${signed.sign('AWS4-HMAC-SHA256-TRAILER', previous, hash)}\r\n`);
    }
  }
  encoded.push('\r\n');
  const body = Buffer.concat(encoded.map((part) => Buffer.from(part)));
  return codeOf(
    fetch(signed.url, {
      method: 'PUT',
      headers: signed.headers,
      body: (request.tamper ?? ((same) => same))(body),
    }),
  );
}

const read = async (Key: string) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'open', Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const missing = (Key: string) =>
  expect(s3.send(new GetObjectCommand({ Bucket: 'open', Key }))).rejects.toMatchObject({ name: 'NoSuchKey' });

const chunks = [randomBytes(70_000), randomBytes(1), randomBytes(9000)];
const whole = Buffer.concat(chunks);
const trailer = { 'x-amz-checksum-crc32': sumOf(whole) };

test.each([
  ['signed', { mode: signedMode, chunks }],
  ['signed, with a trailer', { mode: trailerMode, chunks, trailer }],
  ['unsigned, with a trailer', { mode: unsignedMode, chunks, trailer }],
  [
    'unsigned, trailers in any case',
    { mode: unsignedMode, chunks, trailer: { 'X-Amz-Checksum-CRC32': sumOf(whole) } },
  ],
])('%s chunks are stored', async (name, request) => {
  expect(await send(name, request)).toBe(200);
  expect((await read(name)).equals(whole)).toBe(true);
});

test('an empty body is stored', async () => {
  expect(await send('empty', { mode: signedMode, chunks: [] })).toBe(200);
  expect(await read('empty')).toHaveLength(0);
});

const flip = (at: number) => (body: Buffer<ArrayBuffer>) => {
  const changed = Buffer.from(body);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};
const replace = (from: string, to: string) => (body: Buffer<ArrayBuffer>) =>
  Buffer.from(body.toString('latin1').replace(from, to), 'latin1');

test.each<[string, Chunked, string]>([
  ['a changed byte', { mode: signedMode, chunks, tamper: flip(500) }, 'SignatureDoesNotMatch'],
  ['a changed signature', { mode: signedMode, chunks, tamper: flip(25) }, 'SignatureDoesNotMatch'],
  [
    'no signature',
    { mode: signedMode, chunks, tamper: (body) => replace(body.toString('latin1', 5, 86), '')(body) },
    'SignatureDoesNotMatch',
  ],
  [
    'a missing chunk',
    {
      mode: signedMode,
      chunks,
      tamper: (body) => Buffer.concat([body.subarray(0, 70_090), body.subarray(70_177)]),
    },
    'SignatureDoesNotMatch',
  ],
  [
    'an early end',
    { mode: signedMode, chunks, tamper: (body) => body.subarray(0, 70_090) },
    'IncompleteBody',
  ],
  ['more bytes than announced', { mode: signedMode, chunks, decodedLength: 100 }, 'IncompleteBody'],
  ['fewer bytes than announced', { mode: signedMode, chunks, decodedLength: 100_000 }, 'IncompleteBody'],
  [
    'bytes after the end',
    {
      mode: signedMode,
      chunks,
      tamper: (body) => Buffer.concat([body.subarray(0, -2), Buffer.from('x\r\n')]),
    },
    'IncompleteBody',
  ],
  [
    'an invalid size',
    { mode: unsignedMode, chunks, trailer, tamper: replace('11170', 'zzzzz') },
    'IncompleteBody',
  ],
  [
    'a line that never ends',
    { mode: unsignedMode, chunks, trailer, tamper: () => Buffer.alloc(100_000, '1') },
    'IncompleteBody',
  ],
  [
    'another checksum',
    { mode: unsignedMode, chunks, trailer: { 'x-amz-checksum-crc32': 'AAAAAA==' } },
    'BadDigest',
  ],
  [
    'an invalid checksum',
    { mode: unsignedMode, chunks, trailer: { 'x-amz-checksum-crc32': 'x' } },
    'InvalidDigest',
  ],
  ['no trailer', { mode: trailerMode, chunks, announce: 'x-amz-checksum-crc32' }, 'MalformedTrailerError'],
  [
    'another trailer',
    { mode: unsignedMode, chunks, announce: 'x-amz-checksum-sha1', trailer },
    'MalformedTrailerError',
  ],
  [
    'a changed trailer',
    { mode: trailerMode, chunks, trailer, tamper: replace(trailer['x-amz-checksum-crc32'], 'AAAAAA==') },
    'SignatureDoesNotMatch',
  ],
])('%s is rejected', async (name, request, wanted) => {
  expect(await send('tampered', request), name).toBe(wanted);
  await missing('tampered');
  expect((await server.files()).partial).toEqual([]);
});

test.each<PutObjectCommandInput['ChecksumAlgorithm']>(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'])(
  'the SDK’s checksums with %s are accepted',
  async (ChecksumAlgorithm) => {
    const Body = Readable.from([whole]);
    const Key = `sdk-${ChecksumAlgorithm}`;
    await s3.send(
      new PutObjectCommand({ Bucket: 'open', Key, Body, ContentLength: whole.length, ChecksumAlgorithm }),
    );
    expect((await read(Key)).equals(whole)).toBe(true);
  },
);
