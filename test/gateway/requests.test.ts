/** Tests how the gateway processes every request: the request ID, the log line, keys, CORS, sub-paths and limits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setGatewayHeaders } from '../../src/base/kernel/http.ts';
import type { Service } from '../../src/base/kernel/service.ts';
import type { ReadinessReport } from '../../src/server/gateway/index.ts';
import { type GatewayServer, service, startGateway } from './harness.ts';

let report: ReadinessReport = { status: 'ok', checks: {} };
const echo: Service = service('echo', {
  prefix: '/echo/v1',
  cors: 'open',
  exposeHeaders: ['X-One', 'X-Two'],
  apiKeys: true,
  plugin: async (app) => {
    app.all('/*', async (request, reply) => {
      reply.header('x-one', '1');
      return {
        authorization: request.headers.authorization ?? null,
        url: request.url,
        raw: request.raw.url,
        ip: request.ip,
        protocol: request.protocol,
        body: request.body ?? null,
      };
    });
  },
});
const posts: Service = service('posts', {
  prefix: '/posts/v1',
  cors: 'open',
  exposeHeaders: ['X-One'],
  plugin: async (app) => {
    app.post('/messages', async () => 'ok');
  },
});
const text: Service = {
  ...service('text', {
    prefix: '/text/v1',
    plugin: async (app) => {
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
      app.addHook('onSend', async (_request, reply) => void reply.header('x-text', 'yes'));
      app.setErrorHandler((_error, _request, reply) => reply.code(418).send('text only'));
      app.post('/body', async (request) => ({ kind: typeof request.body }));
      app.get('/fails', async () => {
        throw new Error('secret inside');
      });
    },
  }),
};
const plain: Service = service('plain', {
  prefix: '/plain/v1',
  plugin: async (app) => {
    app.post('/body', async (request) => request.body);
    app.get('/fails', async () => {
      throw new Error('secret inside');
    });
    app.get('/hijacked', (_request, reply) => {
      reply.hijack();
      setGatewayHeaders(reply);
      reply.raw.end('by hand');
    });
    app.get('/any-text', (_request, reply) => {
      reply.header('x-text', '日本\r\nx-injected: 1').header('location', 'http://localhost/é').send('ok');
    });
    app.get('/any-text-by-hand', (_request, reply) => {
      reply.hijack();
      setGatewayHeaders(reply);
      reply.raw.writeHead(200, ['x-text', '日本\r\nx-injected: 1', 'x-bytes', '\u00c3\u00a9\n']);
      reply.raw.end(Buffer.from('ok'));
    });
    const schema = {
      querystring: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    };
    app.get('/counted', { schema }, async (request) => request.query);
    app.get('/named', { schema: { querystring: { type: 'object', required: ['name'] } } }, async () => 'ok');
  },
});

let server: GatewayServer;
beforeAll(async () => {
  server = await startGateway([echo, posts, text, plain], { readiness: () => report });
});
afterAll(() => server.gateway.close(1000));

const json = async (path: string, init?: RequestInit) => {
  const response = await server.fetch(path, init);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};

describe('the request id', () => {
  it.each([
    ['abcdefgh', true],
    ['0123:ab.cd-ef_GH', true],
    ['short', false],
    ['with space in it', false],
    ['quotes"inside"', false],
    ['x'.repeat(129), false],
  ])('can be %j: %s', async (given, taken) => {
    const response = await server.fetch('/echo/v1/', { headers: { 'x-request-id': given } });
    const id = response.headers.get('x-request-id');
    if (taken) expect(id).toBe(given);
    else expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is in every response, even for unknown paths and paths that can’t be decoded', async () => {
    for (const path of ['/nowhere', '/plain/v1/hijacked', '/%zz', '/echo/v1/%zz', '/plain/v1/fails']) {
      expect((await server.fetch(path)).headers.get('x-request-id'), path).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('the log line', () => {
  it('contains the path without its query, which can include keys and tokens', async () => {
    const id = 'log-line-1';
    await server.fetch('/echo/v1/thing?apikey=secret-key&token=t', {
      headers: { 'x-request-id': id, authorization: 'Bearer very-secret' },
    });
    await expect.poll(() => server.lines.find(({ fields }) => fields.requestId === id)).toBeDefined();
    const line = server.lines.find(({ fields }) => fields.requestId === id);
    expect(line).toMatchObject({
      message: 'request',
      fields: { method: 'GET', path: '/echo/v1/thing', status: 200, ip: '127.0.0.1' },
    });
    expect(line?.fields.durationMs).toBeTypeOf('number');
    expect(JSON.stringify(server.lines)).not.toContain('secret');
  });

  it('is also written for a malformed path, without its content', async () => {
    const before = server.lines.length;
    await server.fetch('/%zz?token=secret-token');
    expect(server.lines.length).toBe(before + 1);
    expect(JSON.stringify(server.lines.at(-1))).not.toContain('secret-token');
  });
});

describe('API keys', () => {
  const seen = async (headers: Record<string, string>) =>
    (await json('/echo/v1/x', { headers })).body.authorization;

  it('starting with sb_ are replaced by the JWTs they represent, and a custom token is passed on', async () => {
    const { publishableKey, secretKey } = server.keys;
    const roleSeen = async (headers: Record<string, string>) => {
      const token = /^Bearer (\S+)$/.exec(String(await seen(headers)))?.[1] ?? '';
      const verified = server.keys.verifyOwn(token);
      return verified.ok ? verified.claims.role : undefined;
    };
    expect(await roleSeen({ apikey: publishableKey })).toBe('anon');
    expect(await roleSeen({ apikey: secretKey })).toBe('service_role');
    const authorization = `Bearer ${publishableKey}`;
    expect(await roleSeen({ apikey: publishableKey, authorization })).toBe('anon');
    expect(await roleSeen({ apikey: secretKey, authorization })).toBe('service_role');
    expect(await seen({ apikey: secretKey, authorization: 'Bearer own.token.here' })).toBe(
      'Bearer own.token.here',
    );
  });

  it('have no effect if they are wrong, truncated or sent only as a token', async () => {
    const { secretKey } = server.keys;
    for (const wrong of [secretKey.toUpperCase(), 'sb_secret_', 'sb_publishable_x']) {
      expect(await seen({ apikey: wrong }), wrong).toBe(wrong);
    }
    // Services don't receive a secret key, even if it is wrong.
    for (const wrong of [`${secretKey}x`, secretKey.slice(0, -1)])
      expect(await seen({ apikey: wrong }), wrong).toBe('sb_secret_...');
    expect(await seen({ authorization: `Bearer ${secretKey}` })).toBeNull();
    expect(await seen({})).toBeNull();
  });

  it('are left unchanged if the mount doesn’t require them', async () => {
    const response = await server.raw(
      `GET /plain/v1/fails HTTP/1.1\r\nhost: x\r\napikey: ${server.keys.secretKey}\r\nconnection: close\r\n\r\n`,
    );
    expect(response).toContain('500');
    expect(response).not.toContain('sb_secret');
  });
});

describe('CORS', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.test',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, x-new',
    },
  };

  it('is allowed for mounts that enable it, never with credentials', async () => {
    const asked = await server.fetch('/echo/v1/x', preflight);
    expect(asked.status).toBe(200);
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization, x-new');
    expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
    const response = await server.fetch('/echo/v1/x', { headers: { origin: 'https://app.test' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toBe('X-One,X-Two');
    for (const { headers } of [asked, response])
      expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('is allowed for paths without a route for the method', async () => {
    for (const path of ['/posts/v1/messages', '/posts/v1/nowhere', '/posts/v1']) {
      const asked = await server.fetch(path, preflight);
      expect(asked.status, path).toBe(200);
      expect(asked.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(asked.headers.get('access-control-allow-headers'), path).toBe('authorization, x-new');
      const response = await server.fetch(path, { headers: { origin: 'https://app.test' } });
      expect(response.status, path).toBe(404);
      expect(response.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(response.headers.get('access-control-expose-headers'), path).toBe('X-One');
    }
    const encoded = await server.fetch('/%70osts/v1/messages', preflight);
    expect(encoded.status).toBe(404);
    expect(encoded.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('isn’t enabled for other mounts, unknown paths and health checks', async () => {
    for (const path of ['/plain/v1/hijacked', '/nowhere', '/health']) {
      const response = await server.fetch(path, { headers: { origin: 'https://app.test' } });
      expect(response.headers.get('access-control-allow-origin'), path).toBeNull();
      expect(
        (await server.fetch(path, preflight)).headers.get('access-control-allow-origin'),
        path,
      ).toBeNull();
    }
  });

  it('ignores an OPTIONS request that isn’t a preflight, which is passed to the service', async () => {
    expect((await json('/echo/v1/x', { method: 'OPTIONS' })).body.url).toBe('/echo/v1/x');
  });
});

describe('services', () => {
  it('don’t share parsers, hooks and error handlers', async () => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', body: '{"a":1}', headers };
    expect((await json('/text/v1/body', init)).body).toEqual({ kind: 'string' });
    const own = await json('/plain/v1/body', init);
    expect(own.body).toEqual({ a: 1 });
    expect(own.headers.get('x-text')).toBeNull();
    expect((await server.fetch('/text/v1/fails')).status).toBe(418);
    expect((await server.fetch('/plain/v1/fails')).status).toBe(500);
  });

  it('don’t reveal internals when they fail', async () => {
    const { body } = await json('/plain/v1/fails');
    expect(body).toMatchObject({ code: 'internal_error', requestId: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('secret inside');
  });

  it('are reached only by the exact spelling of their prefix', async () => {
    for (const path of [
      '/echo/v1x',
      '/ECHO/v1/x',
      '//echo/v1/x',
      '/%65cho/v1/x',
      '/echo%2Fv1/x',
      '/text/v1/nothing/%2e%2e',
    ]) {
      const response = await server.raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(response, path).toMatch(/^HTTP\/1\.1 404/);
    }
  });

  it('get the path of a request in proxy form (absolute URL)', async () => {
    const response = await server.raw(
      'GET http://elsewhere.test/echo/v1/x?y=1 HTTP/1.1\r\nhost: elsewhere.test\r\nconnection: close\r\n\r\n',
    );
    expect(response).toMatch(/^HTTP\/1\.1 200/);
    expect(response).toContain('"raw":"/echo/v1/x?y=1"');
  });

  it('validate with their own schema, and each route with its own', async () => {
    expect((await json('/plain/v1/counted?n=5')).body).toEqual({ n: 5 });
    expect((await json('/plain/v1/counted?n=x')).status).toBe(400);
    expect((await json('/plain/v1/counted')).body.message).toContain("'n'");
    expect((await json('/plain/v1/named?n=1')).body.message).toContain("'name'");
    expect((await server.fetch('/plain/v1/named?name=x')).status).toBe(200);
    expect((await json('/plain/v1/counted?n=6')).body).toEqual({ n: 6 });
  });
});

describe('text in headers', () => {
  const injected = '%E6%97%A5%E6%9C%AC%0D%0Ax-injected: 1';
  it('can’t make a response fail or add a header', async () => {
    const { status, headers } = await server.fetch('/plain/v1/any-text');
    expect([status, headers.get('x-injected'), headers.get('x-text')]).toEqual([200, null, injected]);
    expect(headers.get('location')).toBe('http://localhost/%C3%A9');
  });

  it('that a service writes directly is sent once, with the gateway’s headers, and bytes stay bytes', async () => {
    const text = await server.raw(
      'GET /plain/v1/any-text-by-hand HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    const lines = text.toLowerCase().split('\r\n');
    const named = (name: string) => lines.filter((line) => line.startsWith(`${name}:`));
    expect([named('x-text').length, named('x-request-id').length, named('x-injected')]).toEqual([1, 1, []]);
    expect(named('x-content-type-options')).toHaveLength(1);
    // The harness reads each byte as one character.
    expect(text).toContain('x-bytes: Ã©%0A\r\n');
  });
});

describe('client addresses', () => {
  it('come from the socket, unless a trusted proxy sends another one', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };
    expect((await json('/echo/v1/x', { headers })).body).toMatchObject({ ip: '127.0.0.1', protocol: 'http' });
    const proxied = await startGateway([echo], { trustedProxies: ['127.0.0.1'] });
    const response = await (await proxied.fetch('/echo/v1/x', { headers })).json();
    await proxied.gateway.close(1000);
    expect(response).toMatchObject({ ip: '203.0.113.7', protocol: 'https' });
  });

  it('are set by the caller for in-process requests', async () => {
    const response = await server.gateway.fetch('/echo/v1/x', {
      headers: { 'x-forwarded-for': '203.0.113.8' },
    });
    expect(await response.json()).toMatchObject({ ip: '203.0.113.8' });
  });
});

describe('health', () => {
  it('is live without a query to any service', async () => {
    report = { status: 'failing', checks: {} };
    expect(await json('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it.each([
    ['ok', 200],
    ['degraded', 200],
    ['failing', 503],
    ['draining', 503],
  ] as const)('is %s with status %i and the details', async (status, expected) => {
    report = { status, checks: { disk: { status: 'degraded', message: 'The disk is filling up.' } } };
    for (const path of ['/health', '/health/ready'])
      expect(await json(path)).toMatchObject({ status: expected, body: report });
  });

  it('isn’t available at the root, and everything that isn’t mounted returns 404', async () => {
    for (const path of ['/', '/console', '/console/']) {
      const response = await server.fetch(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toEqual({ code: 'not_found', message: `Nothing is served at ${path}` });
    }
  });
});

describe('bodies', () => {
  const post = (body: string) =>
    server.fetch('/plain/v1/body', { method: 'POST', body, headers: { 'content-type': 'application/json' } });

  it('have a size limit even if the service doesn’t set one', async () => {
    expect((await post(JSON.stringify('x'.repeat(11 * 1024 * 1024)))).status).toBe(413);
  });

  it('can’t set prototypes', async () => {
    expect((await post('{"__proto__":{"polluted":true}}')).status).toBe(400);
    expect((await post('{"constructor":{"prototype":{"polluted":true}}}')).status).toBe(400);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
