/**
 * Tests functions with callers that are common in practice: unusual content types, large headers, late streams,
 * rejected sockets and disconnects.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

let world: FunctionsWorld;
beforeAll(async () => {
  world = await functionsWorld({
    files: {
      many: `let go = () => {};
      const answers = {
        '/many/echo': async (request) => Response.json([request.headers.get('content-type'), await request.text()]),
        '/many/cookies': () => {
          const headers = new Headers();
          for (let index = 0; index < 15; index += 1) headers.append('set-cookie', 'c' + index + '=' + 'x'.repeat(4000));
          return new Response('ok', { headers });
        },
        '/many/late': () => new Response(new ReadableStream({
          async start(stream) {
            await new Promise((resolve) => { go = resolve; });
            stream.enqueue(new TextEncoder().encode('at last'));
            stream.close();
          },
        })),
        '/many/go': () => { go(); return new Response(); },
        '/many/reset': () => new Response(null, { status: 205 }),
        '/many/refuses': () => new Response('refused', { status: 403 }),
        '/many/secret': () => new Response('secret'),
        '/many/caller': (_request, info) => Response.json(info.remoteAddr),
        '/many/completed': (_request, info) => { info.completed.then(() => { completed += 1; }); return new Response(); },
        '/many/count': () => new Response(String(completed)),
      };
      let completed = 0;
      Deno.serve((request, info) => answers[new URL(request.url).pathname](request, info));`,
      // Reimplements deno.land/std@0.168.0/http/server.ts because tests have no network access.
      std: `async function serve(handler) {
        const listener = Deno.listen({ port: 8000, hostname: '0.0.0.0', transport: 'tcp' });
        console.log('Listening on ' + listener.addr.port);
        for (;;) {
          const connection = await listener.accept();
          const http = Deno.serveHttp(connection);
          (async () => {
            for (let event = await http.nextRequest(); event !== null; event = await http.nextRequest())
              answer(event, connection.remoteAddr);
          })();
        }
        async function answer(event, remoteAddr) {
          await event.respondWith(await handler(event.request, { remoteAddr }));
        }
      }
      serve(async (request) => {
        if (request.headers.get('upgrade') === 'websocket') {
          const { socket, response } = Deno.upgradeWebSocket(request);
          socket.onmessage = ({ data }) => socket.send('echo ' + data);
          return response;
        }
        const wait = Number(new URL(request.url).searchParams.get('wait'));
        await new Promise((go) => setTimeout(go, wait));
        return new Response(request.url.replace('http:', '') + ' ' + await request.text());
      });`,
      dying: `Deno.serve(() => { setTimeout(() => { throw new Error('later'); }); return new Promise(() => {}); });`,
      slow: `await new Promise((resolve) => setTimeout(resolve, 300));
      Deno.serve(async (request) => new Response(String((await request.arrayBuffer()).byteLength)));`,
    },
  });
});
afterAll(() => world?.stop());

/** Sends raw bytes over a separate connection. */
async function open(...lines: readonly string[]): Promise<Socket> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write([...lines, `authorization: ${world.authorization}`, 'host: here', '', ''].join('\r\n'));
  return socket;
}

const offer = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
const offerTo = (slug: string) =>
  open(`GET /functions/v1/${slug} HTTP/1.1`, ...offer, 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==');

describe('a function', () => {
  it.each(['json', '', 'application/json, application/json', 'text/plain charset=utf-8'])(
    'receives content of type "%s"',
    async (type) => {
      const response = await world.call('many/echo', {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'content',
      });
      expect([response.status, await response.json()]).toEqual([200, [type, 'content']]);
    },
  );

  it('responds to 60 KiB of cookies', async () => {
    // This request isn't sent with `fetch`, because the size limit that `fetch` has for headers is lower.
    const response = await text(await open('GET /functions/v1/many/cookies HTTP/1.1', 'connection: close'));
    expect([response.slice(9, 12), response.match(/^set-cookie: /gim)?.length]).toEqual(['200', 15]);
  });

  it('starts its response before its stream contains any data', async () => {
    const response = await world.call('many/late');
    await world.call('many/go');
    expect(await response.text()).toBe('at last');
  });

  it('receives the address of the caller, not of the server, and is notified when its response has been sent', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const caller = await (await world.call('many/caller', { headers })).json();
    expect(caller).toEqual({ transport: 'tcp', hostname: '127.0.0.1', port: 0 });
    await (await world.call('many/completed')).text();
    await expect.poll(async () => (await world.call('many/count')).text()).toBe('1');
  });

  it('returns 205, which has no content and no length', async () => {
    const response = await world.call('many/reset');
    expect([response.status, await response.text()]).toEqual([205, '']);
  });
});

describe('the serve function of std, from before Deno 2', () => {
  it('handles several concurrent requests', async () => {
    const slow = world.call('std?wait=300', { method: 'POST', body: 'slow' });
    const host = new URL(world.url).host;
    expect(await (await world.call('std/x', { method: 'POST', body: 'b' })).text()).toBe(`//${host}/std/x b`);
    expect(await (await slow).text()).toBe(`//${host}/std?wait=300 slow`);
  });

  it('accepts WebSockets', async () => {
    const headers = { authorization: world.authorization };
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/functions/v1/std`, { headers });
    await once(socket, 'open');
    socket.send('hi');
    expect(String((await once(socket, 'message'))[0])).toBe('echo hi');
    socket.close();
  });
});

describe('a WebSocket', () => {
  it('ends the connection if the function rejects it, and the function doesn’t receive later data', async () => {
    const socket = await offerTo('many/refuses');
    socket.write(`GET /functions/v1/many/secret HTTP/1.1\r\nhost: here\r\n\r\n`);
    const response = await text(socket);
    expect(response).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(response).toMatch(/\r\n\r\nrefused$/);
  });

  it('gets an error if the function ends while it waits', async () => {
    const response = await text(await offerTo('dying'));
    expect(response).toMatch(/^HTTP\/1\.1 500 WORKER_ERROR\r\n/);
  });
});

it("a client that disconnects during startup with half of its body sent doesn't count as a request", async () => {
  const socket = await open('POST /functions/v1/slow HTTP/1.1', 'content-length: 200000');
  socket.write(Buffer.alloc(20_000));
  await expect.poll(() => world.functions.describe('slow')?.state, { interval: 5 }).toBe('running');
  socket.destroy();
  // The request that was aborted has started the worker, so this request uses the same worker.
  expect(await (await world.call('slow', { method: 'POST', body: 'four' })).text()).toBe('4');
  await expect.poll(() => world.functions.describe('slow')?.pending, { interval: 5 }).toBe(0);
});
