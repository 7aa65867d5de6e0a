/** Tests functions behind API workers: streams in both directions, WebSockets, clients that disconnect, and errors. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sql } from '../../src/base/kernel/sql.ts';
import { bytesOf, pacedBodies, sendPaced } from '../support/paced-body.ts';
import { type Client, startWorld, type World } from './world.ts';

const sources = {
  hello: `Deno.serve(async (request) => {
    const { pathname, search } = new URL(request.url);
    return Response.json(
      { method: request.method, path: pathname + search, body: await request.text() },
      { status: 418, headers: { 'x-mine': 'yes' } },
    );
  });`,
  sum: `import { createHash } from 'node:crypto';
    Deno.serve(async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return new Response(createHash('sha256').update(new Uint8Array(await request.arrayBuffer())).digest('hex'));
    });`,
  upload: `Deno.serve((request) => {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    (async () => {
      for await (const chunk of request.body) await writer.write(new TextEncoder().encode(chunk.length + ' '));
      await writer.close();
    })();
    return new Response(readable);
  });`,
  left: `let signals = 0; Deno.serve((request) => {
    if (request.url.endsWith('/count')) return new Response(String(signals));
    request.signal.addEventListener('abort', () => { signals += 1; });
    return new Response(new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array(8)); } }));
  });`,
  echo: `Deno.serve((request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => { socket.send('echo ' + data); if (data === 'bye') socket.close(4000, 'done'); };
    return response;
  });`,
};

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-cluster-functions-'));
let world: World;
let one: Client;
let other: Client;
let authorization: string;

beforeAll(async () => {
  for (const [name, source] of Object.entries(sources)) {
    const folder = join(projectDir, 'supabase', 'functions', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.ts'), source);
  }
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "cluster"\n');
  world = await startWorld({
    projectDir,
    sql: `
      create function public.sum(bytea) returns text language sql as $$ select encode(sha256($1), 'hex') $$;
      insert into storage.buckets (id, name) values ('files', 'files');`,
  });
  one = await world.client();
  other = await world.client();
  authorization = `Bearer ${world.backend.keys.anonKey}`;
});
afterAll(async () => {
  await world?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

it('receives the method, the path and the body, and its response isn’t changed', async () => {
  for (const client of [one, other]) {
    const reply = await client.call('/functions/v1/hello/a%2Fb?c=d', {
      method: 'PUT',
      headers: { authorization },
      body: 'x'.repeat(100_000),
    });
    expect([reply.status, reply.headers['x-mine']]).toEqual([418, 'yes']);
    expect(JSON.parse(reply.text)).toEqual({
      method: 'PUT',
      path: '/hello/a%2Fb?c=d',
      body: 'x'.repeat(100_000),
    });
  }
});

describe('request bodies of random sizes and paces', () => {
  const bytes = { 'content-type': 'application/octet-stream' };
  const service = () => ({ ...bytes, authorization: `Bearer ${world.backend.keys.serviceRoleKey}` });

  it.each([
    ['a function', '/functions/v1/sum', 1],
    ['a database function', '/rest/v1/rpc/sum', 2],
    ['storage', '/storage/v1/object/files/paced', 3],
  ])('arrive at %s', async (_name, path, seed) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const queue = pacedBodies(seed, 8).entries();
    const work = async (): Promise<void> => {
      for (const [index, body] of queue) {
        const { bytes: content, sha256 } = bytesOf(body);
        const isStored = path.startsWith('/storage');
        const url = `${world.backend.url}${path}${isStored ? index : ''}`;
        const sent = await sendPaced(url, { method: 'POST', headers: service(), agent }, body, content);
        expect({ ...body, status: sent.status }).toEqual({ ...body, status: 200 });
        if (!isStored) expect(sent.body.replaceAll('"', '')).toBe(sha256);
        else {
          const stored = await fetch(url.replace('/object/', '/object/authenticated/'), {
            headers: service(),
          });
          const hash = createHash('sha256').update(Buffer.from(await stored.arrayBuffer()));
          expect(hash.digest('hex')).toBe(sha256);
        }
      }
    };
    await Promise.all([work(), work()]);
    agent.destroy();
  });

  it('arrive at a function from pg_net', async () => {
    const pool = world.backend.database.pool('postgres');
    const headers = JSON.stringify({ 'content-type': 'application/json', authorization });
    const [row] = await pool.query<{ sum: string; id: bigint }>(sql`
      with sent as (select jsonb_build_object('a', repeat('x', 400000)) as body)
      select encode(sha256(convert_to(body::text, 'utf8')), 'hex') as sum,
        net.http_post(${`${world.backend.url}/functions/v1/sum`}, body, headers => ${headers}::jsonb) as id
      from sent`);
    await expect
      .poll(
        () => pool.query(sql`select status_code, content from net._http_response where id = ${row?.id}`),
        { timeout: 20_000 },
      )
      .toEqual([{ status_code: 200, content: row?.sum }]);
  });
});

it('streams in both directions', async () => {
  const sent = request(`${world.backend.url}/functions/v1/upload`, {
    method: 'POST',
    agent: false,
    headers: { authorization },
  });
  sent.write(Buffer.alloc(3));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: string[] = [];
  for await (const part of response) {
    parts.push(String(part));
    // Each response to a chunk arrives before the next chunk is sent.
    if (parts.length === 1) sent.write(Buffer.alloc(5));
    else sent.end();
  }
  expect(parts.join('')).toBe('3 5 ');
});

it('detects a client that disconnects', async () => {
  const agent = new Agent();
  const sent = request(`${world.backend.url}/functions/v1/left`, { agent, headers: { authorization } });
  sent.on('error', () => undefined);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response, 'data');
  response.on('error', () => undefined);
  sent.destroy();
  await expect
    .poll(async () => (await one.call('/functions/v1/left/count', { headers: { authorization } })).text, {
      timeout: 20_000,
    })
    .toBe('1');
  agent.destroy();
});

it('accepts WebSockets, and closes them with its own code', async () => {
  const socket = new WebSocket(`${world.backend.url.replace('http', 'ws')}/functions/v1/echo`, {
    headers: { authorization },
  });
  await once(socket, 'open');
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  socket.send('hi');
  socket.send('bye');
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  expect([heard, code, String(reason)]).toEqual([['echo hi', 'echo bye'], 4000, 'done']);
});

it('returns the same errors and preflight responses as without workers', async () => {
  const statuses: number[] = [];
  for (const client of [one, other]) {
    statuses.push((await client.call('/functions/v1/missing', { headers: { authorization } })).status);
    const wrong = { authorization: 'Bearer wrong', apikey: '' };
    statuses.push((await client.call('/functions/v1/hello', { headers: wrong })).status);
  }
  expect(statuses).toEqual([404, 401, 404, 401]);
});

it('can be called with the stock client', async () => {
  const { url, keys } = world.backend;
  const client = createClient(url, keys.publishableKey, { auth: { persistSession: false } });
  const { error } = await client.functions.invoke('hello', { body: { a: 1 } });
  expect([error?.name, error?.context.status]).toEqual(['FunctionsHttpError', 418]);
  expect(await error?.context.json()).toMatchObject({ method: 'POST', body: '{"a":1}' });
});
