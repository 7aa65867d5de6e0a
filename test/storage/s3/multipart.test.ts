/** Tests multipart uploads over the S3 protocol. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, eventually, type StorageServer, startStorage } from '../server.ts';
import { codeOf, s3Client, s3Session, sendByHand } from './clients.ts';

let server: StorageServer;
let s3: S3Client;
const Bucket = 'open';
beforeAll(async () => {
  server = await startStorage();
  s3 = s3Client(server);
});
afterAll(async () => {
  s3.destroy();
  await server.stop();
});

const create = async (Key: string, more = {}, client = s3): Promise<string> =>
  (await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))).UploadId ?? '';
const send = async (
  Key: string,
  UploadId: string,
  PartNumber: number,
  Body: Uint8Array | string,
  client = s3,
) => ({
  PartNumber,
  ETag: (await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))).ETag,
});
const complete = (Key: string, UploadId: string, Parts: { PartNumber: number; ETag: string | undefined }[]) =>
  s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
const textOf = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest();

test('parts become one object in the order of their numbers', async () => {
  const id = await create('whole', {
    ContentType: 'text/css',
    Metadata: { a: 'b' },
    CacheControl: 'max-age=5',
  });
  const [one, two, three] = [randomBytes(200_000), randomBytes(10), randomBytes(300_000)];
  const third = await send('whole', id, 9, three);
  const first = await send('whole', id, 1, one);
  const second = await send('whole', id, 5, two);
  const done = await complete('whole', id, [first, second, third]);
  const etag = md5(Buffer.concat([md5(one), md5(two), md5(three)])).toString('hex');
  expect(done).toMatchObject({ Bucket, Key: 'whole', ETag: `"${etag}-3"` });
  const read = await s3.send(new GetObjectCommand({ Bucket, Key: 'whole' }));
  expect(read).toMatchObject({ ContentType: 'text/css', CacheControl: 'max-age=5', Metadata: { a: 'b' } });
  const bytes = Buffer.from((await read.Body?.transformToByteArray()) ?? []);
  expect(bytes.equals(Buffer.concat([one, two, three]))).toBe(true);
  const { data } = await server.client().from(Bucket).download('whole');
  expect(Buffer.from((await data?.bytes()) ?? []).equals(bytes)).toBe(true);
  const range = await s3.send(new GetObjectCommand({ Bucket, Key: 'whole', Range: 'bytes=199999-200010' }));
  expect(Buffer.from((await range.Body?.transformToByteArray()) ?? [])).toEqual(
    bytes.subarray(199_999, 200_011),
  );
  await server.client().from(Bucket).copy('whole', 'whole-copy');
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'whole-copy' }))).ContentLength).toBe(500_010);
  await eventually(async () => (await server.files()).parts.length === 0);
  await expect(complete('whole', id, [first])).rejects.toMatchObject({ name: 'NoSuchUpload' });
});

test('a part can be sent again, and the last part with a number is used', async () => {
  const id = await create('again');
  const stale = await send('again', id, 1, 'one');
  const fresh = await send('again', id, 1, 'two');
  await expect(complete('again', id, [stale])).rejects.toMatchObject({ name: 'InvalidPart' });
  expect((await server.files()).parts).toHaveLength(1);
  await complete('again', id, [fresh]);
  expect(await textOf('again')).toBe('two');
});

test('parts that aren’t listed are omitted', async () => {
  const id = await create('some');
  const first = await send('some', id, 1, 'one');
  await send('some', id, 2, 'two');
  await complete('some', id, [first]);
  expect(await textOf('some')).toBe('one');
});

test('invalid part numbers and orders are rejected', async () => {
  const id = await create('nonsense');
  const first = await send('nonsense', id, 1, 'one');
  const second = await send('nonsense', id, 2, 'two');
  await expect(complete('nonsense', id, [second, first])).rejects.toMatchObject({ name: 'InvalidPartOrder' });
  await expect(complete('nonsense', id, [{ PartNumber: 3, ETag: first.ETag }])).rejects.toMatchObject({
    name: 'InvalidPart',
  });
  for (const number of [0, 10_001, -1])
    await expect(send('nonsense', id, number, 'x')).rejects.toMatchObject({ name: 'InvalidArgument' });
  await expect(send('nonsense', randomUUID(), 1, 'x')).rejects.toMatchObject({ name: 'NoSuchUpload' });
  await expect(send('another-key', id, 1, 'x')).rejects.toMatchObject({ name: 'NoSuchUpload' });
  const query = `uploadId=${id}`;
  for (const body of ['<x', '<Other/>', '<!DOCTYPE a [<!ENTITY b "c">]><CompleteMultipartUpload/>'])
    expect(await codeOf(sendByHand(server, { method: 'POST', path: '/open/nonsense', query, body }))).toBe(
      'MalformedXML',
    );
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'nonsense', UploadId: id }));
  await expect(send('nonsense', id, 1, 'x')).rejects.toMatchObject({ name: 'NoSuchUpload' });
  await eventually(async () => (await server.files()).parts.length === 0);
});

test('parts together count toward the bucket’s limit', async () => {
  await server.client().createBucket('tiny', { public: false, fileSizeLimit: 10 });
  const at = { Bucket: 'tiny', Key: 'k' };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at));
  const part = (PartNumber: number, size: number) =>
    s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber, Body: 'x'.repeat(size) }));
  await part(1, 6);
  await expect(part(2, 5)).rejects.toMatchObject({ name: 'EntityTooLarge' });
  await part(1, 10);
  await expect(part(2, 1)).rejects.toMatchObject({ name: 'EntityTooLarge' });
  await expect(s3.send(new DeleteBucketCommand({ Bucket: 'tiny' }))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 409 },
  });
  await s3.send(new AbortMultipartUploadCommand({ ...at, UploadId }));
  await s3.send(new DeleteBucketCommand({ Bucket: 'tiny' }));
});

test('parts can be copied from objects, completely or as a range', async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body: '0123456789' }));
  const UploadId = await create('copied');
  const copy = (PartNumber: number, CopySourceRange?: string, CopySource = `${Bucket}/source`) =>
    s3.send(
      new UploadPartCopyCommand({ Bucket, Key: 'copied', UploadId, PartNumber, CopySource, CopySourceRange }),
    );
  const parts = await Promise.all([copy(1), copy(2, 'bytes=3-5')]);
  for (const range of ['bytes=-5', 'bytes=5-', 'bytes=5-4', 'bytes=0-10', 'nonsense'])
    await expect(copy(3, range)).rejects.toMatchObject({ name: 'InvalidArgument' });
  await expect(copy(3, undefined, `${Bucket}/missing`)).rejects.toMatchObject({ name: 'NoSuchKey' });
  await complete(
    'copied',
    UploadId,
    parts.map(({ CopyPartResult }, index) => ({ PartNumber: index + 1, ETag: CopyPartResult?.ETag })),
  );
  expect(await textOf('copied')).toBe('0123456789345');
});

test('many concurrent requests complete an upload only once', async () => {
  const id = await create('race');
  const part = await send('race', id, 1, 'x');
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => complete('race', id, [part])));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ name: 'NoSuchUpload' });
  expect(await textOf('race')).toBe('x');
  // The other requests also assembled an object from the parts, and this object is removed immediately.
  await eventually(async () => (await server.files()).intents.length === 0);
});

test('an upload can be completed conditionally', async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'taken', Body: 'first' }));
  const id = await create('taken');
  const MultipartUpload = { Parts: [await send('taken', id, 1, 'second')] };
  const finish = (more = {}) =>
    s3.send(
      new CompleteMultipartUploadCommand({ Bucket, Key: 'taken', UploadId: id, MultipartUpload, ...more }),
    );
  await expect(finish({ IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
  expect(await textOf('taken')).toBe('first');
  await finish();
  expect(await textOf('taken')).toBe('second');
});

describe('listings', () => {
  test('contain the parts, page by page', async () => {
    const UploadId = await create('parts');
    for (const number of [1, 2, 7]) await send('parts', UploadId, number, 'x'.repeat(number));
    const list = (more = {}) => s3.send(new ListPartsCommand({ Bucket, Key: 'parts', UploadId, ...more }));
    expect((await list()).Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
      [1, 1],
      [2, 2],
      [7, 7],
    ]);
    const first = await list({ MaxParts: 2 });
    expect(first).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '2' });
    const rest = await list({ MaxParts: 2, PartNumberMarker: first.NextPartNumberMarker });
    expect(rest.Parts?.map(({ PartNumber }) => PartNumber)).toEqual([7]);
    expect(rest.IsTruncated).toBe(false);
    await expect(list({ UploadId: 'none' })).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  test('contain the uploads, including several per key, grouped by folder', async () => {
    const made = [];
    for (const key of ['u/a', 'u/a', 'u/b', 'u/c/1', 'u/c/2']) made.push([key, await create(key)]);
    const list = (more = {}) => s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'u/', ...more }));
    const all = (await list()).Uploads?.map(({ Key, UploadId }) => [Key, UploadId]);
    expect(all?.toSorted()).toEqual(made.toSorted());
    const seen: unknown[] = [];
    let [KeyMarker, UploadIdMarker]: (string | undefined)[] = [];
    do {
      const page = await list({ MaxUploads: 1, Delimiter: '/', KeyMarker, UploadIdMarker });
      seen.push(
        ...(page.Uploads ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
      );
      [KeyMarker, UploadIdMarker] = [page.NextKeyMarker, page.NextUploadIdMarker];
    } while (KeyMarker !== undefined);
    expect(seen).toEqual(['u/a', 'u/a', 'u/b', 'u/c/']);
    await expect(list({ MaxUploads: 0 })).rejects.toMatchObject({ name: 'InvalidArgument' });
  });
});

describe('users’ uploads', () => {
  const Key = `${alice.sub}/parts`;
  const at = { Bucket: 'private', Key };

  test('are subject to their policies at every step', async () => {
    const [hers, his] = [s3Session(server, alice), s3Session(server, bob)];
    const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } };
    await expect(create(Key, at, his)).rejects.toMatchObject(denied);
    const UploadId = await create(Key, at, hers);
    const part = { ...at, UploadId, PartNumber: 1, Body: 'alice' };
    await expect(his.send(new UploadPartCommand(part))).rejects.toMatchObject(denied);
    const { ETag } = await hers.send(new UploadPartCommand(part));
    await expect(his.send(new ListPartsCommand({ ...at, UploadId }))).rejects.toMatchObject(denied);
    await expect(his.send(new AbortMultipartUploadCommand({ ...at, UploadId }))).rejects.toMatchObject(
      denied,
    );
    const done = { ...at, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
    await expect(his.send(new CompleteMultipartUploadCommand(done))).rejects.toMatchObject(denied);
    const elsewhere = { Bucket: 'private', Key: `${bob.sub}/stolen` };
    const UploadId2 = await create(elsewhere.Key, elsewhere, his);
    await expect(
      his.send(
        new UploadPartCopyCommand({
          ...elsewhere,
          UploadId: UploadId2,
          PartNumber: 1,
          CopySource: `private/${Key}`,
        }),
      ),
    ).rejects.toMatchObject({ name: 'NoSuchKey' });
    await hers.send(new CompleteMultipartUploadCommand(done));
    expect(await (await server.client(alice).from('private').download(Key)).data?.text()).toBe('alice');
    expect((await server.client().from('private').info(Key)).data).toMatchObject({ size: 5 });
  });
});

test('partNumber is rejected instead of being ignored, because parts of completed uploads aren’t kept', async () => {
  const id = await create('counted');
  await complete('counted', id, [await send('counted', id, 1, 'x')]);
  for (const command of [
    new GetObjectCommand({ Bucket, Key: 'counted', PartNumber: 1 }),
    new HeadObjectCommand({ Bucket, Key: 'counted', PartNumber: 2 }),
  ])
    await expect(s3.send(command as GetObjectCommand)).rejects.toMatchObject({
      $metadata: { httpStatusCode: 501 },
    });
});
