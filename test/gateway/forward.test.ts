/**
 * Tests the 503 responses from an API worker in front of a main process. The worker sends these responses if it or the
 * main process is overloaded, and after the main process has exited.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Service } from '../../src/base/kernel/service.ts';
import { forwardedMount } from '../../src/server/gateway/index.ts';
import { sendTwice } from '../support/one-connection.ts';
import { type GatewayServer, service, startGateway } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-forward-'));
const mainSocket = join(folder, 'main');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Keeps the CPU busy, as parsing and planning a request does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const remote: Service = service('remote', {
  prefix: '/remote/v1',
  cors: 'open',
  overloaded: [
    { below: '/remote/v1/xml', type: 'application/xml', text: '<busy/>' },
    { type: 'application/problem+json', text: '{"busy":true}' },
  ],
  plugin: async (app) => {
    app.get('/*', async () => {
      work(2);
      return 'done';
    });
    app.options('/*', async () => 'done');
    const reject = async (_request: FastifyRequest, reply: FastifyReply) =>
      reply.code(413).header('connection', 'close').send('x'.repeat(400_000));
    app.post('/limited', { onRequest: reject }, async () => 'done');
  },
  upgrade: (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
});

const running: GatewayServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.gateway.close(100);
});

const never = { maxWaitMs: 600_000, maxWaiting: 100_000 };
const always = { maxWaitMs: 0, maxWaiting: 1000 };

/**
 * Starts a worker, and a main process unless `main` is undefined. Both gateways run in the test's process, so they
 * share a CPU core.
 */
async function startPair(main: typeof never | undefined, worker: typeof never): Promise<GatewayServer> {
  if (main !== undefined)
    running.push(await startGateway([remote], { mainSocket, limits: { dispatch: main } }));
  const forward = { socketPath: mainSocket, mounts: remote.mounts.map(forwardedMount) };
  const front = await startGateway([], { forward, limits: { dispatch: worker } });
  running.unshift(front);
  return front;
}

const get = (path: string, extra = ''): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${extra}\r\n`;

/** Sends each request over a new connection, all at the same time, and returns the responses. */
async function flood(port: number, requests: readonly string[]): Promise<string[]> {
  const sockets = await Promise.all(
    requests.map(async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  return Promise.all(
    sockets.map(
      (socket, index) =>
        new Promise<string>((resolve, reject) => {
          let text = '';
          socket.on('data', (data) => {
            text += data.toString('latin1');
            const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
            const start = text.indexOf('\r\n\r\n');
            if (start < 0 || text.length < start + 4 + length) return;
            resolve(text);
            socket.destroy();
          });
          socket.on('error', reject);
          socket.write(requests[index] as string);
        }),
    ),
  );
}

const kinds = [get('/remote/v1/a'), get('/remote/v1/xml/a'), get('/nowhere')];
const bodies = ['{"busy":true}', '<busy/>', '"code":"overloaded"'];

const isRejected = (text: string): boolean => text.startsWith('HTTP/1.1 503');

/**
 * Floods the server with requests until it has rejected a request of each kind. The required number of requests depends
 * on the machine's speed.
 */
async function floodUntilRejected(port: number): Promise<string[]> {
  const responses: string[] = [];
  const lacksKind = (): boolean =>
    kinds.some(
      (_, kind) => !responses.some((text, index) => index % kinds.length === kind && isRejected(text)),
    );
  for (let round = 0; round < 50 && lacksKind(); round++)
    responses.push(...(await flood(port, Array.from({ length: 40 }, () => kinds).flat())));
  return responses;
}

/** Checks the error responses for each kind of request. */
function checkRejections(responses: readonly string[]): void {
  for (const [kind, body] of bodies.entries()) {
    const rejected = responses.filter((text, index) => index % kinds.length === kind && isRejected(text));
    expect([kinds[kind], rejected.length > 0]).toEqual([kinds[kind], true]);
    for (const text of rejected) {
      expect(text).toContain(body);
      expect(text).toMatch(/retry-after: [1-9]/i);
      expect(text).toContain('access-control-allow-origin: *');
      expect(text).toContain('access-control-expose-headers: retry-after');
      expect(text.match(/x-request-id/gi)).toHaveLength(1);
    }
  }
}

test('an overloaded worker rejects the main process’s requests in the format of their service', async () => {
  const { port, gateway } = await startPair(never, always);
  checkRejections(await floodUntilRejected(port));
  expect(gateway.queue()?.rejectedByPrefix.get('/remote/v1')).toBeGreaterThan(0);
});

test('the rejections of an overloaded main process pass through the worker unchanged', async () => {
  const { port, gateway } = await startPair(always, never);
  checkRejections(await floodUntilRejected(port));
  expect(gateway.queue()?.rejected).toBe(0);
});

test('an overloaded worker still responds to preflight requests and probes', async () => {
  const { port } = await startPair(never, always);
  const preflight =
    'OPTIONS /remote/v1/a HTTP/1.1\r\nhost: x\r\norigin: https://app.example\r\naccess-control-request-method: GET\r\n\r\n';
  const requests = [get('/remote/v1/a'), preflight, get('/health/ready')];
  const responses: string[] = [];
  for (let round = 0; round < 50 && !responses.some(isRejected); round++)
    responses.push(...(await flood(port, Array.from({ length: 40 }, () => requests).flat())));
  for (const exempt of [1, 2])
    expect(
      responses.filter((text, index) => index % 3 === exempt && !text.startsWith('HTTP/1.1 200')),
    ).toEqual([]);
  expect(responses.some(isRejected)).toBe(true);
});

test('without a main process, requests and upgrades fail in the format of their service', async () => {
  const { port } = await startPair(undefined, never);
  checkRejections(await flood(port, kinds));
});

test('the response to a body that is too large arrives, although the main process closes the connection', async () => {
  const { port } = await startPair(never, never);
  const url = `http://127.0.0.1:${port}/remote/v1/limited`;
  for (const size of [2_000, 300_000, 20_000_000]) {
    const headers = { 'content-type': 'application/json' };
    const responses = await sendTwice(url, { method: 'POST', headers, body: Buffer.alloc(size, ' ') });
    expect(responses.map(({ status, body }) => [status, body.length])).toEqual(Array(2).fill([413, 400_000]));
  }
});
