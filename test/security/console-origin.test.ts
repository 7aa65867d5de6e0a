/** Tests that the Console has a separate origin, and that only its own pages can send requests to it. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestBackend, runSql } from '../../src/entry/testing.ts';
import { linkToken, operator, signIn } from '../console/harness.ts';
import { startWorld, type World } from './world.ts';

const cookie = 'plinth-console-54323=secret; __Host-plinth-console=secret; plinth-account=secret; theme=dark';
const echo = `Deno.serve((request) => new Response(
  JSON.stringify({ cookie: request.headers.get('cookie') }),
  { headers: [
    ['content-type', 'application/json'],
    ['set-cookie', 'theme=dark; Path=/'],
    ['set-cookie', 'plinth-console-54323=planted; Path=/console'],
    ['set-cookie', 'plinth-account=planted; Path=/account'],
  ] },
));`;
const socket = `Deno.serve((request) => {
  const cookie = String(request.headers.get('cookie'));
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onopen = () => socket.send(cookie);
  return response;
});`;

let world: World;
let own: URL;
beforeAll(async () => {
  world = await startWorld({
    functions: { echo, socket },
    config: { functions: { echo: { verify_jwt: false }, socket: { verify_jwt: false } } },
  });
  own = new URL(world.backend.console.url);
  await runSql(
    world.backend,
    `create function public.cookies() returns json language sql as $$ select current_setting('request.cookies', true)::json $$`,
  );
});
afterAll(() => world?.stop());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Sends a raw request, because `fetch` would set a different Host header and Fetch metadata. */
function send(
  origin: URL,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: origin.hostname, port: origin.port, path, method, headers: { host: origin.host, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const routes = async () =>
  (await world.backend.console.routes()).map(({ method, path }) => ({
    method: method === '*' ? 'GET' : method,
    path,
  }));

describe('the API port', () => {
  it('doesn’t have routes of the Console', async () => {
    expect(own.origin).not.toBe(new URL(world.backend.url).origin);
    expect((await world.backend.routes()).filter(({ path }) => /console/i.test(path))).toEqual([]);
    for (const path of ['/', '/console', '/console/', '/console/api/session', '/CONSOLE/', '/%63onsole/'])
      expect([path, (await world.call(path)).status]).toEqual([path, 404]);
    expect((await world.call('/console/')).text).toContain(own.origin);
  });

  it('doesn’t pass Console or Account cookies to functions, or let functions set them', async () => {
    const response = await world.call('/functions/v1/echo', { headers: { cookie } });
    expect(response.body).toEqual({ cookie: 'theme=dark' });
    expect(response.headers.getSetCookie()).toEqual(['theme=dark; Path=/']);
    const url = `${world.backend.url.replace('http', 'ws')}/functions/v1/socket`;
    const opened = new WebSocket(url, { headers: { cookie } } as unknown as string[]);
    const heard = await new Promise((resolve, reject) => {
      opened.onmessage = ({ data }) => resolve(data);
      opened.onerror = reject;
    });
    opened.close();
    expect(heard).toBe('theme=dark');
  });

  it('doesn’t pass these cookies to SQL', async () => {
    const headers = { cookie, apikey: world.backend.keys.publishableKey };
    await expect
      .poll(async () => (await world.call('/rest/v1/rpc/cookies', { headers })).body)
      .toEqual({ theme: 'dark' });
    const planted = ['plinth-console-54323=x', '__Host-plinth-console=x', 'plinth-account=x', 'theme=dark'];
    const value = JSON.stringify(planted.map((each) => ({ 'Set-Cookie': each })));
    const response = await world.call('/rest/v1/rpc/answer_with', { headers, json: { value } });
    expect([response.status, response.headers.getSetCookie()]).toEqual([204, ['theme=dark']]);
  });
});

describe('every route of the Console', () => {
  it('rejects another host name (DNS rebinding)', async () => {
    for (const host of [
      `evil.example:${own.port}`,
      '10.0.0.1',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
    ])
      for (const { method, path } of await routes()) {
        const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
        const response = await send(own, path, headers, method);
        expect([host, method, path, response.status]).toEqual([host, method, path, 421]);
        expect(response.headers['access-control-allow-origin']).toBeUndefined();
      }
  });

  it.each([
    ['a page of the API’s origin', 'same-site', () => world.backend.url],
    ['any other page', 'cross-site', () => 'https://evil.example'],
    ['a sandboxed page', 'cross-site', () => 'null'],
  ])('rejects %s', async (_who, site, origin) => {
    expect((await routes()).length).toBeGreaterThan(100);
    for (const { method, path } of [...(await routes()), { method: 'OPTIONS', path: '/console/api/session' }])
      for (const headers of [{ 'sec-fetch-site': site }, { origin: origin() }] as Record<string, string>[]) {
        const response = await send(own, path, headers, method);
        expect([method, path, headers, response.status]).toEqual([method, path, headers, 403]);
        expect(response.headers['access-control-allow-origin']).toBeUndefined();
      }
  });

  it('rejects a link from another website, unless it opens a page', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const followed: string[] = [];
    for (const { method, path } of await routes())
      if ((await send(own, path, link, method)).status !== 403) followed.push(`${method} ${path}`);
    // `/oauth/authorize` only redirects to a page of the Console.
    expect(followed.sort()).toEqual(['GET /', 'GET /console/*', 'GET /oauth/authorize']);
    for (const dest of ['iframe', 'frame', 'object', 'embed'])
      expect((await send(own, '/console/', { ...link, 'sec-fetch-dest': dest })).status).toBe(403);
  });

  it('has protective headers on every response', async () => {
    const owner = await operator(world.backend);
    for (const path of [
      '/',
      '/console/',
      '/console/api/session',
      '/console/api/none',
      '/console/assets/none',
      '/none',
    ]) {
      const { headers } = await send(own, path, { cookie: owner.cookie });
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
        }),
      ]);
    }
    const stream = await world.backend.console.fetch('/console/api/logs/tail', {
      headers: { cookie: owner.cookie },
    });
    expect(stream.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    await stream.body?.cancel();
  });
});

describe('the session', () => {
  it('has exactly one valid cookie, so a planted cookie doesn’t switch the operator', async () => {
    const owner = await operator(world.backend);
    await world.backend.operators.createOperator('mallory', 'read-only');
    const mallory = await operator(world.backend, 'mallory');
    const name = owner.cookie.split('=')[0];
    const statusWith = async (...cookies: string[]) => {
      const headers = { cookie: cookies.join('; ') };
      return (await world.backend.console.fetch('/console/api/session', { headers })).status;
    };
    expect(await statusWith(mallory.cookie, owner.cookie)).toBe(401);
    expect(await statusWith(`${name}=nonsense`, owner.cookie)).toBe(200);
  });

  it('has a cookie that is restricted to the port’s path', async () => {
    const response = await signIn(world.backend, await linkToken(world.backend));
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^plinth-console-\d+=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
  });
});

describe('behind a proxy with TLS', () => {
  const url = 'https://console.example.com';
  const host = 'console.example.com';
  let behind: Awaited<ReturnType<typeof createTestBackend>>;
  let port: URL;
  beforeAll(async () => {
    behind = await createTestBackend({ config: { plinth: { console: { url } } } });
    port = new URL(behind.console.url);
  });
  afterAll(() => behind?.stop());

  const signInAt = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ token: await linkToken(behind) });
    const json = { 'content-type': 'application/json', 'x-plinth-request': '1' };
    return send(port, '/console/api/sign-in', { ...json, ...headers }, 'POST', body);
  };

  it('only the Console’s own host name and scheme are accepted', async () => {
    const response = await signInAt({ host, origin: url, 'sec-fetch-site': 'same-origin' });
    expect(response.status).toBe(200);
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^__Host-plinth-console=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    for (const origin of ['http://console.example.com', 'https://api.example.com', behind.url])
      expect([origin, (await signInAt({ host, origin })).status]).toEqual([origin, 403]);
    expect((await signInAt({ host, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await signInAt({ host: 'api.example.com' })).status).toBe(421);
  });

  it('headers that anyone can send have no effect', async () => {
    const forwarded = {
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      forwarded: `host=${host};proto=https`,
    };
    expect((await signInAt({ host: 'evil.example', ...forwarded })).status).toBe(421);
    const local = await signInAt({ origin: port.origin, ...forwarded });
    expect(local.headers['set-cookie']?.[0]).not.toContain('Secure');
  });
});
