/**
 * Tests processes that share one stream of changes over NATS. One process reads the slot. If it ends, or if NATS is
 * interrupted, the subscribers of the other processes receive each change once and in order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Harness, type Served, startRealtime, subscribed, until } from './harness.ts';
import { natsServer, startNats, type TestNats } from './nats-server.ts';

const lease = { aliveMs: 100, leaseMs: 1500 };
const user = '00000000-0000-4000-8000-00000000000a';
const processFile = fileURLToPath(new URL('./fixtures/process.ts', import.meta.url));

describe.skipIf(natsServer === undefined)('processes that share a stream', () => {
  let nats: TestNats;
  let a: Harness;
  let b: Served;
  const children: ChildProcess[] = [];
  let settings: { bus: 'nats'; nats_url: string };

  beforeAll(async () => {
    nats = await startNats({ jetStream: true });
    settings = { bus: 'nats', nats_url: nats.url };
    a = await startRealtime({ settings, lease, streamIdleMs: 200 });
    await a.sql(`
      create table public.rows (id int primary key, owner uuid);
      alter table public.rows enable row level security;
      create policy own on public.rows for select using (owner = (select auth.uid()));
      grant all on public.rows to anon, authenticated, service_role;
      alter publication supabase_realtime add table public.rows;
      create policy "all read" on realtime.messages for select to authenticated using (true)`);
    b = await a.another();
  });
  afterEach(() => a.sql('truncate public.rows'));
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await b.stop();
    await a.stop();
    await nats.stop();
  });

  const slots = () =>
    a.database.pool('supabase_admin').query<{ name: string; active: boolean }>(sql`
      select slot_name as name, active from pg_replication_slots where database = current_database()`);

  /** Starts a process that can be killed, and waits until it is the group's reader. */
  async function startReader(): Promise<ChildProcess> {
    const parameters = { place: a.place, name: a.databaseName, options: { settings, lease } };
    const child = spawn(process.execPath, [processFile, JSON.stringify(parameters)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const url = await new Promise<string>((resolve) =>
      createInterface({ input: child.stdout }).once('line', resolve),
    );
    const address = `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${a.keys.anonKey}&vsn=2.0.0`;
    const socket = new WebSocket(address);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send(JSON.stringify(['1', '1', 'realtime:reader', 'phx_join', { config: {} }]));
    await expect.poll(async () => (await slots()).map(({ active }) => active)).toEqual([true]);
    return child;
  }

  async function listener(harness: Served, name: string) {
    const changes: number[] = [];
    const broadcasts: number[] = [];
    const statuses: string[] = [];
    const channel = harness.client(user).channel(name, { config: { private: true } });
    channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'rows' }, ({ new: row }) =>
      changes.push(row.id),
    );
    channel.on('broadcast', { event: 'sent' }, ({ payload }) => broadcasts.push(payload.n));
    channel.on('system', {}, ({ status, message }) => statuses.push(`${status} ${message}`));
    await subscribed(channel);
    return { channel, changes, broadcasts, statuses };
  }

  /** Writes a row and a broadcast per transaction, at 200 per second, until the function returns true. */
  async function write(topic: string, isOver: (written: number) => boolean): Promise<number> {
    let written = 0;
    const startedAt = performance.now();
    while (!isOver(written)) {
      written++;
      await a.sql(
        `begin; insert into public.rows values (${written}, '${user}');
         select realtime.send('{"n": ${written}}', 'sent', '${topic}'); commit`,
      );
      const dueIn = written * 5 - (performance.now() - startedAt);
      if (dueIn > 0) await new Promise((resolve) => setTimeout(resolve, dueIn));
    }
    return written;
  }

  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

  test('use one slot, which goes with the last subscriber', async () => {
    const [left, right] = [await listener(a, 'one-slot'), await listener(b, 'one-slot')];
    expect(await slots()).toMatchObject([{ active: true }]);
    const count = await write('one-slot', (written) => written >= 20);
    for (const { changes, broadcasts } of [left, right]) {
      await until(() => changes.length >= count && broadcasts.length >= count);
      expect(changes).toEqual(upTo(count));
      expect(broadcasts).toEqual(upTo(count));
    }
    await left.channel.unsubscribe();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await slots()).toHaveLength(1);
    await a.sql(`insert into public.rows values (0, '${user}')`);
    await until(() => right.changes.includes(0));
    await right.channel.unsubscribe();
    await expect.poll(slots, { timeout: 60_000 }).toEqual([]);
  });

  test('receive each change once if the reader is killed', async () => {
    const reader = await startReader();
    const listeners = [await listener(a, 'killed'), await listener(b, 'killed')];
    let killedAt = 0;
    const count = await write('killed', (written) => {
      if (written === 200) {
        reader.kill('SIGKILL');
        killedAt = written;
      }
      return written >= 600;
    });
    expect(killedAt).toBe(200);
    for (const { channel, changes, broadcasts, statuses } of listeners) {
      await until(() => changes.length >= count && broadcasts.length >= count);
      expect(changes).toEqual(upTo(count));
      expect(broadcasts).toEqual(upTo(count));
      expect(statuses).toEqual(['ok Subscribed to PostgreSQL']);
      await channel.unsubscribe();
    }
  });

  test('receive each change once if NATS is away for ten seconds', async () => {
    const listeners = [await listener(a, 'away'), await listener(b, 'away')];
    let restarted: Promise<void> | undefined;
    const count = await write('away', (written) => {
      if (written === 100)
        restarted = nats.kill().then(async () => {
          await new Promise((resolve) => setTimeout(resolve, 10_000));
          await nats.start();
        });
      return written >= 600;
    });
    expect(await a.check()).toMatchObject({ status: 'degraded' });
    await restarted;
    for (const { channel, changes, statuses } of listeners) {
      await until(() => changes.length >= count);
      await until(() => changes.includes(count));
      expect(changes).toEqual(upTo(count));
      expect(statuses).toEqual(['ok Subscribed to PostgreSQL']);
      await channel.unsubscribe();
    }
    await expect.poll(() => a.check()).toBeUndefined();
  });

  test('read changes themselves if NATS runs without JetStream', async () => {
    const plain = await startNats({ jetStream: false });
    const alone = await a.another({ settings: { bus: 'nats', nats_url: plain.url } });
    const { channel, changes } = await listener(alone, 'plain');
    expect((await slots()).some(({ name }) => !name.includes('_group_'))).toBe(true);
    await a.sql(`insert into public.rows values (1, '${user}')`);
    await until(() => changes.length > 0);
    await channel.unsubscribe();
    await alone.stop();
    await plain.stop();
  });
});
