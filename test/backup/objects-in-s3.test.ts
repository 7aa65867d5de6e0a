/**
 * Tests backups of a project whose objects are stored in S3, and of resumable uploads that are in progress during the
 * backup.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createS3Server } from './s3-server.ts';
import {
  differences,
  makeProject,
  type Project,
  type Ready,
  readAll,
  run,
  startServer,
  startWriter,
} from './server.ts';

const directory = mkdtempSync(join(tmpdir(), 'plinth-objects-'));
const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const s3 = createS3Server(directory, 'objects');
/** The URLs of the requests that were sent to the S3 server. */
const requested: string[] = [];
s3.middleware.unshift((context, next) => {
  requested.push(context.url);
  return next();
});
let project: Project;

beforeAll(async () => {
  const endpoint = `http://127.0.0.1:${(await s3.run()).port}`;
  project = makeProject(
    target,
    `[storage]\nbackend = "s3"\n[storage.s3]\nbucket = "objects"\nendpoint = "${endpoint}"\nforce_path_style = true
access_key_id = "S3RVER"\nsecret_access_key = "S3RVER"\n`,
  );
});
afterAll(async () => {
  await s3.close();
  project.remove();
  for (const folder of [directory, target]) rmSync(folder, { recursive: true, force: true });
});

const plinth = async (...args: string[]): Promise<string> => {
  const { status, stdout, stderr } = await run(project, args);
  expect(status, stderr).toBe(0);
  return stdout;
};

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function send(
  server: Ready,
  method: string,
  path: string,
  headers = {},
  body?: Buffer,
): Promise<Response> {
  const authorization = `Bearer ${server.SERVICE_ROLE_KEY}`;
  const url = new URL(path, `${server.API_URL}/storage/v1/`);
  const response = await fetch(url, {
    method,
    headers: { authorization, 'tus-resumable': '1.0.0', ...headers },
    ...(body && { body: new Uint8Array(body) }),
  });
  await response.arrayBuffer();
  return response;
}

/** Begins a resumable upload. Returns its path. */
async function begin(server: Ready, name: string, sizeBytes: number): Promise<string> {
  const metadata = `bucketName ${base64('files')},objectName ${base64(name)}`;
  const begun = await send(server, 'POST', 'upload/resumable', {
    'upload-length': String(sizeBytes),
    'upload-metadata': metadata,
  });
  expect(begun.status).toBe(201);
  return new URL(begun.headers.get('location') ?? '').pathname;
}

const append = async (server: Ready, path: string, offset: number, bytes: Buffer): Promise<number> => {
  const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
  return (await send(server, 'PATCH', path, headers, bytes)).status;
};

it('a restore uploads the objects to S3 again, and unfinished uploads start from the beginning', async () => {
  const server = await startServer(project);
  const large = randomBytes(12 * 1024 * 1024);
  const type = { 'content-type': 'application/octet-stream' };
  expect((await send(server, 'POST', 'object/files/large.bin', type, large)).status).toBe(200);
  const resumed = randomBytes(300_000);
  const finishing = await begin(server, 'finished.bin', resumed.length);
  const unfinished = await begin(server, 'unfinished.bin', resumed.length);
  for (const path of [finishing, unfinished])
    expect(await append(server, path, 0, resumed.subarray(0, 100_000))).toBe(204);
  const writer = startWriter(server, { rowsPerSecond: 20, uploadsPerSecond: 5 });
  await plinth('backup');
  expect(await append(server, finishing, 100_000, resumed.subarray(100_000))).toBe(204);
  await writer.stop();
  // Writes that were acknowledged in the last two seconds can be lost.
  await sleep(2500);
  const lostAtMs = Date.now();
  await server.kill();
  rmSync(project.dataDir, { recursive: true, force: true });
  const stored = (): string[] => readdirSync(join(directory, 'objects'), { recursive: true }).map(String);
  expect(stored().some((name) => name.startsWith('objects/'))).toBe(true);
  rmSync(join(directory, 'objects'), { recursive: true });
  await s3.configureBuckets();

  expect(await plinth('backup', 'verify')).toContain('No problems');
  expect(stored()).toEqual([]);
  requested.length = 0;
  const dataDir = join(project.dir, 'restored');
  await plinth('restore', '--promote', '--data-dir', dataDir);
  const copy = await startServer(project, dataDir);
  const found = await readAll(copy);
  expect(differences(found, writer, lostAtMs)).toEqual([]);
  expect(found.objects.get('large.bin')).toBe(md5(large));
  expect(found.objects.get('finished.bin')).toBe(md5(resumed));
  expect([...found.objects.keys()]).not.toContain('unfinished.bin');
  // A large object is sent in parts, so that the whole object isn't kept in memory.
  expect(requested.filter((url) => url.includes('partNumber=3'))).toHaveLength(1);

  // The backup doesn't contain the bytes of an unfinished upload, so the client must upload the file from the
  // beginning.
  expect((await send(copy, 'HEAD', unfinished)).status).toBe(404);
  const again = await begin(copy, 'unfinished.bin', resumed.length);
  expect(await append(copy, again, 0, resumed)).toBe(204);
  expect((await readAll(copy)).objects.get('unfinished.bin')).toBe(md5(resumed));
  await copy.stop();
});
