/** Tests private channels: the actions that policies on realtime.messages allow, and attacks. */
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, joined, startRealtime, subscribed, until } from './harness.ts';

const alice = '00000000-0000-4000-8000-00000000000a';
const bob = '00000000-0000-4000-8000-00000000000b';
let h: Harness;

beforeAll(async () => {
  h = await startRealtime();
  await h.sql(`
    create table public.members (room text, user_id uuid, writer boolean);
    grant select on public.members to authenticated;
    insert into public.members values ('room', '${alice}', true), ('room', '${bob}', false), ('quiet', '${bob}', false);
    create policy "members read" on realtime.messages for select to authenticated
      using (exists (select from public.members where room = realtime.topic() and user_id = (select auth.uid())));
    create policy "writers write" on realtime.messages for insert to authenticated
      with check (extension = 'broadcast' and exists (
        select from public.members where room = realtime.topic() and user_id = (select auth.uid()) and writer));
    create policy "broken" on realtime.messages for select to anon using (1 / (length(realtime.topic()) - 4) > 0);
  `);
});
afterAll(() => h.stop());

const channelOf = (user: string | undefined, topic: string, config: Record<string, unknown> = {}) =>
  h.client(user).channel(topic, { config: { private: true, ...config } });

test('a member can join, and another user can’t', async () => {
  await joined(channelOf(alice, 'room'));
  await expect(joined(channelOf(alice, 'quiet'))).rejects.toThrow(
    'Unauthorized: You do not have permissions to read from this Channel topic: quiet',
  );
  await expect(joined(channelOf(undefined, 'room'))).rejects.toThrow('Unauthorized: ');
});

test.each(['supabase_realtime_admin', 'none'])(
  'the role %s is rejected, even in public channels',
  async (role) => {
    for (const isPrivate of [true, false]) {
      const client = h.client();
      const channel = client.channel('room', { config: { private: isPrivate } });
      await client.realtime.setAuth(h.token(alice, { role }));
      await expect(joined(channel, false)).rejects.toThrow(
        'JwtSignatureError: Failed to validate JWT signature',
      );
    }
  },
);

test('a policy that raises an error rejects every client', async () => {
  await expect(joined(channelOf(undefined, 'fail'))).rejects.toThrow(
    'Unauthorized: You do not have permissions to read from this Channel topic: fail',
  );
});

test('a broadcast from a reader without write permission is dropped', async () => {
  const seen: string[] = [];
  const writer = channelOf(alice, 'room', { broadcast: { ack: true } });
  const reader = channelOf(bob, 'room');
  reader.on('broadcast', { event: '*' }, ({ event }) => seen.push(`reader ${event}`));
  writer.on('broadcast', { event: '*' }, ({ event }) => seen.push(`writer ${event}`));
  await Promise.all([joined(writer), joined(reader)]);
  await reader.send({ type: 'broadcast', event: 'forbidden', payload: {} });
  await writer.send({ type: 'broadcast', event: 'allowed', payload: {} });
  await until(() => seen.includes('reader allowed'));
  expect(seen).toEqual(['reader allowed']);
});

test('presence of a member without write permission is rejected', async () => {
  const member = channelOf(alice, 'room', { presence: { key: 'alice' } });
  member.on('presence', { event: 'sync' }, () => {});
  await joined(member);
  expect(await member.track({ here: true })).toBe('error');
});

test('a member that tracks after a broadcast receives the presence state, unless it can’t read presence', async () => {
  await h.sql(`
    create policy "cafe" on realtime.messages for select to authenticated
      using (realtime.topic() like 'cafe%' and (extension = 'broadcast' or realtime.topic() = 'cafe'));
    create policy "cafe writes" on realtime.messages for insert to authenticated
      with check (realtime.topic() like 'cafe%')`);
  for (const [topic, expected] of [
    ['cafe', ['early', 'late']],
    ['cafe without presence', []],
  ] as const) {
    const early = channelOf(bob, topic, { presence: { key: 'early' } });
    await joined(early);
    expect(await early.track({})).toBe('ok');
    const late = channelOf(alice, topic, { presence: { key: 'late' }, broadcast: { ack: true } });
    await joined(late);
    expect(await late.send({ type: 'broadcast', event: 'x', payload: {} })).toBe('ok');
    expect(await late.track({})).toBe('ok');
    expect(await late.untrack()).toBe('ok');
    expect(await late.track({})).toBe('ok');
    if (expected.length > 0) await until(() => Object.keys(late.presenceState()).length === expected.length);
    expect(Object.keys(late.presenceState()).sort()).toEqual(expected);
  }
});

test('a role of the project that the authenticator can use joins channels and receives rows', async () => {
  const role = 'realtime-manager';
  await h.sql(`
    create role "${role}";
    grant "${role}" to authenticator;
    create table public.ledger (id int primary key);
    alter table public.ledger enable row level security;
    create policy "managers" on public.ledger to "${role}" using (true);
    create policy "managers" on realtime.messages to "${role}" using (realtime.topic() = 'office') with check (true);
    grant usage on schema public, realtime to "${role}";
    grant select on public.ledger to "${role}";
    grant select, insert on realtime.messages to "${role}";
    alter publication supabase_realtime add table public.ledger`);
  const seen: string[] = [];
  const client = createClient(h.url, h.keys.publishableKey, {
    accessToken: async () => h.token(alice, { role }),
  });
  const channel = client.channel('office', { config: { private: true, broadcast: { self: true } } });
  channel.on('broadcast', { event: '*' }, ({ event }) => seen.push(`broadcast ${event}`));
  channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'ledger' }, ({ new: row }) =>
    seen.push(`row ${row.id}`),
  );
  await subscribed(channel);
  await channel.send({ type: 'broadcast', event: 'hello', payload: {} });
  await until(() => seen.includes('broadcast hello'));
  await h.sql('insert into public.ledger values (7)');
  await until(() => seen.includes('row 7'));
  await client.realtime.disconnect();
});

test('messages from the database are sent only to members', async () => {
  const seen: string[] = [];
  const member = channelOf(bob, 'room');
  const outside = h.client(alice).channel('room');
  member.on('broadcast', { event: 'told' }, ({ payload }) => seen.push(`member ${payload.n}`));
  outside.on('broadcast', { event: 'told' }, () => seen.push('outside'));
  await Promise.all([joined(member), joined(outside)]);
  await h.sql(
    `select realtime.send('{"n": 1}', 'told', 'room'); select realtime.send('{"n": 2}', 'told', 'quiet')`,
  );
  await until(() => seen.length > 0);
  await h.sql(`select realtime.send('{"n": 3}', 'told', 'room')`);
  await until(() => seen.length > 1);
  expect(seen).toEqual(['member 1', 'member 3']);
});

test('replay sends the newest messages once, oldest first', async () => {
  await h.sql(
    `select realtime.send(jsonb_build_object('n', n), 'past', 'room') from generate_series(1, 30) n`,
  );
  const seen: [number, boolean][] = [];
  const channel = channelOf(bob, 'room', { broadcast: { replay: { since: Date.now() - 60_000, limit: 3 } } });
  channel.on('broadcast', { event: 'past' }, ({ payload, meta }) =>
    seen.push([payload.n, meta?.replayed === true]),
  );
  await joined(channel);
  await h.sql(`select realtime.send('{"n": 31}', 'past', 'room')`);
  await until(() => seen.some(([n]) => n === 31));
  // All rows are from a single transaction, so any three of them can be the latest. The stream must not deliver them
  // again.
  const replayed = seen.filter(([, isReplayed]) => isReplayed);
  expect(replayed).toHaveLength(3);
  expect(new Set(seen.map(([n]) => n)).size).toBe(seen.length);
});

test('a new token without read permission ends the channel', async () => {
  const client = h.client(alice);
  const channel = client.channel('room', { config: { private: true } });
  const reason = new Promise<string>((resolve) => {
    channel.on('system', {}, ({ status, message }: { status: string; message: string }) => {
      if (status === 'error') resolve(message);
    });
  });
  await joined(channel);
  await client.realtime.setAuth(h.token('00000000-0000-4000-8000-00000000000c'));
  expect(await reason).toBe('You do not have permissions to read from this Channel topic: room');
});

test('permission checks don’t leave rows behind', async () => {
  await joined(channelOf(alice, 'room'));
  const { sql } = await import('../../src/base/kernel/sql.ts');
  const rows = await h.database
    .pool('supabase_admin')
    .query(sql`select 1 from realtime.messages where event is null`);
  expect(rows).toEqual([]);
});
