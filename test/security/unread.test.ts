/**
 * Tests large bodies that are rejected or ignored. The response must arrive, and the connection must either accept the
 * next request or be closed. If the server stopped reading from the connection but kept it open, the next request would
 * be blocked. Behind a proxy, the next request may come from a different client.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { startWorld, type World } from './world.ts';

async function start(workers: number): Promise<World> {
  const world = await startWorld({
    functions: { unread: `Deno.serve(() => new Response('unread'));` },
    ...(workers === 0 ? {} : { workers: { count: workers } }),
  });
  const token = world.backend.keys.serviceRoleKey;
  for (const limits of [
    { id: 'small', file_size_limit: 1000 },
    { id: 'images', allowed_mime_types: ['image/png'] },
  ]) {
    const { status } = await world.call('/storage/v1/bucket', {
      method: 'POST',
      token,
      json: { ...limits, name: limits.id },
    });
    expect(status).toBe(200);
  }
  return world;
}

const json = { 'content-type': 'application/json' };
const bytes = { 'content-type': 'application/octet-stream' };
const tus = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };
const asService = ({ keys }: Backend) => ({ authorization: `Bearer ${keys.serviceRoleKey}` });
const asAnon = ({ keys }: Backend) => ({ authorization: `Bearer ${keys.anonKey}` });

const requests: [string, string, string, (backend: Backend) => Record<string, string>][] = [
  ['a function that doesn’t read it', 'POST', '/functions/v1/unread', asAnon],
  ['a missing function', 'POST', '/functions/v1/none', asAnon],
  ['a function without its token', 'POST', '/functions/v1/unread', () => json],
  ['rows that aren’t JSON', 'POST', '/rest/v1/notes', () => json],
  [
    'rows with an invalid token',
    'POST',
    '/rest/v1/notes',
    () => ({ ...json, authorization: 'Bearer a.b.c' }),
  ],
  ['a sign-up that isn’t JSON', 'POST', '/auth/v1/signup', () => json],
  ['a missing auth route', 'POST', '/auth/v1/none', () => json],
  [
    'an object for a missing bucket',
    'POST',
    '/storage/v1/object/none/a',
    (backend) => ({ ...bytes, ...asService(backend) }),
  ],
  [
    'an object that RLS rejects',
    'POST',
    '/storage/v1/object/closed/a',
    (backend) => ({ ...bytes, ...asAnon(backend) }),
  ],
  [
    'an object that is too large',
    'POST',
    '/storage/v1/object/small/a',
    (backend) => ({ ...bytes, ...asService(backend) }),
  ],
  [
    'an object with a disallowed type',
    'POST',
    '/storage/v1/object/images/a',
    (backend) => ({ ...bytes, ...asService(backend) }),
  ],
  [
    'an object with an invalid name',
    'POST',
    '/storage/v1/object/small/%01',
    (backend) => ({ ...bytes, ...asService(backend) }),
  ],
  [
    'an invalid form',
    'POST',
    '/storage/v1/object/closed/a',
    (backend) => ({ 'content-type': 'multipart/form-data; boundary=x', ...asService(backend) }),
  ],
  [
    'a signed upload with an invalid token',
    'PUT',
    '/storage/v1/object/upload/sign/closed/a?token=x',
    () => bytes,
  ],
  [
    'a part of a missing upload',
    'PATCH',
    '/storage/v1/upload/resumable/bm9uZQ',
    (backend) => ({ ...tus, 'upload-offset': '0', ...asService(backend) }),
  ],
  [
    'a chunk of a missing upload',
    'POST',
    '/storage/v1/upload/resumable',
    (backend) => ({ ...tus, ...asService(backend) }),
  ],
  ['an unsigned object over S3', 'PUT', '/storage/v1/s3/closed/a', () => ({})],
  ['a broadcast that isn’t JSON', 'POST', '/realtime/v1/api/broadcast', () => json],
  [
    'a form of the Account pages',
    'POST',
    '/account/sign-in',
    () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
  ],
  ['a sign-in to the Console', 'POST', '/console/api/sign-in', () => json],
  ['a missing route', 'POST', '/none', () => ({})],
];

describe.each([
  ['one process', 0],
  ['an API worker', 1],
])('%s', (_server, workers) => {
  let world: World;
  beforeAll(async () => {
    world = await start(workers);
  });
  afterAll(() => world?.stop());

  describe.each([['with its length'], ['in chunks']])('a body of a megabyte, %s', (kind) => {
    it.each(requests)('the response arrives: %s', async (_name, method, path, headers) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const isConsole = path.startsWith('/console/');
      const port = isConsole ? new URL(world.backend.console.url).port : world.port;
      const options = { host: '127.0.0.1', port, agent };
      const base = { apikey: world.backend.keys.anonKey };
      const length = kind === 'in chunks' ? {} : { 'content-length': '1000000' };
      const sent = request({
        ...options,
        method,
        path,
        headers: { ...base, ...headers(world.backend), ...length },
      });
      // If the server closes the connection, writing fails after the response has arrived.
      sent.on('error', () => undefined);
      const written = new Promise((resolve) => sent.end(Buffer.alloc(1_000_000, 'x'), resolve as () => void));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await text(response);
      // If the server keeps the connection open, it reads the whole body.
      if (response.headers.connection !== 'close') await written;
      const [nextPath, status] = isConsole ? ['/console/api/session', 401] : ['/auth/v1/health', 200];
      const next = request({ ...options, path: nextPath, headers: base }).end();
      const [following] = (await once(next, 'response')) as [IncomingMessage];
      expect(following.statusCode).toBe(status);
      await text(following);
      agent.destroy();
    });
  });
});
