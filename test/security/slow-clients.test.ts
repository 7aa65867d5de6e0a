/**
 * Tests that clients can't keep the server busy with little effort, for example with slow requests and bodies, slow
 * reads, or too many connections or sockets. Slow but legitimate clients must not be affected. The limits are low so
 * that the tests are fast.
 */
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { type GatewayServer, service, startGateway } from '../gateway/harness.ts';

const megabyte = Buffer.alloc(1024 * 1024, 'x');

const limits = {
  headerTimeoutMs: 400,
  minBytesPerSecond: 1000,
  bodyWindowMs: 600,
  answerWindowMs: 600,
  maxConnections: 1000,
  maxConnectionsPerAddress: 1000,
};

let begun = 0;
let finished = 0;
const echo = service('echo', {
  prefix: '/echo',
  plugin: async (app) => {
    app.addContentTypeParser('application/octet-stream', (_request, _body, done) => done(null));
    app.post('/read', async ({ raw }) => {
      begun += 1;
      let size = 0;
      for await (const chunk of raw) size += chunk.length;
      finished += 1;
      return { size };
    });
    // A route that waits before it reads the body.
    app.post('/late', async ({ raw }) => {
      await sleep(1800);
      let size = 0;
      for await (const chunk of raw) size += chunk.length;
      return { size };
    });
    app.get('/large', async () => Buffer.concat(Array.from({ length: 40 }, () => megabyte)));
    app.get('/quiet', async (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.raw.write('data: 1\n\n');
      setTimeout(() => reply.raw.end('data: 2\n\n'), 2000);
    });
    app.get('/held', async () => {
      await sleep(700);
      return 'held';
    });
    app.get('/', async () => 'here');
  },
  upgrade: (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  },
});

let server: GatewayServer | undefined;
afterEach(async () => {
  await server?.gateway.close(100);
  server = undefined;
});
const start = async (more: object = {}, trustedProxies: string[] = []): Promise<GatewayServer> => {
  server = await startGateway([echo], { limits: { ...limits, ...more }, trustedProxies });
  return server;
};

/**
 * Sends a request's head and then small parts of its body at intervals. Returns the response when the server closes the
 * connection.
 */
function trickle(port: number, head: string, bit: string | undefined, everyMs = 50): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let response = '';
    const timer = setInterval(() => bit !== undefined && socket.write(bit), everyMs);
    socket.on('data', (data) => {
      response += data;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(response);
    });
    socket.write(head);
  });
}

const within = <T>(ms: number, promise: Promise<T>): Promise<T | 'still open'> =>
  Promise.race([promise, sleep(ms, 'still open' as const)]);
const post = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: ${length}\r\n\r\n`;

describe('slow requests', () => {
  it('a connection that sends nothing is closed', async () => {
    const { port } = await start();
    expect(await within(3000, trickle(port, '', undefined))).not.toBe('still open');
  });

  it('endless headers get a 408', async () => {
    const { port } = await start();
    const response = await within(3000, trickle(port, 'GET /echo/ HTTP/1.1\r\n', 'x-a: b\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
  });

  it.each(['content-length', 'chunked'])('a slow body gets a 408 (%s)', async (kind) => {
    const { port } = await start();
    begun = finished = 0;
    const head =
      kind === 'chunked'
        ? 'POST /echo/read HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n'
        : post('/echo/read', 1_000_000);
    const response = await within(4000, trickle(port, head, kind === 'chunked' ? '1\r\nx\r\n' : 'x'));
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    expect(response).toContain('request_timeout');
    // The service detects the aborted request and doesn't process a partial body.
    expect([begun, finished]).toEqual([1, 0]);
  });

  it('a client that stops sending after some time gets a 408', async () => {
    const { port } = await start();
    const response = await within(
      4000,
      trickle(port, post('/echo/read', 1_000_000) + 'x'.repeat(200_000), undefined),
    );
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a slow upload above the minimum rate succeeds, including pauses shorter than the window', async () => {
    const { port } = await start();
    const size = 12_000;
    const response = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (data) => {
        text += data;
        if (text.includes('}')) socket.destroy();
      });
      socket.on('close', () => resolve(text));
      socket.write(post('/echo/read', size));
      void (async () => {
        for (let sent = 0; sent < size; sent += 1000) {
          await sleep(sent === 6000 ? 500 : 250);
          socket.write('x'.repeat(1000));
        }
      })();
    });
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain(`{"size":${size}}`);
  });

  it('a request that waits for its service isn’t aborted', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/echo/late`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: megabyte,
    });
    expect(await response.json()).toEqual({ size: megabyte.length });
  });
});

describe('slow responses', () => {
  /** Resolves with the number of received bytes when the server closes the connection. */
  const readSlowly = (port: number, path: string, bytesPerRead: number, everyMs: number) => {
    const socket = connect(port, '127.0.0.1');
    let size = 0;
    socket.pause();
    const timer = setInterval(() => {
      for (let left = bytesPerRead; left > 0; ) {
        const chunk: Buffer | null = socket.read(Math.min(left, socket.readableLength)) ?? null;
        if (chunk === null) break;
        left -= chunk.length;
        size += chunk.length;
      }
    }, everyMs);
    socket.on('error', () => undefined);
    socket.on('close', () => clearInterval(timer));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    return { socket, all: new Promise<number>((resolve) => socket.on('close', () => resolve(size))) };
  };

  it('a response is aborted if the client barely reads it', async () => {
    const { gateway, port } = await start();
    const { socket } = readSlowly(port, '/echo/large', 1, 100);
    await sleep(2500);
    // `close` waits for responses in progress, but no such responses are left.
    const startedAt = performance.now();
    await gateway.close(20_000);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    server = undefined;
    socket.destroy();
  });

  it('a slow reader above the minimum rate receives everything', async () => {
    const { port } = await start();
    const { all } = readSlowly(port, '/echo/large', 64 * 1024, 4);
    expect(await all).toBeGreaterThan(40 * megabyte.length);
  });

  it('a stream without events stays open', async () => {
    const { url } = await start();
    expect(await (await fetch(`${url}/echo/quiet`)).text()).toBe('data: 1\n\ndata: 2\n\n');
  });
});

describe('connections', () => {
  const open = (port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.on('error', reject);
    });

  it('above the limit get a 503, and are accepted again when others have left', async () => {
    const { port, raw } = await start({ maxConnections: 4, headerTimeoutMs: 20_000 });
    const held = await Promise.all(Array.from({ length: 4 }, () => open(port)));
    const ask = (): Promise<string> => raw('GET /echo/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const refused = await ask();
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused.toLowerCase()).toContain('retry-after: 5');
    expect(refused).toContain('too_many_connections');
    for (const socket of held) socket.destroy();
    await expect.poll(ask).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are limited per address: requests and sockets together, IPv6 by /64', async () => {
    const { port, url } = await start({ maxConnectionsPerAddress: 3 }, ['127.0.0.1']);
    const ask = (path: string, address: string): Promise<Response> =>
      fetch(`${url}/echo${path}`, { headers: { 'x-forwarded-for': address } });
    for (const [many, other] of [
      [['203.0.113.9'], '203.0.113.10'],
      [['2001:db8::1', '2001:db8::ffff', '2001:db8:0:0:5::1'], '2001:db8:0:1::1'],
    ] as const) {
      const of = (index: number): string => many[index % many.length] as string;
      const socket = new WebSocket(`ws://127.0.0.1:${port}/echo/x`, {
        headers: { 'x-forwarded-for': of(0) },
      });
      await new Promise((resolve) => socket.on('open', resolve));
      const held = [ask('/held', of(1)), ask('/held', of(2))];
      await sleep(200);
      const refused = await ask('/', of(0));
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({ code: 'too_many_connections_from_address' });
      const second = new WebSocket(`ws://127.0.0.1:${port}/echo/x`, {
        headers: { 'x-forwarded-for': of(1) },
      });
      expect(await new Promise((resolve) => second.on('error', (error) => resolve(error.message)))).toMatch(
        /429/,
      );
      expect((await ask('/', other)).status).toBe(200);
      expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
      socket.terminate();
      await expect
        .poll(async () =>
          (await Promise.all([0, 1, 2].map((index) => ask('/', of(index))))).map(({ status }) => status),
        )
        .toEqual([200, 200, 200]);
    }
  });

  it('from this machine aren’t limited by address, because they may come from a proxy', async () => {
    const { url } = await start({ maxConnectionsPerAddress: 1 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/echo/held`)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('realtime sockets', () => {
  let backend: Backend | undefined;
  afterEach(async () => {
    await backend?.stop();
    backend = undefined;
  });
  const startBackend = async (
    settings: NonNullable<NonNullable<PartialConfig['plinth']>['server']>,
  ): Promise<Backend> => {
    backend = await createTestBackend({
      config: { plinth: { server: { trusted_proxies: ['127.0.0.1'], ...settings } } },
    });
    return backend;
  };
  const dial = (address: string): WebSocket => {
    const { url, keys } = backend as Backend;
    return new WebSocket(
      `${url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0&apikey=${keys.publishableKey}`,
      { headers: { 'x-forwarded-for': address } },
    );
  };
  const outcome = (socket: WebSocket): Promise<string> =>
    new Promise((resolve) => {
      socket.on('open', () => resolve('open'));
      socket.on('error', (error) => resolve(error.message));
    });
  const join = (socket: WebSocket, accessToken?: string): Promise<string> =>
    new Promise((resolve) => {
      socket.on('message', (data) => resolve(String(data)));
      const payload = { config: {}, ...(accessToken && { access_token: accessToken }) };
      socket.send(
        JSON.stringify({ topic: 'realtime:x', event: 'phx_join', payload, ref: '1', join_ref: '1' }),
      );
    });
  const user = (): string =>
    (backend as Backend).keys.sign({
      role: 'authenticated',
      sub: randomBytes(4).toString('hex'),
      exp: Math.floor(Date.now() / 1000) + 600,
    });

  it('without a user are limited per address, and those with a user aren’t counted', async () => {
    await startBackend({ max_anonymous_sockets_per_address: 3 });
    const sockets = Array.from({ length: 3 }, () => dial('203.0.113.9'));
    expect(await Promise.all(sockets.map(outcome))).toEqual(['open', 'open', 'open']);
    expect(await outcome(dial('203.0.113.9'))).toContain('429');
    expect(await outcome(dial('203.0.113.10'))).toBe('open');
    const [first, second, third] = sockets as [WebSocket, WebSocket, WebSocket];
    // A socket stops counting if it receives a user's token or is closed, but not if it receives an invalid token.
    expect(await join(second, 'nonsense')).toContain('error');
    expect(await outcome(dial('203.0.113.9'))).toContain('429');
    expect(await join(first, user())).toContain('"status":"ok"');
    expect(await outcome(dial('203.0.113.9'))).toBe('open');
    third.terminate();
    await expect.poll(() => outcome(dial('203.0.113.9'))).toBe('open');
  });

  it('without a user have a total limit', async () => {
    await startBackend({ max_anonymous_sockets: 4 });
    const sockets = Array.from({ length: 4 }, (_, index) => dial(`203.0.113.${index}`));
    expect(await Promise.all(sockets.map(outcome))).toEqual(['open', 'open', 'open', 'open']);
    expect(await outcome(dial('127.0.0.1'))).toContain('429');
    expect(await join(sockets[0] as WebSocket, user())).toContain('"status":"ok"');
    expect(await outcome(dial('203.0.113.9'))).toBe('open');
  });

  it('that never join are closed, regardless of heartbeats and rejected joins, and those that joined stay open', async () => {
    await startBackend({ join_timeout: 1500 });
    const [idle, refused, joined] = [dial('203.0.113.1'), dial('203.0.113.2'), dial('203.0.113.3')];
    const closed = new Set<WebSocket>();
    for (const socket of [idle, refused, joined]) socket.on('close', () => closed.add(socket));
    await Promise.all([idle, refused, joined].map(outcome));
    expect(await join(joined)).toContain('"status":"ok"');
    const beat = JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '9' });
    const beats = setInterval(() => {
      for (const socket of [idle, refused, joined]) if (socket.readyState === 1) socket.send(beat);
    }, 300);
    void join(refused, 'nonsense');
    await expect.poll(() => closed.size).toBe(2);
    await sleep(1500);
    clearInterval(beats);
    expect(closed.has(joined)).toBe(false);
  });
});
