/**
 * Tests that an API worker passes on exactly one request for each request it receives, regardless of the method and of
 * how the body's length is specified. The connections between the processes are shared by all clients, and the main
 * process trusts the addresses that a worker sends. A body without a length would be read as the next request.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { forwardedMount } from '../../src/server/gateway/index.ts';
import { type GatewayServer, service, startGateway } from '../gateway/harness.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly address: string;
  readonly body: string;
}

const methods = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH'] as const;
const hidden = 'GET /remote/hidden HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.66\r\n\r\n';

const folder = mkdtempSync(join(tmpdir(), 'plinth-smuggling-'));
let seen: Seen[] = [];
let main: GatewayServer;
let worker: GatewayServer;
beforeAll(async () => {
  const remote = service('remote', {
    prefix: '/remote',
    plugin: async (app) => {
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', (_request, _body, done) => done(null));
      app.route({
        method: [...methods],
        url: '/*',
        handler: async ({ method, url, ip, raw }) => {
          let body = '';
          for await (const chunk of raw) body += chunk;
          seen.push({ method, url, address: ip, body });
          return url;
        },
      });
    },
  });
  const mainSocket = join(folder, 'main');
  main = await startGateway([remote], { mainSocket });
  const forward = { socketPath: mainSocket, mounts: remote.mounts.map(forwardedMount) };
  worker = await startGateway([], { forward });
});
afterAll(async () => {
  await worker?.gateway.close(100);
  await main?.gateway.close(100);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  seen = [];
});

const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
const framings: readonly (readonly [name: string, head: string, body: string])[] = [
  ['Content-Length', `content-length: ${hidden.length}`, hidden],
  ['chunks', 'transfer-encoding: chunked', chunked],
  [
    'a Content-Length that Connection lists',
    `connection: content-length\r\ncontent-length: ${hidden.length}`,
    hidden,
  ],
  [
    'chunks, and headers that Connection lists',
    'connection: transfer-encoding, content-length, host, x-forwarded-for\r\ntransfer-encoding: chunked',
    chunked,
  ],
];

test.each(methods.flatMap((method) => framings.map((framing) => [method, ...framing] as const)))(
  'the body of a %s request with %s stays a body',
  async (method, _name, head, body) => {
    const first = `${method} /remote/first HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${head}\r\n\r\n${body}`;
    const second = 'GET /remote/second HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const responses = await worker.raw(first + second);
    expect(responses.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(responses.endsWith('/remote/second')).toBe(true);
    expect(seen).toEqual([
      { method, url: '/remote/first', address: '127.0.0.1', body: hidden },
      { method: 'GET', url: '/remote/second', address: '127.0.0.1', body: '' },
    ]);
  },
);
