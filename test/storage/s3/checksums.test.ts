/** Tests how checksums are verified, stored and returned over the S3 protocol, with the SDK and with raw requests. */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { deleteLeftChecksums } from '../../../src/services/storage/queries/checksums.ts';
import { startChecksum } from '../../../src/services/storage/s3/core/checksum.ts';
import { eventually, type StorageServer, startStorage } from '../server.ts';
import { codeOf, s3Client, sendByHand, signByHand } from './clients.ts';

let server: StorageServer;
let s3: S3Client;
const Bucket = 'open';
beforeAll(async () => {
  server = await startStorage();
  s3 = s3Client(server, {
    requestChecksumCalculation: 'WHEN_SUPPORTED',
    responseChecksumValidation: 'WHEN_SUPPORTED',
  });
});
afterAll(async () => {
  s3.destroy();
  await server.stop();
});

type Name = 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';
const names: Name[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];
const sumOf = (name: Name, bytes: Uint8Array | string): string => {
  const sum = startChecksum(name.toLowerCase() as Parameters<typeof startChecksum>[0]);
  sum.update(Buffer.from(bytes as string));
  return sum.digest().toString('base64');
};
const compositeOf = (name: Name, parts: string[]): string => {
  const sums = parts.map((part) => Buffer.from(sumOf(name, part), 'base64'));
  return `${sumOf(name, Buffer.concat(sums))}-${parts.length}`;
};
const head = (Key: string, more = {}) =>
  s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED', ...more }));
const readText = async (Key: string, more = {}) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key, ...more }))).Body?.transformToString();

describe('an object uploaded in one request', () => {
  test.each(names)('has its %s checksum', async (name) => {
    const Key = `put-${name}`;
    const sum = sumOf(name, 'hello');
    const kept = { [`Checksum${name}`]: sum, ChecksumType: 'FULL_OBJECT' };
    expect(
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'hello', ChecksumAlgorithm: name })),
    ).toMatchObject(kept);
    expect(await head(Key)).toMatchObject(kept);
    // The SDK verifies the checksum when the caller has read the whole body.
    const got = await s3.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    expect(got).toMatchObject(kept);
    expect(await got.Body?.transformToString()).toBe('hello');
  });

  test('can be sent as a stream with a trailer', async () => {
    const bytes = randomBytes(300_000);
    const Body = Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]);
    const sent = await s3.send(
      new PutObjectCommand({ Bucket, Key: 'streamed', Body, ContentLength: bytes.length }),
    );
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(bytes));
    expect(sent.ChecksumCRC32).toBe(sum.toString('base64'));
    expect((await head('streamed')).ChecksumCRC32).toBe(sum.toString('base64'));
  });

  test('has its checksum returned only on request, and not with a range', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'asked', Body: 'hello' }));
    const get = (headers = {}) => sendByHand(server, { path: '/open/asked', headers });
    const sumIn = async (response: Promise<Response>) => (await response).headers.get('x-amz-checksum-crc32');
    expect(await sumIn(get())).toBeNull();
    expect(await sumIn(get({ 'x-amz-checksum-mode': 'enabled' }))).toBe(sumOf('CRC32', 'hello'));
    expect(await sumIn(get({ 'x-amz-checksum-mode': 'ENABLED', range: 'bytes=0-1' }))).toBeNull();
    expect(await readText('asked', { Range: 'bytes=1-3' })).toBe('ell');
    expect(await readText('asked', { Range: 'bytes=0-' })).toBe('hello');
  });

  test('has no checksum if it is replaced without one, or uploaded over REST', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'replaced', Body: 'hello' }));
    await server.client().from(Bucket).upload('replaced', 'other', { upsert: true });
    const now = await head('replaced');
    expect([now.ChecksumCRC32, now.ChecksumType]).toEqual([undefined, undefined]);
    expect(await readText('replaced')).toBe('other');
  });

  test('keeps the checksum when it is moved', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'before', Body: 'hello' }));
    await server.client().from(Bucket).move('before', 'after');
    expect((await head('after')).ChecksumCRC32).toBe(sumOf('CRC32', 'hello'));
  });

  test('has no visible checksum for REST clients', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'shown/by-s3', Body: 'hello' }));
    await server.client().from(Bucket).upload('shown/by-rest', 'hello');
    const { data } = await server.client().from(Bucket).list('shown');
    const keys = data?.map(({ metadata }) => Object.keys(metadata ?? {}).sort());
    expect(keys?.[0]).toEqual(keys?.[1]);
  });

  test('can have only one checksum', async () => {
    const put = (headers: Record<string, string>) =>
      codeOf(sendByHand(server, { method: 'PUT', path: '/open/several', body: 'hello', headers }));
    const [one, two] = [sumOf('CRC32', 'hello'), sumOf('SHA1', 'hello')];
    expect(await put({ 'x-amz-checksum-crc32': one, 'x-amz-checksum-sha1': two })).toBe('InvalidRequest');
    const md5 = createHash('md5').update('hello').digest('base64');
    expect(await put({ 'x-amz-checksum-crc32': one, 'content-md5': md5 })).toBe(200);
  });
});

describe('a copy', () => {
  const copy = (Key: string, from: string, more = {}) =>
    s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}`, ...more }));

  test('has the checksum of its source, or the requested one', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body: 'hello' }));
    const same = { ChecksumCRC32: sumOf('CRC32', 'hello'), ChecksumType: 'FULL_OBJECT' };
    expect((await copy('same', 'source')).CopyObjectResult).toMatchObject(same);
    expect(await head('same')).toMatchObject(same);
    const other = { ChecksumSHA256: sumOf('SHA256', 'hello'), ChecksumType: 'FULL_OBJECT' };
    expect((await copy('other', 'source', { ChecksumAlgorithm: 'SHA256' })).CopyObjectResult).toMatchObject(
      other,
    );
    expect(await head('other')).toMatchObject(other);
    await expect(copy('none', 'source', { ChecksumAlgorithm: 'XXHASH3' })).rejects.toMatchObject({
      name: 'InvalidRequest',
    });
  });

  test('supports conditions for replacing', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'kept', Body: 'kept' }));
    await expect(copy('kept', 'source', { IfMatch: '"other"' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
    expect(await readText('kept')).toBe('kept');
  });
});

interface Sent extends CompletedPart {
  readonly answer: Record<string, unknown>;
}

const create = async (Key: string, more: Partial<CreateMultipartUploadCommandInput> = {}) =>
  s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
const send = async (
  Key: string,
  UploadId: string | undefined,
  PartNumber: number,
  Body: string,
  more = {},
): Promise<Sent> => {
  const response = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...more }));
  return { PartNumber, ETag: response.ETag, answer: { ...response } };
};
const complete = (Key: string, UploadId: string | undefined, Parts: CompletedPart[], more = {}) =>
  s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...more }));

describe('a multipart object', () => {
  const texts = ['one '.repeat(1000), 'two '.repeat(3000), 'three'];
  const whole = texts.join('');

  const cases: [Name, 'COMPOSITE' | 'FULL_OBJECT'][] = [
    ['CRC32', 'COMPOSITE'],
    ['CRC32', 'FULL_OBJECT'],
    ['CRC32C', 'COMPOSITE'],
    ['CRC32C', 'FULL_OBJECT'],
    ['CRC64NVME', 'FULL_OBJECT'],
    ['SHA1', 'COMPOSITE'],
    ['SHA256', 'COMPOSITE'],
  ];
  test.each(cases)('has a checksum by %s, %s', async (name, ChecksumType) => {
    const Key = `parts-${name}-${ChecksumType}`;
    const made = await create(Key, { ChecksumAlgorithm: name, ChecksumType });
    expect(made).toMatchObject({ ChecksumAlgorithm: name, ChecksumType });
    const element = `Checksum${name}`;
    const parts: CompletedPart[] = [];
    for (const [index, text] of texts.entries()) {
      const { answer, ...part } = await send(Key, made.UploadId, index + 1, text, {
        ChecksumAlgorithm: name,
      });
      expect(answer[element]).toBe(sumOf(name, text));
      parts.push({ ...part, [element]: answer[element] });
    }
    const listed = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId: made.UploadId }));
    expect(listed).toMatchObject({
      ChecksumAlgorithm: name,
      ChecksumType,
      Parts: texts.map((text) => ({ [element]: sumOf(name, text) })),
    });
    const value = ChecksumType === 'COMPOSITE' ? compositeOf(name, texts) : sumOf(name, whole);
    const finish = (more = {}, sent = parts) => complete(Key, made.UploadId, sent, more);

    await expect(finish({ [element]: sumOf(name, 'another') })).rejects.toMatchObject({ name: 'BadDigest' });
    await expect(finish({ [element]: 'nonsense' })).rejects.toMatchObject({ name: 'InvalidRequest' });
    const otherType = ChecksumType === 'COMPOSITE' ? 'FULL_OBJECT' : 'COMPOSITE';
    await expect(finish({ ChecksumType: otherType })).rejects.toMatchObject({ name: 'BadDigest' });
    await expect(finish({ MpuObjectSize: whole.length + 1 })).rejects.toMatchObject({
      name: 'InvalidRequest',
    });
    const [first, ...others] = parts;
    await expect(
      finish({}, [{ ...first, [element]: sumOf(name, 'another') }, ...others]),
    ).rejects.toMatchObject({ name: 'InvalidPart' });
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 404 },
    });

    const kept = { [element]: value, ChecksumType };
    expect(await finish({ ...kept, MpuObjectSize: whole.length })).toMatchObject(kept);
    expect(await head(Key)).toMatchObject(kept);
    expect(await readText(Key)).toBe(whole);
  });

  test('can be completed without sending the parts’ checksums', async () => {
    const { UploadId } = await create('bare', { ChecksumAlgorithm: 'CRC32' });
    const parts = [await send('bare', UploadId, 1, 'one'), await send('bare', UploadId, 2, 'two')];
    const done = await complete(
      'bare',
      UploadId,
      parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })),
    );
    expect(done).toMatchObject({
      ChecksumCRC32: compositeOf('CRC32', ['one', 'two']),
      ChecksumType: 'COMPOSITE',
    });
  });

  test('gets a computed checksum if a part has another checksum or none', async () => {
    const { UploadId } = await create('summed', { ChecksumAlgorithm: 'SHA256' });
    const one = await send('summed', UploadId, 1, 'one', { ChecksumAlgorithm: 'CRC32' });
    expect(one.answer).toMatchObject({
      ChecksumCRC32: sumOf('CRC32', 'one'),
      ChecksumSHA256: sumOf('SHA256', 'one'),
    });
    const query = `partNumber=2&uploadId=${UploadId}`;
    const plain = await sendByHand(server, { method: 'PUT', path: '/open/summed', query, body: 'two' });
    expect(plain.headers.get('x-amz-checksum-sha256')).toBe(sumOf('SHA256', 'two'));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'three', Body: 'xthreex' }));
    const copied = await s3.send(
      new UploadPartCopyCommand({
        ...{ Bucket, Key: 'summed', UploadId, PartNumber: 3 },
        CopySource: `${Bucket}/three`,
        CopySourceRange: 'bytes=1-5',
      }),
    );
    expect(copied.CopyPartResult?.ChecksumSHA256).toBe(sumOf('SHA256', 'three'));
    const { Parts = [] } = await s3.send(new ListPartsCommand({ Bucket, Key: 'summed', UploadId }));
    const done = await complete('summed', UploadId, Parts);
    expect(done.ChecksumSHA256).toBe(compositeOf('SHA256', ['one', 'two', 'three']));
  });

  test('rejects a part that doesn’t match its checksum', async () => {
    const { UploadId } = await create('tampered', { ChecksumAlgorithm: 'CRC32' });
    const query = `partNumber=1&uploadId=${UploadId}`;
    const headers = { 'x-amz-checksum-crc32': sumOf('CRC32', 'another') };
    const request = { method: 'PUT', path: '/open/tampered', query, body: 'one', headers };
    expect(await codeOf(sendByHand(server, request))).toBe('BadDigest');
    const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key: 'tampered', UploadId }));
    expect(Parts ?? []).toEqual([]);
  });

  test.each([
    [{ ChecksumAlgorithm: 'SHA1', ChecksumType: 'FULL_OBJECT' }],
    [{ ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' }],
    [{ ChecksumAlgorithm: 'XXHASH64' }],
  ] as Partial<CreateMultipartUploadCommandInput>[][])('can’t be created with %j', async (more) => {
    await expect(create('impossible', more)).rejects.toMatchObject({ name: 'InvalidRequest' });
  });

  test('that is created without a checksum doesn’t have one, and can’t get one later', async () => {
    const plain = s3Client(server, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    const at = { Bucket, Key: 'plain' };
    const { UploadId } = await plain.send(new CreateMultipartUploadCommand(at));
    const { ETag } = await plain.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'one' }));
    const Parts = [{ PartNumber: 1, ETag }];
    await expect(
      complete('plain', UploadId, Parts, { ChecksumCRC32: sumOf('CRC32', 'one') }),
    ).rejects.toMatchObject({ name: 'InvalidRequest' });
    await complete('plain', UploadId, Parts);
    plain.destroy();
    expect((await head('plain')).ChecksumType).toBeUndefined();
  });

  test('that lib-storage uploads is verified when it is downloaded', async () => {
    const bytes = randomBytes(11 * 1024 * 1024);
    const Body = Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]);
    const done = await new Upload({ client: s3, params: { Bucket, Key: 'managed', Body } }).done();
    expect(done.ChecksumCRC32).toMatch(/^[\w+/]{6}==-3$/);
    expect((await head('managed')).ChecksumCRC32).toBe(done.ChecksumCRC32);
    const read = await s3.send(new GetObjectCommand({ Bucket, Key: 'managed' }));
    expect(Buffer.from((await read.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
  });
});

test('the SDK detects bytes that changed after they were stored', async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: 'damaged', Body: 'hello' }));
  await server.database.pool('supabase_admin').query(sql`
    update _plinth.storage_checksums set value = ${sumOf('CRC32', 'other')}
    where id::text = (select version from storage.objects where name = 'damaged')`);
  await expect(readText('damaged')).rejects.toThrow(/[Cc]hecksum/);
});

test('a checksum in a form is also verified', async () => {
  const { createPresignedPost } = await import('@aws-sdk/s3-presigned-post');
  const post = async (key: string, sum: string) => {
    const { url, fields } = await createPresignedPost(s3, {
      ...{ Bucket, Key: key },
      Fields: { 'x-amz-checksum-sha256': sum },
    });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob(['hello']), 'x');
    return codeOf(fetch(url, { method: 'POST', body: form }));
  };
  expect(await post('by-form', sumOf('SHA256', 'hello'))).toBe(200);
  expect((await head('by-form')).ChecksumSHA256).toBe(sumOf('SHA256', 'hello'));
  expect(await post('by-bad-form', sumOf('SHA256', 'other'))).toBe('BadDigest');
});

test('a presigned upload can be restricted to one body', async () => {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const sum = sumOf('SHA256', 'hello');
  const command = new PutObjectCommand({ Bucket, Key: 'pinned', ChecksumSHA256: sum });
  const url = await getSignedUrl(s3, command, { unhoistableHeaders: new Set(['x-amz-checksum-sha256']) });
  const put = (body: string, headers = {}) => codeOf(fetch(url, { method: 'PUT', body, headers }));
  expect(await put('hello')).toBe('SignatureDoesNotMatch');
  expect(await put('other', { 'x-amz-checksum-sha256': sumOf('SHA256', 'other') })).toBe(
    'SignatureDoesNotMatch',
  );
  expect(await put('other', { 'x-amz-checksum-sha256': sum })).toBe('BadDigest');
  expect(await put('hello', { 'x-amz-checksum-sha256': sum })).toBe(200);
});

test('browsers can read the checksum headers', async () => {
  const { url, headers } = signByHand(server, { path: '/open/put-CRC32' });
  const response = await fetch(url, { headers: { ...headers, origin: new URL(url).origin } });
  expect(response.headers.get('access-control-expose-headers')).toContain('x-amz-checksum-crc32');
});

test('checksums of deleted objects are removed, and others are kept', async () => {
  const db = server.database.pool('supabase_admin');
  const count = async () => {
    const [row] = await db.query<{ n: number }>(
      sql`select count(*)::int as n from _plinth.storage_checksums`,
    );
    return row?.n ?? 0;
  };
  const { UploadId } = await create('open-upload', { ChecksumAlgorithm: 'SHA1' });
  await send('open-upload', UploadId, 1, 'stays');
  const before = await count();
  await deleteLeftChecksums(db, 3600);
  expect(await count()).toBe(before);
  await deleteLeftChecksums(db, 0);
  const [{ living = 0 } = {}] = await db.query<{ living: number }>(sql`
    select count(*)::int as living from _plinth.storage_checksums c
    where exists (select from storage.objects o where o.version = c.id::text)
      or exists (select from storage.s3_multipart_uploads_parts p where p.id = c.id)`);
  expect(await count()).toBe(living);
  expect(living).toBeLessThan(before);
  const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key: 'open-upload', UploadId }));
  expect(Parts?.[0]?.ChecksumSHA1).toBe(sumOf('SHA1', 'stays'));
  expect((await head('put-CRC32')).ChecksumCRC32).toBe(sumOf('CRC32', 'hello'));
  await eventually(async () => (await server.files()).intents.length === 0);
});
