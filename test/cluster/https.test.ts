/**
 * Tests HTTPS through API workers. After a certificate is replaced, every worker presents the new certificate, and open
 * connections stay open.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { PemPair } from '../../src/base/kernel/tls.ts';
import { type CertificateAuthority, createAuthority } from '../support/certificate-authority.ts';
import { certificateAt } from '../support/https.ts';
import { startWorld, type World } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-cluster-https-'));
const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
const host = 'api.example.com';
let authority: CertificateAuthority;
let world: World;
let port: number;

/** Replaces both files, as certbot does. */
function install(pair: PemPair): void {
  for (const [path, content] of [
    [cert, pair.cert],
    [key, pair.key],
  ] as const) {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  }
}

/** Sends a request over the agent's connection. */
const get = (agent: Agent, path: string): Promise<{ status: number | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    const headers = { apikey: world.backend.keys.publishableKey };
    request(
      { host: '127.0.0.1', port, path, servername: host, ca: authority.root, agent, headers },
      (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      },
    )
      .on('error', reject)
      .end();
  });
const singleConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });

/**
 * Returns the serial numbers of both workers' certificates, because new connections are passed to the workers in turn.
 */
async function serials(): Promise<string[]> {
  const seen: string[] = [];
  for (let count = 0; count < 4; count++) seen.push((await certificateAt(port, host)).serialNumber);
  return [...new Set(seen)];
}

beforeAll(async () => {
  authority = await createAuthority();
  install(await authority.issue([host]));
  world = await startWorld({
    sql: 'create table public.notes (id int); grant select on public.notes to anon',
    config: { api: { tls: { enabled: true, cert_path: cert, key_path: key } } },
  });
  port = Number(new URL(world.backend.url).port);
});
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('works for REST, forwarded requests and WebSockets of clients that verify the certificate', async () => {
  for (const agent of [singleConnection(), singleConnection()]) {
    expect(await get(agent, '/rest/v1/notes')).toEqual({ status: 200, body: '[]' });
    expect((await get(agent, '/auth/v1/health')).status).toBe(200);
    agent.destroy();
  }
  const { publishableKey } = world.backend.keys;
  const socket = new WebSocket(
    `wss://127.0.0.1:${port}/realtime/v1/websocket?apikey=${publishableKey}&vsn=1.0.0`,
    { agent: new Agent({ ca: authority.root, servername: host }) },
  );
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.terminate();
});

it('uses a replaced certificate on every worker, and open connections stay open', async () => {
  const before = await serials();
  expect(before).toHaveLength(1);
  const agents = [singleConnection(), singleConnection()];
  for (const agent of agents) expect((await get(agent, '/rest/v1/notes')).status).toBe(200);
  install(await authority.issue([host]));
  await expect
    .poll(async () => (await serials()).filter((serial) => before.includes(serial)), { timeout: 30_000 })
    .toEqual([]);
  for (const agent of agents) {
    expect((await get(agent, '/rest/v1/notes')).status).toBe(200);
    // The agent opens a second connection only if the first one was closed.
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    agent.destroy();
  }
});

it('uses the new certificate on a worker that is started later', async () => {
  const before = await serials();
  await world.backend.restartWorkers();
  expect(await serials()).toEqual(before);
});

it('keeps the certificate if the new files are invalid', async () => {
  const before = await serials();
  writeFileSync(key, 'not a key');
  const warned = () => world.entries.filter(({ level }) => level === 'warn' || level === 'error');
  await expect
    .poll(() => warned().some(({ message }) => /certificate/i.test(message)), { timeout: 30_000 })
    .toBe(true);
  expect(await serials()).toEqual(before);
  for (const client of [singleConnection(), singleConnection()]) {
    expect((await get(client, '/rest/v1/notes')).status).toBe(200);
    client.destroy();
  }
});
