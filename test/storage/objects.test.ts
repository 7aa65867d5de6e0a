/** Tests buckets and objects with the stock client. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eventually, type StorageServer, startStorage } from './server.ts';

let server: StorageServer;
beforeAll(async () => {
  server = await startStorage({ storage: { file_size_limit: 5_000_000 } });
});
afterAll(() => server.stop());

const service = () => server.client();

describe('buckets', () => {
  test('are created, listed, read, changed and deleted', async () => {
    const limits = { public: true, fileSizeLimit: '1KB', allowedMimeTypes: ['image/*'] };
    expect((await service().createBucket('b-life', limits)).data).toEqual({ name: 'b-life' });
    expect((await service().getBucket('b-life')).data).toEqual({
      id: 'b-life',
      name: 'b-life',
      owner: '',
      public: true,
      file_size_limit: 1000,
      allowed_mime_types: ['image/*'],
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    const listed = await service().listBuckets({ search: 'B-LI' });
    expect(listed.data).toMatchObject([{ id: 'b-life', type: 'STANDARD' }]);
    expect((await service().listBuckets({ search: '%' })).data).toEqual([]);
    const updated = await service().updateBucket('b-life', { public: false, fileSizeLimit: null });
    expect(updated.data).toEqual({ message: 'Successfully updated' });
    expect((await service().getBucket('b-life')).data).toMatchObject({
      public: false,
      file_size_limit: null,
    });
    expect((await service().deleteBucket('b-life')).data).toEqual({ message: 'Successfully deleted' });
    expect((await service().getBucket('b-life')).error).toMatchObject({ status: 400, statusCode: '404' });
  });

  test('are rejected with an invalid name or limit', async () => {
    await service().createBucket('b-twice');
    const refused = async (name: string, options = {}) =>
      (await service().createBucket(name, { public: false, ...options })).error;
    expect(await refused('b-twice')).toMatchObject({ statusCode: '409' });
    expect(await refused('a/b')).toMatchObject({ statusCode: '400', message: 'Bucket name invalid' });
    expect(await refused(' a')).toMatchObject({ statusCode: '400' });
    expect(await refused('x'.repeat(101))).toMatchObject({ statusCode: '400' });
    expect(await refused('b-big', { fileSizeLimit: '20GB' })).toMatchObject({ statusCode: '413' });
    expect(await refused('b-mime', { allowedMimeTypes: ['nonsense'] })).toMatchObject({ statusCode: '415' });
  });

  test('can be emptied of rows and files, and deleted only then', async () => {
    await service().createBucket('b-empty');
    for (let index = 0; index < 3; index += 1) await service().from('b-empty').upload(`f/${index}`, 'x');
    expect((await service().deleteBucket('b-empty')).error).toMatchObject({
      statusCode: '409',
      message: 'The bucket you tried to delete is not empty',
    });
    const before = (await server.files()).objects.length;
    expect((await service().emptyBucket('b-empty')).data).toEqual({
      message: 'Empty bucket has been queued. Completion may take up to an hour.',
    });
    expect((await service().from('b-empty').list('f')).data).toEqual([]);
    await eventually(async () => (await server.files()).objects.length === before - 3);
    expect((await service().deleteBucket('b-empty')).error).toBeNull();
  });
});

describe('objects', () => {
  const files = () => service().from('private');

  const wraps: [string, (bytes: Buffer) => Blob | Uint8Array<ArrayBuffer>][] = [
    ['bytes', (bytes) => new Uint8Array(bytes)],
    ['a form', (bytes) => new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' })],
  ];
  test.each(wraps)('uploaded as %s are returned unchanged', async (kind, wrap) => {
    for (const size of [0, 1, 65_537, 1_500_000]) {
      const bytes = randomBytes(size);
      const key = `round trip/${kind} ${size}`;
      const options = { contentType: 'application/octet-stream', metadata: { kind }, cacheControl: '60' };
      const uploaded = await files().upload(key, wrap(bytes), options);
      expect(uploaded.data).toMatchObject({ path: key, fullPath: `private/${key}` });
      const blob = (await files().download(key)).data;
      expect(Buffer.from((await blob?.arrayBuffer()) as ArrayBuffer).equals(bytes)).toBe(true);
      expect((await files().info(key)).data).toMatchObject({
        size,
        contentType: 'application/octet-stream',
        cacheControl: 'max-age=60',
        etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
        metadata: { kind },
      });
    }
  });

  test('that resemble the end of a form are returned unchanged', async () => {
    const ends = ['\r', '\r\n', '\r\n-', '\r\n--', '\r\n--bound', '\r\n--boundarie', '--boundary--'];
    const headers = { 'content-type': 'multipart/form-data; boundary=boundary' };
    const round = async (index: number): Promise<void> => {
      const filling = Array.from({ length: 60 }, (_, turn) =>
        Buffer.concat([
          randomBytes((turn * 4001 * (index + 1)) % 9000),
          Buffer.from(ends[turn % 7] as string),
        ]),
      );
      const bytes = Buffer.concat(filling);
      const body = Buffer.concat([
        Buffer.from('--boundary\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\n'),
        bytes,
        Buffer.from('\r\n--boundary--\r\n'),
      ]);
      const path = `/object/private/ends/${index}`;
      const sent = await server.request(path, { method: 'POST', headers, body: new Uint8Array(body) });
      expect(sent.status).toBe(200);
      const got = Buffer.from(await (await server.request(path)).arrayBuffer());
      expect(got.equals(bytes)).toBe(true);
    };
    await Promise.all(Array.from({ length: 6 }, (_, index) => round(index)));
  });

  test('are replaced only on request, and the old body is removed', async () => {
    expect((await files().upload('once', 'one')).error).toBeNull();
    expect((await files().upload('once', 'two')).error).toMatchObject({ status: 400, statusCode: '409' });
    const before = await server.files();
    expect((await files().upload('once', 'three', { upsert: true })).error).toBeNull();
    expect(await (await files().download('once')).data?.text()).toBe('three');
    await eventually(async () => (await server.files()).objects.length === before.objects.length);
    // If the object doesn't exist, PUT creates it.
    expect((await files().update('put', 'made')).error).toBeNull();
    expect(await (await files().download('put')).data?.text()).toBe('made');
  });

  test('can be copied, moved and removed', async () => {
    await files().upload('src/a', 'A', { metadata: { keep: 'me' } });
    expect((await files().copy('src/a', 'dst/b', { destinationBucket: 'open' })).data).toEqual({
      path: 'open/dst/b',
    });
    expect((await files().copy('src/a', 'dst/b', { destinationBucket: 'open' })).error).toMatchObject({
      statusCode: '409',
    });
    expect((await files().copy('src/a', 'x', { destinationBucket: 'none' })).error).toMatchObject({
      statusCode: '404',
      message: 'The related resource does not exist',
    });
    expect((await service().from('open').info('dst/b')).data).toMatchObject({
      metadata: { keep: 'me' },
      size: 1,
    });
    expect((await files().move('src/a', 'src/c')).data).toMatchObject({ message: 'Successfully moved' });
    expect((await files().move('src/a', 'src/d')).error).toMatchObject({ statusCode: '404' });
    await files().upload('src/e', 'E');
    expect((await files().move('src/c', 'src/e')).error).toMatchObject({ statusCode: '409' });
    expect(await (await files().download('src/c')).data?.text()).toBe('A');
    const removed = await files().remove(['src/c', 'src/e', 'src/nothing']);
    expect(removed.data?.map((object) => object.name).sort()).toEqual(['src/c', 'src/e']);
    expect((await files().exists('src/c')).data).toBe(false);
    expect(await (await service().from('open').download('dst/b')).data?.text()).toBe('A');
  });

  test('must match limits on size and type', async () => {
    await service().createBucket('limited', {
      public: false,
      fileSizeLimit: '10KB',
      allowedMimeTypes: ['image/png'],
    });
    const limited = service().from('limited');
    const image = (size: number) => new Blob([new Uint8Array(size)], { type: 'image/png' });
    expect((await limited.upload('ok', image(10_000))).error).toBeNull();
    expect((await limited.upload('form', image(10_001))).error).toMatchObject({ statusCode: '413' });
    const tooMany = new Uint8Array(10_001);
    expect((await limited.upload('raw', tooMany, { contentType: 'image/png' })).error).toMatchObject({
      statusCode: '413',
    });
    expect((await limited.upload('type', 'x', { contentType: 'text/plain' })).error).toMatchObject({
      statusCode: '415',
      message: 'mime type text/plain is not supported',
    });
    expect((await limited.upload('a/.emptyFolderPlaceholder', new Uint8Array(0))).error).toBeNull();
    expect((await limited.upload('b/.emptyFolderPlaceholder', 'x')).error).toMatchObject({
      statusCode: '413',
    });
    // If the client doesn't declare the length, the server detects only during the upload that the limit is exceeded.
    const stream = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 20; index += 1) controller.enqueue(new Uint8Array(1000));
        controller.close();
      },
    });
    expect(
      (await limited.upload('stream', stream, { contentType: 'image/png', duplex: 'half' })).error,
    ).toMatchObject({
      statusCode: '413',
    });
    await eventually(async () => (await server.files()).intents.length === 0);
    expect((await server.files()).partial).toEqual([]);
    expect((await limited.list()).data?.map((object) => object.name).sort()).toEqual(['a', 'ok']);
  });
});

test('an allowed type also allows the type with parameters, in every way to upload', async () => {
  await service().createBucket('notes', {
    public: false,
    allowedMimeTypes: ['text/plain', 'text/csv; charset=utf-8'],
  });
  const notes = service().from('notes');
  expect((await notes.upload('default', 'supabase-js sends text/plain;charset=UTF-8')).error).toBeNull();
  expect((await notes.upload('csv', 'a,b', { contentType: 'text/csv' })).error).toBeNull();
  expect(
    (await notes.upload('form', new Blob(['a'], { type: 'text/plain;charset=UTF-8' }))).error,
  ).toBeNull();
  const { data } = await notes.createSignedUploadUrl('signed');
  expect((await notes.uploadToSignedUrl('signed', data?.token ?? '', 'a')).error).toBeNull();
  expect((await notes.copy('default', 'copy')).error).toBeNull();
  expect((await notes.upload('html', 'a', { contentType: 'text/html; charset=utf-8' })).error).toMatchObject({
    statusCode: '415',
  });
  const { data: stored } = await notes.info('default');
  expect(stored?.contentType).toBe('text/plain;charset=UTF-8');
});

test.each(['restrict', 'no action'])(
  'an object that a foreign key with %s references can’t be removed and stays readable',
  async (action) => {
    const files = service().from('private');
    await files.upload('kept', 'bytes');
    const { data: kept } = await files.info('kept');
    await server.database.pool('postgres').exec(`
      create table public.attachments (object_id uuid references storage.objects on delete ${action});
      insert into public.attachments values ('${kept?.id}')`);
    const rejected = { statusCode: '409', code: 'ResourceReferenced' };
    expect((await files.remove(['kept'])).error).toMatchObject(rejected);
    expect(await (await server.request('/object/private/kept', { method: 'DELETE' })).json()).toMatchObject(
      rejected,
    );
    expect((await service().emptyBucket('private')).error).toMatchObject(rejected);
    expect(await (await files.download('kept')).data?.text()).toBe('bytes');
    await server.database.pool('postgres').exec('drop table public.attachments');
    expect((await files.remove(['kept'])).data).toHaveLength(1);
  },
);

describe('signed URLs', () => {
  const files = () => service().from('private');

  test('return their object, with a file name if requested', async () => {
    await files().upload('signed/a.txt', 'secret');
    const { data } = await files().createSignedUrl('signed/a.txt', 60);
    const response = await fetch(`${data?.signedUrl}&download=%C3%A4%20b.txt`);
    expect(await response.text()).toBe('secret');
    expect(response.headers.get('expires')).toBeTruthy();
    expect(response.headers.get('cache-control')).toBeNull();
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="_ b.txt"; filename*=UTF-8''%C3%A4%20b.txt`,
    );
    expect((await files().createSignedUrl('signed/none', 60)).error).toMatchObject({ statusCode: '404' });
    const several = await files().createSignedUrls(['signed/a.txt', 'none'], 60);
    expect(several.data?.map(({ path, error }) => [path, error])).toEqual([
      ['signed/a.txt', null],
      ['none', 'Either the object does not exist or you do not have access to it'],
    ]);
  });

  test('accept one object, and only once unless they allow replacing', async () => {
    const once = await files().createSignedUploadUrl('signed/up');
    const token = once.data?.token ?? '';
    expect((await files().uploadToSignedUrl('signed/up', token, 'first')).data).toMatchObject({
      path: 'signed/up',
    });
    expect((await files().uploadToSignedUrl('signed/up', token, 'second')).error).toMatchObject({
      statusCode: '409',
    });
    expect((await files().createSignedUploadUrl('signed/up')).error).toMatchObject({ statusCode: '409' });
    const again = await files().createSignedUploadUrl('signed/up', { upsert: true });
    expect((await files().uploadToSignedUrl('signed/up', again.data?.token ?? '', 'third')).error).toBeNull();
    expect(await (await files().download('signed/up')).data?.text()).toBe('third');
  });
});

describe('downloads over HTTP', () => {
  beforeAll(async () => {
    await service()
      .from('open')
      .upload('page.html', '0123456789', { contentType: 'text/html', cacheControl: '60' });
  });
  const page = '/object/public/open/page.html';
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    server.request(page, { claims: null, headers, method });

  test('have the object’s headers', async () => {
    const response = await get();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'max-age=60',
      'content-length': '10',
      'content-type': 'text/plain',
      'x-robots-tag': 'none',
      'access-control-allow-origin': '*',
    });
    const head = await get({}, 'HEAD');
    expect(head.headers.get('content-length')).toBe('10');
    expect(head.headers.get('etag')).toBe(response.headers.get('etag'));
  });

  test('support ranges', async () => {
    const part = await get({ range: 'bytes=2-4' });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
    ]);
    const beyond = await get({ range: 'bytes=10-' });
    expect(beyond.status).toBe(416);
    expect(await beyond.json()).toMatchObject({ statusCode: '416', code: 'InvalidRange' });
  });

  test('skip the body if the client’s cache is current', async () => {
    const { headers } = await get();
    expect((await get({ 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    expect((await get({ 'if-modified-since': headers.get('last-modified') ?? '' })).status).toBe(304);
    const stale = await get({ 'if-none-match': '"old"' });
    expect([stale.status, stale.headers.get('cache-control')]).toEqual([
      200,
      'max-age=60, stale-while-revalidate=30',
    ]);
  });

  test('return errors in storage’s format', async () => {
    const unknown = await server.request('/nothing/here?x=1');
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({
      statusCode: '404',
      error: 'Not Found',
      message: 'Route GET:/nothing/here?x=1 not found',
      code: 'InvalidRequest',
    });
    const missing = await server.request('/bucket', { claims: null });
    expect(await missing.json()).toEqual({
      statusCode: '400',
      error: 'Error',
      message: "headers must have required property 'authorization'",
      code: 'InvalidRequest',
    });
    const body = await server.request('/bucket', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await body.json()).toMatchObject({
      message: "body must have required property 'name'",
      code: 'InvalidRequest',
    });
    const form = await server.request('/bucket', {
      method: 'POST',
      body: new URLSearchParams({ name: 'x' }),
    });
    expect(await form.json()).toMatchObject({ statusCode: '400', message: 'body must be object' });
    const broken = await server.request('/bucket', {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(await broken.json()).toMatchObject({ statusCode: '400', code: 'InvalidRequest' });
  });

  test('don’t find an object without a file', async () => {
    const db = server.database.pool('supabase_storage_admin');
    await db.exec(`insert into storage.objects (bucket_id, name, version, metadata)
      values ('open', 'hollow', '../../../../etc/passwd', '{"size": 12}'), ('open', 'older', null, null)`);
    for (const name of ['hollow', 'older']) {
      const response = await server.request(`/object/public/open/${name}`, { claims: null });
      expect(await response.json()).toMatchObject({ statusCode: '404', code: 'NoSuchKey' });
    }
    const copied = await service().from('open').copy('hollow', 'copied');
    expect(copied.error).toMatchObject({ statusCode: '404' });
  });

  test('monitors get a response without a token', async () => {
    const ask = (path: string) => server.request(path, { claims: null });
    expect((await ask('/status')).status).toBe(200);
    expect(await (await ask('/version')).text()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await (await ask('/health')).json()).toEqual({ healthy: true });
  });
});

test('the charset of a form part is kept, as for a raw body', async () => {
  const form = (type: string) =>
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\ncontent-type: ${type}\r\n\r\nx\r\n--b--`;
  for (const type of ['text/markdown; charset=UTF-8', 'text/plain', 'text/csv;charset="utf-8"']) {
    const uploaded = await server.request('/object/open/charset', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'x-upsert': 'true' },
      body: form(type),
    });
    expect(uploaded.status, await uploaded.text()).toBe(200);
    const served = await server.request('/object/open/charset');
    expect(served.headers.get('content-type')).toBe(type);
  }
});

test('an upload whose key is revoked while its bytes arrive isn’t stored', async () => {
  let rest: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.alloc(200_000));
      rest = () => {
        controller.enqueue(Buffer.alloc(10));
        controller.close();
      };
    },
  });
  const sending = server.request('/object/open/revoked', {
    method: 'POST',
    body,
    duplex: 'half',
  } as RequestInit);
  await eventually(async () => (await server.files()).intents.length > 0);
  const verify = vi
    .spyOn(server.keys, 'verify')
    .mockReturnValue({ ok: false, reason: 'signature', algorithm: 'HS256', kid: undefined });
  rest?.();
  const response = await sending;
  verify.mockRestore();
  expect(await response.json()).toMatchObject({
    statusCode: '403',
    message: 'signature verification failed',
  });
  expect((await server.request('/object/info/open/revoked')).status).toBe(400);
  await eventually(async () => (await server.files()).intents.length === 0);
});
