/** Tests the order of an upload's system calls (bytes, name, row, response), which strace records. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type StorageServer, startStorage } from './server.ts';

const calls =
  'fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,read,write,writev,pwrite64,sendto,sendmsg';

/** Matches PostgreSQL's message that it is ready for the next query outside of a transaction. */
const committed = /read\(\d+<socket:.*Z\\0\\0\\0\\5I/;

/** Whether strace is available and the user is allowed to trace this process. */
function mayTrace(): boolean {
  if (process.platform !== 'linux') return false;
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const { stderr } = spawnSync('timeout', ['1', 'strace', '-e', 'trace=none', '-p', String(child.pid)], {
    encoding: 'utf8',
  });
  child.kill('SIGKILL');
  return /attached/.test(stderr ?? '');
}

describe.skipIf(!mayTrace())('acknowledged changes survive a power failure (requires strace)', () => {
  let server: StorageServer;
  let directory: string;
  beforeAll(async () => {
    server = await startStorage();
    directory = await mkdtemp(join(tmpdir(), 'plinth-strace-'));
    await server.client().from('open').upload('first', 'a body');
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Returns strace's output for this process while `work` runs. */
  async function traced(work: () => Promise<void>): Promise<string[]> {
    const out = join(directory, 'trace');
    const args = ['-f', '-y', '-s', '8000', '-e', `trace=${calls}`, '-o', out, '-p', String(process.pid)];
    const strace: ChildProcess = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    if (strace.stderr) await once(strace.stderr, 'data');
    await work();
    const ended = once(strace, 'exit');
    strace.kill('SIGINT');
    await ended;
    // If another thread interrupts a call, strace prints the call in two lines, and the second line counts.
    return (await readFile(out, 'utf8')).split('\n');
  }

  /** Throws unless the lines contain all steps in this order. */
  function requireOrder(lines: readonly string[], steps: readonly [string, RegExp][]): void {
    let at = -1;
    for (const [step, pattern] of steps) {
      const next = lines.findIndex((line, index) => index > at && pattern.test(line));
      expect(next, `${step} after line ${at} of\n${lines.join('\n').slice(0, 20_000)}`).toBeGreaterThan(at);
      at = next;
    }
  }

  const isSynced: readonly [string, RegExp][] = [
    ['fsync of the file', /fsync\(\d+<[^>]*\/objects\/[0-9a-f]{2}\/[0-9a-f-]{36}>/],
    ['fsync of the folder', /fsync\(\d+<[^>]*\/objects\/[0-9a-f]{2}>/],
    ['the row', /<socket:.*eTag/],
    ['its commit', committed],
    ['the answer', /HTTP\/1\.1 200 OK/],
  ];

  test('a small upload is flushed before it is acknowledged', async () => {
    const lines = await traced(async () => {
      const response = await server.request('/object/open/traced', { method: 'POST', body: 'some bytes' });
      expect(response.status).toBe(200);
    });
    requireOrder(lines, [['the bytes', /write\w*\(\d+<[^>]*\/objects\/[^>]*>.*some bytes/], ...isSynced]);
  });

  test('a large upload is flushed before it is acknowledged', async () => {
    const lines = await traced(async () => {
      const body = Buffer.alloc(600_000, 'some bytes ');
      const response = await server.request('/object/open/traced-large', { method: 'POST', body });
      expect(response.status).toBe(200);
    });
    requireOrder(lines, [
      ['the bytes', /write\w*\(\d+<[^>]*\/partial\/[^>]*>.*some bytes/],
      ['the file gets its name', /rename\w*\(.*\/partial\/.*\/objects\//],
      ...isSynced,
    ]);
  });

  test('the last chunk of a resumable upload is flushed before it is acknowledged', async () => {
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    const made = await server.request('/upload/resumable', {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': `bucketName ${encoded('open')},objectName ${encoded('chunks')}`,
      },
    });
    const path = new URL(made.headers.get('location') ?? '').pathname.slice('/storage/v1'.length);
    const lines = await traced(async () => {
      const response = await server.request(path, {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
        },
        body: 'some bytes',
      });
      expect(response.status).toBe(204);
    });
    requireOrder(lines, [
      ['the bytes', /write\w*\(\d+<[^>]*\/resumable\/[^>]*>.*some bytes/],
      ['fdatasync of the file', /fdatasync\(\d+<[^>]*\/resumable\//],
      ['the object gets its name', /rename\w*\(.*\/partial\/.*\/objects\//],
      ['fsync of the folder', /fsync\(\d+<[^>]*\/objects\/[0-9a-f]{2}>/],
      ['the row', /<socket:.*eTag/],
      ['its commit', committed],
      ['the answer', /HTTP\/1\.1 204 No Content/],
    ]);
  });

  test('a removal deletes the row before the body', async () => {
    await eventually(async () => (await server.files()).intents.length === 0);
    const lines = await traced(async () => {
      await server.client().from('open').remove(['traced']);
      await eventually(async () => (await server.files()).intents.length === 0);
    });
    const row: [string, RegExp] = ['the commit of the row', /<socket:.*commit/];
    requireOrder(lines, [row, ['the answer', /HTTP\/1\.1 200 OK/]]);
    requireOrder(lines, [row, ['the bytes', /unlink\w*\(.*\/objects\//]]);
  });
});
