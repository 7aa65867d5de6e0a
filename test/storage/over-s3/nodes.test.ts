/**
 * Tests resumable uploads on three nodes with separate data folders, one PostgreSQL server and one S3 bucket. The first
 * node runs in this process, and the others in their own processes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DefaultHttpStack, Upload } from 'tus-js-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import type { StorageContext } from '../../../src/services/storage/context.ts';
import { forgetExpired } from '../../../src/services/storage/housekeeping.ts';
import { createBucketStaging } from '../../../src/services/storage/resumable/bucket-staging.ts';
import { createUploadLocks } from '../../../src/services/storage/resumable/locks.ts';
import { openSharedLocks } from '../../../src/services/storage/resumable/shared-locks.ts';
import { startS3 } from '../backends.ts';
import { alice, bob, eventually, isUploadLocked, type StorageServer, startStorage } from '../server.ts';

const script = fileURLToPath(new URL('../fixtures/process.ts', import.meta.url));
const mebibyte = 1024 * 1024;
const tus = { 'tus-resumable': '1.0.0' };
const type = 'application/offset+octet-stream';

interface Node {
  readonly url: string;
  readonly child: ChildProcess;
  readonly dataDir: string;
}

let bucket: Awaited<ReturnType<typeof startS3>>;
let server: StorageServer;
let urls: readonly string[];
const nodes: Node[] = [];

beforeAll(async () => {
  bucket = await startS3();
  server = await startStorage(settings());
  urls = [server.url, (await startNode()).url, (await startNode()).url];
});
afterAll(async () => {
  for (const node of nodes) {
    if (node.child.exitCode === null && node.child.signalCode === null) await kill(node);
    await rm(node.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
  await server.stop();
  await bucket.stop();
});

const settings = () => ({ ...bucket.settings, storage: { file_size_limit: 100 * mebibyte } });

async function startNode(): Promise<Node> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-node-'));
  const options = { ...server.place, dataDir, settings: settings() };
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const node = { url, child, dataDir };
  nodes.push(node);
  return node;
}

async function kill({ child }: Node): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const ask = (url: string, path: string, init: RequestInit = {}, token = server.tokenOf()) =>
  fetch(`${url}${path}`, {
    ...init,
    headers: { ...tus, authorization: `Bearer ${token}`, ...init.headers },
  });
const patch = (url: string, path: string, offset: number, body: Buffer, token?: string) =>
  ask(
    url,
    path,
    {
      method: 'PATCH',
      headers: { 'upload-offset': String(offset), 'content-type': type },
      body: new Uint8Array(body),
    },
    token,
  );
async function offsetOn(url: string, path: string): Promise<number> {
  const response = await ask(url, path, { method: 'HEAD' });
  expect(response.status).toBe(200);
  return Number(response.headers.get('upload-offset'));
}

async function begin(key: string, sizeBytes: number, { bucketName = 'open', token = server.tokenOf() } = {}) {
  const name = (text: string) => Buffer.from(text).toString('base64');
  const made = await ask(
    urls[0] ?? '',
    '/upload/resumable',
    {
      method: 'POST',
      headers: {
        'upload-length': String(sizeBytes),
        'upload-metadata': `bucketName ${name(bucketName)},objectName ${name(key)}`,
      },
    },
    token,
  );
  expect(made.status, await made.text()).toBe(201);
  return new URL(made.headers.get('location') ?? '').pathname.slice('/storage/v1'.length);
}

function beginPatch(
  url: string,
  path: string,
  { offset = 0, sizeBytes = 0, some = Buffer.alloc(0) },
): Socket {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `PATCH /storage/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.tokenOf()}\r\n` +
      `tus-resumable: 1.0.0\r\nupload-offset: ${offset}\r\ncontent-type: ${type}\r\ncontent-length: ${sizeBytes}\r\n\r\n`,
  );
  socket.write(some);
  return socket;
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
async function stored(key: string, url = urls[0]): Promise<Buffer> {
  return Buffer.from(await (await ask(url ?? '', `/object/open/${key}`)).arrayBuffer());
}
const idOf = (path: string) =>
  Buffer.from(path.split('/').at(-1) ?? '', 'base64url')
    .toString()
    .split('/')
    .at(-1) ?? '';
const rowsOf = (path: string) =>
  server.database
    .pool('supabase_storage_admin')
    .query<{ received_bytes: number; s3_upload_id: string }>(
      sql`select received_bytes, s3_upload_id from _plinth.resumable_uploads where id = ${idOf(path)}`,
    );
const received = async (path: string) => Number((await rowsOf(path))[0]?.received_bytes ?? -1);
async function partsOf(path: string): Promise<string[]> {
  const { parts } = await bucket.stored(server.dataDir);
  return parts.filter((part) => part.startsWith(idOf(path)));
}

test('each node continues where another node ended, with pieces of any size', async () => {
  const sizes = [
    6 * mebibyte,
    3,
    mebibyte,
    0,
    5 * mebibyte - 4,
    20 * mebibyte,
    2 * mebibyte,
    2 * mebibyte,
    mebibyte,
    700_001,
  ];
  const body = randomBytes(sizes.reduce((sum, size) => sum + size));
  const path = await begin('in-turn', body.length);
  let offset = 0;
  for (const [index, size] of sizes.entries()) {
    const response = await patch(urls[index % 3] ?? '', path, offset, body.subarray(offset, offset + size));
    offset += size;
    expect([response.status, response.headers.get('upload-offset')]).toEqual([204, String(offset)]);
    expect(await offsetOn(urls[(index + 1) % 3] ?? '', path)).toBe(offset);
  }
  for (const url of urls) expect(hashOf(await stored('in-turn', url))).toBe(hashOf(body));
  const { data } = await server.client().from('open').info('in-turn');
  expect(data).toMatchObject({ size: body.length });
  expect(data?.etag).toMatch(/^"[\da-f]{32}-\d+"$/);
  expect(await partsOf(path)).toEqual([]);
  // The last response may have been lost, so the upload can still be queried.
  expect((await patch(urls[1] ?? '', path, offset, Buffer.alloc(0))).status).toBe(204);
  expect((await patch(urls[2] ?? '', path, 0, Buffer.alloc(1))).status).toBe(409);
  expect((await ask(urls[1] ?? '', path, { method: 'DELETE' })).status).toBe(400);
});

test('after a node is killed during a request, the other nodes have the bytes that were stored', async () => {
  const body = randomBytes(40 * mebibyte);
  const path = await begin('killed', body.length);
  await patch(urls[0] ?? '', path, 0, body.subarray(0, 6 * mebibyte));
  const doomed = await startNode();
  const socket = beginPatch(doomed.url, path, {
    offset: 6 * mebibyte,
    sizeBytes: 34 * mebibyte,
    some: body.subarray(6 * mebibyte, 30 * mebibyte),
  });
  await eventually(async () => (await received(path)) > 6 * mebibyte);
  await kill(doomed);
  socket.destroy();
  const offset = await offsetOn(urls[2] ?? '', path);
  expect(offset).toBe(await received(path));
  expect(offset).toBeGreaterThanOrEqual(14 * mebibyte);
  const middle = offset + 1000;
  expect((await patch(urls[1] ?? '', path, offset, body.subarray(offset, middle))).status).toBe(204);
  expect((await patch(urls[2] ?? '', path, middle, body.subarray(middle))).status).toBe(204);
  expect(hashOf(await stored('killed'))).toBe(hashOf(body));
});

test('two nodes that write at the same time produce one upload', async () => {
  const sizeBytes = 12 * mebibyte;
  const bodies = ['a', 'b', 'c'].map((letter) => Buffer.alloc(sizeBytes, letter));
  const path = await begin('contested', sizeBytes);
  const statuses = await Promise.all(
    bodies.map(async (body, index) => (await patch(urls[index] ?? '', path, 0, body)).status),
  );
  for (const status of statuses) expect([204, 400, 409, 423]).toContain(status);
  const offset = await offsetOn(urls[0] ?? '', path);
  if (offset < sizeBytes)
    expect((await patch(urls[1] ?? '', path, offset, Buffer.alloc(sizeBytes - offset, 'd'))).status).toBe(
      204,
    );
  else expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  const bytes = await stored('contested');
  expect(bytes).toHaveLength(sizeBytes);
  // Bytes of different requests never alternate.
  let changes = 0;
  for (let index = 1; index < bytes.length; index += 1) if (bytes[index] !== bytes[index - 1]) changes += 1;
  expect(changes).toBeLessThan(new Set(bytes).size);
});

test('a node that has lost its lock can’t add to the upload', async () => {
  const body = randomBytes(20 * mebibyte);
  const path = await begin('lost-lock', body.length);
  const socket = beginPatch(urls[1] ?? '', path, {
    sizeBytes: body.length,
    some: randomBytes(6 * mebibyte),
  });
  const { promise: response, resolve } = Promise.withResolvers<string>();
  socket.once('data', (data) => resolve(data.toString().slice(9, 12)));
  await eventually(() => isUploadLocked(server));
  nodes[0]?.child.kill('SIGSTOP');
  await server.database.pool('supabase_admin').query(sql`
    select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database()`);
  expect((await patch(urls[2] ?? '', path, 0, body.subarray(0, 9 * mebibyte))).status).toBe(204);
  nodes[0]?.child.kill('SIGCONT');
  socket.write(randomBytes(14 * mebibyte));
  expect(['400', '409', '423']).toContain(await response);
  socket.destroy();
  const offset = await offsetOn(urls[1] ?? '', path);
  expect(offset).toBe(9 * mebibyte);
  expect((await patch(urls[0] ?? '', path, offset, body.subarray(offset))).status).toBe(204);
  expect(hashOf(await stored('lost-lock'))).toBe(hashOf(body));
});

test('a node continues after another node has joined the parts and ended before the commit', async () => {
  const body = randomBytes(6 * mebibyte);
  const path = await begin('joined', body.length);
  const pool = server.database.pool('supabase_admin');
  // The last statement of the request fails, as if the database had become unavailable.
  await pool.exec(`
    create function public.fail_commit() returns trigger language plpgsql as $$
    begin raise exception 'not now' using errcode = '57P03'; end $$;
    create constraint trigger fail_commit after insert on storage.objects deferrable initially deferred
      for each row when (new.name = 'joined' and new.version <> '1') execute function public.fail_commit()`);
  expect((await patch(urls[1] ?? '', path, 0, body)).status).toBeGreaterThanOrEqual(500);
  expect((await bucket.stored(server.dataDir)).objects).toContain(idOf(path));
  await pool.exec(`
    drop trigger fail_commit on storage.objects;
    drop function public.fail_commit()`);
  expect(await offsetOn(urls[2] ?? '', path)).toBe(body.length);
  expect(hashOf(await stored('joined'))).toBe(hashOf(body));
});

test('policies apply on every node, and another user can’t use the upload', async () => {
  const token = server.tokenOf(alice);
  const key = `${alice.sub}/large`;
  const path = await begin(key, 6, { bucketName: 'private', token });
  expect((await patch(urls[1] ?? '', path, 0, Buffer.from('abc'), server.tokenOf(bob))).status).toBe(404);
  expect((await patch(urls[1] ?? '', path, 0, Buffer.from('abc'), token)).status).toBe(204);
  await server.database
    .pool('postgres')
    .exec('alter policy own_folder on storage.objects with check (false)');
  expect((await patch(urls[2] ?? '', path, 3, Buffer.from('def'), token)).status).toBe(403);
  await server.database.pool('postgres').exec(`
    alter policy own_folder on storage.objects with check
      (bucket_id = 'private' and (storage.foldername(name))[1] = auth.uid()::text)`);
  expect((await patch(urls[2] ?? '', path, 3, Buffer.from('def'), token)).status).toBe(204);
});

test('API roles can’t read or change the state', async () => {
  const [row] = await server.database.pool('supabase_admin').query(sql`
    select count(*)::int as found
    from unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) as r (role),
      unnest(array['_plinth.resumable_uploads', '_plinth.resumable_parts']) as t (name),
      unnest(array['select', 'insert', 'update', 'delete']) as p (privilege)
    where has_table_privilege(r.role, t.name, p.privilege)`);
  expect(row).toEqual({ found: 0 });
});

test('a terminated upload leaves nothing in the bucket', async () => {
  const path = await begin('terminated', 20 * mebibyte);
  await patch(urls[0] ?? '', path, 0, randomBytes(6 * mebibyte));
  await patch(urls[1] ?? '', path, 6 * mebibyte, randomBytes(mebibyte));
  expect(await partsOf(path)).toHaveLength(1);
  expect((await ask(urls[2] ?? '', path, { method: 'DELETE' })).status).toBe(204);
  expect((await ask(urls[0] ?? '', path, { method: 'HEAD' })).status).toBe(404);
  expect(await rowsOf(path)).toEqual([]);
  expect(await partsOf(path)).toEqual([]);
});

test('one node removes an expired upload, also if another node ended while removing it', async () => {
  const [old, half, young] = [await begin('old', 100), await begin('half', 100), await begin('young', 100)];
  for (const path of [old, half, young]) await patch(urls[1] ?? '', path, 0, Buffer.from('bytes'));
  const pool = server.database.pool('supabase_storage_admin');
  await pool.query(sql`update _plinth.resumable_uploads set removed_at = now() where id = ${idOf(half)}`);
  await pool.query(sql`
    update _plinth.resumable_uploads set touched_at = now() - interval '25 hours' where id = ${idOf(old)}`);
  const backends = [bucket.open(server.dataDir), bucket.open(server.dataDir)];
  const removals: string[] = [];
  const contexts = backends.map((backend) => {
    const locks = createUploadLocks((listener) => openSharedLocks(server.database, listener));
    const clock = { now: () => Date.now() };
    const { multipart } = backend;
    if (!multipart) throw new Error('The S3 backend has multipart uploads');
    const staging = createBucketStaging(backend, multipart, { database: server.database, clock });
    const counted = {
      ...staging,
      async remove(id: string) {
        removals.push(id);
        await staging.remove(id);
      },
    };
    return { resumable: { staging: counted, locks }, clock } as unknown as StorageContext;
  });
  await Promise.all(contexts.map(forgetExpired));
  expect(removals.sort()).toEqual([idOf(old), idOf(half)].sort());
  for (const path of [old, half]) {
    expect(await rowsOf(path)).toEqual([]);
    expect(await partsOf(path)).toEqual([]);
    expect((await ask(urls[1] ?? '', path, { method: 'HEAD' })).status).toBe(404);
  }
  expect(await offsetOn(urls[2] ?? '', young)).toBe(5);
  for (const { resumable } of contexts) await resumable.locks.close();
  for (const backend of backends) await backend.close();
});

test('the stock client uploads through a load balancer that alternates between the nodes', async () => {
  const balancer = await startBalancer();
  const { port } = balancer.address() as AddressInfo;
  const body = randomBytes(60_000_000);
  const upload = new Upload(body, {
    endpoint: `http://127.0.0.1:${port}/storage/v1/upload/resumable`,
    httpStack: new DefaultHttpStack({}),
    chunkSize: 6 * mebibyte,
    retryDelays: null,
    headers: { authorization: `Bearer ${server.tokenOf()}` },
    metadata: { bucketName: 'open', objectName: 'balanced' },
  });
  const done = new Promise<void>((resolve, reject) => {
    upload.options.onSuccess = () => resolve();
    upload.options.onError = reject;
  });
  upload.start();
  await done;
  expect(new URL(upload.url ?? '').port).toBe(String(port));
  expect(hashOf(await stored('balanced'))).toBe(hashOf(body));
  balancer.closeAllConnections();
  balancer.close();
});

/** Forwards each request to the next node, and keeps the `Host` header, as load balancers do by default. */
async function startBalancer(): Promise<Server> {
  let next = 0;
  const balancer = createServer((incoming, outgoing) => {
    const { port } = new URL(urls[next++ % urls.length] ?? '');
    const { method, url, headers } = incoming;
    const forwarded = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  return balancer;
}
