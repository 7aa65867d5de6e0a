/** Tests two processes that share a folder and a database. The tests identify the processes by their URLs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { s3Client } from './s3/clients.ts';
import { eventually, isUploadLocked, type StorageServer, startStorage } from './server.ts';

const Bucket = 'open';
const script = fileURLToPath(new URL('./fixtures/process.ts', import.meta.url));
const started: ChildProcess[] = [];
let server: StorageServer;
let other: { readonly url: string; readonly child: ChildProcess };
beforeAll(async () => {
  server = await startStorage();
  other = await startOther();
});
afterAll(async () => {
  for (const child of started) if (child.exitCode === null && child.signalCode === null) await kill(child);
  await server.stop();
});

async function startOther(dataDir = server.dataDir) {
  const child = spawn(process.execPath, [script, JSON.stringify({ ...server.place, dataDir })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url, child };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const read = async (key: string) => (await server.client().from(Bucket).download(key)).data?.text();
const nothingLeft = () =>
  eventually(async () => {
    const { parts, partial, intents } = await server.files();
    return parts.length + partial.length + intents.length === 0;
  });

describe('a resumable upload', () => {
  const tus = { 'tus-resumable': '1.0.0' };
  const type = 'application/offset+octet-stream';

  /** Returns the path of a new upload, which is valid for both processes. */
  async function begin(key: string, length: number): Promise<string> {
    const name = (text: string) => Buffer.from(text).toString('base64');
    const made = await server.request('/upload/resumable', {
      method: 'POST',
      headers: {
        ...tus,
        'upload-length': String(length),
        'upload-metadata': `bucketName ${name(Bucket)},objectName ${name(key)}`,
      },
    });
    return new URL(made.headers.get('location') ?? '').pathname.slice('/storage/v1'.length);
  }
  const ask = (url: string, path: string, init: RequestInit) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { ...tus, ...init.headers, authorization: `Bearer ${server.tokenOf()}` },
    });
  const head = (url: string, path: string) => ask(url, path, { method: 'HEAD' });
  const patch = (url: string, path: string, offset: number, body: string) =>
    ask(url, path, {
      method: 'PATCH',
      headers: { 'upload-offset': String(offset), 'content-type': type },
      body,
    });

  /** Sends the first part of a request's body. The caller sends the rest of the body later. */
  function beginPatch(url: string, path: string, length: number, some: string): Socket {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `PATCH /storage/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.tokenOf()}\r\n` +
        `tus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${some}`,
    );
    return socket;
  }
  const locked = (): Promise<boolean> => isUploadLocked(server);

  test('continues in the process that receives the next request', async () => {
    for (const [first, second] of [
      [other.url, server.url],
      [server.url, other.url],
    ] as const) {
      const key = `moved-${first === server.url}`;
      const path = await begin(key, 600_000);
      const socket = beginPatch(first, path, 600_000, 'a'.repeat(400_000));
      const { promise: response, resolve } = Promise.withResolvers<string>();
      socket.once('data', (data) => resolve(data.toString()));
      await eventually(locked);
      const told = await head(second, path);
      expect(told.status).toBe(200);
      expect(await response).toMatch(/^HTTP\/1.1 400 /);
      socket.destroy();
      const offset = Number(told.headers.get('upload-offset'));
      expect((await patch(second, path, offset, 'b'.repeat(600_000 - offset))).status).toBe(204);
      expect(await read(key)).toBe('a'.repeat(offset) + 'b'.repeat(600_000 - offset));
    }
  });

  test('continues on a node whose own data folder contains the shared folder', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'plinth-node-'));
    try {
      await symlink(join(server.dataDir, 'storage'), join(dataDir, 'storage'));
      const node = await startOther(dataDir);
      const path = await begin('mounted', 10);
      expect((await patch(node.url, path, 0, 'hello')).status).toBe(204);
      expect((await head(server.url, path)).headers.get('upload-offset')).toBe('5');
      expect((await patch(node.url, path, 5, 'world')).status).toBe(204);
      expect(await read('mounted')).toBe('helloworld');
      await kill(node.child);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  test('has one writer, even if both begin before the first byte is written', async () => {
    const length = 1_000_000;
    for (const urls of [
      [server.url, other.url],
      [other.url, server.url],
    ]) {
      const key = `contested-${urls[0] === server.url}`;
      const path = await begin(key, length);
      const writers = [];
      for (const [index, url] of urls.entries()) {
        const letter = 'ab'.charAt(index);
        const socket = beginPatch(url, path, length, letter.repeat(10));
        const { promise: response, resolve } = Promise.withResolvers<string>();
        socket.once('data', (data) => resolve(data.toString().slice(9, 12)));
        writers.push({ socket, answer: response, rest: letter.repeat(length - 10) });
        await eventually(locked);
        // The second request made the first request stop, and then continued.
        if (index === 1) expect(await writers[0]?.answer).toBe('400');
      }
      for (const { socket, rest } of writers) socket.write(rest);
      const response = await writers[1]?.answer;
      for (const { socket } of writers) socket.destroy();
      const offset = Number((await head(urls[0] ?? '', path)).headers.get('upload-offset'));
      if (response === '204') {
        // The first request was stopped before it had read any bytes.
        expect(await read(key)).toBe('b'.repeat(length));
        continue;
      }
      expect([response, offset]).toEqual(['409', 10]);
      expect((await patch(urls[0] ?? '', path, offset, 'z'.repeat(length - offset))).status).toBe(204);
      expect(await read(key)).toBe('a'.repeat(10) + 'z'.repeat(length - 10));
    }
    await eventually(async () => !(await locked()));
  });

  test('isn’t affected by data that was written after a process lost its lock', async () => {
    const path = await begin('lost', 400_000);
    const socket = beginPatch(other.url, path, 400_000, 'a'.repeat(300_000));
    const { promise: response, resolve } = Promise.withResolvers<string>();
    socket.once('data', (data) => resolve(data.toString().slice(9, 12)));
    await eventually(locked);
    await server.database.pool('supabase_admin').query(sql`
      select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and d.datname = current_database()`);
    socket.write('a'.repeat(100_000));
    expect(await response).toBe('423');
    socket.destroy();
    const told = await head(other.url, path);
    expect([told.status, told.headers.get('upload-offset')]).toEqual([200, '400000']);
    expect(await read('lost')).toBe('a'.repeat(400_000));
  });

  test('is locked while the process that holds it doesn’t respond, and unlocked when that process has ended', async () => {
    const doomed = await startOther();
    const path = await begin('stuck', 600_000);
    const socket = beginPatch(doomed.url, path, 600_000, 'a'.repeat(400_000));
    await eventually(locked);
    doomed.child.kill('SIGSTOP');
    expect((await head(server.url, path)).status).toBe(423);
    const refused = await patch(other.url, path, 0, 'b');
    expect([refused.status, await refused.text()]).toEqual([
      423,
      'The upload is being written by another request\n',
    ]);
    await kill(doomed.child);
    socket.destroy();
    const told = await head(server.url, path);
    expect(told.status).toBe(200);
    const offset = Number(told.headers.get('upload-offset'));
    expect((await patch(other.url, path, offset, 'b'.repeat(600_000 - offset))).status).toBe(204);
    expect(await read('stuck')).toBe('a'.repeat(offset) + 'b'.repeat(600_000 - offset));
  });
});

describe('a multipart upload over S3', () => {
  let clients: readonly [S3Client, S3Client];
  beforeAll(() => {
    clients = [s3Client(server), s3Client({ ...server, url: other.url })];
  });
  afterAll(() => {
    for (const client of clients) client.destroy();
  });
  const create = async (Key: string) =>
    (await clients[0].send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId ?? '';
  const send = async (client: S3Client, Key: string, UploadId: string, PartNumber: number, Body: string) => ({
    PartNumber,
    ETag: (await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))).ETag,
  });

  test('has one complete part per number, regardless of the process', async () => {
    const Key = 'same-number';
    const UploadId = await create(Key);
    const letters = [...'abcdefgh'];
    const sent = await Promise.all(
      letters.map((letter, index) =>
        send(clients[index % 2] as S3Client, Key, UploadId, 1, letter.repeat(100_000)),
      ),
    );
    const { Parts } = await clients[1].send(new ListPartsCommand({ Bucket, Key, UploadId }));
    expect(Parts).toHaveLength(1);
    const letter = letters[sent.findIndex(({ ETag }) => ETag === Parts?.[0]?.ETag)] ?? '';
    await eventually(async () => (await server.files()).parts.length === 1);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: Parts?.[0]?.ETag }] };
    await clients[1].send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
    expect(await read(Key)).toBe(letter.repeat(100_000));
    await nothingLeft();
  });

  test('is either completed or aborted, but never partly both', async () => {
    for (let round = 0; round < 12; round += 1) {
      const Key = `ended-${round}`;
      const UploadId = await create(Key);
      const Parts = [
        await send(clients[0], Key, UploadId, 1, 'one '),
        await send(clients[1], Key, UploadId, 2, 'two'),
      ];
      const [completer, aborter] = round % 2 === 0 ? clients : clients.toReversed();
      const at = { Bucket, Key, UploadId };
      const done = completer?.send(new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts } }));
      // In each round, the upload is aborted later than in the previous round.
      await new Promise((resolve) => setTimeout(resolve, round));
      const aborted = aborter?.send(new AbortMultipartUploadCommand(at));
      const results = await Promise.allSettled([done, aborted]);
      const states = results.map((result) =>
        result.status === 'fulfilled' ? 'done' : (result.reason as Error).name,
      );
      expect([
        ['done', 'NoSuchUpload'],
        ['NoSuchUpload', 'done'],
      ]).toContainEqual(states);
      expect(await read(Key)).toBe(states[0] === 'done' ? 'one two' : undefined);
    }
    await nothingLeft();
  });

  test('is completed only once', async () => {
    const Key = 'once';
    const UploadId = await create(Key);
    const MultipartUpload = { Parts: [await send(clients[0], Key, UploadId, 1, 'x')] };
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        (clients[index % 2] as S3Client).send(
          new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }),
        ),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ name: 'NoSuchUpload' });
    await nothingLeft();
  });
});
