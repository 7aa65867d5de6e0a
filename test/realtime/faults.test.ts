/**
 * Tests that during faults, no change is lost or delivered twice, and that clients recover automatically. After
 * "subscribed", every change that is committed must be delivered.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { startTestCluster, stopTestCluster } from '../../src/platform/database/testing.ts';
import { type Harness, joined, type Served, startRealtime, subscribed, until } from './harness.ts';
import { type NetworkProxy, startProxy } from './proxy.ts';
import { openRaw, type RawSocket, userBroadcast } from './raw-socket.ts';

const lease = { aliveMs: 100, leaseMs: 1500 };
const user = '00000000-0000-4000-8000-00000000000a';
let direct: Harness;
let proxy: NetworkProxy;
let behind: Served;
let topics = 0;
const children: ChildProcess[] = [];

beforeAll(async () => {
  direct = await startRealtime({ settings: { bus: 'postgres' }, lease });
  await direct.sql(`
    create table public.rows (id int primary key, owner uuid);
    alter table public.rows enable row level security;
    create policy own on public.rows for select using (owner = (select auth.uid()));
    grant all on public.rows to anon, authenticated, service_role;
    alter publication supabase_realtime add table public.rows;
    create policy "all read" on realtime.messages for select to authenticated using (true)`);
  proxy = await startProxy(direct.place);
  behind = await direct.another({}, proxy.place);
});
afterEach(() => direct.sql('truncate public.rows'));
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await behind.stop();
  await proxy.stop();
  await direct.stop();
  // The cluster must be stopped here, because one test restarts PostgreSQL, and the process that normally stops the
  // cluster watches only the first server process.
  await stopTestCluster();
});

/**
 * Returns a client that listens to changes and database broadcasts, and that has received the first change and the
 * first broadcast.
 */
async function listener(harness: Served) {
  const name = `fault-${topics++}`;
  const client = harness.client(user);
  const changes: number[] = [];
  const broadcasts: number[] = [];
  const statuses: string[] = [];
  const channel = client.channel(name, { config: { private: true } });
  channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'rows' }, ({ new: row }) =>
    changes.push(row.id),
  );
  channel.on('broadcast', { event: 'broadcasts' }, ({ payload }) => broadcasts.push(payload.n));
  channel.on('system', {}, ({ status, message }) => statuses.push(`${status} ${message}`));
  await subscribed(channel);
  return { name, channel, changes, broadcasts, statuses };
}

const insert = (from: number, to: number, topic: string): string => `
  insert into public.rows select n, '${user}' from generate_series(${from}, ${to}) n;
  select realtime.send(jsonb_build_object('n', n), 'broadcasts', '${topic}') from generate_series(${from}, ${to}) n`;
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('if the network to PostgreSQL', () => {
  test('is interrupted, changes written in the meantime arrive afterwards, once and in order', async () => {
    const { name, changes, broadcasts, statuses } = await listener(behind);
    await direct.sql(insert(1, 50, name));
    await until(() => changes.length >= 50 && broadcasts.length >= 50);
    proxy.cut();
    await direct.sql(insert(51, 100, name));
    await until(() => behind.health() !== undefined);
    await direct.sql(insert(101, 150, name));
    proxy.mend();
    await until(() => changes.length >= 150 && broadcasts.length >= 150);
    await direct.sql(insert(151, 151, name));
    await until(() => changes.includes(151) && broadcasts.includes(151));
    expect(changes).toEqual(numbers(1, 151));
    expect(broadcasts).toEqual(numbers(1, 151));
    expect(statuses).toEqual(['ok Subscribed to PostgreSQL']);
    await until(() => behind.health() === undefined);
  });

  test('is interrupted during many changes, no change is lost or delivered twice', async () => {
    const { name, changes, statuses } = await listener(behind);
    const flood = (async () => {
      for (let from = 1; from <= 1901; from += 100)
        await direct.sql(
          `insert into public.rows select n, '${user}' from generate_series(${from}, ${from + 99}) n`,
        );
    })();
    for (const size of [200, 700, 1200]) {
      await until(() => changes.length >= size);
      proxy.cut();
      proxy.mend();
    }
    await flood;
    await until(() => changes.length >= 2000);
    await direct.sql(insert(2001, 2001, name));
    await until(() => changes.includes(2001));
    expect(changes).toEqual(numbers(1, 2001));
    expect(statuses).toEqual(['ok Subscribed to PostgreSQL']);
  });

  test('stalls for a while, everything arrives afterwards', async () => {
    const { name, changes, broadcasts } = await listener(behind);
    proxy.freeze();
    await direct.sql(insert(1, 20, name));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(changes).toEqual([]);
    proxy.mend();
    await until(() => changes.length >= 20 && broadcasts.length >= 20);
    expect(changes).toEqual(numbers(1, 20));
    expect(broadcasts).toEqual(numbers(1, 20));
  });

  test('is interrupted, broadcasts continue in the process, and presence is complete again afterwards', async () => {
    const name = `fault-${topics++}`;
    const [here, there] = [direct.client().channel(name), behind.client().channel(name)];
    const second = behind.client().channel(name);
    const heard: string[] = [];
    second.on('broadcast', { event: 'x' }, () => heard.push('second'));
    for (const [channel, key] of [
      [here, 'here'],
      [there, 'there'],
    ] as const) {
      channel.on('presence', { event: 'sync' }, () => {});
      await joined(channel);
      await channel.track({ key });
    }
    await joined(second);
    const seenBy = (channel: typeof here): string =>
      Object.values(channel.presenceState<{ key: string }>())
        .flatMap((metas) => metas.map(({ key }) => key))
        .sort()
        .join();
    await until(() => seenBy(here) === 'here,there' && seenBy(there) === 'here,there');
    proxy.cut();
    await there.send({ type: 'broadcast', event: 'x', payload: {} });
    await until(() => heard.length > 0);
    await there.track({ key: 'there again' });
    // The lease expires, so each process treats the members of the other process as having left.
    await until(() => seenBy(here) === 'here');
    proxy.mend();
    await until(() => seenBy(here) === 'here,there again' && seenBy(there) === 'here,there again');
  });
});

describe('if one of two processes', () => {
  async function startProcess(): Promise<{ child: ChildProcess; url: string }> {
    const options = { settings: { bus: 'postgres' }, lease };
    const argument = JSON.stringify({ place: direct.place, name: direct.databaseName, options });
    const script = fileURLToPath(new URL('./fixtures/process.ts', import.meta.url));
    const child = spawn(process.execPath, [script, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    for await (const line of createInterface({ input: child.stdout })) return { child, url: line };
    throw new Error('the process ended before it served');
  }

  /**
   * Returns the names of complete replication slots. An incomplete slot is dropped when the process that creates it
   * ends.
   */
  const slots = async (active: boolean): Promise<string[]> => {
    const rows = await direct.database.pool('supabase_admin').query<{ name: string }>(sql`
      select slot_name::text as name from pg_replication_slots
      where database = current_database() and active = ${active} and confirmed_flush_lsn is not null`);
    return rows.map(({ name }) => name);
  };

  test('is killed, its members and its slot are removed, and the others don’t miss anything', async () => {
    const { child, url } = await startProcess();
    const { name, changes, broadcasts } = await listener(direct);
    const before = await slots(true);
    const witness = direct.client().channel(`${name}-presence`);
    witness.on('presence', { event: 'sync' }, () => {});
    await joined(witness);
    await witness.track({ who: 'witness' });
    const doomed = createClient(url, direct.keys.publishableKey).channel(`${name}-presence`);
    doomed.on('presence', { event: 'sync' }, () => {});
    await joined(doomed);
    await doomed.track({ who: 'doomed' });
    let slot: string | undefined;
    while (slot === undefined) slot = (await slots(true)).find((each) => !before.includes(each));
    await until(() => Object.keys(witness.presenceState()).length === 2);
    await until(() => Object.keys(doomed.presenceState()).length === 2);
    await direct.sql(insert(1, 20, name));
    child.kill('SIGKILL');
    await direct.sql(insert(21, 40, name));
    await until(() => Object.keys(witness.presenceState()).length === 1);
    expect(JSON.stringify(witness.presenceState())).toContain('witness');
    await until(() => changes.length >= 40 && broadcasts.length >= 40);
    expect(changes).toEqual(numbers(1, 40));
    expect(broadcasts).toEqual(numbers(1, 40));
    await doomed.socket.disconnect();

    // The next process that starts drops the slots of the killed process.
    while (!(await slots(false)).includes(slot));
    const next = await direct.another();
    while ((await slots(false)).includes(slot));
    await next.stop();
  });
});

describe('if PostgreSQL', () => {
  test('is killed and restarted, rows written immediately afterwards arrive', async () => {
    const { name, changes, broadcasts, statuses } = await listener(direct);
    await direct.sql(insert(1, 20, name));
    await until(() => changes.length >= 20);
    const { cluster } = await startTestCluster();
    const before = cluster.pid();
    process.kill(before, 'SIGKILL');
    await until(() => cluster.pid() !== before);
    // The statement must run as soon as the server responds, before other clients reconnect.
    for (;;) {
      try {
        await direct.sql(insert(21, 40, name));
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    await until(() => changes.length >= 40 && broadcasts.length >= 40);
    expect(changes).toEqual(numbers(1, 40));
    expect(broadcasts).toEqual(numbers(1, 40));
    expect(statuses).toEqual(['ok Subscribed to PostgreSQL']);
    await until(() => direct.health() === undefined && behind.health() === undefined);
  });

  test('must keep WAL for a stream, there is a warning at half of the limit and a new slot above it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const bounded = await direct.another({ limits: { maxSlotWalBytes: 8 * 1024 * 1024 } });
    try {
      const { name, changes, statuses } = await listener(bounded);
      const slot = bounded.report().stream.slot?.name;
      // All WAL since the start of this open transaction may still be needed.
      const session = await direct.database.pool('postgres').connect();
      await session.exec(`begin; create table public.held (id int)`);
      const write = (mebibytes: number): Promise<void> =>
        direct.sql(
          `select pg_logical_emit_message(false, 'test', repeat('x', 1024 * 1024)) from generate_series(1, ${mebibytes})`,
        );
      const look = (): void => void vi.advanceTimersByTime(30_000);
      await write(5);
      look();
      await until(() => bounded.health()?.includes('MiB of WAL') === true);
      expect(bounded.report().stream.slot).toMatchObject({ name: slot, permanent: true });
      expect(bounded.report().stream.slot?.retainedBytes).toBeGreaterThan(4 * 1024 * 1024);
      await write(5);
      look();
      await until(() => bounded.report().stream.slot?.name !== slot);
      await session.exec('commit; drop table public.held');
      session.release();
      await until(() => statuses.length > 1 && bounded.health() === undefined);
      expect(statuses).toEqual(['ok Subscribed to PostgreSQL', 'ok Subscribed to PostgreSQL']);
      const left = sql`select slot_name from pg_replication_slots where slot_name = ${slot}`;
      expect(await direct.database.pool('supabase_admin').query(left)).toEqual([]);
      await direct.sql(insert(1, 5, name));
      await until(() => changes.length >= 5);
      expect(changes).toEqual(numbers(1, 5));
    } finally {
      vi.useRealTimers();
      await bounded.stop();
    }
  });
});

describe('if the clock', () => {
  test.each([
    ['forward by a day', 86_400_000],
    ['back by a day', -86_400_000],
  ])('jumps %s, no client is disconnected, and limits apply as before', async (_what, byMs) => {
    let offset = 0;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const jumpy = await startRealtime({
      clock: { now: () => Date.now() + offset },
      uptime: () => performance.now(),
      limits: { clientPresence: { maxCalls: 3, windowMs: 200 }, maxEventsPerSecond: 1000 },
    });
    try {
      const day = 86_400;
      const token = jumpy.token(user, { exp: Math.floor(Date.now() / 1000) + 3 * day });
      const key = jumpy.token(user, { exp: Math.floor(Date.now() / 1000) + 3 * day });
      const socket = await openRaw(jumpy.socketUrl(key));
      socket.send([
        '1',
        '1',
        'realtime:t',
        'phx_join',
        { config: { broadcast: { self: true } }, access_token: token },
      ]);
      await socket.next((frame) => frame[3] === 'phx_reply');
      offset = byMs;
      for (let second = 0; second < 5; second++) vi.advanceTimersByTime(1000);
      for (let call = 0; call < 3; call++) {
        socket.send([
          '1',
          `p${call}`,
          'realtime:t',
          'presence',
          { type: 'presence', event: 'track', payload: { call } },
        ]);
        await socket.next((frame) => frame[1] === `p${call}`);
      }
      // The time window for presence calls ends even if the clock has jumped.
      await new Promise((resolve) => setTimeout(resolve, 250));
      socket.send(['1', 'p3', 'realtime:t', 'presence', { type: 'presence', event: 'untrack', payload: {} }]);
      expect((await socket.next((frame) => frame[1] === 'p3'))[4].status).toBe('ok');
      socket.sendBytes(userBroadcast('realtime:t', 'still', 1, Buffer.from('{}')));
      await socket.next((frame) => Buffer.isBuffer(frame) && frame.includes('still'));
      expect(socket.closed).toBeUndefined();
      socket.close();
    } finally {
      await jumpy.stop();
      vi.useRealTimers();
    }
  });
});

describe('if a thousand clients', () => {
  test('lose their process and reconnect immediately, all are served and receive the presence state', async () => {
    const first = await direct.another();
    const port = Number(new URL(first.url).port);
    const count = 1000;
    const connect = async (url: string, n: number): Promise<RawSocket> => {
      const socket = await openRaw(url);
      socket.send([
        '1',
        '1',
        `realtime:herd-${n % 20}`,
        'phx_join',
        { config: { presence: { key: `k${n}`, enabled: true } } },
      ]);
      await socket.next((frame) => frame[1] === '1' && frame[4].status === 'ok');
      return socket;
    };
    const herd = await Promise.all(Array.from({ length: count }, (_, n) => connect(first.socketUrl(), n)));
    await first.stop();
    await until(() => herd.every(({ closed }) => closed?.code === 1012));
    const second = await direct.another({ port });
    const back = await Promise.all(Array.from({ length: count }, (_, n) => connect(second.socketUrl(), n)));
    await Promise.all(
      back.map(async (socket, n) => {
        socket.send([
          '1',
          '2',
          `realtime:herd-${n % 20}`,
          'presence',
          { type: 'presence', event: 'track', payload: { n } },
        ]);
        await socket.next((frame) => frame[1] === '2' && frame[4].status === 'ok');
      }),
    );
    const late = await connect(second.socketUrl(), 0);
    const state = await late.next((frame) => frame[3] === 'presence_state');
    expect(Object.keys(state[4])).toHaveLength(count / 20);
    back[0]?.sendBytes(userBroadcast('realtime:herd-0', 'all', 1, Buffer.from('{}')));
    const members = back.filter((_, n) => n % 20 === 0 && n > 0);
    await Promise.all(
      members.map((socket) => socket.next((frame) => Buffer.isBuffer(frame) && frame.includes('all'))),
    );
    for (const socket of [...back, late]) socket.close();
    await second.stop();
  });
});
