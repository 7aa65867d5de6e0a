/** Tests malicious names and numbers at every endpoint. Each request must get a response that isn't a server error. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendByHand } from './s3/clients.ts';
import { eventually, type StorageServer, startStorage } from './server.ts';

let server: StorageServer;
beforeAll(async () => {
  server = await startStorage({ storage: { image_transformation: { enabled: true } } });
  await server.client().from('open').upload('there', 'bytes');
});
afterAll(() => server.stop());

const names = {
  NUL: '\0',
  'NUL inside': 'a\0b',
  'control characters': 'a\x01\x1f\x7fb',
  'a line break': 'a\r\nx-injected: 1\r\n\r\nb',
  'dots alone': '..',
  'dots that go up': '../../../etc/passwd',
  'dots in escapes': '%2e%2e%2fetc%2fpasswd',
  'a broken escape': '%zz',
  'composed accents': 'caf\u00e9',
  'combined accents': 'cafe\u0301',
  'a half of a character': 'a\ud800b',
  'the end of Unicode': '\ufffe\uffff\u{10ffff}',
  'another direction': '\u202egnp.exe',
  quotes: `'";--\\`,
  SQL: "x'; delete from storage.objects; --",
  patterns: '%_*?[a-z]{1}\\',
  XML: '<a>&amp;]]></a>',
  space: '   ',
  nothing: '',
  slashes: '////',
  'a device': 'C:\\CON',
  'a prototype': '__proto__',
  long: 'x'.repeat(3000),
} satisfies Record<string, string>;

interface Probe {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends a request unchanged, whereas `fetch` would normalize it. Returns the status and the body. */
function send(probe: Probe): Promise<[status: number, body: string]> {
  const { hostname, port, pathname } = new URL(server.url);
  const headers = {
    authorization: `Bearer ${server.tokenOf()}`,
    ...probe.headers,
    ...(probe.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(probe.body)) }),
  };
  return new Promise((resolve, reject) => {
    request(
      { hostname, port, method: probe.method, path: `${pathname}${probe.path}`, headers },
      (response) => void text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject),
    )
      .on('error', reject)
      .end(probe.body);
  });
}

const json = (method: string, path: string, body: unknown): Probe => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const base64 = (name: string) => Buffer.from(name).toString('base64');

function probesOf(name: string): Probe[] {
  const inPath = encodeURIComponent(name.toWellFormed());
  const get = (path: string): Probe => ({ method: 'GET', path });
  return [
    ...['POST', 'PUT', 'GET', 'HEAD'].map((method) => ({
      method,
      path: `/object/open/${inPath}`,
      ...(method.startsWith('P') ? { body: 'x' } : {}),
    })),
    { method: 'POST', path: `/object/${inPath}/key`, body: 'x' },
    ...['authenticated', 'public', 'info', 'info/authenticated', 'info/public'].flatMap((place) => [
      get(`/object/${place}/open/${inPath}`),
      get(`/object/${place}/${inPath}/there`),
    ]),
    get(`/object/sign/open/${inPath}?token=x`),
    get(`/object/sign/open/there?token=${inPath}`),
    get(`/render/image/public/open/${inPath}?width=1`),
    get(`/render/image/authenticated/${inPath}/there`),
    get(`/object/public/open/there?download=${inPath}`),
    json('POST', `/object/sign/open/${inPath}`, { expiresIn: 60 }),
    json('POST', `/object/sign/${inPath}/there`, { expiresIn: 60 }),
    json('POST', '/object/sign/open', { expiresIn: 60, paths: [name, 'there'] }),
    { method: 'POST', path: `/object/upload/sign/open/${inPath}` },
    { method: 'POST', path: `/object/upload/sign/${inPath}/key` },
    { method: 'PUT', path: `/object/upload/sign/open/there?token=${inPath}`, body: 'x' },
    json('POST', '/object/copy', { bucketId: 'open', sourceKey: name, destinationKey: 'copied' }),
    json('POST', '/object/copy', { bucketId: 'open', sourceKey: 'there', destinationKey: name }),
    json('POST', '/object/copy', { bucketId: name, sourceKey: 'there', destinationKey: 'copied' }),
    json('POST', '/object/copy', {
      ...{ bucketId: 'open', sourceKey: 'there', destinationKey: `copied-${randomUUID()}` },
      ...{ destinationBucket: name, copyMetadata: false, metadata: { mimetype: name, cacheControl: name } },
    }),
    json('POST', '/object/move', { bucketId: 'open', sourceKey: name, destinationKey: 'moved' }),
    json('POST', '/object/move', { bucketId: name, sourceKey: 'there', destinationKey: 'moved' }),
    json('POST', '/object/move', {
      ...{ bucketId: 'open', sourceKey: 'missing', destinationBucket: name, destinationKey: name },
    }),
    json('POST', '/object/list/open', { prefix: name, search: name }),
    json('POST', `/object/list/${inPath}`, { prefix: '' }),
    json('POST', '/object/list-v2/open', { prefix: name, with_delimiter: true }),
    json('POST', '/object/list-v2/open', { cursor: name }),
    json('POST', '/object/list-v2/open', { cursor: base64(`l:${name}\nc:updated_at`) }),
    json('POST', `/object/list-v2/${inPath}`, {}),
    json('DELETE', '/object/open', { prefixes: [name] }),
    json('DELETE', `/object/${inPath}`, { prefixes: ['there-not'] }),
    { method: 'DELETE', path: `/object/open/${inPath}-gone` },
    json('POST', '/bucket', { name, id: name }),
    json('POST', '/bucket', { name: `b-${randomUUID()}`, allowed_mime_types: [name] }),
    json('PUT', `/bucket/${inPath}`, { public: false }),
    get(`/bucket/${inPath}`),
    get(`/bucket?search=${inPath}&limit=1`),
    json('POST', `/bucket/${inPath}-none/empty`, {}),
    { method: 'DELETE', path: `/bucket/${inPath}-none` },
    { method: 'DELETE', path: `/cdn/open/${inPath}` },
    {
      method: 'POST',
      path: '/upload/resumable',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '1',
        'upload-metadata': `bucketName ${base64('open')},objectName ${base64(name)}`,
      },
    },
    {
      method: 'POST',
      path: '/upload/resumable',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '1',
        'content-type': 'application/offset+octet-stream',
        'upload-metadata': `bucketName ${base64('open')},objectName ${base64(`tus-${randomUUID()}`)},contentType ${base64(name)},cacheControl ${base64(name)},metadata ${base64(JSON.stringify({ name }))}`,
      },
      body: 'x',
    },
    { method: 'HEAD', path: `/upload/resumable/${inPath}`, headers: { 'tus-resumable': '1.0.0' } },
    {
      method: 'HEAD',
      path: `/upload/resumable/${Buffer.from(`open/${name}/${randomUUID()}`).toString('base64url')}`,
      headers: { 'tus-resumable': '1.0.0' },
    },
    {
      method: 'POST',
      path: `/object/open/form-${randomUUID()}`,
      headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      body: ['cacheControl', 'contentType', 'metadata']
        .map((field) => `--xx\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${name}\r\n`)
        .concat('--xx\r\ncontent-disposition: form-data; name=""; filename="f"\r\n\r\nbytes\r\n--xx--\r\n')
        .join(''),
    },
    {
      method: 'POST',
      path: `/object/open/meta-${randomUUID()}`,
      headers: { 'x-metadata': base64(JSON.stringify({ [name]: name })) },
      body: 'x',
    },
  ];
}

/** Returns signed requests below `/s3`. */
function s3ProbesOf(name: string): Parameters<typeof sendByHand>[1][] {
  const key = encodeURIComponent(name.toWellFormed());
  // The tests' signer sorts whole `name=value` pairs, so no request has two parameters whose order depends on the name.
  const xml = name.replace(/[<&]/g, (sign) => (sign === '<' ? '&lt;' : '&amp;'));
  return [
    { method: 'PUT', path: `/open/${key}`, body: 'x' },
    { method: 'GET', path: `/open/${key}` },
    { method: 'HEAD', path: `/open/${key}` },
    { method: 'DELETE', path: `/open/${key}-gone` },
    { method: 'POST', path: `/open/${key}`, query: 'uploads=' },
    { method: 'GET', path: `/${key}` },
    ...['prefix', 'delimiter', 'marker', 'max-keys', 'continuation-token'].map((parameter) => ({
      method: 'GET',
      path: '/open',
      query: `${parameter}=${key}`,
    })),
    { method: 'PUT', path: '/open/s3-copy', headers: { 'x-amz-copy-source': `open/${key}` } },
    {
      method: 'POST',
      path: '/open',
      query: 'delete=',
      body: `<Delete><Object><Key>${xml}</Key></Object></Delete>`,
    },
    { method: 'PUT', path: '/open/part', query: `partNumber=1&uploadId=${key}`, body: 'x' },
    { method: 'POST', path: '/open/part', query: `uploadId=${key}`, body: '' },
  ];
}

describe('every endpoint responds', () => {
  test.each(Object.entries(names))('with %s', async (_what, name) => {
    for (const probe of probesOf(name)) {
      const [status, body] = await send(probe);
      const shown = `${probe.method} ${probe.path.slice(0, 200)} ${probe.body?.slice(0, 200) ?? ''}: ${body}`;
      expect(status, shown).toBeLessThan(500);
      expect(body, shown).not.toMatch(/InternalError|DatabaseError|Internal Server/);
    }
    for (const probe of s3ProbesOf(name)) {
      const response = await sendByHand(server, probe);
      const shown = `${probe.method} ${probe.path.slice(0, 200)}?${probe.query ?? ''}: ${await response.text()}`;
      // If the body contains a lone surrogate, the sent bytes differ from the signed bytes.
      expect(response.status, shown).toBeLessThan(500);
    }
    expect((await server.client().from('open').info('there')).error).toBeNull();
  });
});

test('afterwards, no files are left behind and no object has a wrong name', async () => {
  await eventually(async () => {
    const { partial, intents } = await server.files();
    return partial.length + intents.length === 0;
  });
  for (const version of (await server.files()).objects) expect(version).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['bytes=0-99999999999999999999999', 206, 'bytes 0-4/5'],
  ['bytes=-99999999999999999999999', 206, 'bytes 0-4/5'],
  ['bytes=99999999999999999999999-', 416, 'bytes */5'],
  ['bytes=5-', 416, 'bytes */5'],
  ['bytes=-0', 416, 'bytes */5'],
  // Invalid ranges are ignored, so the whole object is returned (RFC 9110 section 14.2).
  ['bytes=3-1', 200, null],
  ['bytes=--5', 200, null],
  ['bytes=-', 200, null],
  ['bytes=0-0,2-3', 200, null],
  [`bytes=${'0-1,'.repeat(1000)}2-3`, 200, null],
  ['bytes=0x1-0x2', 200, null],
  ['bytes=1e1-', 200, null],
  ['lines=1-2', 200, null],
])('the range %s is either returned or ignored', async (range, status, contentRange) => {
  for (const response of [
    await server.request('/object/public/open/there', { claims: null, headers: { range } }),
    await sendByHand(server, { path: '/open/there', headers: { range } }),
  ]) {
    expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange]);
    await response.arrayBuffer();
  }
});

test('a stored header value can’t become two headers', async () => {
  const upload = (contentType: string): Promise<Response> => {
    const form = new FormData();
    form.append('cacheControl', '60\r\nx-injected: 1');
    form.append('contentType', contentType);
    form.append('', new Blob(['bytes']));
    return server.request('/object/open/injected', { method: 'POST', body: form });
  };
  expect(await (await upload('text/plain\r\nx-injected: 1')).json()).toMatchObject({ statusCode: '415' });
  expect((await upload('text/plain')).status).toBe(200);
  await server.database
    .pool('supabase_admin')
    .exec(`insert into storage.objects (bucket_id, name, version, metadata)
      select 'open', 'injected-by-sql', version, metadata || '{"mimetype": "text/plain\\r\\nx-injected: 1", "eTag": "a\\r\\nx-injected: 1", "xRobotsTag": "all\\r\\nx-injected: 1"}'
      from storage.objects where name = 'injected'`);
  for (const name of ['injected', 'injected-by-sql']) {
    for (const path of [
      `/object/public/open/${name}?download=a%0d%0ax-injected:1`,
      `/object/info/open/${name}`,
    ]) {
      const response = await server.request(path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get('x-injected')).toBeNull();
    }
    const head = await server.request(`/object/open/${name}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('x-injected')]).toEqual([200, null]);
    const s3 = await sendByHand(server, { path: `/open/${name}` });
    expect([s3.status, s3.headers.get('x-injected')]).toEqual([200, null]);
  }
  const chosen = 'response-content-disposition=a%0D%0Ax-injected%3A1';
  expect((await sendByHand(server, { path: '/open/there', query: chosen })).status).toBe(400);
});

test('ten thousand concurrent names are accepted or rejected without a failure', async () => {
  const prefixes = Array.from({ length: 10_000 }, (_, index) => `many/${index}`);
  await server.client().from('open').upload('many/5', 'x');
  const [status, body] = await send(json('DELETE', '/object/open', { prefixes }));
  expect(status, body).toBe(200);
  expect(JSON.parse(body)).toHaveLength(1);
  const paths = Array.from({ length: 10_000 }, () => 'there');
  expect((await send(json('POST', '/object/sign/open', { expiresIn: 60, paths })))[0]).toBe(400);
  expect((await send(json('DELETE', '/object/open', { prefixes: ['x'.repeat(2_000_000)] })))[0]).toBe(413);
});

test('names that differ only in case are two objects', async () => {
  const files = server.client().from('open');
  await files.upload('case/NAME', 'upper');
  await files.upload('case/name', 'lower');
  expect(await (await files.download('case/NAME')).data?.text()).toBe('upper');
  expect((await files.remove(['case/NAME'])).data).toHaveLength(1);
  expect(await (await files.download('case/name')).data?.text()).toBe('lower');
});
