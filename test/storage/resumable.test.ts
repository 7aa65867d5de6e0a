/** Tests resumable uploads (TUS 1.0.0) with the stock client and with raw requests. */
import { randomBytes, randomUUID } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DefaultHttpStack, Upload, type UploadOptions } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Claims } from '../../src/platform/keys/index.ts';
import { alice, bob, eventually, isUploadLocked, type StorageServer, startStorage } from './server.ts';

let server: StorageServer;
let endpoint: string;
beforeAll(async () => {
  server = await startStorage({ storage: { file_size_limit: 3_000_000 } });
  endpoint = `${server.url}/upload/resumable`;
  const buckets = server.client();
  await buckets.createBucket('small', { public: false, fileSizeLimit: 10 });
  await buckets.createBucket('pictures', { public: false, allowedMimeTypes: ['image/*'] });
});
afterAll(() => server.stop());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const metadataOf = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',');
const tus = { 'tus-resumable': '1.0.0' };
const bytes = 'application/offset+octet-stream';

interface Ask {
  readonly claims?: Claims | null | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: BodyInit;
}

function create(fields: Record<string, string>, length: number | undefined, ask: Ask = {}) {
  return server.request('/upload/resumable', {
    method: 'POST',
    claims: ask.claims,
    headers: {
      ...tus,
      'upload-metadata': metadataOf(fields),
      ...(length === undefined ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }),
      ...(ask.body === undefined ? {} : { 'content-type': bytes }),
      ...ask.headers,
    },
    body: ask.body ?? null,
  });
}

async function begin(key: string, length: number | undefined, ask: Ask = {}): Promise<string> {
  const made = await create({ bucketName: 'open', objectName: key }, length, ask);
  expect(made.status, await made.text()).toBe(201);
  return new URL(made.headers.get('location') ?? '').pathname.slice('/storage/v1'.length);
}

const at = (path: string, method: string, ask: Ask = {}) =>
  server.request(path, {
    method,
    claims: ask.claims,
    headers: { ...tus, ...ask.headers },
    body: ask.body ?? null,
  });
const patch = (path: string, offset: number, body: BodyInit, ask: Ask = {}) =>
  at(path, 'PATCH', {
    ...ask,
    headers: { 'upload-offset': String(offset), 'content-type': bytes, ...ask.headers },
    body,
  });
async function said(response: Response): Promise<[number, string]> {
  return [response.status, await response.text()];
}
const read = async (key: string, bucket = 'open') =>
  Buffer.from((await (await server.client().from(bucket).download(key)).data?.bytes()) ?? []);

/** Returns the ID in an upload's URL. */
function idOf(path: string): string {
  const [id = ''] = Buffer.from(path.split('/').at(-1) ?? '', 'base64url')
    .toString()
    .split('/')
    .slice(-1);
  return id;
}

/** Sends the first part of a request's body. The caller sends the rest of the body later. */
function beginPatch(path: string, length: number, sent: number): Socket {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `PATCH /storage/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.keys.serviceRoleKey}\r\n` +
      `tus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: ${bytes}\r\ncontent-length: ${length}\r\n\r\n${'z'.repeat(sent)}`,
  );
  return socket;
}

/**
 * Waits until the first batch (256 KiB) of an upload has been written. In a bucket, the first bytes are written when the
 * request ends, so the function waits until the server reads the request's body.
 */
async function bytesCame(path: string): Promise<void> {
  if (!server.backend.sharesUploads)
    return eventually(
      async () => (await stat(join(server.dataDir, 'storage', 'resumable', idOf(path)))).size > 0,
    );
  await eventually(() => isUploadLocked(server));
  await setTimeout(200);
}

/** Uploads a file with the stock client and waits until the upload has ended. */
function upload(body: Buffer, options: Partial<UploadOptions>): Promise<void> {
  return new Promise((resolve, reject) => {
    new Upload(body, {
      endpoint,
      httpStack: new DefaultHttpStack({}),
      retryDelays: null,
      headers: { authorization: `Bearer ${server.keys.serviceRoleKey}` },
      onError: reject,
      onSuccess: () => resolve(),
      ...options,
    }).start();
  });
}

describe('the stock client uploads', () => {
  test.each([
    ['in chunks', { chunkSize: 300_000 }],
    ['during creation', { uploadDataDuringCreation: true }],
    ['with a deferred length', { uploadLengthDeferred: true, chunkSize: 700_000 }],
  ] satisfies [string, Partial<UploadOptions>][])('%s', async (_how, options) => {
    const body = randomBytes(1_000_001);
    const key = randomUUID();
    await upload(body, {
      ...options,
      metadata: {
        bucketName: 'open',
        objectName: `clients/${key}`,
        contentType: 'image/png',
        cacheControl: '3600',
        metadata: JSON.stringify({ taken: 'today' }),
      },
    });
    expect((await read(`clients/${key}`)).equals(body)).toBe(true);
    const { data } = await server.client().from('open').info(`clients/${key}`);
    expect(data).toMatchObject({
      size: body.length,
      contentType: 'image/png',
      cacheControl: 'max-age=3600',
      metadata: { taken: 'today' },
    });
  });

  test('an empty file', async () => {
    await upload(Buffer.alloc(0), { metadata: { bucketName: 'open', objectName: 'nothing' } });
    expect((await server.client().from('open').info('nothing')).data).toMatchObject({ size: 0 });
  });

  test('with a signed link, on behalf of its creator', async () => {
    const key = `${alice.sub}/signed`;
    const link = await server.client(alice).from('private').createSignedUploadUrl(key);
    const body = randomBytes(10_000);
    await upload(body, {
      endpoint: `${endpoint}/sign`,
      chunkSize: 6000,
      headers: { 'x-signature': link.data?.token ?? '' },
      metadata: { bucketName: 'private', objectName: key },
    });
    expect((await read(key, 'private')).equals(body)).toBe(true);
    const [row] = await server.database
      .pool('supabase_storage_admin')
      .query(sql`select owner, owner_id from storage.objects where name = ${key}`);
    expect(row).toEqual({ owner: alice.sub, owner_id: alice.sub });
  });
});

describe('the protocol', () => {
  test('describes itself in the OPTIONS response', async () => {
    for (const path of ['', '/', '/sign', '/x']) {
      const response = await fetch(`${endpoint}${path}`, { method: 'OPTIONS' });
      expect(response.status).toBe(204);
      expect(response.headers.get('tus-version')).toBe('1.0.0');
      expect(response.headers.get('tus-max-size')).toBe('3000000');
      for (const extension of ['creation', 'creation-with-upload', 'termination', 'expiration'])
        expect(response.headers.get('tus-extension')?.split(',')).toContain(extension);
    }
  });

  test('resumes at the reported offset', async () => {
    const path = await begin('resumed', 10);
    const first = await patch(path, 0, 'hello');
    expect(first.status).toBe(204);
    expect(first.headers.get('upload-offset')).toBe('5');
    expect(first.headers.get('upload-expires')).toMatch(/GMT$/);
    const head = await at(path, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers.get('upload-offset')).toBe('5');
    expect(head.headers.get('upload-length')).toBe('10');
    expect(head.headers.get('cache-control')).toBe('no-store');
    expect(head.headers.get('tus-resumable')).toBe('1.0.0');
    expect(head.headers.get('access-control-expose-headers')).toContain('Upload-Offset');
    expect(head.headers.get('upload-metadata')).toContain(`objectName ${base64('resumed')}`);
    expect(await said(await patch(path, 0, 'again'))).toEqual([409, 'Upload-Offset conflict\n']);
    expect((await server.client().from('open').exists('resumed')).data).toBe(false);
    const last = await patch(path, 5, 'world');
    expect(last.status).toBe(204);
    expect(last.headers.get('tus-complete')).toBe('1');
    expect((await read('resumed')).toString()).toBe('helloworld');
  });

  test('keeps a finished upload’s progress for a client that missed the response', async () => {
    const path = await begin('missed', 2);
    await patch(path, 0, 'ok');
    const head = await at(path, 'HEAD');
    expect(head.headers.get('upload-offset')).toBe('2');
    expect((await patch(path, 2, '')).status).toBe(204);
    expect(await said(await patch(path, 0, 'no'))).toEqual([409, 'Upload-Offset conflict\n']);
    expect(await said(await at(path, 'DELETE'))).toEqual([
      400,
      'Cannot terminate an already completed upload',
    ]);
    await server.client().from('open').remove(['missed']);
    expect((await at(path, 'HEAD')).headers.get('upload-offset')).toBe('2');
    expect((await server.client().from('open').exists('missed')).data).toBe(false);
  });

  test('allows an upload to be aborted', async () => {
    const path = await begin('abandoned', 10);
    await patch(path, 0, 'half');
    expect((await at(path, 'DELETE')).status).toBe(204);
    expect((await at(path, 'HEAD')).status).toBe(404);
    expect(await said(await patch(path, 4, 'x'))).toEqual([404, 'The file for this url was not found\n']);
    expect((await create({ bucketName: 'open', objectName: 'abandoned' }, 1)).status).toBe(201);
  });

  test('doesn’t accept more bytes than announced', async () => {
    const path = await begin('announced', 4);
    expect(await said(await patch(path, 0, 'far too much'))).toEqual([413, "upload's size exceeded\n"]);
    const stream = new ReadableStream({
      start(controller) {
        for (const part of ['a', 'b', 'far', 'too', 'much']) controller.enqueue(Buffer.from(part));
        controller.close();
      },
    });
    const chunked = await server.request(path, {
      method: 'PATCH',
      headers: { ...tus, 'upload-offset': '0', 'content-type': bytes },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect((await server.client().from('open').exists('announced')).data).toBe(false);
  });

  test('rejects malformed requests', async () => {
    const fields = { bucketName: 'open', objectName: 'malformed' };
    const without = { 'tus-resumable': '' };
    expect(await said(await create(fields, 1, { headers: without }))).toEqual([
      412,
      'Tus-Resumable Required\n',
    ]);
    const other = await create(fields, 1, { headers: { 'tus-resumable': '0.2.2' } });
    expect(other.status).toBe(412);
    expect(other.headers.get('tus-version')).toBe('1.0.0');
    for (const length of ['-1', '1.5', 'x', '1e3', ''])
      expect((await create(fields, 1, { headers: { 'upload-length': length } })).status, length).toBe(400);
    expect((await create(fields, 1, { headers: { 'upload-defer-length': '1' } })).status).toBe(400);
    expect((await create(fields, undefined, { headers: { 'upload-defer-length': '2' } })).status).toBe(400);
    expect((await create(fields, 1, { headers: { 'upload-concat': 'partial' } })).status).toBe(501);
    for (const metadata of ['', 'a b c', 'bucketName !', `objectName ${base64('x')}`])
      expect((await create(fields, 1, { headers: { 'upload-metadata': metadata } })).status).toBe(400);
    const path = await begin('malformed', 1);
    expect((await at(path, 'PATCH', { headers: { 'content-type': bytes }, body: 'x' })).status).toBe(403);
    expect((await patch(path, 0, 'x', { headers: { 'content-type': 'text/plain' } })).status).toBe(400);
    expect((await patch(path, 0, 'x', { headers: { 'upload-offset': '-0' } })).status).toBe(400);
    expect((await patch(path, 0, 'x', { headers: { 'upload-length': '2' } })).status).toBe(400);
    for (const id of ['x', '..', '%2e%2e%2fa', 'YQ', Buffer.from('a/b/../../etc').toString('base64url')])
      expect((await at(`/upload/resumable/${id}`, 'HEAD')).status, id).toBe(404);
  });

  test('responds to an invalid token with storage’s error', async () => {
    const none = await create({ bucketName: 'open', objectName: 'x' }, 1, { claims: null });
    expect(none.status).toBe(400);
    expect(await none.json()).toMatchObject({
      error: 'Error',
      message: "headers must have required property 'authorization'",
    });
    const bad = await fetch(endpoint, { method: 'POST', headers: { ...tus, authorization: 'Bearer x' } });
    expect(await bad.json()).toMatchObject({ statusCode: '403', message: 'Invalid Compact JWS' });
  });
});

describe('limits', () => {
  test.each([
    ['a missing bucket', { bucketName: 'nowhere', objectName: 'a' }, 1, 404, 'Bucket not found'],
    [
      'larger than the bucket’s limit',
      { bucketName: 'small', objectName: 'a' },
      11,
      413,
      'Maximum size exceeded\n',
    ],
    [
      'larger than the project’s limit',
      { bucketName: 'open', objectName: 'a' },
      3_000_001,
      413,
      'Maximum size exceeded\n',
    ],
    [
      'a disallowed type',
      { bucketName: 'pictures', objectName: 'a', contentType: 'text/html' },
      1,
      415,
      'mime type text/html is not supported',
    ],
    [
      'no type',
      { bucketName: 'pictures', objectName: 'a' },
      1,
      415,
      'mime type application/octet-stream is not supported',
    ],
    ['no key', { bucketName: 'open', objectName: 'a\u0000' }, 1, 400, 'Invalid key: a\u0000'],
    ['no bucket name', { bucketName: '../x', objectName: 'a' }, 1, 400, 'Bucket name invalid'],
  ])('reject an upload: %s', async (_what, fields, length, status, text) => {
    expect(await said(await create(fields as unknown as Record<string, string>, length))).toEqual([
      status,
      text,
    ]);
  });

  test('apply to a length that is sent later, and to one that is never sent', async () => {
    const created = await create({ bucketName: 'small', objectName: 'late' }, undefined);
    const path = new URL(created.headers.get('location') ?? '').pathname.slice('/storage/v1'.length);
    expect((await at(path, 'HEAD')).headers.get('upload-defer-length')).toBe('1');
    expect((await patch(path, 0, 'eleven byte')).status).toBe(413);
    expect((await patch(path, 0, 'x', { headers: { 'upload-length': '11' } })).status).toBe(413);
  });

  test('reject a key that is in use', async () => {
    await server.client().from('open').upload('taken', 'first');
    const fields = { bucketName: 'open', objectName: 'taken' };
    expect(await said(await create(fields, 1))).toEqual([409, 'The resource already exists']);
    const path = await begin('taken', 6, { headers: { 'x-upsert': 'true' } });
    expect((await patch(path, 0, 'second')).status).toBe(204);
    expect((await read('taken')).toString()).toBe('second');
  });

  test('reject a key that was used in the meantime, without storing anything', async () => {
    const path = await begin('meanwhile', 4);
    await patch(path, 0, 'la');
    await server.client().from('open').upload('meanwhile', 'first');
    expect(await said(await patch(path, 2, 'te'))).toEqual([409, 'The resource already exists']);
    expect((await read('meanwhile')).toString()).toBe('first');
  });
});

describe('other users', () => {
  const fields = { bucketName: 'private', objectName: `${alice.sub}/large` };

  test('can’t start an upload that they aren’t allowed to write', async () => {
    await eventually(async () => (await server.files()).intents.length === 0);
    const before = await server.files();
    for (const claims of [bob, { role: 'anon' }]) {
      const refused = await create(fields, 5, { claims, body: 'hello' });
      expect(await said(refused)).toEqual([403, 'new row violates row-level security policy']);
    }
    expect(await server.files()).toEqual(before);
  });

  test('can’t see, continue or end another user’s upload', async () => {
    const made = await create(fields, 5, { claims: alice });
    const path = new URL(made.headers.get('location') ?? '').pathname.slice('/storage/v1'.length);
    for (const claims of [bob, { role: 'anon' }, undefined]) {
      expect((await at(path, 'HEAD', { claims })).status).toBe(404);
      expect((await patch(path, 0, 'mine!', { claims })).status).toBe(claims === bob ? 404 : 404);
      expect((await at(path, 'DELETE', { claims })).status).toBe(404);
    }
    const signed = await server.client(alice).from('private').createSignedUploadUrl(fields.objectName);
    const headers = { 'x-signature': signed.data?.token ?? '' };
    const bySigned = path.replace('/resumable/', '/resumable/sign/');
    expect((await patch(bySigned, 0, 'mine!', { claims: null, headers })).status).toBe(404);
    expect((await patch(path, 0, 'hers!', { claims: alice })).status).toBe(204);
    const [row] = await server.database
      .pool('supabase_storage_admin')
      .query(sql`select owner_id from storage.objects where name = ${fields.objectName}`);
    expect(row).toEqual({ owner_id: alice.sub });
  });

  test('can’t stop another user’s running upload', async () => {
    const path = await begin('at-it', 1_000_000, { claims: undefined });
    const socket = beginPatch(path, 1_000_000, 600_000);
    const response = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(data.toString()));
    });
    await bytesCame(path);
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      const headers = { 'upload-offset': '0', 'content-type': bytes };
      expect((await at(path, method, { claims: bob, headers })).status, method).toBe(404);
    }
    socket.write('z'.repeat(400_000));
    expect(await response).toMatch(/^HTTP\/1.1 204 /);
    socket.destroy();
    expect(await read('at-it')).toHaveLength(1_000_000);
  });

  test('can’t use a link for another object, another action, or after it has expired', async () => {
    const sign = (headers: Record<string, string>, key = 'by-link') =>
      server.request('/upload/resumable/sign', {
        method: 'POST',
        claims: null,
        headers: {
          ...tus,
          'upload-length': '1',
          'upload-metadata': metadataOf({ bucketName: 'open', objectName: key }),
          ...headers,
        },
      });
    const files = server.client().from('open');
    await files.upload('linked', 'x');
    const upload = (await files.createSignedUploadUrl('by-link')).data?.token ?? '';
    const download = new URL((await files.createSignedUrl('linked', 60)).data?.signedUrl ?? '');
    const token = download.searchParams.get('token') ?? '';
    const expired = server.keys.signWithSecret({
      url: 'open/by-link',
      scope: 'upload',
      upsert: false,
      exp: 1,
    });
    expect(await said(await sign({}))).toEqual([400, 'Missing x-signature header']);
    expect(await said(await sign({ 'x-signature': 'x' }))).toEqual([400, 'Invalid Compact JWS']);
    expect(await said(await sign({ 'x-signature': expired }))).toEqual([
      400,
      '"exp" claim timestamp check failed',
    ]);
    expect((await sign({ 'x-signature': token }, 'linked')).status).toBe(400);
    expect((await sign({ 'x-signature': upload }, 'elsewhere')).status).toBe(400);
    expect((await sign({ 'x-signature': upload })).status).toBe(201);
  });
});

describe('broken connections', () => {
  test('keep the data that arrived, and the next request can continue', async () => {
    const path = await begin('broken', 600_000);
    const socket = beginPatch(path, 600_000, 400_000);
    await bytesCame(path);
    // The request that is still waiting for bytes on the open connection must stop first.
    const offset = Number((await at(path, 'HEAD')).headers.get('upload-offset'));
    socket.destroy();
    expect(offset).toBeGreaterThan(0);
    expect((await patch(path, offset, 'z'.repeat(600_000 - offset))).status).toBe(204);
    expect((await read('broken')).toString()).toBe('z'.repeat(600_000));
  });

  test('with two concurrent writers result in one complete upload', async () => {
    const path = await begin('contested', 400_000);
    const bodies = ['a', 'b', 'c'].map((letter) => letter.repeat(400_000));
    const answers = await Promise.all(
      bodies.map((body) => patch(path, 0, body).then(({ status }) => status)),
    );
    let offset = Number((await at(path, 'HEAD')).headers.get('upload-offset'));
    if (offset < 400_000) {
      expect((await patch(path, offset, 'd'.repeat(400_000 - offset))).status).toBe(204);
      offset = 400_000;
    } else {
      expect(answers.filter((status) => status === 204)).toHaveLength(1);
    }
    expect(await read('contested')).toHaveLength(400_000);
  });
});

describe('a crash after the last byte and before the object is created', () => {
  /** Simulates a server crash that occurred after all bytes had been written. */
  async function allBytes(key: string, text: string): Promise<string> {
    if (!server.backend.sharesUploads) {
      const path = await begin(key, text.length);
      await writeFile(join(server.dataDir, 'storage', 'resumable', idOf(path)), text);
      return path;
    }
    const path = await begin(key, undefined);
    await patch(path, 0, text);
    await server.database.pool('supabase_storage_admin').query(sql`
      update _plinth.resumable_uploads set size_bytes = received_bytes where id = ${idOf(path)}`);
    return path;
  }

  test('is repaired by requesting the progress', async () => {
    const path = await allBytes('late/asked', 'all of it');
    expect((await server.client().from('open').exists('late/asked')).data).toBe(false);
    const head = await at(path, 'HEAD');
    expect([head.status, head.headers.get('upload-offset')]).toEqual([200, '9']);
    expect((await read('late/asked')).toString()).toBe('all of it');
  });

  test('is repaired by resuming', async () => {
    const path = await allBytes('late/went-on', 'all of it');
    expect((await patch(path, 9, '')).status).toBe(204);
    expect((await read('late/went-on')).toString()).toBe('all of it');
  });

  test('causes a rejection if the key was used in the meantime', async () => {
    const path = await allBytes('late/taken', 'all of it');
    await server.client().from('open').upload('late/taken', 'first');
    expect((await at(path, 'HEAD')).status).toBe(409);
    expect((await read('late/taken')).toString()).toBe('first');
  });
});

test('only finished objects and upload information remain', async () => {
  await eventually(async () => {
    const { partial, intents } = await server.files();
    return partial.length === 0 && intents.length === 0;
  });
});

test('X-HTTP-Method-Override replaces the method', async () => {
  const path = await begin('overridden', 4);
  const override = (method: string, headers: Record<string, string> = {}, body?: string) =>
    at(path, 'POST', {
      headers: { 'x-http-method-override': method, ...headers },
      ...(body ? { body } : {}),
    });
  const added = await override('PATCH', { 'upload-offset': '0', 'content-type': bytes }, 'ab');
  expect([added.status, added.headers.get('upload-offset')]).toEqual([204, '2']);
  expect((await override('HEAD')).headers.get('upload-offset')).toBe('2');
  expect((await at(path, 'POST')).status).toBe(404);
  expect((await override('constructor')).status).toBe(404);
  expect((await override('DELETE')).status).toBe(204);
  expect((await at(path, 'HEAD')).status).toBe(404);
  const file = Buffer.from('sent with POST only');
  await new Promise<void>((resolve, reject) =>
    new Upload(file, {
      endpoint,
      overridePatchMethod: true,
      headers: { authorization: `Bearer ${server.tokenOf()}` },
      metadata: { bucketName: 'open', objectName: 'by-post' },
      onSuccess: () => resolve(),
      onError: reject,
    }).start(),
  );
  expect(await (await server.request('/object/open/by-post')).text()).toBe('sent with POST only');
});
