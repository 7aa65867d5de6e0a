/** Tests connections with invalid HTTP, upgrades, pipelining, clients that disconnect, and the server's shutdown. */
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import type { Service } from '../../src/base/kernel/service.ts';
import { type GatewayServer, service, startGateway } from './harness.ts';

const webSockets = new WebSocketServer({ noServer: true });
let authorizationSeen: string | undefined;
let releaseSlow: () => void = () => {};
let slowStarted: () => void = () => {};

const sockets: Service = service('sockets', {
  prefix: '/sockets/v1',
  apiKeys: true,
  plugin: async (app) => {
    app.get('/plain', async (request) => ({ upgrade: request.headers.upgrade ?? null }));
    app.get('/slow', async () => {
      slowStarted();
      await new Promise<void>((resolve) => {
        releaseSlow = resolve;
      });
      return 'finished';
    });
  },
  upgrade: (request, socket, head) => {
    authorizationSeen = request.headers.authorization;
    if (request.url?.includes('throw')) throw new Error('on purpose');
    webSockets.handleUpgrade(request, socket, head, (client) =>
      client.on('message', (data) => client.send(data)),
    );
  },
});
const quiet: Service = service('quiet', {
  prefix: '/quiet/v1',
  plugin: async (app) => {
    app.get('/', async () => 'quiet');
    app.post('/', async () => 'quiet');
    app.get('/server', async ({ socket }) => {
      const { keepAliveTimeout, keepAliveTimeoutBuffer } = (socket as unknown as { server: Server }).server;
      return { keptMs: keepAliveTimeout + keepAliveTimeoutBuffer };
    });
  },
});

let server: GatewayServer | undefined;
afterEach(async () => {
  releaseSlow();
  await server?.gateway.close(100);
  server = undefined;
});
const start = async (): Promise<GatewayServer> => {
  server = await startGateway([sockets, quiet]);
  return server;
};
const upgrade = (path: string, offer = 'websocket', extra = '') =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: ${offer}\r\n${extra}sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n`;
const hasHead = (response: string): boolean => response.includes('\r\n\r\n');

describe('upgrades', () => {
  it('are routed to the service of the path, with the API key rules applied', async () => {
    const { raw, keys } = await start();
    const response = await raw(
      upgrade('/sockets/v1/x', 'websocket', `apikey: ${keys.secretKey}\r\n`),
      hasHead,
    );
    expect(response).toMatch(/^HTTP\/1\.1 101/);
    const seen = keys.verify(authorizationSeen?.replace('Bearer ', '') ?? '');
    expect(seen).toMatchObject({ ok: true, claims: { role: 'service_role' } });
    await raw(
      upgrade('/sockets/v1/x', 'websocket', `apikey: ${keys.secretKey}\r\nauthorization: Bearer own\r\n`),
      hasHead,
    );
    expect(authorizationSeen).toBe('Bearer own');
  });

  it('are treated as ordinary requests if they aren’t supported, such as HTTP/2 without TLS', async () => {
    const { raw } = await start();
    expect(await raw(upgrade('/sockets/v1/plain', 'h2c'), (response) => response.includes('}'))).toMatch(
      /^HTTP\/1\.1 200/,
    );
    expect(await raw(upgrade('/quiet/v1/'), (response) => response.includes('quiet'))).toMatch(
      /^HTTP\/1\.1 200/,
    );
    expect(await raw(upgrade('/nowhere'), hasHead)).toMatch(/^HTTP\/1\.1 404/);
    expect(await raw(upgrade('http://[/sockets/v1/x'), hasHead)).toMatch(/^HTTP\/1\.1 404/);
  });

  it('that fail close only their own socket', async () => {
    const { raw, fetch, lines } = await start();
    expect(await raw(upgrade('/sockets/v1/throw'))).toBe('');
    expect(lines.some(({ message }) => message === 'upgrade failed')).toBe(true);
    expect((await fetch('/health')).status).toBe(200);
  });

  it('whose client resets the connection don’t affect others', async () => {
    const { port, fetch } = await start();
    for (let count = 0; count < 10; count++) {
      const socket = connect(port, '127.0.0.1');
      socket.write(upgrade('/sockets/v1/x'), () => socket.resetAndDestroy());
      await new Promise((resolve) => socket.once('close', resolve));
    }
    expect((await fetch('/health')).status).toBe(200);
  });
});

describe('malformed HTTP', () => {
  it.each([
    [
      'both kinds of length',
      'POST /quiet/v1/ HTTP/1.1\r\nhost: x\r\ncontent-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nhost: x\r\n\r\n',
    ],
    [
      'two lengths',
      'POST /quiet/v1/ HTTP/1.1\r\nhost: x\r\ncontent-length: 6\r\ncontent-length: 5\r\n\r\nabcdef',
    ],
    [
      'chunked twice',
      'POST /quiet/v1/ HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'GET /quiet/v1/ HTTP/1.1\r\nhost: x\r\nx-a: b\r\n c\r\n\r\n'],
    ['a space before the colon', 'GET /quiet/v1/ HTTP/1.1\r\nhost : x\r\n\r\n'],
    ['a NUL in a header', 'GET /quiet/v1/ HTTP/1.1\r\nhost: x\r\nx-a: b\0c\r\n\r\n'],
    ['bare line feeds', 'GET /quiet/v1/ HTTP/1.1\nhost: x\n\n'],
    ['no host', 'GET /quiet/v1/ HTTP/1.1\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s is rejected once, and the connection ends', async (_name, text) => {
    const { raw } = await start();
    const response = await raw(text);
    expect(response).toMatch(/^HTTP\/1\.1 400/);
    expect(response.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it('headers over the limit return 431', async () => {
    const { raw } = await start();
    expect(await raw(`GET /health HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(40_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431/,
    );
    const many = await raw(`GET /health HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(8000)}\r\n`);
    expect(many).toMatch(/^HTTP\/1\.1 431/);
    expect(JSON.parse(many.split('\r\n\r\n')[1] ?? '')).toEqual({
      code: 'headers_too_large',
      message: 'The URL and headers together are larger than 32 KiB.',
    });
  });

  it('a URL over the limit returns 414, which browsers can read', async () => {
    const { raw } = await start();
    const response = await raw(`GET /health?${'a'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 414 URI Too Long/);
    expect(response).toContain('Access-Control-Allow-Origin: *');
    expect(response).toContain('"code":"uri_too_long"');
  });

  it('a request whose target isn’t a resource is rejected', async () => {
    const { raw } = await start();
    expect(await raw('CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n')).not.toContain('200');
    expect(await raw('OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 404/,
    );
  });
});

it('pipelined requests are answered in order', async () => {
  const { raw } = await start();
  const ask = (path: string, id: string, end = '') =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: pipeline-${id}\r\n${end}\r\n`;
  const response = await raw(
    ask('/health', '1') + ask('/nowhere', '2') + ask('/quiet/v1/', '3', 'connection: close\r\n'),
  );
  expect(response.match(/pipeline-\d|HTTP\/1\.1 \d+/g)).toEqual([
    'HTTP/1.1 200',
    'pipeline-1',
    'HTTP/1.1 404',
    'pipeline-2',
    'HTTP/1.1 200',
    'pipeline-3',
  ]);
});

it('a client that disconnects in the middle of its body or its response doesn’t affect others', async () => {
  const { port, fetch } = await start();
  for (const text of [
    'POST /quiet/v1/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"a"',
    'POST /quiet/v1/ HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc',
    'GET /sockets/v1/slow HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET /heal',
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.write(text, () => socket.resetAndDestroy());
    await new Promise((resolve) => socket.once('close', resolve));
  }
  expect((await fetch('/health')).status).toBe(200);
});

describe('a body that is too large', () => {
  const size = 64 * 1024 * 1024;
  const tooLarge = /^HTTP\/1\.1 413 .*\r\n\r\n[^\r\n]*too large/s;

  it.each([
    ['by its length', `content-length: ${size}\r\n\r\n`, ''],
    ['in chunks', `transfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  ])(
    '%s is read completely, so the client can read the error and send another request',
    async (_name, head, end) => {
      const { port } = await start();
      const socket = connect(port, '127.0.0.1');
      let response = '';
      socket.on('data', (data) => {
        response += data.toString('latin1');
      });
      const closed = new Promise<string>((resolve) => {
        socket.on('error', (error) => resolve(error.message));
        socket.on('close', () => resolve('closed'));
      });
      socket.write(`POST /quiet/v1/ HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${head}`);
      socket.write(Buffer.alloc(size, 'a'));
      socket.write(`${end}GET /quiet/v1/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(await closed).toBe('closed');
      expect(response).toMatch(tooLarge);
      expect(response).toMatch(/HTTP\/1\.1 200 .*quiet$/s);
    },
  );
});

describe('shutdown', () => {
  const isRefused = (port: number) =>
    new Promise((resolve) => {
      connect(port, '127.0.0.1')
        .on('error', () => resolve(true))
        .on('connect', () => resolve(false));
    });

  it('finishes current requests, closes idle connections and doesn’t accept new ones', async () => {
    const { port, fetch, gateway } = await start();
    const idle = connect(port, '127.0.0.1');
    idle.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await new Promise((resolve) => idle.once('data', resolve));
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    const started = new Promise<void>((resolve) => {
      slowStarted = resolve;
    });
    const slow = fetch('/sockets/v1/slow');
    await started;
    const closed = gateway.close(60_000);
    await idleClosed;
    expect(await isRefused(port)).toBe(true);
    releaseSlow();
    const response = await slow;
    expect([response.status, await response.text()]).toEqual([200, 'finished']);
    await closed;
  });

  it("aborts requests that don't finish within the grace period", async () => {
    const { fetch, gateway } = await start();
    const started = new Promise<void>((resolve) => {
      slowStarted = resolve;
    });
    const slow = fetch('/sockets/v1/slow').then(
      () => 'answered',
      () => 'cut',
    );
    await started;
    const before = performance.now();
    const closed = gateway.close(100);
    expect(await slow).toBe('cut');
    releaseSlow();
    await closed;
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it('doesn’t wait for an open WebSocket', async () => {
    const { url, gateway } = await start();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/sockets/v1/x`);
    await new Promise((resolve) => socket.once('open', resolve));
    const gone = new Promise((resolve) => socket.once('close', resolve));
    await gateway.close(100);
    await gone;
  });
});

it('an idle connection is kept longer than the advertised timeout, so late requests aren’t lost', async () => {
  const { url } = await start();
  const response = await fetch(`${url}/quiet/v1/server`);
  const told = Number(/timeout=(\d+)/.exec(response.headers.get('keep-alive') ?? '')?.[1]);
  expect(told).toBeGreaterThan(60);
  expect(await response.json()).toEqual({ keptMs: told * 1000 + 10_000 });
});

it.runIf(process.platform === 'linux')('the kernel probes idle clients (keepalive)', async () => {
  const { port } = await start();
  const client = connect(port, '127.0.0.1');
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  // Matches the fields `sl local remote state queues timer` for the server's side of an established connection (state
  // 01). Timer 02 is keepalive.
  const serverSide = new RegExp(`: [0-9A-F]{8}:${local} [0-9A-F:]+ 01 [0-9A-F:]+ (\\d\\d):`);
  const timer = async () => serverSide.exec(await readFile('/proc/net/tcp', 'utf8'))?.[1];
  await expect.poll(timer).toBe('02');
  client.destroy();
});
