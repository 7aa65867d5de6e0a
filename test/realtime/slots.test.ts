/**
 * Tests the life of replication slots: a slot exists only while a channel needs it, and a server without a free slot
 * rejects a join instead of accepting it and failing later.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Harness, joined, startRealtime, subscribed, until } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startRealtime({ streamIdleMs: 100 });
  await harness.sql(`
    create table public.rows (id int primary key);
    grant all on public.rows to anon, authenticated, service_role;
    alter publication supabase_realtime add table public.rows`);
});
afterAll(() => harness.stop());

const admin = () => harness.database.pool('supabase_admin');
const slots = () =>
  admin().query<{ name: string; active: boolean }>(sql`
    select slot_name as name, active from pg_replication_slots where database = current_database()`);
const changesOf = (name: string, seen: number[] = []) =>
  harness
    .client()
    .channel(name)
    .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'rows' }, ({ new: row }) =>
      seen.push(row.id),
    );

test('the slot is dropped shortly after the last channel was left, and a later channel gets a new one', async () => {
  const first = await subscribed(changesOf('first'));
  const second = await joined(harness.client().channel('second'));
  expect(await slots()).toHaveLength(1);
  await first.unsubscribe();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await slots()).toHaveLength(1);
  await second.unsubscribe();
  await expect.poll(slots).toEqual([]);
  expect(harness.health()).toBeUndefined();
  expect(harness.report().stream.state).toBe('closed');
  const seen: number[] = [];
  const third = await subscribed(changesOf('third', seen));
  await harness.sql('insert into public.rows values (1)');
  await until(() => seen.length > 0);
  await third.unsubscribe();
  await expect.poll(slots).toEqual([]);
});

test('a channel that is joined while the stream closes receives changes', async () => {
  for (let round = 0; round < 5; round++) {
    const seen: number[] = [];
    const leaving = await subscribed(changesOf(`leaving-${round}`));
    await leaving.unsubscribe();
    await new Promise((resolve) => setTimeout(resolve, 95 + round * 4));
    const channel = await subscribed(changesOf(`joining-${round}`, seen));
    await harness.sql(`insert into public.rows values (${100 + round})`);
    await until(() => seen.length > 0);
    expect(seen).toEqual([100 + round]);
    await channel.unsubscribe();
  }
});

test('without a free slot, a join is rejected, the server is degraded, and both recover', async () => {
  await expect.poll(slots).toEqual([]);
  const taken: string[] = [];
  try {
    for (;;) {
      const name = `taken_${taken.length}`;
      await admin().query(sql`select pg_create_physical_replication_slot(${name})`);
      taken.push(name);
    }
  } catch (error) {
    expect((error as { code: string }).code).toBe('53400');
  }
  const broadcasts = await joined(harness.client().channel('broadcasts'));
  const seen: number[] = [];
  const statuses: string[] = [];
  const notifications: string[] = [];
  const channel = changesOf('no-slot', seen).on('system', {}, ({ extension, status }) => {
    if (extension === 'postgres_changes') notifications.push(status);
  });
  channel.subscribe((status) => statuses.push(status));
  await until(() => statuses.length > 0);
  expect(statuses[0]).toBe('CHANNEL_ERROR');
  expect(statuses).not.toContain('SUBSCRIBED');
  expect(await harness.check()).toEqual({
    status: 'degraded',
    message:
      'PostgreSQL has no free replication slot or WAL sender for realtime; increase max_replication_slots and max_wal_senders.',
  });
  for (const name of taken) await admin().query(sql`select pg_drop_replication_slot(${name})`);
  // The stock client retries by itself.
  await until(() => statuses.includes('SUBSCRIBED'));
  await until(() => harness.report().stream.state === 'live');
  expect(await harness.check()).toBeUndefined();
  // Only this notification promises that changes will be delivered.
  await until(() => notifications.includes('ok'));
  await harness.sql('insert into public.rows values (200)');
  await until(() => seen.length > 0);
  await channel.unsubscribe();
  await broadcasts.unsubscribe();
});

test('another process drops the slot of a killed process', async () => {
  const file = fileURLToPath(new URL('./fixtures/process.ts', import.meta.url));
  const parameters = {
    place: harness.place,
    name: harness.databaseName,
    options: { settings: { bus: 'postgres' } },
  };
  const child = spawn(process.execPath, [file, JSON.stringify(parameters)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await new Promise<string[]>((resolve) =>
    createInterface({ input: child.stdout }).once('line', (line) => resolve([line])),
  )) as [string];
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${harness.keys.anonKey}&vsn=2.0.0`,
  );
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  socket.send(JSON.stringify(['1', '1', 'realtime:killed', 'phx_join', { config: {} }]));
  await expect.poll(async () => (await slots()).some(({ active }) => active)).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(async () => (await slots()).every(({ active }) => !active)).toBe(true);
  expect(await slots()).toHaveLength(1);
  await expect.poll(slots, { timeout: 55_000 }).toEqual([]);
});
