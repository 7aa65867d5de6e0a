/** Tests downloads from files: chunk boundaries, slow clients, clients that disconnect, and truncated files. */
import { randomBytes } from 'node:crypto';
import { readdir, readlink, truncate } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { eventually, type StorageServer, startStorage } from './server.ts';

/** The number of bytes that the server reads from a file at a time. */
const chunkBytes = 256 * 1024;
/**
 * The size of a body that is larger than the socket buffers on both sides, so that the server must wait for the client
 * to read.
 */
const endlessBytes = 48 * 1024 * 1024;

let server: StorageServer;
const stored = new Map<string, Buffer>();

beforeAll(async () => {
  server = await startStorage();
  const sizes = {
    few: 10,
    whole: 64 * 1024,
    'one-more': 64 * 1024 + 1,
    chunk: chunkBytes,
    'chunk-and-one': chunkBytes + 1,
    many: 3 * chunkBytes + 7,
  };
  for (const [name, size] of Object.entries(sizes)) await store(name, randomBytes(size));
});
afterAll(() => server.stop());

async function store(name: string, bytes: Buffer): Promise<void> {
  stored.set(name, bytes);
  const { error } = await server.client().from('open').upload(name, bytes);
  if (error) throw error;
}

const bytesOf = (name: string): Buffer => stored.get(name) as Buffer;
const pathTo = (name: string): string => `/storage/v1/object/public/open/${name}`;

async function download(name: string, range?: string): Promise<Buffer> {
  const init = range === undefined ? {} : { headers: { range } };
  const response = await server.request(`/object/public/open/${name}`, init);
  expect(response.status).toBe(range === undefined ? 200 : 206);
  return Buffer.from(await response.arrayBuffer());
}

async function fileOf(name: string): Promise<string> {
  const [row] = await server.database
    .pool('supabase_storage_admin')
    .query<{ version: string }>(
      sql`select version from storage.objects where bucket_id = 'open' and name = ${name}`,
    );
  const version = row?.version ?? '';
  return join(server.dataDir, 'storage', 'objects', version.slice(0, 2), version);
}

/** Returns the number of bodies that this process has open. */
async function openBodies(): Promise<number> {
  const targets = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(join(server.dataDir, 'storage', 'objects'))).length;
}

/** Opens a connection and requests these objects, but doesn't read the responses. */
function ask(...names: string[]): Socket {
  const { port, hostname } = new URL(server.url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.pause();
  for (const name of names) socket.write(`GET ${pathTo(name)} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
}

test('any range of any size equals the stored data', async () => {
  const edge = fc.constantFrom(
    0,
    1,
    chunkBytes - 1,
    chunkBytes,
    chunkBytes + 1,
    2 * chunkBytes,
    3 * chunkBytes,
  );
  const place = fc.oneof(edge, fc.nat(3 * chunkBytes + 6));
  const asked = fc.record({ name: fc.constantFrom(...stored.keys()), from: place, to: place });
  await fc.assert(
    fc.asyncProperty(asked, async ({ name, from, to }) => {
      const bytes = bytesOf(name);
      const start = Math.min(from, to, bytes.length - 1);
      const end = Math.max(from, to);
      const got = await download(name, `bytes=${start}-${end}`);
      expect(got.equals(bytes.subarray(start, end + 1))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('each of many concurrent downloads gets its own bytes', async () => {
  const names = Array.from({ length: 60 }, (_, index) => [...stored.keys()][index % stored.size] as string);
  const got = await Promise.all(names.map((name) => download(name)));
  expect(got.every((bytes, index) => bytes.equals(bytesOf(names[index] as string)))).toBe(true);
});

test('HEAD returns the length of the body without the body', async () => {
  const { data } = await server.client().from('open').createSignedUrl('many', 60);
  const path = new URL(data?.signedUrl ?? '').pathname.replace('/storage/v1', '');
  const response = await server.request(`${path}${new URL(data?.signedUrl ?? '').search}`, {
    method: 'HEAD',
  });
  expect(response.headers.get('content-length')).toBe(String(bytesOf('many').length));
  expect((await response.arrayBuffer()).byteLength).toBe(0);
});

test('data that waits for a slow client isn’t overwritten by other downloads', async () => {
  const endless = randomBytes(endlessBytes);
  await store('endless', endless);
  const slow = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${server.url}/object/public/open/endless`, { agent: false }, resolve).on('error', reject);
  });
  slow.pause();
  for (let round = 0; round < 3; round += 1)
    await Promise.all(Array.from({ length: 20 }, () => download('many')));
  const chunks: Buffer[] = [];
  for await (const chunk of slow) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(endless)).toBe(true);
});

test.skipIf(process.platform !== 'linux')('files are closed when clients disconnect', async () => {
  await eventually(async () => (await openBodies()) === 0);
  for (const names of [['endless'], ['endless', 'endless', 'many']]) {
    const socket = ask(...names);
    // All requests after the first request are waiting, but their files are already open.
    await eventually(async () => (await openBodies()) === names.length);
    socket.destroy();
    await eventually(async () => (await openBodies()) === 0);
  }
  const done = await download('many');
  expect(done.equals(bytesOf('many'))).toBe(true);
  await eventually(async () => (await openBodies()) === 0);
});

test.skipIf(process.platform !== 'linux')(
  'a file that is truncated while it is read ends the connection, not the server',
  async () => {
    const socket = ask('endless');
    await eventually(async () => (await openBodies()) === 1);
    await truncate(await fileOf('endless'), 1024 * 1024);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(received).toBeLessThan(endlessBytes);
    expect((await download('many')).equals(bytesOf('many'))).toBe(true);
  },
);

test('a file that is shorter than specified in its row is returned unchanged', async () => {
  await truncate(await fileOf('endless'), 3);
  expect((await download('endless')).equals(bytesOf('endless').subarray(0, 3))).toBe(true);
  const past = await server.request('/object/public/open/endless', { headers: { range: 'bytes=5-9' } });
  expect(past.status).toBe(416);
});
