/** Tests that object events reach the webhook even if the receiver fails temporarily. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { alice, bob, type StorageServer, startStorage } from './server.ts';

interface Told {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly type: string;
    readonly event: { readonly type: string; readonly payload: Record<string, unknown> };
  };
}

let server: StorageServer;
let receiver: Server;
let told: Told[] = [];
let status = 200;
beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    told.push({ headers: request.headers, body: (await json(request)) as Told['body'] });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
  server = await startStorage({ plinth: { storage: { webhook: { url, api_key: 'open sesame' } } } });
});
afterAll(async () => {
  await server.stop();
  receiver.close();
});
beforeEach(() => {
  told = [];
});

const types = (): string[] => told.map(({ body }) => body.event.type);
const waiting = async () =>
  server.database
    .pool('supabase_admin')
    .query<{ type: string; attempts: number }>(
      sql`select type, attempts from _plinth.storage_events order by id`,
    );

test('every change to objects sends an event with the key', async () => {
  const files = server.client().from('open');
  await files.upload('a', 'one');
  await files.upload('a', 'two', { upsert: true });
  await files.copy('a', 'b');
  await files.move('b', 'c');
  await files.remove(['a', 'c']);
  const expected = [
    'ObjectCreated:Post',
    'ObjectCreated:Put',
    'ObjectCreated:Copy',
    'ObjectRemoved:Move',
    'ObjectCreated:Move',
    'ObjectRemoved:Delete',
    'ObjectRemoved:Delete',
  ];
  await expect.poll(() => types().sort()).toEqual(expected.sort());
  const made = told.find(({ body }) => body.event.type === 'ObjectCreated:Post');
  expect(made?.headers.authorization).toBe('Bearer open sesame');
  expect(made?.body).toMatchObject({
    type: 'Webhook',
    event: {
      $version: 'v1',
      applyTime: expect.any(Number),
      payload: {
        bucketId: 'open',
        name: 'a',
        version: expect.any(String),
        metadata: { size: 3 },
        uploadType: 'standard',
      },
    },
  });
  const moved = told.find(({ body }) => body.event.type === 'ObjectCreated:Move');
  expect(moved?.body.event.payload).toMatchObject({ name: 'c', oldObject: { name: 'b' } });
  await expect.poll(waiting).toEqual([]);
});

test('rejected requests and SQL don’t send events', async () => {
  await server.client(bob).from('private').upload(`${alice.sub}/x`, 'no');
  await server.database
    .pool('postgres')
    .exec(`insert into storage.objects (bucket_id, name) values ('open', 'by-sql')`);
  await server.client().from('open').upload('last', 'yes');
  await expect.poll(types).toEqual(['ObjectCreated:Post']);
  expect(told[0]?.body.event.payload).toMatchObject({ name: 'last' });
});

test('events are retried if the receiver fails', async () => {
  status = 503;
  await server.client(alice).from('private').upload(`${alice.sub}/again`, 'x');
  await expect.poll(() => told.length).toBe(1);
  await expect.poll(waiting).toEqual([{ type: 'ObjectCreated:Post', attempts: 1 }]);
  status = 200;
  await expect.poll(() => told.length).toBe(2);
  await expect.poll(waiting).toEqual([]);
  expect(told[1]?.body.event).toEqual(told[0]?.body.event);
});

test('an event of a process that was killed is delivered by another process', async () => {
  const admin = server.database.pool('supabase_admin');
  await admin.query(sql`
    insert into _plinth.storage_events (type, payload, attempts, next_attempt_at)
    values ('ObjectCreated:Post', '{"name":"left"}', 1, now() + interval '1 second')`);
  await expect.poll(() => told.length).toBe(1);
  expect(told[0]?.body.event.payload).toEqual({ name: 'left' });
});
