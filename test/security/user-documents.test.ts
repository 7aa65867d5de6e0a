/**
 * Tests that a document never has Plinth's origin if an app's user has stored or generated it. The tests cover all ways
 * to store and retrieve objects, responses from REST functions and server functions, errors, and all routes of the
 * port.
 */
import { globSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeUser, password } from '../account/harness.ts';
import { danger, entrances, exits, hostileTypes, inertTypes, storedBySql } from './documents.ts';
import { startWorld, type World } from './world.ts';

const page = '<!doctype html><script>document.title = "ran"</script>';

const functions = {
  page: `Deno.serve(() => new Response(${JSON.stringify(page)}, { headers: { 'content-type': 'text/html' } }));`,
  untyped: `Deno.serve(() => new Response(new TextEncoder().encode(${JSON.stringify(page)})));`,
  chosen: `Deno.serve(async (request) => {
    const headers = new Headers();
    for (const [name, value] of await request.json()) headers.append(name, value);
    return new Response('x', { headers });
  });`,
  cookies: `Deno.serve((request) => Response.json(request.headers.get('cookie')));`,
};

const sql = `
  create domain "text/html" as text;
  create domain "image/png, text/xsl" as text;
  create table public.notes (id int primary key);
  create function public.page() returns "text/html" language sql immutable as $$ select '${page}'::"text/html" $$;
  create function public.say(value text) returns text language sql immutable as $$ select value $$;
  create function public.answer_with(value text) returns text language plpgsql as $$
    begin perform set_config('response.headers', value, true); return '${page}'; end $$;
  create function public.cookies() returns json language sql stable as $$
    select current_setting('request.cookies', true)::json $$;
  insert into storage.buckets (id, name, public, allowed_mime_types) values
    ('open', 'open', true, null), ('pictures', 'pictures', true, '{image/*}');
`;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    functions,
    sql,
    config: { storage: { image_transformation: { enabled: true } } },
  });
});
afterAll(() => world?.stop());

const ask = ({ path, ...init }: { path: string; method?: string; headers?: Record<string, string> }) =>
  world.call(path, init);

let count = 0;
const newKey = () => `file-${++count}`;

describe('an object with a dangerous type', () => {
  describe.each(Object.keys(entrances))('uploaded by %s', (entrance) => {
    const store = entrances[entrance] as (typeof entrances)[string];
    it('is rejected, or can’t run anything when it is read', async () => {
      const found: unknown[] = [];
      for (const type of hostileTypes) {
        const key = newKey();
        const { status, text } = await store(world, 'open', key, type);
        if (status >= 400) {
          expect([type, status < 500, text]).toEqual([type, true, expect.stringMatching(/mime.?type/i)]);
          continue;
        }
        const response = await ask({ path: `/storage/v1/object/public/open/${key}` });
        const shown = response.headers.get('content-type');
        const wrong = shown?.includes(',') ? 'two types' : danger(response.status, response.headers);
        if (wrong !== undefined) found.push([type, shown, wrong]);
      }
      expect(found).toEqual([]);
    });

    it('is rejected by a bucket for images', async () => {
      // Upstream's pattern `image/*` matches all types that begin with `image/`.
      const others = hostileTypes.filter((one) => !/^image\/[a-z+]+(?:;charset=[\w-]+)?$/i.test(one));
      for (const type of others) {
        const key = newKey();
        const { status, text } = await store(world, 'pictures', key, type);
        if (status < 300) {
          // Only an upload with a form may succeed, because the form parser removes the parameters of the type.
          const { headers } = await ask({ path: `/storage/v1/object/public/pictures/${key}` });
          expect([entrance, headers.get('content-type')]).toEqual(['a part of a form', 'image/png']);
        } else expect([type, status < 500, text]).toEqual([type, true, expect.stringMatching(/mime.?type/i)]);
      }
    });

    it('is accepted if it is inert, and served with its type', async () => {
      for (const type of inertTypes) {
        const key = newKey();
        expect([type, await store(world, 'open', key, type)]).toEqual([
          type,
          expect.objectContaining({ status: expect.toSatisfy((status: number) => status < 300) }),
        ]);
        const { headers } = await ask({ path: `/storage/v1/object/public/open/${key}` });
        expect([headers.get('content-type'), headers.get('content-security-policy')]).toEqual([type, null]);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    });
  });

  it('can’t run code in any response, regardless of who wrote the row', async () => {
    const found: unknown[] = [];
    for (const type of [...hostileTypes, 'text/plain\r\nx-evil: 1', '\u{1f600}/png', '']) {
      const key = newKey();
      await storedBySql(world, key, type);
      for (const [way, exit] of Object.entries(await exits(world, key))) {
        const { status, headers } = await ask(exit);
        const wrong = status >= 500 ? `status ${status}` : danger(status, headers);
        if (wrong !== undefined) found.push([type, way, wrong]);
      }
    }
    expect(found).toEqual([]);
  });

  it('is rejected with upstream’s message', async () => {
    const { status, text } = await (entrances['a field of a form'] as (typeof entrances)[string])(
      world,
      'open',
      'x',
      'image/png, text/xsl',
    );
    expect([status, JSON.parse(text)]).toEqual([
      400,
      {
        statusCode: '415',
        error: 'invalid_mime_type',
        message: 'mime type image/png, text/xsl is not supported',
        code: 'InvalidMimeType',
      },
    ]);
  });
});

describe('a REST function’s response', () => {
  it('can’t run anything as HTML or with a custom media type', async () => {
    const html = await world.call('/rest/v1/rpc/page', { headers: { accept: 'text/html' } });
    expect([html.headers.get('content-type'), html.text]).toEqual([
      expect.stringContaining('text/html'),
      page,
    ]);
    expect(danger(html.status, html.headers)).toBeUndefined();
  });

  it.each([
    [[{ 'Content-Type': 'text/html' }]],
    [[{ 'content-type': 'image/png, text/html' }]],
    [[{ 'Content-Type': 'image/png' }, { 'Content-Type': 'text/html' }]],
    [[{ 'Content-Type': 'text/html' }, { 'X-Content-Type-Options': 'sniff' }]],
    [[{ 'Content-Type': 'text/html' }, { 'Content-Security-Policy': "script-src 'unsafe-inline'" }]],
    [
      [
        { 'Content-Type': 'text/html' },
        { 'Content-Security-Policy': 'sandbox allow-scripts allow-same-origin' },
      ],
    ],
  ])('can’t run anything with its own headers: %j', async (chosen) => {
    const response = await world.call('/rest/v1/rpc/answer_with', {
      json: { value: JSON.stringify(chosen) },
    });
    expect(response.status).toBe(200);
    expect(danger(response.status, response.headers)).toBeUndefined();
  });

  it('can’t set or clear Account or Console cookies', async () => {
    const cookies = [
      'plinth-account=x; Path=/account',
      '__Host-plinth-account=x; Path=/; Secure',
      '=plinth-account=x',
      'own=1',
    ];
    const chosen = [...cookies.map((cookie) => ({ 'Set-Cookie': cookie })), { 'Clear-Site-Data': '"*"' }];
    const { headers } = await world.call('/rest/v1/rpc/answer_with', {
      json: { value: JSON.stringify(chosen) },
    });
    expect(headers.getSetCookie()).toEqual(['own=1']);
    expect(headers.get('clear-site-data')).toBeNull();
  });

  it('can’t read Account or Console cookies', async () => {
    const { body } = await world.call('/rest/v1/rpc/cookies', {
      headers: {
        cookie: 'a=1; plinth-account=secret; __Host-plinth-account=secret; plinth-console-1=x; b=2',
      },
    });
    expect(body).toEqual({ a: '1', b: '2' });
  });
});

describe('a server function’s response', () => {
  const call = (name: string, init: Parameters<World['call']>[1] = {}) =>
    world.call(`/functions/v1/${name}`, { token: world.backend.keys.anonKey, ...init });
  const chosen = (headers: [string, string][]) => call('chosen', { json: headers });

  it('can’t run anything as HTML or without a type', async () => {
    for (const name of ['page', 'untyped']) {
      const response = await call(name);
      expect([response.status, response.text]).toEqual([200, page]);
      expect([name, danger(response.status, response.headers)]).toEqual([name, undefined]);
    }
  });

  it.each([
    [
      [
        ['content-type', 'image/png'],
        ['content-type', 'text/html'],
      ],
    ],
    [
      [
        ['content-type', 'text/html'],
        ['x-content-type-options', 'sniff, nosniff'],
      ],
    ],
    [[['content-type', 'image/png; x=",text/html"']]],
    [
      [
        ['content-type', 'text/html'],
        ['content-security-policy', 'sandbox allow-scripts allow-same-origin'],
      ],
    ],
    [
      [
        ['content-type', 'application/json'],
        ['x-content-type-options', ''],
      ],
    ],
  ] as [[string, string][]][])('can’t run anything with its own headers: %j', async (headers) => {
    const response = await chosen(headers);
    expect(response.status).toBe(200);
    expect(danger(response.status, response.headers)).toBeUndefined();
  });

  it('keeps its own policy in addition to Plinth’s', async () => {
    const { headers } = await chosen([
      ['content-type', 'text/html'],
      ['content-security-policy', "img-src 'none'"],
    ]);
    expect(headers.get('content-security-policy')).toBe("img-src 'none', sandbox");
  });

  it('can’t set, clear or read Account or Console cookies', async () => {
    const { headers } = await chosen([
      ['set-cookie', 'plinth-account=x; Path=/account'],
      ['set-cookie', ' PLINTH-console-1=x'],
      ['set-cookie', '=__Host-plinth-account=x'],
      ['set-cookie', 'own=1'],
      ['clear-site-data', '"cookies"'],
    ]);
    expect(headers.getSetCookie()).toEqual(['own=1']);
    expect(headers.get('clear-site-data')).toBeNull();
    const cookie = 'plinth-account=secret; mine=1;plinth-console-1=x';
    expect((await call('cookies', { headers: { cookie } })).body).toBe('mine=1');
    const alone = await call('cookies', { headers: { cookie: 'plinth-account=secret' } });
    expect(alone.body).toBeNull();
  });
});

describe('a service worker', () => {
  it.each(['/functions/v1/page', '/storage/v1/object/public/open/x', '/rest/v1/rpc/page'])(
    'can’t be loaded from %s',
    async (path) => {
      const headers = { 'service-worker': 'script', authorization: `Bearer ${world.backend.keys.anonKey}` };
      expect((await world.call(path, { headers })).status).toBe(403);
    },
  );
});

describe('the Account cookie', () => {
  beforeAll(() => makeUser(world.backend, 'ada@example.com'));
  const signIn = async (at: World, headers: Record<string, string> = {}) => {
    const { status, headers: answered } = await at.call('/account/api/sign-in', {
      headers: { 'x-plinth-request': '1', ...headers },
      json: { email: 'ada@example.com', password },
    });
    expect(status).toBe(200);
    return answered.getSetCookie();
  };
  const sessionOf = async (at: World, cookie: string, headers: Record<string, string> = {}) =>
    (await at.call('/account/api/session', { headers: { 'x-plinth-request': '1', cookie, ...headers } })).body
      .session?.user.email;

  it('is sent only to the Account pages over plain HTTP', async () => {
    expect(await signIn(world)).toEqual([
      expect.stringMatching(
        /^plinth-account=[\w-]{43}; Max-Age=34560000; Path=\/account; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^plinth-account-device=[\w-]{43}; Max-Age=34560000; Path=\/account; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^plinth-account-known=\w+; Max-Age=34560000; Path=\/account; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  it('can’t be set by another host over TLS', async () => {
    const behind = await startWorld({
      sql,
      config: { plinth: { server: { trusted_proxies: ['127.0.0.1'] } } },
    });
    try {
      await makeUser(behind.backend, 'ada@example.com');
      const tls = { 'x-forwarded-proto': 'https' };
      const [set = ''] = await signIn(behind, tls);
      expect(set).toMatch(
        /^__Host-plinth-account=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
      const cookie = set.split(';', 1)[0] as string;
      expect(await sessionOf(behind, cookie, tls)).toBe('ada@example.com');
      // A cookie without this prefix could have been set by a sibling host or by a response over unencrypted HTTP.
      expect(await sessionOf(behind, cookie.replace('__Host-', ''), tls)).toBeUndefined();
      expect(await sessionOf(behind, cookie)).toBeUndefined();
      const seen = await behind.call('/rest/v1/rpc/cookies', {
        headers: { cookie: `${cookie}; a=1`, ...tls },
      });
      expect(seen.body).toEqual({ a: '1' });
    } finally {
      await behind.stop();
    }
  });

  it('isn’t sent to a sandboxed document or another site', async () => {
    const cookie = (await signIn(world))[0]?.split(';', 1)[0] as string;
    for (const marks of [
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
    ] as Record<string, string>[])
      expect([marks, await sessionOf(world, cookie, marks)]).toEqual([marks, undefined]);
    const { headers } = await world.call('/account/sign-in');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});

/** Sends raw lines and returns the response. */
function speak(lines: readonly string[]): Promise<Response> {
  return new Promise((resolve, reject) => {
    const socket = connect(world.port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let text = '';
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...body] = text.split('\r\n\r\n');
      const [status = '', ...headers] = head.split('\r\n');
      const pairs = headers.map((line) => line.split(/:\s*/, 2) as [string, string]);
      resolve(new Response(body.join('\r\n\r\n'), { status: Number(status.split(' ')[1]), headers: pairs }));
    });
  });
}

describe('responses that a service doesn’t write are safe', () => {
  it.each([
    ['an unreadable request', ['NONSENSE']],
    ['headers that are too large', ['GET / HTTP/1.1', 'host: x', `x: ${'a'.repeat(40_000)}`]],
    ['a path that can’t be decoded', ['GET /rest/v1/%zz HTTP/1.1', 'host: x', 'connection: close']],
    ['a missing host', ['GET /rest/v1/ HTTP/1.1', 'connection: close']],
    [
      'an unsupported expectation',
      ['GET /rest/v1/ HTTP/1.1', 'host: x', 'expect: more', 'connection: close'],
    ],
    ['an unknown route', ['GET /nowhere HTTP/1.1', 'host: x', 'connection: close']],
  ])('%s', async (_what, lines) => {
    const { status, headers } = await speak(lines);
    expect([status >= 400, danger(status, headers)]).toEqual([true, undefined]);
  });

  const upgrade = (path: string) =>
    speak([
      `GET ${path} HTTP/1.1`,
      'host: x',
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      `authorization: Bearer ${world.backend.keys.anonKey}`,
    ]);
  it.each([
    ['/functions/v1/page', 200],
    ['/functions/v1/nowhere', 404],
    ['/realtime/v1/websocket', 401],
  ])('an upgrade request at %s', async (path, status) => {
    const response = await upgrade(path);
    expect([response.status >= 200, danger(response.status, response.headers)]).toEqual([true, undefined]);
    if (status === 200) expect(await response.text()).toContain('<script>');
  });
});

describe('in the source code', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const filesWith = (pattern: RegExp): string[] =>
    globSync('src/**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.test.ts') && pattern.test(readFileSync(join(root, file), 'utf8')))
      .sort();

  it('only one function writes response heads', () => {
    expect(filesWith(/HTTP\/1\.\d/)).toEqual([
      'src/base/shared/http/response-head.ts',
      // The relay's own answer, of the type application/json, if a branch can't start.
      'src/server/backend/branches/open-branch.ts',
    ]);
  });

  it('only reviewed services have responses without the sandbox', () => {
    expect(filesWith(/\bdocuments(?:: (?!(?:Client)?Documents\b|readonly\b)|\(\))/)).toEqual([
      'src/pages/account/index.ts',
      'src/pages/console/index.ts',
      'src/services/functions/index.ts',
    ]);
  });
});

describe('every route', () => {
  it('sends nosniff, and a sandbox unless the type is inert', async () => {
    const { serviceRoleKey } = world.backend.keys;
    const routes = (await world.backend.routes()).filter(({ path }) => !/^\/account\b/.test(path));
    expect(routes.length).toBeGreaterThan(100);
    const found: unknown[] = [];
    for (const { method, path } of routes) {
      for (const token of [undefined, serviceRoleKey]) {
        const asked = path.replace(/:\w+/g, 'open').replace('*', 'notes');
        const headers = { ...(token && { authorization: `Bearer ${token}`, apikey: token }), accept: '*/*' };
        const response = await world.call(asked, { method: method === '*' ? 'GET' : method, headers });
        const wrong = danger(response.status, response.headers);
        if (wrong !== undefined) found.push([method, asked, response.status, wrong]);
      }
    }
    expect(found).toEqual([]);
  });
});
