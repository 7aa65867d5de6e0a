/**
 * Tests many concurrent changes. No change may be lost, all changes must arrive in commit order, and many subscribers
 * must cause only a few queries.
 */
import type { RealtimeChannel } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Session } from '../../src/platform/database/types.ts';
import { type Harness, startRealtime, subscribed, until } from './harness.ts';

const userId = (n: number): string => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`;
let h: Harness;
let channels = 0;

beforeAll(async () => {
  h = await startRealtime({ limits: { maxWaitingChangeBytes: 20_000 } });
  await h.sql(`
    create table public.flood (id int primary key, writer int, pad text);
    create table public.owned (id int primary key, owner uuid, other uuid, note text);
    alter table public.owned enable row level security;
    create policy own on public.owned for select using (owner = (select auth.uid()) and note is distinct from 'hidden');
    create policy theirs on public.owned for select using (auth.uid() = other);
    grant all on public.flood, public.owned to anon, authenticated, service_role;
    alter publication supabase_realtime add table public.flood, public.owned`);
});
afterAll(() => h.stop());

interface Row {
  readonly id: number;
  readonly writer: number;
}

async function listen(channel: RealtimeChannel, table: string): Promise<Row[]> {
  const seen: Row[] = [];
  channel.on('postgres_changes', { event: '*', schema: 'public', table }, ({ new: row, old }) => {
    seen.push((Object.keys(row).length > 0 ? row : old) as Row);
  });
  await subscribed(channel);
  return seen;
}

test('if too many changes are waiting, PostgreSQL waits too, and all arrive in order', async () => {
  const seen = await listen(h.client().channel(`flood-${channels++}`), 'flood');
  const count = 3000;
  for (let from = 0; from < count; from += 500) {
    await h.sql(
      `insert into public.flood select n, 0, repeat('x', 500) from generate_series(${from}, ${from + 499}) n`,
    );
  }
  await until(() => seen.length >= count);
  expect(seen.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, n) => n));
});

test('a paused stream doesn’t deliver anything, still reports its position, and continues where it stopped', async () => {
  const replication = await h.database.connectReplication();
  const admin = h.database.pool('supabase_admin');
  await replication.command(`CREATE_REPLICATION_SLOT paused TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`);
  await h.sql(
    'create table public.dripping (id int primary key); create publication dripping for table public.dripping',
  );
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    let inserts = 0;
    let last = 0n;
    const { ended } = replication.stream(
      `START_REPLICATION SLOT paused LOGICAL 0/0 (proto_version '1', publication_names 'dripping')`,
      (payload, walStart) => {
        if (payload[0] === 0x49) inserts++;
        last = walStart;
      },
    );
    await h.sql('insert into public.dripping values (0)');
    await until(() => inserts === 1);
    replication.pause();
    await h.sql('insert into public.dripping select generate_series(1, 100)');
    const ofStream = sql`
      select r.sent_lsn >= pg_current_wal_flush_lsn() as sent, r.flush_lsn - '0/0'::pg_lsn as flushed
      from pg_replication_slots s join pg_stat_replication r on r.pid = s.active_pid where s.slot_name = 'paused'`;
    const state = async () => (await admin.query<{ sent: boolean; flushed: string | null }>(ofStream))[0];
    while (!(await state())?.sent);
    expect(inserts).toBe(1);
    expect(BigInt((await state())?.flushed ?? 0)).toBeLessThan(last);
    replication.acknowledge(last);
    vi.advanceTimersByTime(10_000);
    while ((await state())?.flushed !== String(last));
    replication.resume();
    await until(() => inserts === 101);
    replication.destroy();
    await ended;
  } finally {
    vi.useRealTimers();
    replication.destroy();
  }
  const left = sql`select from pg_replication_slots where slot_name = 'paused'`;
  while ((await admin.query(left)).length > 0);
});

test('with several writers, every subscriber sees the order of the commits', async () => {
  const clients = await Promise.all(
    Array.from({ length: 3 }, (_, n) => listen(h.client(userId(n)).channel(`order-${channels++}`), 'owned')),
  );
  // For each row, the server must run a query to find out which of the three users can see the row.
  const writers: Session[] = await Promise.all(
    Array.from({ length: 4 }, () => h.database.pool('postgres').connect()),
  );
  // A separate stream records the order in the WAL. Subscribers must receive the changes in the order in which this
  // stream contains them.
  const witness = await h.database.connectReplication();
  await witness.command(`CREATE_REPLICATION_SLOT witness TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`);
  const committed: number[] = [];
  witness.stream(
    `START_REPLICATION SLOT witness LOGICAL 0/0 (proto_version '1', publication_names 'supabase_realtime')`,
    (payload) => {
      // An insert message contains the relation, `N`, the number of columns, `t`, the length, and the first column's
      // text.
      if (payload[0] === 0x49)
        committed.push(Number(payload.toString('utf8', 13, 13 + payload.readUInt32BE(9))));
    },
  );
  const perWriter = 60;
  await Promise.all(
    writers.map(async (writer, number) => {
      await writer.exec('set synchronous_commit = on');
      for (let n = 0; n < perWriter; n++) {
        const id = 1000 + n * writers.length + number;
        // Each transaction writes two rows, and other transactions write in between.
        await writer.exec(
          `begin; insert into public.owned values (${id}, '${userId(n % 3)}', '${userId((n + 1) % 3)}')`,
        );
        await writer.exec(
          `insert into public.owned values (${id + 10_000}, '${userId(n % 3)}', '${userId((n + 1) % 3)}'); commit`,
        );
      }
      writer.release();
    }),
  );
  const total = perWriter * writers.length * 2;
  const isFor = (id: number, user: number): boolean => {
    const n = Math.floor(((id % 10_000) - 1000) / 4);
    return n % 3 === user || (n + 1) % 3 === user;
  };
  await until(() => committed.length === total);
  for (const [user, seen] of clients.entries()) {
    const expected = committed.filter((id) => isFor(id, user));
    await until(() => seen.length >= expected.length);
    expect(seen.map(({ id }) => id)).toEqual(expected);
  }
  witness.destroy();
});

test('users whom a policy can’t match don’t cause a query, and all others receive the rows', async () => {
  const users = Array.from({ length: 8 }, (_, n) => n);
  const seen = await Promise.all(
    users.map((n) => listen(h.client(userId(20 + n)).channel(`owned-${channels++}`), 'owned')),
  );
  const anonymous = await listen(h.client().channel(`owned-${channels++}`), 'owned');
  const service = h.serviceClient().channel(`owned-${channels++}`);
  const everything = await listen(service, 'owned');
  const owner = (n: number) => `'${userId(20 + n)}'`;
  await h.sql(`begin;
    insert into public.owned values (1, ${owner(0)}, null), (2, ${owner(1)}, ${owner(2)}), (3, null, null);
    insert into public.owned values (4, ${owner(3)}, null, 'hidden');
    insert into public.owned values (5, ${owner(4)}, null);
    update public.owned set owner = ${owner(5)} where id = 5;
    commit`);
  await h.sql(`insert into public.owned values (6, null, ${owner(0)})`);
  await until(() => everything.length === 7);
  await h.sql(`delete from public.owned where id = 1`);
  await until(() => everything.length === 8);
  await until(() => [...seen, anonymous].every((list) => list.at(-1)?.id === 1));
  const ids = (list: readonly Row[]) => list.map(({ id }) => id);
  expect(ids(everything)).toEqual([1, 2, 3, 4, 5, 5, 6, 1]);
  expect(seen.map(ids)).toEqual([[1, 6, 1], [2, 1], [2, 1], [1], [1], [5, 5, 1], [1], [1]]);
  expect(ids(anonymous)).toEqual([1]);
});

test('an extended policy takes effect for subscribers who weren’t checked before', async () => {
  const seen = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      listen(h.client(userId(40 + n)).channel(`wide-${channels++}`), 'owned'),
    ),
  );
  await h.sql(`insert into public.owned values (50, '${userId(40)}')`);
  await until(() => seen[0]?.length === 1);
  await h.sql(`alter policy own on public.owned using (true)`);
  await h.sql(`insert into public.owned values (51, '${userId(40)}')`);
  await until(() => seen.every((list) => list.at(-1)?.id === 51));
  expect(seen.map((list) => list.map(({ id }) => id))).toEqual([[50, 51], [51], [51], [51], [51]]);
  await h.sql(
    `revoke select on public.owned from service_role; alter policy own on public.owned using (owner = auth.uid())`,
  );
  await h.sql(`insert into public.owned values (52, '${userId(41)}')`);
  await until(() => seen[1]?.at(-1)?.id === 52);
});
