/**
 * Tests attacks on the S3 protocol by callers without a key, with another caller's request, or with only a user's
 * token.
 */
import { randomBytes } from 'node:crypto';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, type StorageServer, startStorage } from '../server.ts';
import { codeOf, s3Client, s3Session, sendByHand, sha256, signByHand } from './clients.ts';

let server: StorageServer;
let s3: S3Client;
beforeAll(async () => {
  server = await startStorage();
  s3 = s3Client(server);
  await s3.send(new PutObjectCommand({ Bucket: 'open', Key: 'x', Body: 'bytes' }));
  await server.client(alice).from('private').upload(`${alice.sub}/mine`, 'alice');
});
afterAll(async () => {
  s3.destroy();
  await server.stop();
});

const path = '/open/x';
const code = (request: Parameters<typeof sendByHand>[1]) => codeOf(sendByHand(server, request));

describe('signatures', () => {
  test('are required', async () => {
    expect(await codeOf(fetch(`${server.url}/s3/open/x`))).toBe('AccessDenied');
    const authorization = `Bearer ${server.keys.serviceRoleKey}`;
    expect(await codeOf(fetch(`${server.url}/s3/open/x`, { headers: { authorization } }))).toBe(
      'AccessDenied',
    );
    expect(
      await codeOf(fetch(`${server.url}/s3/open/x`, { headers: { apikey: server.keys.secretKey } })),
    ).toBe('AccessDenied');
  });

  test('are accepted if they were created manually', async () => {
    expect(await code({ path })).toBe(200);
    expect(await code({ path: '/open', query: 'prefix=x&list-type=2' })).toBe(200);
    expect(await code({ path: '/open/' })).toBe(200);
    expect(await code({ path: '/' })).toBe(200);
    expect(await code({ path: '/nowhere/x' })).toBe('NoSuchBucket');
  });

  test('cover the method, path, query, headers and key', async () => {
    const signed = signByHand(server, { path, headers: { 'x-amz-meta-a': '1' } });
    const send = (url: string, init: RequestInit) => codeOf(fetch(url, { headers: signed.headers, ...init }));
    expect(await send(signed.url, {})).toBe(200);
    expect(await send(signed.url, { method: 'DELETE' })).toBe('SignatureDoesNotMatch');
    expect(await send(signed.url.replace('/x', '/y'), {})).toBe('SignatureDoesNotMatch');
    expect(await send(`${signed.url}?tagging`, {})).toBe('SignatureDoesNotMatch');
    const headers = { ...signed.headers, 'x-amz-meta-a': '2' };
    expect(await send(signed.url, { headers })).toBe('SignatureDoesNotMatch');
    expect(await code({ path, secret: 'another secret' })).toBe('SignatureDoesNotMatch');
    expect(await code({ path, accessKeyId: 'another' })).toBe('AccessDenied');
  });

  test('must cover every Amazon header in the request', async () => {
    expect(await code({ path, unsigned: { 'x-amz-copy-source': '/open/x' }, method: 'PUT' })).toBe(
      'AccessDenied',
    );
    expect(await code({ path, unsigned: { 'x-amz-security-token': server.tokenOf(alice) } })).toBe(
      'AccessDenied',
    );
  });

  test('are valid for a quarter of an hour', async () => {
    const minute = 60_000;
    expect(await code({ path, at: Date.now() - 14 * minute })).toBe(200);
    expect(await code({ path, at: Date.now() - 16 * minute })).toBe('RequestTimeTooSkewed');
    expect(await code({ path, at: Date.now() + 16 * minute })).toBe('RequestTimeTooSkewed');
  });

  test.each([
    ['', 'AccessDenied'],
    ['AWS4-HMAC-SHA256 Credential', 'AuthorizationHeaderMalformed'],
    [
      'AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0',
      'AuthorizationHeaderMalformed',
    ],
    ['AWS4-ECDSA-P256-SHA256 Credential=x', 'AccessDenied'],
    ['AWS key:signature', 'AccessDenied'],
  ])('in the format %j are rejected', async (authorization, wanted) => {
    const { url, headers } = signByHand(server, { path });
    expect(await codeOf(fetch(url, { headers: { ...headers, authorization } }))).toBe(wanted);
  });

  test('for another service or in another format are rejected', async () => {
    const { url, headers } = signByHand(server, { path });
    const change = (from: string | RegExp, to: string) =>
      codeOf(
        fetch(url, {
          headers: { ...headers, authorization: headers.authorization?.replace(from, to) ?? '' },
        }),
      );
    expect(await change('/s3/', '/sqs/')).toBe('AuthorizationHeaderMalformed');
    expect(await change('SignedHeaders=host;', 'SignedHeaders=')).toBe('AccessDenied');
    expect(await change('SignedHeaders=host;', 'SignedHeaders=Host;')).toBe('AuthorizationHeaderMalformed');
    expect(await change(/Signature=./, 'Signature=')).toBe('AuthorizationHeaderMalformed');
    expect(await change(/\/20\d{6}\//, '/20200101/')).toBe('AuthorizationHeaderMalformed');
    expect(await change('/local/', '/elsewhere/')).toBe('SignatureDoesNotMatch');
  });
});

describe('bodies', () => {
  const put = (key: string, more: Partial<Parameters<typeof sendByHand>[1]>) =>
    code({ method: 'PUT', path: `/open/${key}`, body: 'the body', ...more });
  const exists = (key: string) =>
    s3.send(new HeadObjectCommand({ Bucket: 'open', Key: key })).then(
      () => true,
      () => false,
    );

  test('that differ from the signed ones aren’t stored', async () => {
    expect(await put('hashed', {})).toBe(200);
    const before = await server.files();
    expect(await put('tampered', { contentSha256: sha256('another body') })).toBe(
      'XAmzContentSHA256Mismatch',
    );
    expect(await put('tampered', { headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' } })).toBe(
      'BadDigest',
    );
    expect(await put('tampered', { headers: { 'content-md5': 'nonsense' } })).toBe('InvalidDigest');
    for (const [name, sum] of [
      ['crc32', 'AAAAAA=='],
      ['crc32c', 'AAAAAA=='],
      ['crc64nvme', 'AAAAAAAAAAA='],
      ['sha1', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA='],
      ['sha256', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='],
    ]) {
      const header = `x-amz-checksum-${name}`;
      expect(await put('tampered', { headers: { [header]: sum ?? '' } })).toBe('BadDigest');
      expect(await put('tampered', { headers: { [header]: 'AA==' } })).toBe('InvalidDigest');
    }
    expect(await exists('tampered')).toBe(false);
    expect((await server.files()).objects).toEqual(before.objects);
    expect((await server.files()).partial).toEqual([]);
  });

  test.each([
    ['crc32', 'NhCmhg=='],
    ['crc32c', 'mnG7TA=='],
    ['sha1', 'qvTGHdzF6KLavt4PO0gs2a6pQ00='],
  ])('are verified with %s', async (name, sum) => {
    const body = 'hello';
    expect(await put(`summed-${name}`, { body, headers: { [`x-amz-checksum-${name}`]: sum } })).toBe(200);
  });

  test('can be sent without a hash if the signature allows it', async () => {
    expect(await put('unsigned', { contentSha256: 'UNSIGNED-PAYLOAD' })).toBe(200);
    expect(await put('unsigned', { contentSha256: 'nonsense' })).toBe('InvalidArgument');
    expect(await put('unsigned', { contentSha256: 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' })).toBe(
      'NotImplemented',
    );
  });

  test('of XML must be small, plain and without entities', async () => {
    const remove = (body: string) => code({ method: 'POST', path: '/open', query: 'delete', body });
    const bomb = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
      <Delete><Object><Key>&b;</Key></Object></Delete>`;
    const outside =
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&x;</Key></Object></Delete>';
    const many = `<Delete>${'<Object><Key>k</Key></Object>'.repeat(1001)}</Delete>`;
    for (const body of [
      bomb,
      outside,
      many,
      '',
      '<Delete/>',
      '<Delete>',
      '<Delete><Object><Key/></Object></Delete>',
    ])
      expect(await remove(body), body.slice(0, 80)).toBe('MalformedXML');
    expect(await remove(`<Delete>${' '.repeat(5 * 1024 * 1024)}</Delete>`)).toBe('MalformedXML');
    expect(await remove('<Delete>'.repeat(100_000))).toBe('MalformedXML');
  });
});

describe('paths', () => {
  test.each([
    '/open/../private/x',
    '/open/%2e%2e/%2e%2e/etc/passwd',
    '/open/..%2f..%2fetc%2fpasswd',
    `/open/${'a/'.repeat(600)}b`,
  ])('%s is treated as a name', async (raw) => {
    const { hostname, port } = new URL(server.url);
    const { request } = await import('node:http');
    const response = await new Promise<number | undefined>((resolve, reject) => {
      request({ hostname, port, path: `/storage/v1/s3${raw}`, method: 'GET' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(response).toBe(403);
  });

  test('with invalid escapes or NUL are rejected', async () => {
    expect(await codeOf(fetch(`${server.url}/s3/open/%00`))).toBe('InvalidURI');
    expect([400, 403]).toContain((await fetch(`${server.url}/s3/open/%ff`)).status);
    expect(await codeOf(fetch(`${server.url}/s3/open/x?a=%zz`))).toBe('InvalidURI');
  });

  test('of copies are also validated', async () => {
    for (const CopySource of ['open/x?versionId=1', 'open/', '/', 'open', 'open/%00'])
      await expect(
        s3.send(new CopyObjectCommand({ Bucket: 'open', Key: 'y', CopySource })),
        CopySource,
      ).rejects.toMatchObject({ $metadata: { httpStatusCode: expect.toSatisfy((status) => status >= 400) } });
  });
});

describe('presigned URLs', () => {
  const presign = (expiresIn = 60, command = new GetObjectCommand({ Bucket: 'open', Key: 'x' })) =>
    getSignedUrl(s3, command, { expiresIn });

  test('are valid for one request until they expire', async () => {
    const url = await presign();
    expect(await (await fetch(url)).text()).toBe('bytes');
    expect(await codeOf(fetch(url, { method: 'DELETE' }))).toBe('SignatureDoesNotMatch');
    expect(await codeOf(fetch(url.replace('/x?', '/y?')))).toBe('SignatureDoesNotMatch');
    expect(await codeOf(fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=600')))).toBe(
      'SignatureDoesNotMatch',
    );
    expect(await codeOf(fetch(`${url}&response-content-type=text/html`))).toBe('SignatureDoesNotMatch');
    expect(await codeOf(fetch(`${url}&X-Amz-Expires=600`))).toBe('AuthorizationQueryParametersError');
    expect(await codeOf(fetch(url, { headers: { 'x-amz-copy-source': 'open/x' } }))).toBe('AccessDenied');
  });

  test('that have expired, never expire or begin later are rejected', async () => {
    const at = (ms: number, expiresIn = 60) =>
      getSignedUrl(s3, new GetObjectCommand({ Bucket: 'open', Key: 'x' }), {
        expiresIn,
        signingDate: new Date(Date.now() + ms),
      });
    expect(await codeOf(fetch(await at(-61_000)))).toBe('AccessDenied');
    expect(await codeOf(fetch(await at(16 * 60_000)))).toBe('AccessDenied');
    const url = await presign();
    expect(await codeOf(fetch(url.replace(/&X-Amz-Expires=\d+/, '')))).toBe(
      'AuthorizationQueryParametersError',
    );
    expect(await codeOf(fetch(url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604801')))).toBe(
      'AuthorizationQueryParametersError',
    );
  });

  test('can upload only the object in the URL', async () => {
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'open', Key: 'presigned' }));
    const body = randomBytes(200_000);
    expect((await fetch(url, { method: 'PUT', body })).status).toBe(200);
    expect((await s3.send(new HeadObjectCommand({ Bucket: 'open', Key: 'presigned' }))).ContentLength).toBe(
      200_000,
    );
  });

  test('have response headers that protect browsers', async () => {
    await s3.send(
      new PutObjectCommand({ Bucket: 'open', Key: 'page', Body: '<script>', ContentType: 'text/html' }),
    );
    const page = await fetch(await presign(60, new GetObjectCommand({ Bucket: 'open', Key: 'page' })));
    expect(page.headers.get('content-security-policy')).toContain('sandbox');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('session tokens', () => {
  const mine = { Bucket: 'private', Key: `${alice.sub}/mine` };

  test('give their user access, and hide other users’ data', async () => {
    const hers = s3Session(server, alice);
    expect(await (await hers.send(new GetObjectCommand(mine))).Body?.transformToString()).toBe('alice');
    const listed = await hers.send(new ListObjectsV2Command({ Bucket: 'private' }));
    expect(listed.Contents?.map(({ Key }) => Key)).toEqual([mine.Key]);
    await hers.send(new PutObjectCommand({ Bucket: 'private', Key: `${alice.sub}/by-s3`, Body: 'x' }));
    expect((await server.client(alice).from('private').info(`${alice.sub}/by-s3`)).error).toBeNull();

    for (const claims of [bob, { role: 'anon' }]) {
      const his = s3Session(server, claims);
      const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } };
      await expect(his.send(new GetObjectCommand(mine))).rejects.toMatchObject({ name: 'NoSuchKey' });
      await expect(his.send(new HeadObjectCommand(mine))).rejects.toMatchObject({
        $metadata: { httpStatusCode: 404 },
      });
      await expect(his.send(new PutObjectCommand({ ...mine, Body: 'bob' }))).rejects.toMatchObject(denied);
      await expect(his.send(new DeleteObjectCommand(mine))).rejects.toMatchObject(denied);
      const CopySource = `private/${mine.Key}`;
      await expect(
        his.send(new CopyObjectCommand({ Bucket: 'private', Key: `${bob.sub}/stolen`, CopySource })),
      ).rejects.toMatchObject({ name: 'NoSuchKey' });
      const { Deleted, Errors } = await his.send(
        new DeleteObjectsCommand({ Bucket: 'private', Delete: { Objects: [{ Key: mine.Key }] } }),
      );
      expect(Deleted ?? []).toEqual([]);
      expect(Errors).toMatchObject([{ Key: mine.Key, Code: 'AccessDenied' }]);
      expect((await his.send(new ListObjectsV2Command({ Bucket: 'private' }))).KeyCount).toBe(0);
      expect((await his.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
      await expect(his.send(new CreateBucketCommand({ Bucket: 'his' }))).rejects.toMatchObject(denied);
    }
    expect(await (await server.client(alice).from('private').download(mine.Key)).data?.text()).toBe('alice');
  });

  test('also work with the publishable key and in presigned URLs', async () => {
    const hers = s3Session(server, alice, server.keys.publishableKey);
    const url = await getSignedUrl(hers, new GetObjectCommand(mine), { expiresIn: 60 });
    expect(await (await fetch(url)).text()).toBe('alice');
    const bobs = encodeURIComponent(server.tokenOf(bob));
    expect(await codeOf(fetch(url.replace(/(X-Amz-Security-Token=)[^&]+/, `$1${bobs}`)))).toBe(
      'SignatureDoesNotMatch',
    );
  });

  test('must be valid and used with the project’s key', async () => {
    const get = (sessionToken: string, accessKeyId: string, secretAccessKey: string) =>
      s3Client(server, { credentials: { accessKeyId, secretAccessKey, sessionToken } }).send(
        new GetObjectCommand(mine),
      );
    const { anonKey, s3: pair } = server.keys;
    const good = server.tokenOf(alice);
    const expired = server.keys.signWithSecret({ ...alice, exp: 1 });
    await expect(get(good, 'stub', 'wrong')).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
    await expect(get(good, 'other', anonKey)).rejects.toMatchObject({ name: 'AccessDenied' });
    // The project's key pair can't be combined with a user's token.
    await expect(get(good, pair.accessKeyId, pair.secretAccessKey)).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    await expect(get(expired, 'stub', anonKey)).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(get(`${good}x`, 'stub', anonKey)).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(get('nonsense', 'stub', anonKey)).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(
      get(server.keys.signWithSecret({ role: 'supabase_admin' }), 'stub', anonKey),
    ).rejects.toThrow();
    expect(await code({ path, accessKeyId: 'stub', secret: anonKey })).toBe('AccessDenied');
  });
});
