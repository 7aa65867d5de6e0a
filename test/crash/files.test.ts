/**
 * Tests a server process that has run out of file descriptors. The process keeps running, and responds to each request
 * that it can't process with an error in the service's format. The process accepts all requests again as soon as
 * descriptors are free.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const plinth = fileURLToPath(new URL('../../bin/plinth.mjs', import.meta.url));
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-files-'));
const fileLimit = 200;
const isLinux = process.platform === 'linux';

interface Ready {
  readonly API_URL: string;
  readonly ANON_KEY: string;
  readonly SERVICE_ROLE_KEY: string;
}

let child: ChildProcess;
let ready: Ready;
let errors = '';

beforeAll(async () => {
  if (!isLinux) return;
  mkdirSync(join(projectDir, 'supabase', 'migrations'), { recursive: true });
  for (const name of ['early', 'late']) {
    mkdirSync(join(projectDir, 'supabase', 'functions', name), { recursive: true });
    writeFileSync(
      join(projectDir, 'supabase', 'functions', name, 'index.ts'),
      `Deno.serve(() => new Response('${name}'));`,
    );
  }
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "files"\n');
  writeFileSync(
    join(projectDir, 'supabase', 'migrations', '20260101000000_notes.sql'),
    `create table public.notes (id int primary key);
     insert into public.notes values (1);
     grant select on public.notes to anon;
     insert into storage.buckets (id, name, public) values ('files', 'files', true);`,
  );
  const args = [plinth, 'start', '--workdir', projectDir, '--port', '0', '--json'];
  child = spawn('/bin/sh', ['-c', `ulimit -n ${fileLimit}; exec "$0" "$@"`, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  ready = await new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', (line) =>
      resolve(JSON.parse(line)),
    );
    child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}:\n${errors}`)));
  });
});
afterAll(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
  }
  rmSync(projectDir, { recursive: true, force: true });
});

const openFiles = (): number => readdirSync(`/proc/${child.pid}/fd`).length;

interface Reply {
  readonly status: number | undefined;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

/** Sends a request over the agent's connection. */
function send(agent: Agent, path: string, { method = 'GET', key = ready.ANON_KEY, body = '' } = {}) {
  return new Promise<Reply>((resolve, reject) => {
    const headers = { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${ready.API_URL}${path}`, { agent, method, headers }, (response) => {
      text(response).then((read) => {
        resolve({
          status: response.statusCode,
          body: read,
          retryAfter: response.headers['retry-after'],
        });
      }, reject);
    });
    sent.on('error', reject).end(body);
  });
}

/** Sends a request of each kind over new connections, and returns the status of each response. */
async function statuses(): Promise<Record<string, number | undefined>> {
  const agent = new Agent();
  const upload = { method: 'POST', key: ready.SERVICE_ROLE_KEY, body: 'hello' };
  const account = { email: `user${performance.now()}@example.com`, password: 'correct horse battery' };
  const sent = {
    rest: send(agent, '/rest/v1/notes'),
    storage: send(agent, `/storage/v1/object/files/${performance.now()}`, upload),
    download: send(agent, '/storage/v1/object/public/files/small'),
    auth: send(agent, '/auth/v1/signup', { method: 'POST', body: JSON.stringify(account) }),
    early: send(agent, '/functions/v1/early'),
    late: send(agent, '/functions/v1/late'),
    health: send(agent, '/health/ready'),
  };
  const found = await Promise.all(
    Object.entries(sent).map(async ([name, reply]) => [name, (await reply.catch(() => undefined))?.status]),
  );
  agent.destroy();
  return Object.fromEntries(found);
}

/** Starts a download over a new connection, but reads only the head of the response. */
function stalledDownload(sockets: Socket[]): Promise<string> {
  const { hostname, port } = new URL(ready.API_URL);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write('GET /storage/v1/object/public/files/large HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    sockets.push(socket);
    socket.once('data', (data) => {
      socket.pause();
      resolve(data.toString('latin1'));
    });
    socket.once('error', () => resolve(''));
    socket.once('close', () => resolve(''));
  });
}

describe.runIf(isLinux)('without a free file descriptor', () => {
  it('requests that need one are rejected, and the server keeps running and recovers', async () => {
    const own = new Agent({ keepAlive: true, maxSockets: 1 });
    const owner = { method: 'POST', key: ready.SERVICE_ROLE_KEY };
    const large = { ...owner, body: 'x'.repeat(16 * 1024 * 1024) };
    expect((await send(own, '/storage/v1/object/files/large', large)).status).toBe(200);
    expect((await send(own, '/storage/v1/object/files/small', { ...owner, body: 'x' })).status).toBe(200);
    expect((await send(own, '/functions/v1/early')).body).toBe('early');

    // Each download needs a descriptor for its connection and one for its file.
    const sockets: Socket[] = [];
    const heads: string[] = [];
    while (openFiles() < fileLimit - 1 && sockets.length < 2 * fileLimit)
      heads.push(...(await Promise.all(Array.from({ length: 8 }, () => stalledDownload(sockets)))));
    expect(openFiles()).toBeGreaterThanOrEqual(fileLimit - 1);
    for (let count = 0; count < 24; count++) heads.push(await stalledDownload(sockets));
    const rejected = heads.filter((head) => head.startsWith('HTTP/1.1 5'));
    for (const head of rejected) {
      expect(head).toMatch(/^HTTP\/1\.1 503 /);
      expect(head).toMatch(/retry-after: \d/i);
      expect(head).toMatch(/"code":"(SlowDown|overloaded|too_many_connections)"/);
    }

    // Requests on a connection that was already open succeed.
    expect((await send(own, '/health/live')).status).toBe(200);
    // All other requests succeed or are rejected in the service's error format.
    const upload = { ...owner, body: 'y' };
    for (const [path, code, options] of [
      ['/functions/v1/late', 'OVERLOADED', {}],
      ['/storage/v1/object/public/files/small', 'SlowDown', {}],
      ['/storage/v1/object/files/new', 'SlowDown', upload],
    ] as const) {
      const { status, retryAfter, body } = await send(own, path, options);
      expect([path, status]).toEqual([path, status === 200 ? 200 : 503]);
      if (status === 200) continue;
      expect([path, retryAfter, JSON.parse(body).code]).toEqual([path, '1', code]);
    }
    await statuses();
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);

    for (const socket of sockets) socket.destroy();
    await expect
      .poll(statuses, { timeout: 30_000 })
      .toEqual({ rest: 200, storage: 200, download: 200, auth: 200, early: 200, late: 200, health: 200 });
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    expect(errors).not.toContain('Uncaught');
    own.destroy();
  });
});
