/** Tests a gateway that registers most routes after it has started listening. */
import dns from 'node:dns';
import { afterEach, expect, it, vi } from 'vitest';
import { type GatewayServer, service, startGateway } from './harness.ts';

let server: GatewayServer;
afterEach(async () => {
  vi.restoreAllMocks();
  await server.gateway.close(100);
});

let registered: string[] = [];

async function start(host?: string): Promise<void> {
  registered = [];
  const plugin = (name: string) =>
    service(name, {
      prefix: `/${name}/v1`,
      cors: 'open',
      isFirst: name === 'first',
      isOnDemand: name === 'rare',
      plugin: async (app) => {
        registered.push(name);
        app.setNotFoundHandler((_request, reply) => reply.code(404).send({ unknownIn: name }));
        app.get('/path', async (request) => ({ name, url: request.url }));
        app.post('/body', async (request) => request.body);
      },
    });
  server = await startGateway([plugin('first'), plugin('other'), plugin('rare')], {
    defersRoutes: true,
    ...(host && { host }),
  });
}

it('serves the first mounts before it registers the routes of the others', async () => {
  await start();
  expect(registered).toEqual(['first']);
  const response = await server.fetch('/first/v1/path');
  expect(await response.json()).toEqual({ name: 'first', url: '/first/v1/path' });
  expect((await server.fetch('/nowhere')).status).toBe(404);
  expect(registered).toEqual(['first']);
  await Promise.all([server.gateway.complete(), server.gateway.complete()]);
  expect(registered).toEqual(['first', 'other']);
});

it('registers the routes of some mounts only for the first request', async () => {
  await start();
  await server.gateway.complete();
  expect(registered).not.toContain('rare');
  const responses = await Promise.all([server.fetch('/rare/v1/path'), server.fetch('/rare/v1/unknown')]);
  expect(await Promise.all(responses.map((response) => response.json()))).toEqual([
    { name: 'rare', url: '/rare/v1/path' },
    { unknownIn: 'rare' },
  ]);
  expect(registered).toEqual(['first', 'other', 'rare']);
});

it('lists all routes, including those that weren’t registered yet', async () => {
  await start();
  expect((await server.gateway.routes()).map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/first/v1/path', '/other/v1/path', '/rare/v1/path', '/health']),
  );
});

it('lets requests for the other mounts wait', async () => {
  await start();
  const responses = await Promise.all([
    server.fetch('/other/v1/path?x=1'),
    server.fetch('/other/v1/body', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"kept":true}',
    }),
    server.fetch('/other/v1/unknown'),
  ]);
  expect(await Promise.all(responses.map((response) => response.json()))).toEqual([
    { name: 'other', url: '/other/v1/path?x=1' },
    { kept: true },
    { unknownIn: 'other' },
  ]);
  for (const { headers } of responses) {
    expect(headers.get('x-request-id')).toMatch(/./);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  }
  const logged = server.lines.filter(({ fields }) => String(fields.path).startsWith('/other/'));
  expect(logged).toHaveLength(3);
});

it('finds the mount for absolute and invalid request targets, and for requests in the process', async () => {
  await start();
  const absolute = await server.raw(
    'GET http://host/other/v1/path HTTP/1.1\r\nhost: host\r\nconnection: close\r\n\r\n',
  );
  expect(absolute).toContain('{"name":"other","url":"/other/v1/path"}');
  expect((await server.fetch('/other/v1/%zz')).status).toBe(400);
  expect((await server.gateway.fetch('/other/v1/path')).status).toBe(200);
  expect((await server.gateway.fetch('/first/v1/path')).status).toBe(200);
});

it('can close while requests wait', async () => {
  await start();
  const waiting = server.fetch('/other/v1/path').then(
    ({ status }) => status,
    () => 'closed',
  );
  await server.gateway.close(1000);
  expect([200, 'closed']).toContain(await waiting);
});

it('listens on one address of localhost, because Fastify’s servers for other addresses lack these routes', async () => {
  const { lookup } = dns;
  const both = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  vi.spyOn(dns, 'lookup').mockImplementation(((
    name: string,
    options: object,
    done: (...args: unknown[]) => void,
  ) =>
    name === 'localhost' && 'all' in options
      ? process.nextTick(done, null, both)
      : lookup(name, options, done as never)) as never);
  await start('localhost');
  await server.gateway.complete();
  expect((await server.fetch('/other/v1/path')).status).toBe(200);
  await expect(fetch(`http://127.0.0.2:${server.port}/first/v1/path`)).rejects.toThrow('fetch failed');
});
