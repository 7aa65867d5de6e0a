/**
 * Tests buckets and files in the Console's API. The browser transfers file contents directly to and from storage, with
 * signed links.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { markup } from './services-backend.ts';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await createTestBackend();
  owner = await operator(backend);
  await owner.call('POST', '/storage/buckets', bucket('files'));
});
afterAll(() => backend?.stop());

const bucket = (name: string, more: object = {}) => ({
  name,
  public: false,
  file_size_limit: null,
  allowed_mime_types: null,
  ...more,
});

async function upload(path: string, body: string, type = 'text/plain', into = 'files'): Promise<Response> {
  const { body: link, status } = await owner.call('POST', `/storage/buckets/${into}/upload-link`, { path });
  if (status !== 200) return new Response(null, { status });
  return backend.fetch(link.url, { method: 'PUT', headers: { 'content-type': type }, body });
}

const list = async (prefix: string, into = 'files') =>
  (await owner.call('GET', `/storage/buckets/${into}/objects?${new URLSearchParams({ prefix })}`)).body;
const names = (lines: { name: string }[]) => lines.map(({ name }) => name);

test('a bucket can be created, changed, emptied and deleted', async () => {
  const made = await owner.call('POST', '/storage/buckets', bucket('life', { file_size_limit: 1000 }));
  expect([made.status, made.body.name]).toEqual([200, 'life']);
  await owner.call('PATCH', '/storage/buckets/life', { public: true, allowed_mime_types: ['text/plain'] });
  const { body } = await owner.call('GET', '/storage');
  expect(body.buckets.find(({ id }: { id: string }) => id === 'life')).toMatchObject({
    public: true,
    file_size_limit: 1000,
    allowed_mime_types: ['text/plain'],
  });
  expect(body.features).toEqual({ resumable: expect.any(Boolean), transforms: expect.any(Boolean) });
  expect((await upload('a.txt', 'x', 'text/plain', 'life')).status).toBe(200);
  const full = await owner.call('DELETE', '/storage/buckets/life');
  expect([full.status, full.body.code]).toEqual([400, 'bad_request']);
  expect((await owner.call('POST', '/storage/buckets/life/empty')).status).toBe(204);
  await expect.poll(async () => (await list('', 'life')).objects).toEqual([]);
  expect((await owner.call('DELETE', '/storage/buckets/life')).status).toBe(204);
  expect((await owner.call('DELETE', '/storage/buckets/life')).status).toBe(404);
});

test('a folder can be listed by size, page by page, in both orders', async () => {
  await owner.call('POST', '/storage/buckets', bucket('sizes'));
  for (const [path, size] of [
    ['in/a', 3],
    ['in/b', 30],
    ['in/c', 3],
    ['in/deep/x', 999],
    ['in/_d', 5],
    ['out', 1],
  ] as const)
    expect((await upload(path, 'x'.repeat(size), 'text/plain', 'sizes')).status).toBe(200);
  await backend.database.pool('postgres').exec(`
    insert into storage.objects (bucket_id, name, metadata)
    select 'sizes', 'many/' || i, jsonb_build_object('size', i / 2) from generate_series(1, 450) i`);
  const bySize = async (prefix: string, order: string, cursor?: string) =>
    (
      await owner.call(
        'GET',
        `/storage/buckets/sizes/objects?${new URLSearchParams({ prefix, sort: 'size', order, ...(cursor ? { cursor } : {}) })}`,
      )
    ).body;
  const largest = await bySize('in/', 'desc');
  expect(names(largest.folders)).toEqual(['in/deep/']);
  expect(names(largest.objects)).toEqual(['in/b', 'in/_d', 'in/c', 'in/a']);
  expect(names((await bySize('in/', 'asc')).objects)).toEqual(['in/a', 'in/c', 'in/_d', 'in/b']);
  expect(names((await bySize('in/_', 'asc')).objects)).toEqual(['in/_d']);
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await bySize('many/', 'desc', cursor);
    sizes.push(...page.objects.map(({ metadata }: { metadata: { size: number } }) => metadata.size));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(sizes).toEqual(Array.from({ length: 450 }, (_, index) => Math.floor((450 - index) / 2)));
  expect((await bySize('in/', 'asc', 'x')).code).toBe('bad_request');
});

test('files can be uploaded, listed by folder, moved, copied, shared and deleted', async () => {
  for (const path of ['notes/a b.txt', 'notes/deep/c.txt', 'top?#ä.txt'])
    expect([path, (await upload(path, path)).status]).toEqual([path, path.includes('ä') ? 400 : 200]);
  const root = await list('');
  expect(names(root.folders)).toEqual(['notes/']);
  const inside = await list('notes/');
  expect([names(inside.folders), names(inside.objects)]).toEqual([['notes/deep/'], ['notes/a b.txt']]);

  const object = await owner.call(
    'GET',
    `/storage/buckets/files/object?path=${encodeURIComponent('notes/a b.txt')}`,
  );
  expect(object.body.size).toBe(13);
  expect(await (await backend.fetch(object.body.link)).text()).toBe('notes/a b.txt');

  const path = '/storage/buckets/files';
  expect((await owner.call('POST', `${path}/move`, { from: 'notes/a b.txt', to: 'moved.txt' })).status).toBe(
    204,
  );
  expect((await owner.call('POST', `${path}/copy`, { from: 'moved.txt', to: 'copy.txt' })).status).toBe(204);
  const clash = await owner.call('POST', `${path}/copy`, { from: 'moved.txt', to: 'copy.txt' });
  expect([clash.status, clash.body.code]).toEqual([400, 'bad_request']);
  const { body: shared } = await owner.call('POST', `${path}/share-link`, { path: 'copy.txt', seconds: 60 });
  expect(await (await fetch(shared.link)).text()).toBe('notes/a b.txt');

  await upload('notes/deep/deeper/d.txt', 'd');
  const gone = await owner.call('POST', `${path}/remove`, { paths: ['copy.txt'], folders: ['notes/'] });
  expect(gone.body).toEqual({ deleted: 3, more: false });
  expect(names((await list('')).objects)).toEqual(['moved.txt']);
});

test('an upload link works only for its own file', async () => {
  const { body } = await owner.call('POST', '/storage/buckets/files/upload-link', { path: 'mine.txt' });
  const elsewhere = await backend.fetch(body.url.replace('mine.txt', 'theirs.txt'), {
    method: 'PUT',
    body: 'x',
  });
  expect(elsewhere.status).toBe(400);
  expect(body.token).not.toBe(backend.keys.serviceRoleKey);
  expect((await upload('once.txt', '1')).status).toBe(200);
  expect((await upload('once.txt', '2')).status).toBe(400);
  const { body: over } = await owner.call('POST', '/storage/buckets/files/upload-link', {
    path: 'once.txt',
    replace: true,
  });
  expect((await backend.fetch(over.url, { method: 'PUT', body: '2' })).status).toBe(200);
});

test.each([
  ['page.html', 'text/html', /^text\/plain/],
  ['page.svg', 'image/svg+xml', /^image\/svg/],
  ['page.xhtml', 'application/xhtml+xml', /^application\/xhtml/],
])('a stored %s can’t run anything at its link', async (path, type, served) => {
  await upload(path, `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, type);
  const { body } = await owner.call('GET', `/storage/buckets/files/object?path=${path}`);
  const response = await backend.fetch(body.link);
  expect(response.headers.get('content-type')).toMatch(served);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  if (!response.headers.get('content-type')?.startsWith('text/plain'))
    expect(response.headers.get('content-security-policy')).toMatch(/sandbox$/);
});

test.each(['../auth', 'a/../../secret', markup, "x'; drop table storage.objects; --"])(
  'a bucket name can’t be used as a path or SQL: %s',
  async (name) => {
    const path = `/storage/buckets/${encodeURIComponent(name)}`;
    expect((await owner.call('GET', `${path}/object?path=x`)).status).toBe(404);
    expect((await owner.call('GET', `${path}/objects`)).body).toMatchObject({ objects: [], folders: [] });
    expect((await owner.call('DELETE', path)).status).toBe(404);
    const { status } = await owner.call(
      'GET',
      `/storage/buckets/files/object?${new URLSearchParams({ path: name })}`,
    );
    expect([400, 404]).toContain(status);
  },
);

test.each(['..', '../..', '../../../../auth/v1/admin/users', 'a/./b'])(
  'a path can’t be used to call another endpoint: %s',
  async (path) => {
    const query = new URLSearchParams({ path });
    const looked = await owner.call('GET', `/storage/buckets/files/object?${query}`);
    expect([looked.status, looked.body.code]).toEqual([400, 'bad_request']);
    const link = await owner.call('POST', '/storage/buckets/files/upload-link', { path });
    expect([link.status, link.body.url]).toEqual([400, undefined]);
  },
);

test('a folder can be moved in parts, and files whose new path exists aren’t moved', async () => {
  for (const path of ['old/a.txt', 'old/deep/b.txt', 'old/c.txt', 'new/c.txt'])
    expect([path, (await upload(path, path)).status]).toEqual([path, 200]);
  const move = (body: object) => owner.call('POST', '/storage/buckets/files/move-folder', body);
  const first = await move({ from: 'old/', to: 'new/' });
  expect(first.body).toEqual({
    moved: 2,
    failures: [{ path: 'old/c.txt', message: expect.stringContaining('already exists') }],
    next: null,
  });
  expect(names((await list('old/')).objects)).toEqual(['old/c.txt']);
  expect(names((await list('new/deep/')).objects)).toEqual(['new/deep/b.txt']);
  // After the conflicting file has been removed, the same call moves the remaining file.
  await owner.call('POST', '/storage/buckets/files/remove', { paths: ['new/c.txt'] });
  expect((await move({ from: 'old/', to: 'new/' })).body).toEqual({ moved: 1, failures: [], next: null });
  expect((await list('old/')).objects).toEqual([]);
  for (const to of ['new/', 'new/inside/', '/x/', 'x'])
    expect([to, (await move({ from: 'new/', to })).status]).toEqual([to, 400]);
  expect((await move({ from: '', to: 'x/' })).status).toBe(400);
  await backend.operators.createOperator('watcher', 'read-only');
  const watcher = await operator(backend, 'watcher');
  const denied = await watcher.call('POST', '/storage/buckets/files/move-folder', { from: 'new/', to: 'x/' });
  expect(denied.status).toBe(403);
});

test('a folder with more files than one call can move is moved page by page', async () => {
  await Promise.all(
    Array.from({ length: 120 }, (_, index) => upload(`many/${String(index).padStart(3, '0')}.txt`, 'x')),
  );
  const first = await owner.call('POST', '/storage/buckets/files/move-folder', {
    from: 'many/',
    to: 'some/',
  });
  expect([first.body.moved, typeof first.body.next]).toEqual([100, 'string']);
  const second = await owner.call('POST', '/storage/buckets/files/move-folder', {
    from: 'many/',
    to: 'some/',
    cursor: first.body.next,
  });
  expect(second.body).toEqual({ moved: 20, failures: [], next: null });
  expect((await list('many/')).objects).toEqual([]);
});

test('usage counts the files and bytes of each bucket', async () => {
  await owner.call('POST', '/storage/buckets', bucket('sized'));
  await upload('a.txt', '12345', 'text/plain', 'sized');
  await upload('deep/b.txt', '1234567', 'text/plain', 'sized');
  for (const exact of ['false', 'true']) {
    const { body } = await owner.call('GET', `/storage/usage?exact=${exact}`);
    expect(body.isEstimate).toBe(false);
    expect(body.buckets).toContainEqual({ bucket: 'sized', files: 2, bytes: 12 });
  }
});

test('thumbnails are signed links to small images, and other files don’t have thumbnails', async () => {
  await upload('small.png', 'not really a picture', 'image/png');
  const files = [
    { path: 'small.png', type: 'image/png', size: 20 },
    { path: 'drawing.svg', type: 'image/svg+xml', size: 20 },
    { path: 'missing.png', type: 'image/png', size: 20 },
  ];
  const { body } = await owner.call('POST', '/storage/buckets/files/thumbnails', { files });
  expect(Object.keys(body.links)).toEqual(['small.png']);
  const response = await fetch(body.links['small.png']);
  expect([response.status, await response.text()]).toEqual([200, 'not really a picture']);
  expect(response.headers.get('cache-control') ?? '').not.toContain('public');
  const bare = body.links['small.png'].split('?')[0];
  expect((await fetch(bare)).status).toBe(400);
});
