/**
 * Tests pgmq: only one consumer reads a message, a message that isn't deleted becomes visible again, and access
 * requires privileges.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Pool, Row } from '../../src/platform/database/index.ts';

let backend: Backend;
let postgres: Pool;
beforeAll(async () => {
  backend = await createTestBackend({ config: { api: { schemas: ['public', 'pgmq_public'] } } });
  postgres = backend.database.pool('postgres');
  await postgres.exec('create extension pgmq');
});
afterAll(() => backend?.stop());

const rows = (text: string): Promise<Row[]> => postgres.query(sql.raw(text));
const ids = async (text: string): Promise<unknown[]> =>
  (await rows(text)).map((row) => Object.values(row)[0]);

beforeEach(async () => {
  await postgres.exec(
    `select pgmq.drop_queue(queue_name) from pgmq.list_queues(); select pgmq.create('my_queue')`,
  );
});

test('send, read, visibility and delete work step by step as in the guide', async () => {
  expect(await ids(`select * from pgmq.send('my_queue', '{"foo": "bar1"}')`)).toEqual([1]);
  expect(
    await ids(`select * from pgmq.send(queue_name => 'my_queue', msg => '{"foo": "bar2"}', delay => 600)`),
  ).toEqual([2]);
  expect(
    await ids(`select * from pgmq.send('my_queue', '{"foo": "bar3"}'::jsonb, '{"h": 1}'::jsonb)`),
  ).toEqual([3]);
  expect(
    await rows(
      `select msg_id, read_ct, message, headers, vt > now() + interval '20 s' as hidden from pgmq.read('my_queue', 30, 5)`,
    ),
  ).toEqual([
    { msg_id: 1, read_ct: 1, message: { foo: 'bar1' }, headers: null, hidden: true },
    { msg_id: 3, read_ct: 1, message: { foo: 'bar3' }, headers: { h: 1 }, hidden: true },
  ]);
  expect(await rows(`select * from pgmq.read('my_queue', 30, 5)`)).toEqual([]);
  expect(await rows(`select msg_id, read_ct from pgmq.set_vt('my_queue', 1, 0)`)).toEqual([
    { msg_id: 1, read_ct: 1 },
  ]);
  expect(await rows(`select msg_id, read_ct from pgmq.read('my_queue', 30, 5)`)).toEqual([
    { msg_id: 1, read_ct: 2 },
  ]);
  expect(await ids(`select pgmq.delete('my_queue', 1)`)).toEqual([true]);
  expect(await ids(`select pgmq.delete('my_queue', 1)`)).toEqual([false]);
  expect(await ids(`select pgmq.delete('my_queue', array[2, 3, 99]::bigint[])`)).toEqual([2, 3]);
});

test("a message that wasn't deleted becomes visible again", async () => {
  await rows(`select pgmq.send('my_queue', '1')`);
  expect(await ids(`select msg_id from pgmq.read('my_queue', 1, 1)`)).toEqual([1]);
  await sleep(1_050);
  expect(await rows(`select msg_id, read_ct from pgmq.read('my_queue', 1, 1)`)).toEqual([
    { msg_id: 1, read_ct: 2 },
  ]);
});

test('batches are read in order', async () => {
  expect(
    await ids(
      `select * from pgmq.send_batch('my_queue', array['{"n": 0}', '{"n": 1}', '{"n": 2}']::jsonb[])`,
    ),
  ).toEqual([1, 2, 3]);
  expect(
    await ids(
      `select * from pgmq.send_batch('my_queue', array['1']::jsonb[], array['{"h": 1}']::jsonb[], now() - interval '1 s')`,
    ),
  ).toEqual([4]);
  await expect(
    rows(`select pgmq.send_batch('my_queue', array['1', '2']::jsonb[], array['{}']::jsonb[])`),
  ).rejects.toThrow('headers array length (1) must match msgs array length (2)');
  expect(await ids(`select message ->> 'n' from pgmq.read('my_queue', 10, 3)`)).toEqual(['0', '1', '2']);
});

test('a conditional read returns only messages that contain the given JSON', async () => {
  await rows(`select pgmq.send_batch('my_queue', array['{"kind": "a", "n": 1}', '{"kind": "b"}']::jsonb[])`);
  expect(await ids(`select msg_id from pgmq.read('my_queue', 10, 5, '{"kind": "b"}')`)).toEqual([2]);
  expect(await ids(`select msg_id from pgmq.read('my_queue', 10, 5, '{"kind": "c"}')`)).toEqual([]);
});

test('pop, archive and purge work', async () => {
  await rows(`select pgmq.send_batch('my_queue', array['0', '1', '2', '3']::jsonb[])`);
  expect(await rows(`select msg_id, message from pgmq.pop('my_queue')`)).toEqual([{ msg_id: 1, message: 0 }]);
  expect(await ids(`select pgmq.archive('my_queue', 2)`)).toEqual([true]);
  expect(
    await ids(`select pgmq.archive(queue_name => 'my_queue', msg_ids => array[2, 3]::bigint[])`),
  ).toEqual([3]);
  expect(
    await rows(
      `select msg_id, message, archived_at is not null as dated from pgmq.a_my_queue order by msg_id`,
    ),
  ).toEqual([
    { msg_id: 2, message: 1, dated: true },
    { msg_id: 3, message: 2, dated: true },
  ]);
  expect(await ids(`select pgmq.purge_queue('my_queue')`)).toEqual([1]);
  expect(await rows(`select * from pgmq.pop('my_queue')`)).toEqual([]);
});

test('read_with_poll waits for a message for a limited time', async () => {
  const waiting = ids(`select msg_id from pgmq.read_with_poll('my_queue', 10, 1, 20, 20)`);
  await sleep(100);
  await rows(`select pgmq.send('my_queue', '1')`);
  expect(await waiting).toEqual([1]);
  expect(await ids(`select msg_id from pgmq.read_with_poll('my_queue', 10, 1, 1, 50)`)).toEqual([]);
});

test('queues and metrics are listed', async () => {
  await rows(`select pgmq.create_unlogged('Fast')`);
  await rows(`select pgmq.create('my_queue')`);
  await rows(`select pgmq.send_batch('my_queue', array['0', '1']::jsonb[]), pgmq.send('my_queue', '2', 600)`);
  expect(
    await rows('select queue_name, is_partitioned, is_unlogged from pgmq.list_queues() order by 1'),
  ).toEqual([
    { queue_name: 'Fast', is_partitioned: false, is_unlogged: true },
    { queue_name: 'my_queue', is_partitioned: false, is_unlogged: false },
  ]);
  expect(await rows(`select * from pgmq.metrics('my_queue')`)).toMatchObject([
    {
      queue_name: 'my_queue',
      queue_length: 3,
      queue_visible_length: 2,
      total_messages: 3,
      oldest_msg_age_sec: 0,
    },
  ]);
  expect(await ids('select queue_name from pgmq.metrics_all() order by 1')).toEqual(['Fast', 'my_queue']);
  expect(await ids(`select relpersistence::text from pg_class where relname = 'q_fast'`)).toEqual(['u']);
  expect(await ids(`select pgmq.drop_queue('Fast')`)).toEqual([true]);
  expect(await ids(`select pgmq.drop_queue('Fast')`)).toEqual([false]);
});

test.each([`a; drop table x`, `a--b`, `a'b`, 'a$b', 'x'.repeat(48)])(
  '%j isn’t a queue name',
  async (name) => {
    await expect(postgres.query(sql`select pgmq.create(${name})`)).rejects.toThrow(/queue name/);
  },
);

test('a name with quotes and spaces is treated as a name', async () => {
  const name = 'a "b" c';
  await postgres.query(sql`select pgmq.create(${name})`);
  await postgres.query(sql`select pgmq.send(${name}, '1'::jsonb)`);
  expect(await postgres.query(sql`select message from pgmq.pop(${name})`)).toEqual([{ message: 1 }]);
});

test('concurrent readers never get the same message', async () => {
  await rows(`select pgmq.send_batch('my_queue', array_agg(to_jsonb(n))) from generate_series(1, 200) n`);
  const read: unknown[] = [];
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      for (;;) {
        const found = await ids(`select msg_id from pgmq.read('my_queue', 100, 7)`);
        if (found.length === 0) return;
        read.push(...found);
      }
    }),
  );
  expect(read).toHaveLength(200);
  expect(new Set(read).size).toBe(200);
});

test('everything belongs to the project, and the extension can be dropped', async () => {
  expect(
    await rows(`select distinct proowner::regrole::text as owner from pg_proc where pronamespace = 'pgmq'::regnamespace
      union select distinct relowner::regrole::text from pg_class where relnamespace = 'pgmq'::regnamespace`),
  ).toEqual([{ owner: 'postgres' }]);
  await postgres.exec('drop extension pgmq cascade; create extension pgmq with schema pgmq');
});

describe('over the API', () => {
  // As in the hosted service's guide, the functions are in a schema that the API exposes.
  beforeAll(() =>
    postgres.exec(`create schema pgmq_public;
      grant usage on schema pgmq_public to anon, authenticated, service_role;
      create function pgmq_public.send(queue_name text, message jsonb, sleep_seconds int default 0) returns setof bigint
        language sql as $$ select * from pgmq.send(queue_name, message, sleep_seconds) $$;
      create function pgmq_public.read(queue_name text, sleep_seconds int, n int) returns setof pgmq.message_record
        language sql as $$ select * from pgmq.read(queue_name, sleep_seconds, n) $$;
      notify pgrst, 'reload schema'`),
  );

  test('only roles with grants can use the queue', async () => {
    await postgres.exec(
      `grant usage on schema pgmq to service_role; grant all on pgmq.q_my_queue to service_role`,
    );
    const client = (key: string) =>
      createClient(backend.url, key, { db: { schema: 'pgmq_public' }, auth: { persistSession: false } });
    const service = client(backend.keys.secretKey);
    await expect
      .poll(async () => (await service.rpc('send', { queue_name: 'my_queue', message: { a: 1 } })).data)
      .toEqual([expect.any(Number)]);
    const read = await service.rpc('read', { queue_name: 'my_queue', sleep_seconds: 30, n: 1 });
    expect(read.data).toMatchObject([{ read_ct: 1, message: { a: 1 } }]);
    const refused = await client(backend.keys.publishableKey).rpc('send', {
      queue_name: 'my_queue',
      message: {},
    });
    expect(refused.error).toMatchObject({ code: '42501' });
    await postgres.exec('revoke usage on schema pgmq from service_role');
  });
});

test('the functions that dumps grant exist, and partitioned queues name what they need', async () => {
  expect(
    await ids(`select proname::text from pg_proc where pronamespace = 'pgmq'::regnamespace and proname ~ '^_(belongs|ens|ext|get)'
      and pg_get_userbyid(proowner) = 'postgres' order by 1`),
  ).toEqual([
    '_belongs_to_pgmq',
    '_ensure_pg_partman_installed',
    '_extension_exists',
    '_get_partition_col',
    '_get_pg_partman_major_version',
    '_get_pg_partman_schema',
  ]);
  for (const call of [`create_partitioned('p')`, `convert_archive_partitioned('my_queue')`])
    await expect(rows(`select pgmq.${call}`)).rejects.toMatchObject({ code: '0A000' });
  expect(await ids(`select pgmq.drop_queue('nothing')`)).toEqual([false]);
  expect(await ids(`select pgmq.drop_queue('my_queue', false)`)).toEqual([true]);
});

test('a database with version 1.5.1 is updated, and dumps contain the list of queues', async () => {
  const admin = backend.database.pool('supabase_admin');
  const config = sql`select extversion as version, extconfig::regclass[]::text as config from pg_extension where extname = 'pgmq'`;
  const current = await admin.query(config);
  await admin.transaction(
    async (tx) => {
      for (const name of [
        ...['_extension_exists(text)', '_belongs_to_pgmq(text)', '_get_pg_partman_schema()'],
        ...['_get_pg_partman_major_version()', '_get_partition_col(text)', '_ensure_pg_partman_installed()'],
        'convert_archive_partitioned(text, text, text, int)',
      ])
        await tx.exec(`alter extension pgmq drop function pgmq.${name}; drop function pgmq.${name} cascade`);
      await tx.exec(`update pg_extension set extversion = '1.5.1', extconfig = null, extcondition = null where extname = 'pgmq';
        alter extension pgmq update`);
      expect(await tx.query(config)).toEqual(current);
      await tx.exec(`set local role postgres; select pgmq.create('after'); select pgmq.drop_queue('after')`);
    },
    { end: 'rollback' },
  );
  expect(current).toEqual([{ version: '1.5.2', config: '{pgmq.meta}' }]);
});
