/** Tests that the stock TUS client resumes an upload after a kill -9 of the server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DefaultHttpStack, Upload, type UploadOptions } from 'tus-js-client';
import { afterAll, expect, it } from 'vitest';

const plinth = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-resumable-'));
let child: ChildProcess | undefined;
afterAll(async () => {
  const ended = child && new Promise((resolve) => child?.once('exit', resolve));
  child?.kill('SIGTERM');
  await ended;
  rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
});

async function start(): Promise<{ API_URL: string; SERVICE_ROLE_KEY: string }> {
  const args = [plinth, 'start', '--workdir', projectDir, '--port', '0', '--json'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  child = server;
  return new Promise((resolve) => {
    createInterface({ input: server.stdout }).once('line', (line) => resolve(JSON.parse(line)));
  });
}

const body = randomBytes(2_000_000);
const chunkSize = 100_000;

it('an upload resumes after a crash', { timeout: 120_000 }, async () => {
  const before = await start();
  const storage = `${before.API_URL}/storage/v1`;
  const headers = { authorization: `Bearer ${before.SERVICE_ROLE_KEY}` };
  await fetch(`${storage}/bucket`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'films' }),
  });
  const options: UploadOptions = {
    httpStack: new DefaultHttpStack({}),
    retryDelays: null,
    chunkSize,
    headers,
  };

  let acknowledged = 0;
  let killed: Promise<unknown> | undefined;
  const address = await new Promise<string | null>((resolve, reject) => {
    const upload = new Upload(body, {
      ...options,
      endpoint: `${storage}/upload/resumable`,
      metadata: { bucketName: 'films', objectName: 'one', contentType: 'video/mp4' },
      onChunkComplete: (_size, accepted) => {
        acknowledged = accepted;
        if (accepted < body.length / 2 || killed) return;
        killed = new Promise((gone) => child?.once('exit', gone));
        child?.kill('SIGKILL');
      },
      onError: () => resolve(upload.url),
      onSuccess: () => reject(new Error('it was to be killed before')),
    });
    upload.start();
  });
  await killed;
  expect(acknowledged).toBeGreaterThanOrEqual(body.length / 2);

  const after = await start();
  const uploadUrl = after.API_URL + new URL(address ?? '').pathname;
  let resumedAt: number | undefined;
  await new Promise<void>((resolve, reject) => {
    new Upload(body, {
      ...options,
      uploadUrl,
      onProgress: (sent) => {
        resumedAt ??= sent;
      },
      onError: reject,
      onSuccess: () => resolve(),
    }).start();
  });
  expect(resumedAt).toBeGreaterThanOrEqual(acknowledged);
  const read = await fetch(`${after.API_URL}/storage/v1/object/authenticated/films/one`, { headers });
  expect(read.headers.get('content-type')).toBe('video/mp4');
  expect(Buffer.from(await read.arrayBuffer()).equals(body)).toBe(true);
});
