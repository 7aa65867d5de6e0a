/** Callers, functions and connections as they come: odd content types, large heads, late streams, refused sockets, leavers. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
      };
      Deno.serve((request) => answers[new URL(request.url).pathname](request));`,
      dying: `Deno.serve(() => { setTimeout(() => { throw new Error('later'); }); return new Promise(() => {}); });`,
      slow: `await new Promise((resolve) => setTimeout(resolve, 300));
      Deno.serve(async (request) => new Response(String((await request.arrayBuffer()).byteLength)));`,
    },
  });
});
afterAll(() => world?.stop());

/** Bytes as they are, over a connection of its own. */
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
    'gets content of the type "%s"',
    async (type) => {
      const answer = await world.call('many/echo', {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'content',
      });
      expect([answer.status, await answer.json()]).toEqual([200, [type, 'content']]);
    },
  );

  it('answers with 60 KiB of cookies', async () => {
    // Not by fetch, whose own limit is lower.
    const answer = await text(await open('GET /functions/v1/many/cookies HTTP/1.1', 'connection: close'));
    expect([answer.slice(9, 12), answer.match(/^set-cookie: /gim)?.length]).toEqual(['200', 15]);
  });

  it('has begun to answer before the first part of its stream is there', async () => {
    const answer = await world.call('many/late');
    await world.call('many/go');
    expect(await answer.text()).toBe('at last');
  });

  it('answers 205, which has no content and no length', async () => {
    const answer = await world.call('many/reset');
    expect([answer.status, await answer.text()]).toEqual([205, '']);
  });
});

describe('a WebSocket', () => {
  it('that the function refuses ends the connection: what is sent after it is not for the function', async () => {
    const socket = await offerTo('many/refuses');
    socket.write(`GET /functions/v1/many/secret HTTP/1.1\r\nhost: here\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(/\r\n\r\nrefused$/);
  });

  it('that nobody answers, since the function ended, is told so', async () => {
    const answer = await text(await offerTo('dying'));
    expect(answer).toMatch(/^HTTP\/1\.1 500 WORKER_ERROR\r\n/);
  });
});

it('a caller that leaves while the function starts, half of its body sent, is no request of it', async () => {
  const socket = await open('POST /functions/v1/slow HTTP/1.1', 'content-length: 200000');
  socket.write(Buffer.alloc(20_000));
  await expect.poll(() => world.functions.describe('slow')?.state, { interval: 5 }).toBe('running');
  socket.destroy();
  // Started by the caller who left, so that this one meets the same worker.
  expect(await (await world.call('slow', { method: 'POST', body: 'four' })).text()).toBe('4');
  await expect.poll(() => world.functions.describe('slow')?.pending, { interval: 5 }).toBe(0);
});
