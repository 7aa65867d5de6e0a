/** Tests the staging of resumable uploads in a bucket without locks, as if a node had lost its lock. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ObjectBackend } from '../../../src/services/storage/backend/types.ts';
import { createBucketStaging } from '../../../src/services/storage/resumable/bucket-staging.ts';
import type { StagedUpload, Staging } from '../../../src/services/storage/resumable/types.ts';
import { startS3 } from '../backends.ts';
import { type StorageServer, startStorage } from '../server.ts';

const mebibyte = 1024 * 1024;
const { signal } = new AbortController();
let bucket: Awaited<ReturnType<typeof startS3>>;
let server: StorageServer;
let backend: ObjectBackend;
let staging: Staging;
let other: Staging;
beforeAll(async () => {
  bucket = await startS3();
  server = await startStorage(bucket.settings);
  backend = bucket.open(server.dataDir);
  [staging, other] = [stagingOn(backend), stagingOn(backend)];
});
afterAll(async () => {
  await backend.close();
  await server.stop();
  await bucket.stop();
});

function stagingOn({ multipart, ...methods }: ObjectBackend): Staging {
  if (!multipart) throw new Error('The S3 backend has multipart uploads');
  const { database } = server;
  return createBucketStaging(methods, multipart, { database, clock: { now: () => Date.now() } });
}

async function begin(sizeBytes?: number): Promise<StagedUpload> {
  const upload = {
    id: randomUUID(),
    bucketId: 'open',
    key: randomUUID(),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    metadata: { odd: 'nul\u0000', none: null },
    beganBy: 'me',
    upsert: false,
    createdAt: Date.now(),
  };
  await staging.create(upload);
  expect(await other.find(upload.id)).toMatchObject(upload);
  return upload;
}
const append = (on: Staging, { id }: StagedUpload, offset: number, bytes: Buffer) =>
  on.append(id, Readable.from([Buffer.from(bytes)]), { offset, maxBytes: 100 * mebibyte, signal });
const finish = (on: Staging, upload: StagedUpload) =>
  on.attempt(upload).then(async (attempt) => {
    const stored = await attempt.store();
    return {
      stored,
      claim: () => server.database.pool('supabase_admin').transaction(attempt.claim as never),
    };
  });
async function bytesOf({ id }: StagedUpload): Promise<Buffer> {
  const opened = await backend.open(id);
  return Buffer.concat(await Readable.from((await opened?.read()) ?? []).toArray());
}
const objects = async () => (await bucket.stored(server.dataDir)).objects;
const parts = async () => (await bucket.stored(server.dataDir)).parts;

test.each([
  ['large enough for a part', 6 * mebibyte],
  ['too small for a part', 1000],
])('of two concurrent writers, one is rejected: %s', async (_what, size) => {
  const upload = await begin(size * 2);
  const bodies = [randomBytes(size), randomBytes(size)] as const;
  const results = await Promise.allSettled([
    append(staging, upload, 0, bodies[0]),
    append(other, upload, 0, bodies[1]),
  ]);
  const winner = results.findIndex(({ status }) => status === 'fulfilled');
  const { reason } = results[1 - winner] as PromiseRejectedResult;
  expect([409, 423]).toContain(reason.status);
  expect(await staging.offset(upload.id)).toBe(size);
  const rest = randomBytes(size);
  await append(other, upload, size, rest);
  expect((await finish(staging, upload)).stored.sizeBytes).toBe(2 * size);
  expect((await bytesOf(upload)).equals(Buffer.concat([bodies[winner] as Buffer, rest]))).toBe(true);
  await staging.remove(upload.id);
});

test('an upload is either finished or removed', async () => {
  const removed = await begin(5);
  await append(staging, removed, 0, Buffer.from('bytes'));
  const late = await finish(staging, removed);
  await other.remove(removed.id);
  await expect(late.claim()).rejects.toMatchObject({ status: 423 });
  expect(await objects()).not.toContain(removed.id);

  const finished = await begin(5);
  await append(staging, finished, 0, Buffer.from('bytes'));
  const early = await finish(staging, finished);
  await early.claim();
  await expect(early.claim()).rejects.toMatchObject({ status: 423 });
  expect(await other.offset(finished.id)).toBeUndefined();
  expect(await other.find(finished.id)).toMatchObject({ storedAs: finished.id });
  await other.remove(finished.id);
  expect(await other.find(finished.id)).toBeUndefined();
  expect(await objects()).toContain(finished.id);
});

test('bytes below the minimum part size become the beginning of the next part', async () => {
  const upload = await begin();
  const body = randomBytes(12 * mebibyte);
  const sizes = [2 * mebibyte, 2 * mebibyte, 2 * mebibyte, 5 * mebibyte, mebibyte];
  const seen = [];
  let offset = 0;
  for (const size of sizes) {
    await append(staging, upload, offset, body.subarray(offset, offset + size));
    offset += size;
    seen.push((await parts()).filter((part) => part.startsWith(upload.id)).length);
  }
  expect(seen).toEqual([1, 2, 0, 0, 1]);
  const { stored } = await finish(other, await other.setSize(upload, offset));
  expect(stored).toMatchObject({ sizeBytes: body.length, etag: expect.stringMatching(/-3"$/) });
  expect((await bytesOf(upload)).equals(body)).toBe(true);
});

test('if the bucket no longer has the bytes, the client must begin again', async () => {
  const { multipart } = backend;
  if (!multipart) throw new Error('The S3 backend has multipart uploads');
  // A lifecycle rule of the bucket can abort the multipart upload. The S3 server of these tests has no such rules.
  const ended = Object.assign(new Error('The upload has ended'), { name: 'NoSuchUpload' });
  const expired = stagingOn({
    ...backend,
    multipart: { ...multipart, put: () => Promise.reject(ended), complete: async () => undefined },
  });
  const upload = await begin(12 * mebibyte);
  await append(staging, upload, 0, randomBytes(6 * mebibyte));
  await expect(append(expired, upload, 6 * mebibyte, randomBytes(6 * mebibyte))).rejects.toMatchObject({
    status: 404,
  });
  await append(staging, upload, 6 * mebibyte, randomBytes(6 * mebibyte));
  await expect(finish(expired, upload)).rejects.toMatchObject({ status: 404 });
  expect(await staging.find(upload.id)).toBeUndefined();

  const small = await begin(10);
  await append(staging, small, 0, Buffer.from('12345'));
  const loose = (await parts()).filter((part) => part.startsWith(small.id));
  await backend.removeParts(
    small.id,
    loose.map((part) => part.slice(small.id.length + 1)),
  );
  await expect(append(other, small, 5, Buffer.from('67890'))).rejects.toMatchObject({ status: 404 });
});

test('an unfinished upload’s bytes aren’t orphans', async () => {
  const upload = await begin(5);
  expect(await staging.inBackend(upload.id.charAt(0))).toContain(upload.id);
  await append(staging, upload, 0, Buffer.from('bytes'));
  await finish(staging, upload);
  const report = await backend.sweep?.({
    livingWith: async (digit) => ({ objects: [], uploads: await staging.inBackend(digit) }),
    findLiving: async () => new Set(),
    nowMs: Date.now() + 2 * 60 * 60 * 1000,
    signal,
  });
  expect(report).toBeDefined();
  expect(await objects()).toContain(upload.id);
  await staging.remove(upload.id);
});
