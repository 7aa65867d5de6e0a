/** Tests uploads with a browser form and a signed policy. */
import { randomBytes } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { createPresignedPost, type PresignedPostOptions } from '@aws-sdk/s3-presigned-post';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, type StorageServer, startStorage } from '../server.ts';
import { codeOf, s3Client, s3Session } from './clients.ts';

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

type Options = Partial<PresignedPostOptions>;
const presign = (options: Options = {}, client = s3) =>
  createPresignedPost(client, { Bucket: 'open', Key: 'posted', ...options });

async function post(
  options: Options = {},
  {
    fields = {},
    file = 'the file',
    name = 'file.txt',
    client = s3,
  }: {
    fields?: Record<string, string>;
    file?: string | Uint8Array<ArrayBuffer>;
    name?: string;
    client?: S3Client;
  } = {},
): Promise<Response> {
  const signed = await presign(options, client);
  const form = new FormData();
  for (const [field, value] of Object.entries({ ...signed.fields, ...fields })) form.set(field, value);
  form.set('file', new Blob([file]), name);
  return fetch(signed.url, { method: 'POST', body: form });
}
const head = (Key: string) => s3.send(new HeadObjectCommand({ Bucket: 'open', Key }));

test('the file is stored with the fields’ values', async () => {
  const bytes = randomBytes(300_000);
  const response = await post(
    { Fields: { 'Content-Type': 'text/css', 'x-amz-meta-a': 'b', 'Cache-Control': 'max-age=3' } },
    { file: bytes },
  );
  expect(response.status).toBe(200);
  const read = await s3.send(new GetObjectCommand({ Bucket: 'open', Key: 'posted' }));
  expect(read).toMatchObject({ ContentType: 'text/css', CacheControl: 'max-age=3', Metadata: { a: 'b' } });
  expect(read.ETag).toBe(response.headers.get('etag'));
  expect(Buffer.from((await read.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
});

test('the response has the status that the form requests', async () => {
  const asking = (status: string) => post({ Fields: { success_action_status: status } });
  expect((await asking('204')).status).toBe(204);
  const described = await asking('201');
  expect(described.status).toBe(201);
  expect(await described.text()).toContain('<Key>posted</Key>');
});

test('the file name can be part of the key', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is S3's syntax
  expect((await post({ Key: 'named/${filename}' }, { name: 'mine.txt' })).status).toBe(200);
  await head('named/mine.txt');
});

test('the policy’s conditions apply', async () => {
  const limits: Options = { Conditions: [['content-length-range', 5, 10]] };
  expect(await codeOf(post(limits, { file: 'x'.repeat(4) }))).toBe('EntityTooSmall');
  expect(await codeOf(post(limits, { file: 'x'.repeat(11) }))).toBe('EntityTooLarge');
  expect(await codeOf(post(limits, { file: 'x'.repeat(10) }))).toBe(200);
  expect(await codeOf(post({}, { fields: { key: 'another' } }))).toBe('AccessDenied');
  expect(await codeOf(post({}, { fields: { 'x-amz-meta-added': 'x' } }))).toBe('AccessDenied');
  expect(await codeOf(post({}, { fields: { 'Content-Type': 'text/html' } }))).toBe('AccessDenied');
  expect(await codeOf(post({}, { fields: { 'x-ignore-this': 'x' } }))).toBe(200);
  const starting: Options = { Conditions: [['starts-with', '$Content-Type', 'image/']] };
  expect(await codeOf(post(starting, { fields: { 'Content-Type': 'text/html' } }))).toBe('AccessDenied');
  expect(await codeOf(post(starting, { fields: { 'Content-Type': 'image/png' } }))).toBe(200);
  expect(await codeOf(post({ Expires: -1 }))).toBe('AccessDenied');
});

test('a form is valid for one bucket, and its policy is signed completely', async () => {
  const signed = await presign();
  const send = (url: string, fields: Record<string, string>, twice?: string) => {
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    if (twice) form.append('Key', twice);
    form.append('file', new Blob(['x']), 'x');
    return codeOf(fetch(url, { method: 'POST', body: form }));
  };
  expect(await send(signed.url.replace('/open', '/private'), signed.fields)).toBe('AccessDenied');
  const policy = Buffer.from('{"expiration":"2999-01-01T00:00:00Z","conditions":[]}').toString('base64');
  expect(await send(signed.url, { ...signed.fields, Policy: policy })).toBe('SignatureDoesNotMatch');
  const { 'X-Amz-Signature': _, ...unsigned } = signed.fields;
  expect(await send(signed.url, unsigned)).toBe('AccessDenied');
  expect(await send(signed.url, { ...signed.fields, 'X-Amz-Signature': 'x' })).toBe('AccessDenied');
  expect(
    await send(signed.url, { ...signed.fields, 'X-Amz-Credential': 'x/20200101/local/s3/aws4_request' }),
  ).toBe('AccessDenied');
  expect(await send(signed.url, signed.fields, 'another')).toBe('InvalidArgument');
  const empty = new FormData();
  empty.set('key', 'x');
  expect(await codeOf(fetch(signed.url, { method: 'POST', body: empty }))).toBe('InvalidArgument');
});

test('the session token’s user must have permission', async () => {
  const key = `${alice.sub}/posted`;
  const as = (claims: typeof alice) =>
    codeOf(post({ Bucket: 'private', Key: key }, { client: s3Session(server, claims) }));
  expect(await as(bob)).toBe('AccessDenied');
  expect(await as(alice)).toBe(200);
  expect(await (await server.client(alice).from('private').download(key)).data?.text()).toBe('the file');
});
