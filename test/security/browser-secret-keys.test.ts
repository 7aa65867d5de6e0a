/**
 * Tests that every service rejects a secret key if a page of another origin sends it. The local stack's keys are
 * public, and every web page in the developer's browser can reach the stack. The rule also applies in production,
 * because a secret key that a page contains has been leaked.
 */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Sends a request. The function doesn't use `fetch`, which would set a different Host header. */
function send(
  backend: Backend,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<Answer> {
  const { hostname, port, host } = new URL(backend.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers: { host, ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const message = 'Forbidden use of secret API key in browser';
const pages: readonly [string, Record<string, string>][] = [
  ['another site', { origin: 'https://evil.example' }],
  ["the developer's own app", { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
  ['a sandboxed document', { origin: 'null' }],
  ['another port of this host', { origin: 'http://127.0.0.1:1' }],
  ['an image, a script or a link from another site', { 'sec-fetch-site': 'cross-site' }],
  [
    'another site whose host name resolves to this machine (DNS rebinding)',
    { host: 'rebound.example:54321' },
  ],
  [
    'the same site, as its own page',
    { host: 'rebound.example', origin: 'http://rebound.example', 'sec-fetch-site': 'same-origin' },
  ],
];

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({ config: {} });
});
afterAll(() => backend?.stop());

const secretHeaders = (): Record<string, string>[] => {
  const { serviceRoleKey, secretKey, anonKey, sign } = backend.keys;
  const minted = sign({ role: 'service_role', exp: Math.floor(Date.now() / 1000) + 60 });
  return [
    { apikey: secretKey },
    { apikey: serviceRoleKey },
    { apikey: anonKey, authorization: `Bearer ${serviceRoleKey}` },
    { apikey: anonKey, authorization: `bearer  ${minted}` },
    { apikey: anonKey, authorization: `Bearer ${serviceRoleKey.replaceAll('.', '%2E')}` },
    { apikey: secretKey, authorization: `Bearer ${anonKey}` },
    { authorization: `Bearer ${secretKey}` },
    { 'x-api-key': serviceRoleKey },
  ];
};

describe('over HTTP', () => {
  it.each(pages)('%s is rejected, regardless of where it puts the key', async (_page, marks) => {
    for (const headers of secretHeaders()) {
      const response = await send(backend, '/rest/v1/', { ...headers, ...marks });
      expect([headers, response.status, JSON.parse(response.text).message]).toEqual([headers, 401, message]);
      // The developer can read the reason in the browser's developer console.
      expect(response.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('every API route rejects it, including future ones', async () => {
    // The pages and routes that don't require a key. Health checks ignore keys and don't reveal any data. SCIM accepts only
    // the tokens of an organization.
    const keyless =
      /^\/(?:account|rest-admin|\.well-known|scim\/v2)\/|^\/(?:account|health(?:\/(?:live|ready))?)?$/;
    const routes = (await backend.routes()).filter(({ path }) => !keyless.test(path));
    expect(routes.length).toBeGreaterThan(100);
    const open = [];
    for (const { method, path } of routes) {
      const verb = method === '*' ? 'POST' : method;
      if (verb === 'OPTIONS' || verb === 'HEAD') continue;
      const address = path.replace(/:[a-zA-Z]+/g, 'x').replace(/\*/g, 'x');
      const headers = {
        apikey: backend.keys.secretKey,
        origin: 'https://evil.example',
        'content-length': '0',
      };
      const response = await send(backend, address, headers, verb);
      if (response.status !== 401 || !response.text.includes(message))
        open.push(`${method} ${path} ${response.status}`);
    }
    expect(open).toEqual([]);
  });

  it('programs and pages of the same origin can use a secret key', async () => {
    const { host, origin } = new URL(backend.url);
    for (const marks of [
      {},
      { 'sec-fetch-mode': 'cors' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin },
      { host: `localhost:${backend.url.split(':').at(-1)}` },
      { host: 'host.docker.internal:54321' },
      { host: 'kong:8000' },
      { host: 'supabase_kong_app' },
      { host: 'box.local' },
      { host: '192.168.1.2:54321' },
      { host },
    ] as Record<string, string>[])
      for (const headers of [secretHeaders()[0], secretHeaders()[2]]) {
        const { status } = await send(backend, '/auth/v1/admin/users', { ...headers, ...marks });
        expect([marks, headers, status]).toEqual([marks, headers, 200]);
      }
  });

  it('pages of every origin can use public keys, user tokens and preflights', async () => {
    const { publishableKey, anonKey, sign } = backend.keys;
    const token = sign({ role: 'authenticated', sub: '1', exp: Math.floor(Date.now() / 1000) + 60 });
    for (const headers of [
      { apikey: publishableKey },
      { apikey: anonKey, authorization: `Bearer ${anonKey}` },
      { apikey: publishableKey, authorization: `Bearer ${token}` },
    ] as Record<string, string>[])
      for (const [, marks] of pages) {
        const response = await send(backend, '/rest/v1/none', { ...headers, ...marks });
        expect(response.text).not.toContain(message);
        expect(response.status).toBe(404);
      }
    const preflight = await send(
      backend,
      '/rest/v1/none',
      { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
      'OPTIONS',
    );
    expect(preflight.status).toBe(200);
  });
});

describe('over realtime sockets', () => {
  /**
   * Opens a socket and joins a channel with this token. Returns how the handshake failed, or the channel's first
   * frames.
   */
  function join(
    key: string,
    headers: Record<string, string>,
    token?: string,
    later?: string,
  ): Promise<string> {
    return new Promise((resolve) => {
      const socket = new WebSocket(
        `${backend.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0&apikey=${encodeURIComponent(key)}`,
        { headers },
      );
      let seen = '';
      const push = (event: string, payload: object, ref: string): void =>
        socket.send(JSON.stringify({ topic: 'realtime:x', event, payload, ref, join_ref: '1' }));
      socket.on('open', () => push('phx_join', { config: {}, ...(token && { access_token: token }) }, '1'));
      socket.on('message', (data) => {
        const frame = String(data);
        seen += frame;
        const isJoined = frame.includes('"status":"ok"');
        if (isJoined && later !== undefined) push('access_token', { access_token: later }, '2');
        if (
          (isJoined && later === undefined) ||
          /"status":"error"|phx_close|"event":"system".*error/.test(frame)
        ) {
          resolve(seen);
          socket.terminate();
        }
      });
      socket.on('unexpected-response', (_request, response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(`${response.statusCode} ${text}`));
      });
      socket.on('error', (error) => resolve(error.message));
    });
  }

  it('the handshake rejects a secret key, regardless of its spelling', async () => {
    const { serviceRoleKey, secretKey } = backend.keys;
    const broken = `${serviceRoleKey.slice(0, 20)} ${serviceRoleKey.slice(20)}`;
    for (const key of [secretKey, serviceRoleKey, broken, serviceRoleKey.replaceAll('.', '%2E')])
      expect(await join(key, { origin: 'https://evil.example' })).toMatch(/^401 .*Forbidden use of secret/);
    expect(await join(serviceRoleKey, { host: 'rebound.example' })).toMatch(/^401 .*Forbidden use of secret/);
  });

  it('a join and a later token are also rejected', async () => {
    const { anonKey, serviceRoleKey } = backend.keys;
    const page = { origin: 'https://evil.example' };
    expect(await join(anonKey, page, serviceRoleKey)).toContain(message);
    expect(await join(anonKey, page, anonKey, serviceRoleKey)).toContain(message);
  });

  it('programs can use it, and pages can use a public key', async () => {
    const { anonKey, serviceRoleKey } = backend.keys;
    expect(await join(serviceRoleKey, {}, serviceRoleKey)).toContain('"status":"ok"');
    expect(await join(anonKey, { origin: 'http://localhost:3000' })).toContain('"status":"ok"');
  });
});

it("a setting restores upstream's behavior", async () => {
  const open = await createTestBackend({ config: { plinth: { server: { browser_secret_keys: true } } } });
  try {
    for (const [, marks] of pages) {
      const response = await send(open, '/auth/v1/admin/users', { apikey: open.keys.secretKey, ...marks });
      expect(response.status).toBe(200);
    }
  } finally {
    await open.stop();
  }
});
