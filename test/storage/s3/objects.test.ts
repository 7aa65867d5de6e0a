/** Tests the S3 protocol with the AWS SDK: buckets and objects. */
import { createHash, randomBytes } from 'node:crypto';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketAclCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type StorageServer, startStorage } from '../server.ts';
import { s3Client } from './clients.ts';

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

const put = (Key: string, Body: string | Uint8Array = Key, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const get = (Key: string, more = {}) => s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
const head = (Key: string, more = {}) => s3.send(new HeadObjectCommand({ Bucket, Key, ...more }));
const textOf = async (Key: string, more = {}) => (await get(Key, more)).Body?.transformToString();
const status = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });

describe('buckets', () => {
  test('can be created, listed and deleted', async () => {
    const name = { Bucket: 'made-by-s3' };
    expect((await s3.send(new CreateBucketCommand({ ...name, ACL: 'public-read' }))).Location).toBe(
      '/made-by-s3',
    );
    await expect(s3.send(new CreateBucketCommand(name))).rejects.toMatchObject({
      name: 'BucketAlreadyExists',
      ...status(409),
    });
    expect((await s3.send(new HeadBucketCommand(name))).BucketRegion).toBe('local');
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets?.map((bucket) => bucket.Name)).toContain('made-by-s3');
    expect(Buckets?.every((bucket) => bucket.CreationDate instanceof Date)).toBe(true);
    expect((await server.client().getBucket('made-by-s3')).data).toMatchObject({ public: true });
    expect((await s3.send(new GetBucketLocationCommand(name))).LocationConstraint).toBe('local');
    expect((await s3.send(new GetBucketVersioningCommand(name))).Status).toBe('Suspended');
    await s3.send(new PutObjectCommand({ ...name, Key: 'x', Body: 'x' }));
    await expect(s3.send(new DeleteBucketCommand(name))).rejects.toMatchObject({
      name: 'BucketNotEmpty',
      ...status(409),
    });
    await s3.send(new DeleteObjectCommand({ ...name, Key: 'x' }));
    await s3.send(new DeleteBucketCommand(name));
    await expect(s3.send(new HeadBucketCommand(name))).rejects.toMatchObject(status(404));
    await expect(s3.send(new DeleteBucketCommand(name))).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });

  test('with an invalid name are rejected', async () => {
    await expect(s3.send(new CreateBucketCommand({ Bucket: 'with%slash' }))).rejects.toMatchObject({
      name: 'InvalidBucketName',
      ...status(400),
    });
  });

  test('respond with an error to unsupported requests', async () => {
    await expect(s3.send(new GetBucketAclCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NotImplemented',
      ...status(501),
    });
  });
});

describe('objects', () => {
  test('keep their bytes, type, cache time and metadata', async () => {
    const bytes = randomBytes(300_000);
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
    const stored = await put('a/whole.bin', bytes, {
      ContentType: 'application/x-thing',
      CacheControl: 'max-age=77',
      Metadata: { color: 'blue', __proto__x: 'y' },
    });
    expect(stored.ETag).toBe(etag);
    const read = await get('a/whole.bin');
    expect(Buffer.from((await read.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
    for (const response of [read, await head('a/whole.bin')]) {
      expect(response).toMatchObject({
        ETag: etag,
        ContentLength: 300_000,
        ContentType: 'application/x-thing',
        CacheControl: 'max-age=77',
        Metadata: { color: 'blue', __proto__x: 'y' },
      });
      expect(response.LastModified).toBeInstanceOf(Date);
    }
    const rest = await server.client().from(Bucket).info('a/whole.bin');
    expect(rest.data).toMatchObject({ size: 300_000, contentType: 'application/x-thing' });
  });

  test('are replaced completely, and the old body is removed', async () => {
    await put('replaced', 'one', { Metadata: { old: 'yes' } });
    const before = (await server.files()).objects.length;
    await put('replaced', 'two');
    expect(await textOf('replaced')).toBe('two');
    expect((await head('replaced')).Metadata).toEqual({});
    await eventually(async () => (await server.files()).objects.length === before);
  });

  test.each([["a!$&'() *+,:;=@b"], ['trailing space '], ['a//b///c'], ['.hidden/../up']])(
    'can be named %j',
    async (key) => {
      await put(key, 'named');
      expect(await textOf(key)).toBe('named');
      const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: key }));
      expect(listed.Contents?.map((line) => line.Key)).toEqual([key]);
      await s3.send(new DeleteObjectCommand({ Bucket, Key: key }));
      await expect(head(key)).rejects.toMatchObject(status(404));
    },
  );

  test.each([['%41%2F'], ['[]^|'], ['é'], ['\u{1f600}']])('can’t be named %j', async (key) => {
    await expect(put(key)).rejects.toMatchObject({ name: 'InvalidKey', message: `Invalid key: ${key}` });
  });

  test('that are folders get the same placeholder as in the Console', async () => {
    await put('folder/', '');
    expect((await head('folder/.emptyFolderPlaceholder')).ContentLength).toBe(0);
  });

  test('can be read in ranges', async () => {
    await put('ranged', '0123456789');
    for (const [Range, body, range] of [
      ['bytes=0-3', '0123', 'bytes 0-3/10'],
      ['bytes=-3', '789', 'bytes 7-9/10'],
      ['bytes=8-', '89', 'bytes 8-9/10'],
      ['bytes=5-100', '56789', 'bytes 5-9/10'],
    ]) {
      const part = await get('ranged', { Range });
      expect([await part.Body?.transformToString(), part.ContentRange]).toEqual([body, range]);
      expect((await head('ranged', { Range })).ContentRange).toBe(range);
    }
    await expect(get('ranged', { Range: 'bytes=10-' })).rejects.toMatchObject({
      name: 'InvalidRange',
      ...status(416),
    });
  });

  test('can be read conditionally', async () => {
    const { ETag } = await put('conditional', 'x');
    const later = new Date(Date.now() + 60_000);
    const earlier = new Date(Date.now() - 60_000);
    expect(await textOf('conditional', { IfMatch: ETag })).toBe('x');
    expect(await textOf('conditional', { IfUnmodifiedSince: later })).toBe('x');
    for (const read of [get, head]) {
      await expect(read('conditional', { IfNoneMatch: ETag })).rejects.toMatchObject(status(304));
      await expect(read('conditional', { IfModifiedSince: later })).rejects.toMatchObject(status(304));
      await expect(read('conditional', { IfMatch: '"other"' })).rejects.toMatchObject(status(412));
      await expect(read('conditional', { IfUnmodifiedSince: earlier })).rejects.toMatchObject(status(412));
    }
  });

  test('can be written conditionally', async () => {
    const { ETag } = await put('written-once', 'first', { IfNoneMatch: '*' });
    const failed = { name: 'PreconditionFailed', ...status(412) };
    await expect(put('written-once', 'second', { IfNoneMatch: '*' })).rejects.toMatchObject(failed);
    await expect(put('written-once', 'second', { IfMatch: '"other"' })).rejects.toMatchObject(failed);
    await expect(put('never-written', 'x', { IfMatch: ETag })).rejects.toMatchObject(failed);
    expect(await textOf('written-once')).toBe('first');
    await put('written-once', 'second', { IfMatch: ETag });
    expect(await textOf('written-once')).toBe('second');
    // The bytes of rejected writes are removed immediately instead of at the next startup.
    await eventually(async () => (await server.files()).intents.length === 0);
  });

  test('have the response headers that the signer chooses', async () => {
    await put('overridden', '<script>', { ContentType: 'text/plain' });
    const read = await get('overridden', {
      ResponseCacheControl: 'no-store',
      ResponseContentDisposition: 'attachment; filename="x.txt"',
      ResponseContentLanguage: 'en',
      ResponseContentType: 'text/html',
      ResponseExpires: new Date('2030-01-01T00:00:00Z'),
    });
    expect(read).toMatchObject({
      CacheControl: 'no-store',
      ContentDisposition: 'attachment; filename="x.txt"',
      ContentLanguage: 'en',
      ContentType: 'text/html',
      ExpiresString: 'Tue, 01 Jan 2030 00:00:00 GMT',
    });
  });

  test('that are missing return an error', async () => {
    await expect(get('missing')).rejects.toMatchObject({ name: 'NoSuchKey', ...status(404) });
    await expect(head('missing')).rejects.toMatchObject(status(404));
    await expect(get('missing', { Bucket: 'nowhere' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
    await expect(
      s3.send(new PutObjectCommand({ Bucket: 'nowhere', Key: 'x', Body: 'x' })),
    ).rejects.toMatchObject({
      name: 'NoSuchBucket',
    });
    expect(
      (await s3.send(new DeleteObjectCommand({ Bucket, Key: 'missing' }))).$metadata.httpStatusCode,
    ).toBe(204);
  });

  test('have no tags', async () => {
    await put('tagged');
    expect((await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))).TagSet ?? []).toEqual([]);
    const Tagging = { TagSet: [{ Key: 'a', Value: 'b' }] };
    await expect(
      s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging })),
    ).rejects.toMatchObject({ name: 'NotImplemented' });
  });

  test('can be copied, with the same or new metadata', async () => {
    const source = await put('copied/from +u', 'bytes', {
      ContentType: 'text/css',
      Metadata: { a: '1' },
    });
    const CopySource = `${Bucket}/${encodeURIComponent('copied/from +u')}`;
    const copy = (Key: string, more = {}) =>
      s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }));
    expect((await copy('copied/same')).CopyObjectResult?.ETag).toBe(source.ETag);
    expect(await head('copied/same')).toMatchObject({ ContentType: 'text/css', Metadata: { a: '1' } });
    await copy('copied/new', {
      MetadataDirective: 'REPLACE',
      ContentType: 'text/plain',
      CacheControl: 'max-age=9',
      Metadata: { b: '2' },
    });
    expect(await head('copied/new')).toMatchObject({
      ContentType: 'text/plain',
      CacheControl: 'max-age=9',
      Metadata: { b: '2' },
    });
    expect(await textOf('copied/new')).toBe('bytes');
    const failed = { name: 'PreconditionFailed' };
    await expect(copy('copied/x', { CopySourceIfMatch: '"other"' })).rejects.toMatchObject(failed);
    await expect(copy('copied/x', { CopySourceIfNoneMatch: source.ETag })).rejects.toMatchObject(failed);
    await expect(
      s3.send(new CopyObjectCommand({ Bucket, Key: 'copied/x', CopySource: `${Bucket}/missing` })),
    ).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(
      s3.send(new CopyObjectCommand({ Bucket, Key: 'copied/x', CopySource: 'nonsense' })),
    ).rejects.toMatchObject({ name: 'InvalidArgument' });
  });

  test('can be deleted by the hundred, with XML entities in their names', async () => {
    const keys = ["many/a&b'c", 'many/ d ', ...Array.from({ length: 40 }, (_, index) => `many/${index}`)];
    await Promise.all(keys.map((key) => put(key)));
    const Delete = { Objects: [...keys, 'many/missing'].map((Key) => ({ Key })) };
    const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete }));
    expect(Deleted?.map(({ Key }) => Key)).toEqual([...keys, 'many/missing']);
    expect(Errors ?? []).toEqual([]);
    const quiet = await s3.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'many/0' }], Quiet: true } }),
    );
    expect(quiet.Deleted ?? []).toEqual([]);
    expect((await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'many/' }))).KeyCount).toBe(0);
  });

  test('respect the limits of their bucket', async () => {
    await server
      .client()
      .createBucket('small', { public: false, fileSizeLimit: 10, allowedMimeTypes: ['text/plain'] });
    const small = (Body: string, ContentType: string) =>
      s3.send(new PutObjectCommand({ Bucket: 'small', Key: 'k', Body, ContentType }));
    await expect(small('x'.repeat(11), 'text/plain')).rejects.toMatchObject({
      name: 'EntityTooLarge',
      ...status(413),
    });
    await expect(small('x', 'image/png')).rejects.toMatchObject({ name: 'InvalidMimeType', ...status(415) });
    await small('x'.repeat(10), 'text/plain');
  });
});

describe('listings', () => {
  const keys = ['l/a/1', 'l/a/2', 'l/b', 'l/c/1', 'l/d e+f', 'l/e'];
  beforeAll(() => Promise.all(keys.map((key) => put(key))));
  const list = (more = {}) => s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'l/', ...more }));

  test.each([1, 2, 3, 1000])('contain everything once, %i at a time', async (MaxKeys) => {
    const seen: (string | undefined)[] = [];
    let token: string | undefined;
    do {
      const page = await list({ MaxKeys, ContinuationToken: token });
      expect(page.KeyCount).toBe(page.Contents?.length);
      seen.push(...(page.Contents ?? []).map(({ Key }) => Key));
      token = page.NextContinuationToken;
      expect(page.IsTruncated).toBe(token !== undefined);
    } while (token !== undefined);
    expect(seen).toEqual(keys);
  });

  test.each([1, 2, 1000])('group folders, %i at a time', async (MaxKeys) => {
    const seen: (string | undefined)[] = [];
    let token: string | undefined;
    do {
      const page = await list({ MaxKeys, Delimiter: '/', ContinuationToken: token });
      seen.push(
        ...[
          ...(page.Contents ?? []).map(({ Key }) => Key),
          ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
        ],
      );
      token = page.NextContinuationToken;
    } while (token !== undefined);
    expect(seen.toSorted()).toEqual(['l/a/', 'l/b', 'l/c/', 'l/d e+f', 'l/e']);
  });

  test('start after a key, even if it doesn’t exist', async () => {
    const behind = async (StartAfter: string, Delimiter?: string) => {
      const page = await list({ StartAfter, Delimiter });
      return [
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
        ...(page.Contents ?? []).map(({ Key }) => Key),
      ];
    };
    expect(await behind('l/b')).toEqual(['l/c/1', 'l/d e+f', 'l/e']);
    expect(await behind('l/a/1', '/')).toEqual(['l/a/', 'l/c/', 'l/b', 'l/d e+f', 'l/e']);
    expect(await behind('l/a/zzz', '/')).toEqual(['l/c/', 'l/b', 'l/d e+f', 'l/e']);
    expect(await behind('l/a', '/')).toEqual(['l/a/', 'l/c/', 'l/b', 'l/d e+f', 'l/e']);
    expect(await behind('l/zzz')).toEqual([]);
  });

  test('group by any delimiter, and encode keys on request', async () => {
    const page = await list({ Delimiter: ' e', EncodingType: 'url' });
    expect(page.CommonPrefixes).toEqual([{ Prefix: 'l/d+e' }]);
    expect((await list({ EncodingType: 'url', StartAfter: 'l/d' })).Contents?.map(({ Key }) => Key)).toEqual([
      'l/d+e%2Bf',
      'l/e',
    ]);
  });

  test('in version 1 are paged with a marker', async () => {
    const first = await s3.send(new ListObjectsCommand({ Bucket, Prefix: 'l/', Delimiter: '/', MaxKeys: 2 }));
    expect(first).toMatchObject({ IsTruncated: true, NextMarker: 'l/b' });
    expect(first.CommonPrefixes).toEqual([{ Prefix: 'l/a/' }]);
    const second = await s3.send(
      new ListObjectsCommand({ Bucket, Prefix: 'l/', Delimiter: '/', Marker: first.NextMarker }),
    );
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(['l/d e+f', 'l/e']);
    expect(second.IsTruncated).toBe(false);
  });

  test('of versions contain each object as its only version', async () => {
    const first = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'l/', MaxKeys: 4 }));
    expect(first.Versions?.map(({ Key, VersionId, IsLatest }) => [Key, VersionId, IsLatest])).toEqual(
      keys.slice(0, 4).map((key) => [key, 'null', true]),
    );
    const KeyMarker = first.NextKeyMarker;
    const rest = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'l/', KeyMarker }));
    expect(rest.Versions?.map(({ Key }) => Key)).toEqual(keys.slice(4));
    expect(await textOf('l/b', { VersionId: 'null' })).toBe('l/b');
    await expect(get('l/b', { VersionId: 'another' })).rejects.toMatchObject({ name: 'InvalidArgument' });
  });

  test('are empty for a limit of zero, and reject invalid parameters', async () => {
    expect(await list({ MaxKeys: 0 })).toMatchObject({ KeyCount: 0, IsTruncated: false });
    await expect(list({ MaxKeys: -1 })).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(list({ ContinuationToken: 'nonsense' })).rejects.toMatchObject({ name: 'InvalidArgument' });
    await expect(list({ Bucket: 'nowhere' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });
});

describe('lib-storage', () => {
  test('uploads small and large streams', async () => {
    for (const size of [0, 100, 5 * 1024 * 1024 + 1, 12 * 1024 * 1024]) {
      const bytes = randomBytes(size);
      await new Upload({
        client: s3,
        params: { Bucket, Key: `lib/${size}`, Body: bytes, Metadata: { a: 'b' } },
      }).done();
      const read = await get(`lib/${size}`);
      expect(Buffer.from((await read.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
      expect(read.Metadata).toEqual({ a: 'b' });
    }
    expect((await head(`lib/${12 * 1024 * 1024}`)).ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
  });
});
