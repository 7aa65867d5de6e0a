/** Tests the S3 backend in isolation, with a third-party S3 server and with this server's S3 protocol. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { createS3Backend } from '../../src/services/storage/backend/s3.ts';
import type { S3Settings } from '../../src/services/storage/backend/s3-bucket.ts';
import { BodyTooLargeError, type ObjectBackend } from '../../src/services/storage/backend/types.ts';
import type { ByteStream } from '../../src/services/storage/byte-stream.ts';
import { startS3, type TestBackend } from './backends.ts';
import { type StorageServer, startStorage } from './server.ts';

let root: string;
let s3: Awaited<ReturnType<typeof startS3>>;
let settings: S3Settings;
let backend: ObjectBackend;
const settingsOf = (test: TestBackend): S3Settings =>
  ({ region: 'us-east-1', ...test.settings.plinth?.storage?.s3 }) as S3Settings;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'plinth-s3-backend-'));
  s3 = await startS3();
  settings = settingsOf(s3);
  backend = createS3Backend(settings, join(root, 'storage'));
});
afterAll(async () => {
  await backend.close();
  await s3.stop();
  await rm(root, { recursive: true, force: true });
});

const chunks = async function* (bytes: Buffer, size = 100_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};
const bytesOf = async (body: Buffer | ByteStream | undefined) =>
  body === undefined || Buffer.isBuffer(body) ? body : buffer(body);
const read = async (version: string, from = backend) => bytesOf(await (await from.open(version))?.read());
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');
const stored = () => s3.stored(root);

test('bodies of any size are returned completely and in parts', async () => {
  for (const size of [0, 1, 5 * 1024 * 1024, 11 * 1024 * 1024]) {
    const version = randomUUID();
    const bytes = randomBytes(size);
    expect(await backend.write(version, chunks(bytes), size)).toMatchObject({
      sizeBytes: size,
      etag: `"${md5(bytes)}"`,
    });
    expect((await read(version))?.equals(bytes)).toBe(true);
    if (size < 2) continue;
    const part = await bytesOf(await (await backend.open(version))?.read({ start: 1, end: size - 2 }));
    expect(part?.equals(bytes.subarray(1, -1))).toBe(true);
    await (await backend.announce([])).settle([version]);
    expect(await backend.open(version)).toBeUndefined();
  }
});

test('a body that is too large or interrupted doesn’t leave anything behind', async () => {
  const version = randomUUID();
  for (const size of [101, 12 * 1024 * 1024])
    await expect(backend.write(version, chunks(randomBytes(size)), size - 1)).rejects.toThrow(
      BodyTooLargeError,
    );
  const failing = async function* () {
    yield randomBytes(6 * 1024 * 1024);
    throw new Error('the network');
  };
  await expect(backend.write(version, failing(), 1e9)).rejects.toThrow('the network');
  expect(await backend.open(version)).toBeUndefined();
});

test('a copy has a separate body', async () => {
  const [from, to] = [randomUUID(), randomUUID()];
  await backend.write(from, chunks(Buffer.from('hello')), 5);
  expect(await backend.copy(from, to)).toMatchObject({
    sizeBytes: 5,
    etag: `"${md5(Buffer.from('hello'))}"`,
  });
  await (await backend.announce([])).settle([from]);
  expect((await read(to))?.toString()).toBe('hello');
  expect(await backend.copy(from, randomUUID())).toBeUndefined();
});

test.each(['../x', '', 'objects', 'a\0b', '/'])('%j isn’t accepted as a body’s name', async (version) => {
  expect(await backend.open(version)).toBeUndefined();
  expect(await backend.copy(version, randomUUID())).toBeUndefined();
  await expect(backend.write(version, chunks(Buffer.from('x')), 1)).rejects.toThrow();
});

test('a missing bucket is an error instead of lost objects', async () => {
  const elsewhere = createS3Backend({ ...settings, bucket: 'nowhere' }, root);
  await expect(elsewhere.open(randomUUID())).rejects.toMatchObject({ cause: { name: 'NoSuchBucket' } });
  await elsewhere.close();
});

async function assembled(on: ObjectBackend, sizes: readonly number[]): Promise<void> {
  const [upload, version] = [randomUUID(), randomUUID()];
  const bodies = sizes.map((size) => randomBytes(size));
  const parts = await Promise.all(
    bodies.map(async (bytes) => {
      const id = randomUUID();
      return { id, ...(await on.writePart(upload, id, chunks(bytes), bytes.length)) };
    }),
  );
  const whole = Buffer.concat(bodies);
  expect(
    await on.assemble(
      upload,
      [...parts, { ...parts[0], id: randomUUID(), sizeBytes: 1, etag: '""' }],
      version,
    ),
  ).toBe(undefined);
  expect(await on.assemble(upload, parts, version)).toMatchObject({ sizeBytes: whole.length });
  await (await on.announce([upload])).settle([upload]);
  expect((await read(version, on))?.equals(whole)).toBe(true);
  expect(await on.assemble(upload, parts, randomUUID())).toBeUndefined();
}

describe('a multipart body', () => {
  const mebi = 1024 * 1024;

  test.each([[[10]], [[10, 20, 30]], [[5 * mebi, 5 * mebi, 7]]])(
    'with parts of %j bytes becomes one body',
    async (sizes) => {
      await assembled(backend, sizes);
      expect((await stored()).parts).toEqual([]);
    },
  );

  test('is assembled by the S3 server if it supports this', async () => {
    const server: StorageServer = await startStorage();
    const { accessKeyId, secretAccessKey, region } = server.keys.s3;
    const own = createS3Backend(
      {
        bucket: 'private',
        endpoint: `${server.url}/s3`,
        region,
        force_path_style: true,
        access_key_id: accessKeyId,
        secret_access_key: secretAccessKey,
        prefix: '',
      },
      root,
    );
    await assembled(own, [5 * mebi, 6 * mebi, 7]);
    await assembled(own, [1, 2]);
    await own.close();
    await server.stop();
  });
});

test('if the S3 server is unreachable, requests for bytes receive 503 and other requests succeed', async () => {
  const server = await startStorage({
    plinth: { storage: { backend: 's3', s3: { ...settings, endpoint: 'http://127.0.0.1:9' } } },
  });
  const signal = AbortSignal.timeout(10_000);
  const upload = await server.request('/object/open/a.txt', { method: 'POST', body: 'x', signal });
  expect(upload.status).toBe(503);
  expect(upload.headers.get('retry-after')).toBe('5');
  expect(await upload.json()).toMatchObject({ statusCode: '503', code: 'ServiceUnavailable' });
  const copied = await server.request('/upload/resumable', {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': '1',
      'upload-metadata': `bucketName ${btoa('open')},objectName ${btoa('b')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: 'x',
    signal,
  });
  expect(copied.status).toBe(503);
  expect((await server.request('/bucket', { signal })).status).toBe(200);
  await server.stop();
});

test('if the S3 server is unreachable, the whole server is degraded instead of unready', async () => {
  const s3 = { ...settings, endpoint: 'http://127.0.0.1:9' };
  const backend = await createTestBackend({ config: { plinth: { storage: { backend: 's3', s3 } } } });
  try {
    const ready = await backend.fetch('/health/ready');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'degraded',
      checks: { database: { status: 'ok' }, auth: { status: 'ok' }, storage: { status: 'failing' } },
    });
  } finally {
    await backend.stop();
  }
});

test('a crash before the row is written removes everything, and a crash after it keeps everything', async () => {
  const [lost, kept] = [randomUUID(), randomUUID()];
  for (const version of [lost, kept]) await backend.write(version, chunks(Buffer.from('x')), 1);
  await writeFile(join(root, 'storage', 'intents', 'dead.1'), `${lost}\n${kept}\n`);
  const report = await backend.recover(async () => new Set([kept]));
  expect(report).toEqual({ settledIntents: 1, removedVersions: 1 });
  expect(await backend.open(lost)).toBeUndefined();
  expect((await read(kept))?.toString()).toBe('x');
});

test('a sweep moves files without a row aside and restores them', async () => {
  const [living, orphan, returning, lost] = Array.from({ length: 4 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
  ];
  for (const version of [living, orphan, returning])
    await backend.write(version, chunks(Buffer.from(version)), 36);
  await backend.writePart(orphan, randomUUID(), chunks(Buffer.from('x')), 1);
  const hour = 60 * 60 * 1000;
  const sweep = (rows: string[], nowMs: number) =>
    backend.sweep?.({
      livingWith: async (digit) => ({ objects: rows.filter((row) => row.startsWith(digit)), uploads: [] }),
      findLiving: async (versions) => new Set(versions),
      nowMs,
      signal: new AbortController().signal,
    });
  expect(await sweep([living], Date.now())).toMatchObject({ putAside: 0, removed: 0 });
  const first = await sweep([living, lost], Date.now() + 2 * hour);
  expect(first?.missing).toEqual([lost]);
  expect(first?.putAside).toBeGreaterThanOrEqual(2);
  expect(await backend.open(orphan)).toBeUndefined();
  expect(await sweep([living, returning], Date.now())).toMatchObject({ restored: 1, missing: [] });
  expect((await read(returning))?.toString()).toBe(returning);
  await sweep([living, returning], Date.now() + 8 * 24 * hour);
  expect(await sweep([living, returning, orphan], Date.now())).toMatchObject({
    restored: 0,
    missing: [orphan],
  });
  expect((await read(living))?.toString()).toBe(living);
  // Objects in the bucket that the backend didn't create are kept.
  await s3.client.send(new PutObjectCommand({ Bucket: 'plinth', Key: 'here/objects/theirs', Body: 'x' }));
  await sweep([living, returning], Date.now() + 8 * 24 * hour);
  expect((await stored()).objects).toContain('theirs');
});
