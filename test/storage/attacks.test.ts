/** Tests attacks by callers without authorization. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { signByHand } from './s3/clients.ts';
import { alice, bob, eventually, type StorageServer, startStorage } from './server.ts';

let server: StorageServer;
beforeAll(async () => {
  server = await startStorage();
  await server.client(alice).from('private').upload(`${alice.sub}/mine.txt`, 'alice');
});
afterAll(() => server.stop());

const mine = `${alice.sub}/mine.txt`;

describe('row level security', () => {
  test('allows owners access', async () => {
    const files = server.client(alice).from('private');
    expect(await (await files.download(mine)).data?.text()).toBe('alice');
    expect((await files.list(alice.sub)).data?.map((object) => object.name)).toEqual(['mine.txt']);
    const [row] = await server.database
      .pool('supabase_storage_admin')
      .query(sql`select owner, owner_id from storage.objects where name = ${mine}`);
    expect(row).toEqual({ owner: alice.sub, owner_id: alice.sub });
  });

  test('hides rows from other users on every route', async () => {
    for (const claims of [bob, { role: 'anon' }, { ...bob, role: 'anon' }]) {
      const files = server.client(claims).from('private');
      expect((await files.download(mine)).error).toMatchObject({ status: 400, statusCode: '404' });
      expect((await files.info(mine)).error).toMatchObject({ statusCode: '404' });
      expect((await files.exists(mine)).data).toBe(false);
      expect((await files.list(alice.sub)).data).toEqual([]);
      expect((await files.listV2()).data?.objects).toEqual([]);
      expect((await files.createSignedUrl(mine, 60)).error).toMatchObject({ statusCode: '404' });
      expect((await files.createSignedUrls([mine], 60)).data?.[0]?.signedUrl).toBeNull();
      expect((await files.copy(mine, `${bob.sub}/stolen`)).error).toMatchObject({ statusCode: '404' });
      expect((await files.move(mine, `${bob.sub}/stolen`)).error).toMatchObject({ statusCode: '404' });
      expect((await files.remove([mine])).data).toEqual([]);
    }
  });

  test('rejects others before a byte is stored', async () => {
    const before = await server.files();
    for (const claims of [bob, { role: 'anon' }]) {
      const files = server.client(claims).from('private');
      const refusal = {
        status: 400,
        statusCode: '403',
        message: 'new row violates row-level security policy',
      };
      expect((await files.upload(`${alice.sub}/new`, 'x')).error).toMatchObject(refusal);
      expect((await files.upload(`${alice.sub}/new`, new Blob(['x']))).error).toMatchObject(refusal);
      expect((await files.upload(mine, 'x', { upsert: true })).error).toMatchObject(refusal);
      expect((await files.update(mine, 'x')).error).toMatchObject(refusal);
      expect((await files.createSignedUploadUrl(`${alice.sub}/new`)).error).toMatchObject(refusal);
    }
    expect((await server.request(`/object/private/${mine}`, { method: 'DELETE', claims: bob })).status).toBe(
      400,
    );
    expect((await server.files()).objects).toEqual(before.objects);
    expect(await (await server.client(alice).from('private').download(mine)).data?.text()).toBe('alice');
  });

  test('also protects buckets', async () => {
    const storage = server.client(alice);
    expect((await storage.createBucket('hers')).error).toMatchObject({ statusCode: '403' });
    expect((await storage.listBuckets()).data).toEqual([]);
    expect((await storage.getBucket('private')).error).toMatchObject({ statusCode: '404' });
    expect((await storage.updateBucket('private', { public: true })).error).toMatchObject({
      statusCode: '404',
    });
    expect((await storage.emptyBucket('private')).error).toMatchObject({
      status: 403,
      message: 'Access denied: Invalid role',
    });
    expect((await storage.deleteBucket('operations')).error).toMatchObject({ statusCode: '404' });
  });

  test('has policies that can check the operation', async () => {
    const files = server.client(alice).from('operations');
    expect((await files.upload('by-upload', 'x')).error).toBeNull();
    expect((await files.copy('by-upload', 'by-copy')).error).toMatchObject({ statusCode: '403' });
  });

  test('doesn’t allow SQL to delete rows that the server still needs', async () => {
    const postgres = server.database.pool('postgres');
    await expect(postgres.exec('delete from storage.objects')).rejects.toMatchObject({ code: '42501' });
    await expect(postgres.exec('delete from storage.buckets')).rejects.toMatchObject({ code: '42501' });
  });
});

describe('tokens', () => {
  const bucket = (authorization: string) =>
    server
      .request('/bucket', { claims: null, headers: { authorization } })
      .then((response) => response.json());

  test('must be signed and not expired', async () => {
    const expired = server.keys.signWithSecret({ role: 'service_role', exp: 1 });
    const [head, body] = server.keys.serviceRoleKey.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const [token, message] of [
      ['x', 'Invalid Compact JWS'],
      ['', 'Invalid Compact JWS'],
      [`${head}.${body}.AAAA`, 'signature verification failed'],
      [`${none}.${body}.AAAA`, '"alg" (Algorithm) Header Parameter value not allowed'],
      [expired, '"exp" claim timestamp check failed'],
    ]) {
      expect(await bucket(`Bearer ${token}`), token).toEqual({
        statusCode: '403',
        error: 'Unauthorized',
        message,
        code: 'AccessDenied',
      });
    }
  });

  test('can’t use a role that isn’t an API role', async () => {
    for (const role of [
      'supabase_admin',
      'postgres',
      'supabase_storage_admin',
      'unknown"; drop table x; --',
    ]) {
      const response = await server.request('/bucket', { claims: { role } });
      expect([400, 500]).toContain(response.status);
      expect(JSON.stringify(await response.json())).not.toContain('private');
    }
  });

  test('in signed URLs are valid only for one object and one action, and until they expire', async () => {
    const files = server.client(alice).from('private');
    await files.upload(`${alice.sub}/other.txt`, 'other');
    const { data } = await files.createSignedUrl(mine, 60);
    const token = new URL(data?.signedUrl ?? '').searchParams.get('token') ?? '';
    const get = async (path: string, withToken: string) =>
      (await server.request(`/object/sign/private/${path}?token=${withToken}`, { claims: null })).json();
    expect(await get(`${alice.sub}/other.txt`, token)).toMatchObject({
      code: 'InvalidSignature',
      statusCode: '400',
    });
    expect(await get(mine, `${token}x`)).toMatchObject({ code: 'InvalidJWT' });
    expect(await get(mine, 'nonsense')).toMatchObject({ code: 'InvalidJWT', message: 'Invalid Compact JWS' });
    expect(await get(mine, server.keys.serviceRoleKey)).toMatchObject({ code: 'InvalidSignature' });
    const url = `private/${mine}`;
    const expired = server.keys.signWithSecret({ url, scope: 'download', exp: 1 });
    expect(await get(mine, expired)).toMatchObject({ code: 'InvalidJWT' });
    const endless = server.keys.signWithSecret({ url, scope: 'download' });
    expect(await get(mine, endless)).toMatchObject({ code: 'ExpiredToken' });

    const put = async (path: string, withToken: string) =>
      (
        await server.request(`/object/upload/sign/private/${path}?token=${withToken}`, {
          claims: null,
          method: 'PUT',
          body: 'x',
        })
      ).json();
    expect(await put(mine, token)).toMatchObject({
      code: 'InvalidSignature',
      message: 'Token is not scoped for upload',
    });
    const upload = await files.createSignedUploadUrl(`${alice.sub}/up.txt`);
    expect(await put(`${alice.sub}/elsewhere.txt`, upload.data?.token ?? '')).toMatchObject({
      code: 'InvalidSignature',
    });
    expect(await get(`${alice.sub}/up.txt`, upload.data?.token ?? '')).toMatchObject({
      code: 'InvalidSignature',
    });
    // The token of a signed URL can't be used as an access token either.
    const asSession = await server.request('/bucket', {
      claims: null,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await asSession.json()).toMatchObject({ statusCode: '403', error: 'Unauthorized' });
  });

  test('can be omitted only in public buckets’ URLs', async () => {
    const response = await server.request(`/object/public/private/${mine}`, { claims: null });
    expect(await response.json()).toMatchObject({ statusCode: '404', code: 'NoSuchBucket' });
    const bare = await server.request(`/object/private/${mine}`, { claims: null });
    expect(await bare.json()).toMatchObject({ statusCode: '404', code: 'NoSuchBucket' });
  });
});

/** Sends the path unchanged, whereas `fetch` would resolve `.` and `..` in the path. */
function rawRequest(method: string, path: string, body?: string): Promise<string> {
  const { hostname, port, pathname } = new URL(server.url);
  const headers = { authorization: `Bearer ${server.keys.serviceRoleKey}` };
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path: `${pathname}${path}`, headers }, (response) =>
      resolve(text(response)),
    )
      .on('error', reject)
      .end(body);
  });
}

describe('names', () => {
  test('are never used as paths', async () => {
    const names = [
      '../../up.txt',
      '..',
      '.',
      '/',
      '//etc/passwd',
      'a/../../b',
      'CON',
      'x'.repeat(1500),
      'A',
      'a',
      'a/',
    ];
    for (const [index, name] of names.entries()) {
      const uploaded = await rawRequest('POST', `/object/open/${name}`, `body ${index}`);
      expect(JSON.parse(uploaded), name).toMatchObject({ Key: `open/${name}` });
    }
    for (const [index, name] of names.entries()) {
      expect(await rawRequest('GET', `/object/public/open/${name}`), name).toBe(`body ${index}`);
    }
    for (const version of (await server.files()).objects) expect(version).toMatch(/^[0-9a-f-]{36}$/);
    expect((await server.client().from('open').remove(names)).data).toHaveLength(names.length);
  });

  test('with characters that aren’t allowed in keys are rejected', async () => {
    for (const name of ['%00', 'a%00b', 'a%0Ab', '%C3%A9', 'e%CC%81', '%F0%9F%98%80', 'a%25b', 'a%5Cb']) {
      const response = await server.request(`/object/open/${name}`, { method: 'POST', body: 'x' });
      expect(await response.json(), name).toMatchObject({ statusCode: '400', code: 'InvalidKey' });
      const read = await server.request(`/object/public/open/${name}`, { claims: null });
      expect(await read.json(), name).toMatchObject({ code: 'InvalidKey' });
    }
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/bucket/%00', '/bucket/a%00b']) {
      expect(await (await server.request(path)).json()).toMatchObject({ statusCode: '404' });
    }
    const list = await server.request('/object/list/open', {
      method: 'POST',
      headers,
      body: '{"prefix":"\\u0000"}',
    });
    expect(list.status).toBe(400);
    expect(
      await (
        await server.request('/object/list/a%00', { method: 'POST', headers, body: '{"prefix":""}' })
      ).json(),
    ).toEqual([]);
    expect((await server.request('/object/open/a%00', { method: 'DELETE' })).status).toBe(400);
  });

  test('that are too long for an index cause an error, not a crash', async () => {
    const key = randomBytes(5000).toString('hex');
    const response = await server.request(`/object/open/${key}`, { method: 'POST', body: 'x' });
    expect(await response.json()).toMatchObject({ statusCode: '400', code: 'InvalidKey' });
    await eventually(async () => (await server.files()).intents.length === 0);
  });
});

describe('interrupted and broken uploads', () => {
  test('don’t leave anything behind when the client disconnects', async () => {
    const before = await server.files();
    const { port } = new URL(server.url);
    for (const head of [
      'content-type: image/png\r\ncontent-length: 500000',
      'content-type: image/png\r\ntransfer-encoding: chunked',
      'content-type: multipart/form-data; boundary=x\r\ncontent-length: 500000',
    ]) {
      const socket = connect(Number(port), '127.0.0.1');
      const body = head.includes('multipart')
        ? `--x\r\ncontent-disposition: form-data; name=""; filename="a"\r\ncontent-type: image/png\r\n\r\n${'z'.repeat(70_000)}`
        : head.includes('chunked')
          ? `11170\r\n${'z'.repeat(70_000)}\r\n`
          : 'z'.repeat(70_000);
      socket.write(
        `POST /storage/v1/object/open/gone HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.keys.serviceRoleKey}\r\n${head}\r\n\r\n${body}`,
      );
      await eventually(async () => (await server.files()).intents.length > 0);
      socket.destroy();
      await eventually(async () => (await server.files()).intents.length === 0);
    }
    const after = await server.files();
    expect(after.partial).toEqual([]);
    expect(after.objects.length).toBe(before.objects.length);
    expect((await server.client().from('open').exists('gone')).data).toBe(false);
  });

  test('with a missing file or a broken form get an error', async () => {
    const send = async (body: FormData | string, headers: Record<string, string> = {}) =>
      (await server.request('/object/open/form', { method: 'POST', body, headers })).json();
    const form = new FormData();
    form.append('cacheControl', '60');
    expect(await send(form)).toMatchObject({ statusCode: '400', message: 'No content provided' });
    expect(await send('x', { 'content-type': 'multipart/form-data' })).toMatchObject({
      code: 'InvalidRequest',
    });
    expect(await send('no parts', { 'content-type': 'multipart/form-data; boundary=y' })).toMatchObject({
      code: 'InvalidRequest',
    });
    const cut = '--y\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\nhalf of a fi';
    expect(await send(cut, { 'content-type': 'multipart/form-data; boundary=y' })).toMatchObject({
      statusCode: '400',
      code: 'InvalidRequest',
    });
    const fat = new FormData();
    fat.append('metadata', JSON.stringify({ a: 'x'.repeat(1024 * 1024) }));
    fat.append('', new Blob(['x']));
    expect(await send(fat)).toMatchObject({
      statusCode: '413',
      message: 'The user_metadata exceeded the maximum allowed size',
    });
    expect(await send('x', { 'x-robots-tag': 'sometimes' })).toMatchObject({ error: 'invalid_x_robots_tag' });
  });

  test('of the same key at the same time leave one complete object', async () => {
    const files = server.client().from('open');
    const bodies = Array.from({ length: 8 }, (_, index) => `body ${index} `.repeat(20_000));
    const results = await Promise.all(bodies.map((body) => files.upload('race', body)));
    expect(results.filter((result) => result.error === null)).toHaveLength(1);
    for (const result of results) if (result.error) expect(result.error).toMatchObject({ statusCode: '409' });
    await Promise.all(bodies.map((body) => files.upload('race', body, { upsert: true })));
    expect(bodies).toContain(await (await files.download('race')).data?.text());
    await eventually(async () => (await server.files()).intents.length === 0);
    const versions = await server.database
      .pool('supabase_storage_admin')
      .query<{ version: string }>(sql`select version from storage.objects`);
    expect((await server.files()).objects.toSorted()).toEqual(versions.map((row) => row.version).toSorted());
  });
});

describe('a bucket’s limits apply to objects from another bucket', () => {
  beforeAll(async () => {
    const storage = server.client();
    await storage.createBucket('texts', { public: false, allowedMimeTypes: ['text/*'] });
    await storage.createBucket('tiny', { public: false, fileSizeLimit: 3 });
    await storage.from('open').upload('limits/bytes', 'bytes', { contentType: 'image/png' });
    await storage.from('texts').upload('text', 'text', { contentType: 'text/plain' });
  });
  const files = () => server.client().from('open');

  test('that are copied or moved', async () => {
    for (const [destinationBucket, statusCode] of [
      ['texts', '415'],
      ['tiny', '413'],
    ] as const) {
      const copied = await files().copy('limits/bytes', 'x', { destinationBucket });
      expect(copied.error).toMatchObject({ statusCode });
      const moved = await files().move('limits/bytes', 'x', { destinationBucket });
      expect(moved.error).toMatchObject({ statusCode });
    }
    expect(await (await files().download('limits/bytes')).data?.text()).toBe('bytes');
  });

  test('and a copy can’t declare a wrong checksum', async () => {
    const copy = async (body: Record<string, unknown>) =>
      (
        await server.request('/object/copy', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ copyMetadata: false, ...body }),
        })
      ).json();
    const within = { bucketId: 'texts', sourceKey: 'text', destinationKey: 'forged' };
    expect(await copy({ ...within, metadata: { mimetype: 'text/html; charset=x' } })).toMatchObject({
      Key: 'texts/forged',
    });
    expect(
      await copy({ ...within, destinationKey: 'no', metadata: { mimetype: 'image/png' } }),
    ).toMatchObject({
      statusCode: '415',
    });
    const lies = {
      size: 1,
      contentLength: 1,
      eTag: '"x"',
      xRobotsTag: 'all',
      httpStatusCode: 500,
      more: 'x',
    };
    const made = await copy({
      ...{ bucketId: 'open', sourceKey: 'limits/bytes', destinationKey: 'limits/copy' },
      metadata: { ...lies, cacheControl: 'max-age=1' },
    });
    const [row] = await server.database
      .pool('supabase_storage_admin')
      .query<{ metadata: Record<string, unknown> }>(
        sql`select metadata from storage.objects where name = 'limits/copy'`,
      );
    expect(made).toMatchObject({ Key: 'open/limits/copy' });
    expect(row?.metadata).toMatchObject({
      ...{ size: 5, contentLength: 5, httpStatusCode: 200, cacheControl: 'max-age=1', mimetype: 'image/png' },
      eTag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    });
    expect(Object.keys(row?.metadata ?? {})).not.toContain('xRobotsTag');
    expect(Object.keys(row?.metadata ?? {})).not.toContain('more');
  });
});

describe('a user without write permission', () => {
  /** Sends the head of a request that declares a large body, without sending the body. */
  function announce(method: string, path: string, headers: Record<string, string>): Promise<string> {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const lines = Object.entries({ host: 'x', 'content-length': '40000000', ...headers });
    socket.write(
      `${method} /storage/v1${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    return new Promise((resolve, reject) => {
      let seen = '';
      socket.on('error', reject).on('data', (data) => {
        seen += data.toString();
        if (!/\r\n\r\n[\s\S]*(?:\}|>|\n|policy)$/.test(seen)) return;
        socket.destroy();
        resolve(seen);
      });
    });
  }

  test('is rejected before a byte is sent', async () => {
    const authorization = `Bearer ${server.tokenOf(bob)}`;
    // The uploads of earlier tests are settled shortly after their responses.
    await expect.poll(async () => (await server.files()).intents).toEqual([]);
    const before = await server.files();
    const key = `/private/${alice.sub}/before`;
    for (const method of ['POST', 'PUT'])
      expect(await announce(method, `/object${key}`, { authorization, 'content-type': 'a/b' })).toContain(
        'row-level security',
      );
    const name = Buffer.from(`${alice.sub}/before`).toString('base64');
    const begun = await announce('POST', '/upload/resumable', {
      authorization,
      'tus-resumable': '1.0.0',
      'upload-length': '40000000',
      'content-type': 'application/offset+octet-stream',
      'upload-metadata': `bucketName ${Buffer.from('private').toString('base64')},objectName ${name}`,
    });
    expect(begun).toMatch(/^HTTP\/1.1 403 [\s\S]*row-level security/);
    expect(
      await announce('PUT', `/object/upload/sign${key}?token=nonsense`, { 'content-type': 'a/b' }),
    ).toContain('InvalidJWT');
    const signed = signByHand(server, {
      ...{ method: 'PUT', path: key, contentSha256: 'UNSIGNED-PAYLOAD' },
      ...{ accessKeyId: 'stub', secret: server.keys.anonKey },
      headers: { 'x-amz-security-token': server.tokenOf(bob) },
    });
    expect(await announce('PUT', `/s3${key}`, signed.headers)).toContain('row-level security');
    expect(await server.files()).toEqual(before);
  });

  test('can’t replace another user’s object', async () => {
    const his = server.client(bob).from('private');
    await his.upload(`${bob.sub}/own`, 'his');
    await server.database.pool('postgres').exec(`
      create policy give_away on storage.objects for update to authenticated
        using (bucket_id = 'private' and (storage.foldername(name))[1] = auth.uid()::text)
        with check (bucket_id = 'private');
      create policy see_all on storage.objects for select to authenticated using (bucket_id = 'private')`);
    try {
      const over = await his.move(`${bob.sub}/own`, mine);
      expect(over.error).toMatchObject({ statusCode: '409' });
    } finally {
      await server.database.pool('postgres').exec(`
        drop policy give_away on storage.objects; drop policy see_all on storage.objects`);
    }
    expect(await (await server.client(alice).from('private').download(mine)).data?.text()).toBe('alice');
    expect(await (await his.download(`${bob.sub}/own`)).data?.text()).toBe('his');
  });

  test("can't set another owner", async () => {
    const key = `${alice.sub}/owned`;
    const field = (name: string, value: string) => `${name} ${Buffer.from(value).toString('base64')}`;
    const made = await server.request('/upload/resumable', {
      method: 'POST',
      claims: alice,
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '1',
        'content-type': 'application/offset+octet-stream',
        'upload-metadata': [
          ...[field('bucketName', 'private'), field('objectName', key), field('owner', bob.sub)],
          ...[field('owner_id', bob.sub), field('version', 'x'), field('__proto__', '{"owner":"x"}')],
        ].join(),
      },
      body: 'x',
    });
    expect(made.status, await made.text()).toBe(201);
    const form = new FormData();
    form.append('owner', bob.sub);
    form.append('metadata', JSON.stringify({ owner: bob.sub, owner_id: bob.sub }));
    form.append('', new Blob(['x']));
    await server.request(`/object/private/${key}-form`, { method: 'POST', claims: alice, body: form });
    const rows = await server.database
      .pool('supabase_storage_admin')
      .query(sql`select distinct owner, owner_id from storage.objects where name like ${`${key}%`}`);
    expect(rows).toEqual([{ owner: alice.sub, owner_id: alice.sub }]);
  });

  test('can’t see more with a forged cursor', async () => {
    const page = async (lines: string, more = {}) => {
      const cursor = Buffer.from(lines).toString('base64');
      const { data, error } = await server
        .client(bob)
        .from('private')
        .listV2({ cursor, ...more });
      return error ? error.message : data.objects.map(({ name }) => name);
    };
    for (const lines of ['l:', `l:${alice.sub}`, 'l:\nc:created_at\na:1970-01-01T00:00:00Z', 'l:\no:desc'])
      for (const name of await page(lines)) expect(name).toContain(bob.sub);
    for (const lines of ['l:\nc:owner', 'l:\no:asc; drop', "l:\na:'", 'x:1', 'l:\nc:version'])
      expect(await page(lines)).toBe('Invalid Parameter continuation token');
  });
});

test('an upload link is valid only for its bucket', async () => {
  await server.client().createBucket('beside', { public: false });
  const { data } = await server.client().from('beside').createSignedUploadUrl('linked');
  const put = (path: string, method = 'PUT') =>
    server.request(`/object/upload/sign${path}?token=${data?.token}`, {
      ...{ method, claims: null },
      ...(method === 'PUT' ? { body: 'x' } : {}),
    });
  for (const path of [
    '/open/linked',
    '/beside/linked/',
    '/beside//linked',
    '/beside/linked2',
    '/beside/LINKED',
  ])
    expect(await (await put(path)).json(), path).toMatchObject({ code: 'InvalidSignature' });
  for (const method of ['GET', 'DELETE', 'POST'])
    expect((await put('/beside/linked', method)).status, method).toBeGreaterThanOrEqual(400);
  for (const place of ['object', 'render/image'])
    expect(
      (await server.request(`/${place}/sign/beside/linked?token=${data?.token}`, { claims: null })).status,
    ).toBeGreaterThanOrEqual(400);
  expect((await put('/beside/linked')).status).toBe(200);
  expect(await (await put('/beside/linked')).json()).toMatchObject({ statusCode: '409' });
});
