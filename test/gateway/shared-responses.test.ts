/** Tests responses that all requests for a path get, which the gateway sends without calling the router. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedJson } from '../../src/base/shared/http/shared-json.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Backend } from '../../src/server/backend/types.ts';
import { type GatewayServer, service, startGateway } from './harness.ts';

let content = { text: 'grüße' };
let routed = 0;
const prepared = preparedJson(
  () => content,
  (value) => value,
  ['cache-control', 'max-age=1'],
);
const shared = service('shared', {
  prefix: '/shared/v1',
  cors: 'open',
  exposeHeaders: ['X-One'],
  apiKeys: true,
  sameForAll: (path) => (path === '/content' ? prepared() : undefined),
  plugin: async (app) => {
    app.get('/content', async (_request, reply) => {
      routed++;
      reply.header('cache-control', 'max-age=1');
      return content;
    });
    app.get('/other', async () => 'other');
  },
});

let server: GatewayServer;
beforeAll(async () => {
  server = await startGateway([shared]);
});
afterAll(() => server.gateway.close(100));

describe('a shared response', () => {
  it('is the same as the response of the route', async () => {
    const headers = { 'x-request-id': 'request-of-test' };
    const sent = await server.fetch('/shared/v1/content?x=1', { headers });
    expect(routed).toBe(0);
    const fromRouter = await server.gateway.fetch('/shared/v1/content?x=1', { headers });
    expect(routed).toBe(1);
    expect(await sent.json()).toEqual(await fromRouter.json());
    const ofConnection = ['connection', 'date', 'keep-alive'];
    const fields = (response: Response) =>
      Object.fromEntries([...response.headers].filter(([name]) => !ofConnection.includes(name)));
    const { 'x-content-type-options': nosniff, ...rest } = fields(sent);
    expect(nosniff).toBe('nosniff');
    expect(rest).toEqual(fields(fromRouter));
  });

  it('is prepared again when its content is replaced', async () => {
    content = { text: 'new' };
    expect(await (await server.fetch('/shared/v1/content')).json()).toEqual({ text: 'new' });
  });

  it('is logged like any other response', async () => {
    await server.fetch('/shared/v1/content', { headers: { 'x-request-id': 'logged-request' } });
    const { fields } = server.lines.find(({ fields }) => fields.requestId === 'logged-request') ?? {};
    expect(fields).toMatchObject({ method: 'GET', path: '/shared/v1/content', status: 200, ip: '127.0.0.1' });
  });

  it('is sent only for GET requests', async () => {
    expect((await server.fetch('/shared/v1/content', { method: 'POST' })).status).toBe(404);
    const preflight = await server.fetch('/shared/v1/content', {
      method: 'OPTIONS',
      headers: { origin: 'http://app.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
    expect(await (await server.fetch('/shared/v1/other')).text()).toBe('other');
  });

  it('is subject to the rules for browsers', async () => {
    const worker = await server.fetch('/shared/v1/content', { headers: { 'service-worker': 'script' } });
    expect([worker.status, await worker.json()]).toMatchObject([403, { code: 'service_worker_refused' }]);
    const page = await server.raw(
      `GET /shared/v1/content HTTP/1.1\r\nHost: x\r\nOrigin: http://app.example\r\napikey: ${server.keys.secretKey}\r\nConnection: close\r\n\r\n`,
    );
    expect(page).toMatch(/^HTTP\/1\.1 401 /);
    expect(page).toContain('secret_key_in_browser');
    expect(page).toMatch(/access-control-allow-origin: \*/i);
  });
});

describe('the auth service', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createTestBackend();
  });
  afterAll(() => backend?.stop());

  it.each(['/health', '/settings', '/.well-known/jwks.json'])(
    'sends the content of the route %s',
    async (path) => {
      const sent = await fetch(`${backend.url}/auth/v1${path}`);
      const fromRouter = await backend.fetch(`/auth/v1${path}`);
      expect(await sent.text()).toBe(await fromRouter.text());
      for (const name of ['content-type', 'content-length', 'cache-control'])
        expect(sent.headers.get(name)).toBe(fromRouter.headers.get(name));
    },
  );
});
