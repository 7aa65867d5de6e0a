/** Tests downloads that are redirected to the S3 server. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { presignGet } from '../../../src/services/storage/core/presigned-url.ts';
import { launchChromium } from '../../web/browser.ts';
import { startS3 } from '../backends.ts';
import { alice, bob, type StorageServer, startStorage } from '../server.ts';

/** The rule in docs/scale.md. Browsers send the origin `null` after a redirect to another origin. */
const cors = `<CORSConfiguration><CORSRule>
  <AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedHeader>*</AllowedHeader>
  <ExposeHeader>ETag</ExposeHeader>
</CORSRule></CORSConfiguration>`;
const bundle = fileURLToPath(
  new URL('../../../node_modules/@supabase/supabase-js/dist/umd/supabase.js', import.meta.url),
);
const limit = 100_000;
const large = randomBytes(300_000);
let s3: Awaited<ReturnType<typeof startS3>>;
let server: StorageServer;
let endpoint: string;
beforeAll(async () => {
  s3 = await startS3(cors);
  const { storage } = s3.settings.plinth ?? {};
  endpoint = storage?.s3?.endpoint ?? '';
  server = await startStorage({ plinth: { storage: { ...storage, redirect_downloads_over: limit } } });
  const files = server.client().from('open');
  await files.upload('large', large, { contentType: 'video/mp4', cacheControl: '60' });
  await files.upload('small', large.subarray(0, limit), { contentType: 'video/mp4' });
  await files.upload('page', large, { contentType: 'text/html' });
  const own = await server.client(alice).from('private').upload(`${alice.sub}/large`, large);
  expect(own.error).toBeNull();
});
afterAll(async () => {
  await server.stop();
  await s3.stop();
});

const ask = (path: string, init: Parameters<StorageServer['request']>[1] = {}) =>
  server.request(path, { redirect: 'manual', ...init });
const follow = (response: Response, headers: Record<string, string> = {}) =>
  fetch(response.headers.get('location') ?? '', { headers });
const signedPath = async (options = {}) => {
  const { data } = await server.client().from('open').createSignedUrl('large', 60, options);
  return (data?.signedUrl ?? '').slice(server.url.length);
};

test('the stock client receives public, own and signed objects', async () => {
  const files = server.client(alice).from('private');
  expect(await (await files.download(`${alice.sub}/large`)).data?.bytes()).toEqual(new Uint8Array(large));
  expect(await (await server.client().from('open').download('large')).data?.bytes()).toEqual(
    new Uint8Array(large),
  );
  const { data } = await files.createSignedUrl(`${alice.sub}/large`, 60);
  expect(Buffer.from(await (await fetch(data?.signedUrl ?? '')).arrayBuffer()).equals(large)).toBe(true);
});

test.each([
  ['public', async () => '/object/public/open/large', 'max-age=60'],
  ['authenticated', async () => '/object/authenticated/open/large', 'max-age=60'],
  ['signed', () => signedPath(), null],
])('S3 sends the object’s headers: %s', async (_what, path, cacheControl) => {
  const redirect = await ask(await path());
  expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'no-store']);
  expect(redirect.headers.get('location')).toContain(`${endpoint}/plinth/here/objects/`);
  expect(redirect.headers.get('access-control-allow-origin')).toBe('*');
  const { searchParams } = new URL(redirect.headers.get('location') ?? '');
  expect(Number(searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(600);
  const response = await follow(redirect);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  expect(response.headers.get('cache-control')).toBe(cacheControl);
  expect(response.headers.get('content-disposition')).toBeNull();
  if (cacheControl === null) expect(response.headers.get('expires')).toMatch(/GMT$/);
  expect(Buffer.from(await response.arrayBuffer()).equals(large)).toBe(true);
});

test('a file name and a safe type are passed on', async () => {
  const named = await follow(
    await ask(`/object/public/open/large?download=${encodeURIComponent('ä b.mp4')}`),
  );
  expect(named.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%A4%20b.mp4");
  const page = await follow(await ask('/object/public/open/page'));
  expect(page.headers.get('content-type')).toBe('text/plain');
});

test('the URL stays the same for a while, so that browsers can cache the response', async () => {
  const urls = await Promise.all(
    [1, 2].map(async () => (await ask('/object/public/open/large')).headers.get('location')),
  );
  const again = async () => (await ask('/object/public/open/large')).headers.get('location');
  // The period can end between the first two requests.
  expect(urls[0] === urls[1] || urls[1] === (await again())).toBe(true);
});

test('small objects, small ranges, HEAD and conditional requests aren’t redirected', async () => {
  expect((await ask('/object/public/open/small')).status).toBe(200);
  expect((await ask('/object/public/open/large', { method: 'HEAD' })).status).toBe(200);
  const range = (value: string) => ask('/object/public/open/large', { headers: { range: value } });
  const part = await range('bytes=10-19');
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(large.subarray(10, 20))).toBe(true);
  expect((await range('bytes=300000-')).status).toBe(416);
  const open = await range('bytes=1000-');
  expect(open.status).toBe(302);
  const rest = await follow(open, { range: 'bytes=1000-' });
  expect([rest.status, rest.headers.get('content-range')]).toEqual([206, 'bytes 1000-299999/300000']);
  const etag = (await ask('/object/public/open/large', { method: 'HEAD' })).headers.get('etag') ?? '';
  const cached = await ask('/object/public/open/large', { headers: { 'if-none-match': etag } });
  expect(cached.status).toBe(304);
});

test('without access, nothing is redirected', async () => {
  for (const claims of [bob, null])
    expect((await ask(`/object/private/${alice.sub}/large`, { claims })).status).toBe(400);
  expect((await ask(`/object/public/private/${alice.sub}/large`)).status).toBe(400);
});

// The S3 server of these tests doesn't check signatures, but Plinth's S3 protocol does.
test('the URL’s signature is valid only for its own headers', async () => {
  const { region, ...credentials } = server.keys.s3;
  const sign = (secretAccessKey: string) =>
    presignGet({
      url: new URL(`${server.url}/s3/open/large`),
      region,
      credentials: { ...credentials, secretAccessKey },
      signedAtMs: Date.now(),
      lifetimeSeconds: 60,
      headers: { 'content-type': 'image/png', 'content-disposition': "attachment; filename*=UTF-8''a%20b" },
    });
  const url = sign(credentials.secretAccessKey);
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%20b");
  expect((await fetch(url.replace('image%2Fpng', 'text%2Fhtml'))).status).toBe(403);
  expect((await fetch(sign('other'))).status).toBe(403);
});

test('a row that doesn’t refer to a stored object isn’t redirected', async () => {
  await server.database.pool('supabase_storage_admin').query(sql`
    insert into storage.objects (bucket_id, name, version, metadata) values
      ('open', 'by-sql', '../../x', ${{ size: 1_000_000 }})`);
  expect((await ask('/object/public/open/by-sql')).status).toBe(400);
});

test('a browser follows the redirect from a page of another origin', async () => {
  const page = await startPage();
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://localhost:${(page.address() as AddressInfo).port}/`);
    await tab.addScriptTag({ path: bundle });
    const sizes = await tab.evaluate(
      async ([url, key]) => {
        const { supabase } = globalThis as unknown as { supabase: { createClient: typeof createClient } };
        const files = supabase.createClient(url, key).storage.from('open');
        const [whole, redirect] = await Promise.all([
          files.download('large'),
          fetch(`${url}/storage/v1/object/public/open/large`),
        ]);
        return [whole.error, whole.data?.size, redirect.redirected];
      },
      [new URL(server.url).origin, server.keys.anonKey] as const,
    );
    expect(sizes).toEqual([null, large.length, true]);
  } finally {
    await browser.close();
    page.close();
  }
});

async function startPage(): Promise<Server> {
  const page = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>App</title>');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  return page;
}
