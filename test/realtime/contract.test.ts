/**
 * Tests parts of the protocol that the other tests don't cover: rates, partitions, replica identities, replay, and
 * errors of the SQL functions.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Harness, joined, startRealtime, subscribed, until } from './harness.ts';
import { openRaw, userBroadcast } from './raw-socket.ts';

const user = '00000000-0000-4000-8000-00000000000a';
let h: Harness;

beforeAll(async () => {
  h = await startRealtime();
  await h.sql(`
    create policy "all read" on realtime.messages for select to authenticated using (true);
    create table public.by_key (id int primary key, text text);
    create table public.whole (id int primary key, text text);
    alter table public.whole replica identity full;
    create table public.whole_rls (id int primary key, text text);
    alter table public.whole_rls replica identity full;
    alter table public.whole_rls enable row level security;
    create policy everybody on public.whole_rls for select using (true);
    create table public.by_index (id int primary key, code text not null, text text);
    create unique index by_index_code on public.by_index (code);
    alter table public.by_index replica identity using index by_index_code;
    grant all on all tables in schema public to anon, authenticated, service_role;
    alter publication supabase_realtime add table public.by_key, public.whole, public.whole_rls, public.by_index`);
});
afterAll(() => h.stop());

test.each([
  // For an updated row, the key is sent even if it hasn't changed. For a deleted row, the replica identity is sent, or
  // only the primary key if RLS is enabled.
  ['by_key', `(1, 'a')`, { id: 1 }, { id: 1 }],
  ['whole', `(1, 'a')`, { id: 1, text: 'a' }, { id: 1, text: 'b' }],
  ['whole_rls', `(1, 'a')`, { id: 1, text: 'a' }, { id: 1 }],
  ['by_index', `(1, 'c', 'a')`, { code: 'c' }, { code: 'c' }],
])('replica identity %s sends the expected old record', async (table, values, updated, deleted) => {
  const seen: { eventType: string; old: unknown }[] = [];
  const channel = h.client(user).channel(`identity-${table}`);
  channel.on('postgres_changes', { event: '*', schema: 'public', table }, ({ eventType, old }) =>
    seen.push({ eventType, old }),
  );
  await subscribed(channel);
  await h.sql(`insert into public.${table} values ${values}`);
  // The test waits for each change, because changes to a row aren't delivered if the row has been deleted since then.
  await until(() => seen.length === 1);
  await h.sql(`update public.${table} set text = 'b'`);
  await until(() => seen.length === 2);
  await h.sql(`delete from public.${table}`);
  await until(() => seen.length === 3);
  expect(seen).toEqual([
    { eventType: 'INSERT', old: {} },
    { eventType: 'UPDATE', old: updated },
    { eventType: 'DELETE', old: deleted },
  ]);
  await channel.unsubscribe();
});

describe('upstream’s rate limits, if configured', () => {
  const join = ['1', '1', 'realtime:t', 'phx_join', { config: { presence: { enabled: true } } }];
  const isReply = (ref: string) => (frame: unknown[]) => frame[3] === 'phx_reply' && frame[1] === ref;

  test('messages per second: sockets are notified and closed, and HTTP responds with 429', async () => {
    // The limit applies to the average over one minute, so it allows 60 messages.
    const strict = await startRealtime({ settings: { max_events_per_second: 1 } });
    try {
      const post = (count: number) =>
        fetch(`${strict.url}/realtime/v1/api/broadcast`, {
          method: 'POST',
          headers: { apikey: strict.keys.anonKey, 'content-type': 'application/json' },
          body: JSON.stringify({
            messages: Array.from({ length: count }, () => ({ topic: 'x', event: 'e', payload: {} })),
          }),
        });
      const many = await post(61);
      expect(many.status).toBe(429);
      expect(await many.json()).toEqual({
        message: 'Too many messages to broadcast, please reduce the batch size',
      });
      expect(many.headers.get('x-rate-limit')).toBe('1');
      const socket = await openRaw(strict.socketUrl());
      socket.send(join);
      await socket.next(isReply('1'));
      for (let n = 0; n < 70; n++) socket.sendBytes(userBroadcast('realtime:t', 'e', 1, Buffer.from('{}')));
      const frame = await socket.next((frame) => frame[3] === 'system');
      expect(frame[4]).toMatchObject({ status: 'error', message: 'Too many messages per second' });
      await socket.next((frame) => frame[3] === 'phx_close');
      const refused = await post(1);
      expect([refused.status, await refused.json()]).toEqual([
        429,
        { message: 'You have exceeded your rate limit' },
      ]);
      socket.close();
    } finally {
      await strict.stop();
    }
  });

  test('presence messages per second', async () => {
    const strict = await startRealtime({ settings: { max_presence_events_per_second: 1 } });
    try {
      const socket = await openRaw(strict.socketUrl());
      socket.send(join);
      await socket.next(isReply('1'));
      for (let n = 0; n < 130; n++)
        socket.send([
          '1',
          `p${n}`,
          'realtime:t',
          'presence',
          { type: 'presence', event: 'track', payload: { n } },
        ]);
      const frame = await socket.next((frame) => frame[3] === 'system');
      expect(frame[4]).toMatchObject({ status: 'error', message: 'Too many presence messages per second' });
      socket.close();
    } finally {
      await strict.stop();
    }
  });
});

describe('replay', () => {
  const reasonOf = async (isPrivate: boolean, replay: object): Promise<string> => {
    const socket = await openRaw(h.socketUrl());
    socket.send([
      '1',
      '1',
      'realtime:past',
      'phx_join',
      { config: { private: isPrivate, broadcast: { replay } }, access_token: h.token(user) },
    ]);
    const response = await socket.next((frame) => frame[3] === 'phx_reply');
    socket.close();
    return response[4].status === 'ok' ? 'ok' : response[4].response.reason;
  };
  test.each([
    [false, { since: 1 }, 'UnableToReplayMessages: Replay is not allowed for public channels'],
    [true, { since: 'yesterday' }, 'UnableToReplayMessages: Replay params are not valid'],
    [true, { since: 1.5 }, 'UnableToReplayMessages: Replay params are not valid'],
    [true, { limit: 3 }, 'UnableToReplayMessages: Replay params are not valid'],
    [true, { since: 1, limit: 1000 }, 'ok'],
  ])('private channel: %s, %j: %s', async (isPrivate, replay, expected) => {
    expect(await reasonOf(isPrivate, replay)).toBe(expected);
  });
});

describe('partitions of realtime.messages', () => {
  const days = async (): Promise<string[]> => {
    const rows = await h.database.pool('supabase_admin').query<{ name: string }>(sql`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'realtime.messages'::regclass order by 1`);
    return rows.map(({ name }) => name);
  };
  const nameOf = (offset: number): string =>
    `realtime.messages_${new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '_')}`;
  // The test server may have started on the day before.
  const around = () => [-1, 0, 1, 2, 3].map(nameOf);

  test('are created in advance and dropped when they are old, also at a start, even if some can’t be dropped', async () => {
    // A test can be repeated.
    await h.database.pool('supabase_admin').exec(`
      drop table if exists realtime.messages_2020_02_01, ${nameOf(2)};
      create table realtime.messages_2020_02_01 partition of realtime.messages for values from ('2020-02-01') to ('2020-02-02');
      begin;
      set local role supabase_realtime_admin;
      create table realtime.messages_2020_02_03 partition of realtime.messages for values from ('2020-02-03') to ('2020-02-04');
      insert into realtime.messages (topic, extension, inserted_at) values ('old', 'broadcast', '2020-02-03 12:00');
      commit`);
    const second = await h.another();
    await expect.poll(days).toEqual(expect.arrayContaining(around()));
    await expect.poll(days).not.toContain('realtime.messages_2020_02_03');
    expect(await days()).toContain('realtime.messages_2020_02_01');
    await second.stop();
    await h.database.pool('supabase_admin').exec('drop table realtime.messages_2020_02_01');
  });

  test('are created when a user joins, if they are missing', async () => {
    const today = nameOf(0);
    await h.database.pool('supabase_admin').exec(`drop table ${today}`);
    await joined(h.client(user).channel('joins', { config: { private: true } }));
    expect(await days()).toEqual(expect.arrayContaining(around()));
  });
});

describe('SQL functions', () => {
  const saying = async (text: string): Promise<string[]> => {
    const session = await h.database.pool('postgres').connect();
    const said: string[] = [];
    session.onNotice(({ severity, message }) => said.push(`${severity} ${message}`));
    await session.exec(text);
    session.release();
    return said;
  };

  test('send reports a failure as a warning, and the transaction continues', async () => {
    const said = await saying(`
      begin; select realtime.send('[1]', 'e', 't'); select realtime.send('{}', 'e', null);
      create table public.went_on (id int); commit; drop table public.went_on`);
    expect(said).toHaveLength(2);
    for (const text of said) expect(text).toContain('WARNING WarnSendingBroadcastMessage: ');
  });

  test('send adds the row’s ID to the payload, unless it has one', async () => {
    await h.sql(
      `select realtime.send('{"a": 1}', 'ids', 'ids'); select realtime.send('{"id": 7}', 'ids', 'ids')`,
    );
    const rows = await h.database.pool('supabase_admin').query<{ same: boolean; given: string | null }>(
      sql`select payload ->> 'id' = id::text as same, payload ->> 'id' as given from realtime.messages
            where event = 'ids' order by inserted_at`,
    );
    expect(rows.map(({ same }) => same)).toEqual([true, false]);
    expect(rows[1]?.given).toBe('7');
  });

  test.each([
    [`'INSERT', 't', 's', null::record, null::record, 'STATEMENT'`, 'not for each statement'],
    [`'TRUNCATE', 't', 's', null::record, null::record`, 'Unexpected operation type: TRUNCATE'],
  ])('broadcast_changes(%s) raises an error', async (rest, message) => {
    // The function requires records as arguments, so a trigger calls the function, which is the intended use.
    await h.sql(`
      drop table if exists public.told; create table public.told (id int);
      create or replace function public.tell() returns trigger language plpgsql as $$
      begin perform realtime.broadcast_changes('topic', 'e', ${rest.replaceAll('null::record', 'new')}); return null; end $$;
      create trigger tell after insert on public.told for each row execute function public.tell()`);
    await expect(h.sql('insert into public.told values (1)')).rejects.toThrow(message);
  });
});
