/**
 * Tests functions in the complete server with real Deno processes: calls with the stock client, limits, changed files,
 * upgrades and attacks.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

const sources: Record<string, string> = {
  hello: `Deno.serve({ port: 4242 }, async (request) => Response.json({ method: request.method, url: request.url, body: await request.text() }));`,
  declared: `export default { fetch: (request: Request) => new Response('declared ' + new URL(request.url).pathname) };`,
  env: `Deno.serve(() => {
    const read = (path: string) => { try { Deno.readTextFileSync(path); return 'read'; } catch (error) { return (error as Error).name; } };
    const run = () => { try { new Deno.Command('/bin/sh').outputSync(); return 'ran'; } catch (error) { return (error as Error).name; } };
    Deno.exit(3);
    return Response.json({ env: Deno.env.toObject(), passwd: read('/etc/passwd'), run: run() });
  });`,
  stream: `Deno.serve(() => {
    const parts = ['a', 'b', 'c'];
    return new Response(new ReadableStream({
      async pull(controller) {
        const next = parts.shift();
        if (next === undefined) return controller.close();
        controller.enqueue(new TextEncoder().encode('data: ' + next + '\\n\\n'));
        await new Promise((resolve) => setTimeout(resolve, 60));
      },
    }), { headers: { 'content-type': 'text/event-stream', 'set-cookie': 'one=1' } });
  });`,
  upload: `Deno.serve(async (request) => {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    (async () => { for await (const chunk of request.body) await writer.write(new TextEncoder().encode(chunk.length + ' ')); await writer.close(); })();
    return new Response(readable);
  });`,
  unread: `Deno.serve(() => new Response('unread'));`,
  left: `let signals = 0; Deno.serve((request) => {
    if (request.url.endsWith('/count')) return new Response(String(signals));
    request.signal.addEventListener('abort', () => { signals += 1; });
    return new Response(new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array(8)); } }));
  });`,
  headers: `Deno.serve((request) => Response.json(Object.fromEntries(request.headers), { status: 418, headers: { 'x-mine': 'yes', 'x-request-id': 'forged' } }));`,
  address: `Deno.serve((request) => {
    const seen = JSON.stringify({ url: request.url, headers: Object.fromEntries(request.headers) });
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => socket.send(seen);
    return response;
  });`,
  node: `import http from 'node:http'; http.createServer((request, response) => response.end('node ' + request.url)).listen(3000);`,
  database: `Deno.serve(async () => {
    const { hostname, port } = new URL(Deno.env.get('SUPABASE_DB_URL')!);
    const answers = [];
    for (const user of ['postgres', 'supabase_admin', 'authenticator', 'root']) {
      const connection = await Deno.connect({ hostname, port: Number(port) });
      const text = new TextEncoder().encode('user\\0' + user + '\\0database\\0postgres\\0\\0');
      const message = new Uint8Array(8 + text.length);
      new DataView(message.buffer).setUint32(0, message.length);
      new DataView(message.buffer).setUint32(4, 196608);
      message.set(text, 8);
      await connection.write(message);
      const answer = new Uint8Array(64);
      await connection.read(answer);
      connection.close();
      answers.push(String.fromCharCode(answer[0]) + new DataView(answer.buffer).getUint32(5));
    }
    return Response.json(answers);
  });`,
  throws: `Deno.serve(() => { throw new Error('on purpose'); });`,
  broken: `import './missing.ts';`,
  crash: `Deno.serve(() => { setTimeout(() => { throw new Error('later'); }, 10); return new Promise(() => {}); });`,
  spin: `Deno.serve(() => { for (;;) {} });`,
  echo: `Deno.serve((request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = (event) => socket.send('echo ' + event.data);
    return response;
  });`,
  later: `let done = 0; Deno.serve(() => {
    EdgeRuntime.waitUntil(new Promise<void>((resolve) => setTimeout(() => { done += 1; resolve(); }, 20)));
    return new Response(String(done));
  });`,
  cors: `Deno.serve(() => new Response(null, { status: 204, headers: { 'access-control-allow-origin': 'https://a.test', 'access-control-allow-headers': 'Authorization' } }));`,
  open: `Deno.serve(() => new Response('no token needed'));`,
  off: `Deno.serve(() => new Response('never'));`,
  changing: `Deno.serve(() => new Response('one'));`,
};

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-functions-'));
const functionFile = (slug: string) => join(projectDir, 'supabase', 'functions', slug, 'index.ts');
const soon = { interval: 20 };
let backend: Backend;

beforeAll(async () => {
  for (const [slug, source] of Object.entries(sources)) {
    mkdirSync(join(projectDir, 'supabase', 'functions', slug), { recursive: true });
    writeFileSync(functionFile(slug), source);
  }
  writeFileSync(
    join(projectDir, 'supabase', 'functions', '.env'),
    'FROM_FILE=file\nSUPABASE_URL=http://evil.test\n',
  );
  writeFileSync(
    join(projectDir, 'supabase', 'config.toml'),
    `[functions.open]\nverify_jwt = false\n[functions.off]\nenabled = false\n[edge_runtime.secrets]\nfrom_config = "config"\n`,
  );
  backend = await createTestBackend({ projectDir });
});

afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const call = (path: string, init: RequestInit = {}) =>
  backend.fetch(`/functions/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${backend.keys.anonKey}`, ...(init.headers as Record<string, string>) },
  });

describe('a function', () => {
  it('receives the method, the path with its slug, the query and the body, regardless of the port in its source', async () => {
    const response = await call('/hello/deep/path?x=1&y=%20', { method: 'PUT', body: 'payload' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      method: 'PUT',
      url: `${backend.url}/hello/deep/path?x=1&y=%20`,
      body: 'payload',
    });
  });

  it('can be a default export', async () => {
    expect(await (await call('/declared/x')).text()).toBe('declared /declared/x');
  });

  it('can be called with the stock client', async () => {
    const client = createClient(backend.url, backend.keys.publishableKey);
    const { data, error } = await client.functions.invoke('hello', { body: { a: 1 } });
    expect(error).toBeNull();
    expect(data).toMatchObject({ method: 'POST', body: '{"a":1}' });
  });

  it('can stream, and keeps its own headers', async () => {
    const response = await call('/stream');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.getSetCookie()).toEqual(['one=1']);
    const chunks: string[] = [];
    for await (const chunk of response.body ?? []) chunks.push(new TextDecoder().decode(chunk));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.join('')).toBe('data: a\n\ndata: b\n\ndata: c\n\n');
  });

  it('can upgrade to a WebSocket', async () => {
    const socket = new WebSocket(`${backend.url.replace('http', 'ws')}/functions/v1/echo`, {
      headers: { authorization: `Bearer ${backend.keys.anonKey}` },
    });
    const response = await new Promise((resolve, reject) => {
      socket.on('open', () => socket.send('hi'));
      socket.on('message', (data) => resolve(String(data)));
      socket.on('error', reject);
    });
    socket.close();
    expect(response).toBe('echo hi');
  });

  it('can stream what it receives, chunk by chunk', async () => {
    const sent = request(`${backend.url}/functions/v1/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${backend.keys.anonKey}` },
    });
    sent.write(Buffer.alloc(3));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const parts: string[] = [];
    for await (const part of response) {
      parts.push(String(part));
      // The response to the first chunk arrives before the second chunk is sent, and the response to the second chunk
      // arrives before the request ends.
      if (parts.length === 1) sent.write(Buffer.alloc(5));
      else sent.end();
    }
    expect(parts).toEqual(['3 ', '5 ']);
  });

  it.each([
    ['unread', 100],
    ['unread', 200_000],
    ['unread', 3_000_000],
    ['node', 100],
    ['node', 200_000],
    ['node', 3_000_000],
  ])('can respond without reading the body: %s, %i bytes', async (slug, size) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: `Bearer ${backend.keys.anonKey}`, 'content-length': size };
    // The test sends sequential requests on the same connection. An unread body must not block this connection or the
    // worker's connection.
    for (let turn = 0; turn < 4; turn += 1) {
      const sent = request(`${backend.url}/functions/v1/${slug}`, { method: 'POST', headers, agent });
      sent.end(Buffer.alloc(size));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect([response.statusCode, (await text(response)).split(' ')[0]]).toEqual([200, slug]);
    }
    agent.destroy();
  });

  it('is notified when its caller disconnects', async () => {
    const gone = new AbortController();
    const response = await call('/left', { signal: gone.signal });
    await response.body?.getReader().read();
    gone.abort();
    await expect.poll(async () => (await call('/left/count')).text(), soon).toBe('1');
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])('accepts %s', async (method) => {
    // A QUERY request requires a content type.
    const headers = { 'content-type': 'text/plain' };
    expect(await (await call('/hello', { method, headers })).json()).toMatchObject({ method });
  });

  it('receives and returns headers unchanged, including the region, and receives the gateway’s request ID', async () => {
    const response = await call('/headers?forceFunctionRegion=eu-west-1', {
      headers: { 'x-region': 'eu-west-1', 'x-client-info': 'test/1', apikey: backend.keys.publishableKey },
    });
    expect([response.status, response.headers.get('x-mine')]).toEqual([418, 'yes']);
    const headers = await response.json();
    expect(headers).toMatchObject({ 'x-region': 'eu-west-1', 'x-client-info': 'test/1' });
    expect(response.headers.get('x-request-id')).toBe(headers['x-request-id']);
    expect(response.headers.get('x-relay-error')).toBeNull();
  });

  it('sees the WebSocket URL that the caller used, and the forwarded headers', async () => {
    const socket = new WebSocket(`${backend.url.replace('http', 'ws')}/functions/v1/address/room?x=1`, {
      headers: {
        authorization: `Bearer ${backend.keys.anonKey}`,
        'x-forwarded-host': 'app.test',
        'x-forwarded-for': '203.0.113.9',
      },
    });
    const seen = JSON.parse(
      await new Promise<string>((resolve, reject) => {
        socket.on('message', (data) => resolve(String(data)));
        socket.on('error', reject);
      }),
    );
    socket.close();
    expect(seen.url).toBe(`${backend.url}/address/room?x=1`);
    expect(seen.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(seen.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  });

  it('can be a node:http server', async () => {
    expect(await (await call('/node/x?y=1')).text()).toBe('node /node/x?y=1');
  });

  it('can continue after its response with waitUntil', async () => {
    await (await call('/later')).text();
    await expect.poll(async () => Number(await (await call('/later')).text()), soon).toBeGreaterThan(0);
  });
});

describe('the environment of a function', () => {
  it('contains Plinth’s variables and the secrets, hides the machine, and prevents reading files and running programs', async () => {
    const { env, passwd, run } = (await (await call('/env')).json()) as {
      env: Record<string, string>;
      passwd: string;
      run: string;
    };
    expect(env).toMatchObject({
      SUPABASE_URL: backend.url,
      SUPABASE_ANON_KEY: backend.keys.anonKey,
      SUPABASE_SERVICE_ROLE_KEY: backend.keys.serviceRoleKey,
      SUPABASE_PUBLISHABLE_KEY: backend.keys.publishableKey,
      SUPABASE_SECRET_KEY: backend.keys.secretKey,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: backend.keys.publishableKey }),
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: backend.keys.secretKey }),
      FROM_FILE: 'file',
      FROM_CONFIG: 'config',
      SUPABASE_FUNCTION_SLUG: 'env',
    });
    expect(JSON.parse(env.SUPABASE_JWKS ?? '').keys.length).toBeGreaterThan(0);
    expect(Object.keys(env).filter((name) => name.startsWith('DENO_'))).toEqual([]);
    expect(env.PATH).toBeUndefined();
    expect(passwd).toBe('NotCapable');
    expect(run).toBe('NotCapable');
  });
});

it('contains the only password with which the function can connect to PostgreSQL', async () => {
  const answers: string[] = await (await call('/database')).json();
  // The responses are authentication requests other than AuthenticationOk (0), or an error (PostgreSQL manual, section
  // 54.7).
  for (const response of answers) expect(response).toMatch(/^(R(3|5|10)|E\d+)$/);
});

describe('access', () => {
  it.each([
    ['no token', {}, 'UNAUTHORIZED_NO_AUTH_HEADER'],
    [
      'a forged token',
      { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.AAAA' },
      'UNAUTHORIZED_LEGACY_JWT',
    ],
    ['an invalid token after Bearer', { authorization: 'Bearer x' }, 'UNAUTHORIZED_INVALID_JWT_FORMAT'],
  ])('is denied: %s', async (_name, headers, code) => {
    const response = await backend.fetch('/functions/v1/hello', {
      headers: headers as Record<string, string>,
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('sb-error-code')).toBe(code);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({ code });
  });

  it('doesn’t require a token for a preflight or with verify_jwt = false', async () => {
    const preflight = await backend.fetch('/functions/v1/hello', {
      method: 'OPTIONS',
      headers: { origin: 'http://a.test', 'access-control-request-method': 'POST' },
    });
    expect(await preflight.json()).toMatchObject({ method: 'OPTIONS' });
    expect(await (await backend.fetch('/functions/v1/open')).text()).toBe('no token needed');
  });

  it('keeps a function’s own CORS headers, and the preflight allows headers that aren’t listed', async () => {
    const response = await backend.fetch('/functions/v1/cors', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-new',
      },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://a.test');
    expect(response.headers.get('access-control-allow-headers')).toBe('Authorization, x-new');
  });

  it('to names that aren’t slugs, parent folders and disabled functions returns 404', async () => {
    for (const path of ['/nope', '/off', '/..%2f..%2fetc', '/_shared', '/hello%00', '/']) {
      expect((await call(path)).status, path).toBe(404);
    }
  });
});

describe('an error in a function', () => {
  it('that a handler throws returns 500, and the worker continues', async () => {
    expect((await call('/throws')).status).toBe(500);
    expect((await call('/throws')).status).toBe(500);
  });

  it('during startup returns 503 BOOT_ERROR', async () => {
    const response = await call('/broken');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'BOOT_ERROR' });
  });

  it('that ends the process during a request returns 500 WORKER_ERROR', async () => {
    const response = await call('/crash');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'WORKER_ERROR' });
  });

  it('such as an infinite loop ends with 546 while others respond', async () => {
    const spinning = call('/spin');
    expect((await call('/hello')).status).toBe(200);
    const response = await spinning;
    expect(response.status).toBe(546);
    expect(await response.json()).toMatchObject({ code: 'WORKER_LIMIT' });
  });

  it('can be fixed by changing the source, without a restart', async () => {
    expect(await (await call('/changing')).text()).toBe('one');
    writeFileSync(functionFile('changing'), `Deno.serve(() => new Response('two'));`);
    await expect.poll(async () => (await call('/changing')).text(), soon).toBe('two');
  });
});
