/**
 * Compares the predictions of delivery checks with the actual behavior. Exactly the predicted changes must be
 * delivered, with the predicted text.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { BroadcastCheckInput, ChangeCheckInput, Persona } from '../../src/services/realtime/types.ts';
import { type Harness, joined, startRealtime, until } from './harness.ts';
import { openRaw, type RawSocket } from './raw-socket.ts';

const alice = '00000000-0000-4000-8000-00000000000a';
const bob = '00000000-0000-4000-8000-00000000000b';
let h: Harness;

beforeAll(async () => {
  h = await startRealtime();
  await h.sql(`
    create table public.open (id int primary key, text text, secret text, n numeric);
    create table public.owned (id int primary key, owner uuid, text text);
    alter table public.owned enable row level security;
    create policy mine on public.owned for select to authenticated using (owner = (select auth.uid()));
    create table public.closed (id int primary key, text text);
    alter table public.closed enable row level security;
    create table public.keyless (text text);
    create table public.hidden (id int primary key, text text);
    create table public.unpublished (id int primary key, text text);
    create table public.filtered (id int primary key, kind int not null);
    grant all on all tables in schema public to anon, authenticated, service_role;
    revoke select on public.open, public.hidden from anon, authenticated;
    grant select (id, text, n) on public.open to anon, authenticated;
    grant select (text) on public.hidden to anon, authenticated;
    alter publication supabase_realtime add table public.open, public.owned, public.closed, public.keyless,
      public.hidden, public.filtered where (kind > 1);
    create policy "room read" on realtime.messages for select to authenticated
      using (realtime.topic() = 'room' and extension = 'broadcast' and (select auth.uid()) = '${alice}');
    create policy "room write" on realtime.messages for insert to authenticated
      with check (realtime.topic() = 'room' and (select auth.uid()) = '${alice}')`);
});
afterAll(() => h.stop());

const anon: Persona = { role: 'anon', claims: { role: 'anon' } };
const user = (id: string): Persona => ({ role: 'authenticated', claims: { role: 'authenticated', sub: id } });

/** Returns the changes that the persona's subscription actually receives for the statement. */
async function truth(persona: Persona, entry: object, statement: string, action: string): Promise<unknown[]> {
  const socket = await openRaw(h.socketUrl());
  const witness = await openRaw(h.socketUrl(h.keys.serviceRoleKey));
  const token = persona.claims.sub === undefined ? h.keys.anonKey : h.token(persona.claims.sub as string);
  await listen(witness, { event: '*', schema: 'public' }, h.keys.serviceRoleKey);
  const wanted = await listen(socket, entry, token);
  await h.sql(statement);
  // All changes that the statement causes arrive before the row that is inserted here.
  await h.sql(`truncate public.open; insert into public.open values (0, 'end', null, null)`);
  await witness.next((frame) => frame[3] === 'postgres_changes' && frame[4].data.record?.text === 'end');
  // The server may read the changes that `before` has caused only after the listener has subscribed, so other actions
  // are ignored.
  const got = socket.frames
    .filter((frame) => frame[3] === 'postgres_changes' && frame[4].data.record?.text !== 'end')
    .map((frame) => frame[4].data)
    .filter(({ type }) => type === action);
  socket.close();
  witness.close();
  return wanted ? got : [];
}

/** Subscribes to changes. Returns false if the subscription is rejected. */
async function listen(socket: RawSocket, entry: object, token: string): Promise<boolean> {
  socket.send([
    '1',
    '1',
    'realtime:delivery-check',
    'phx_join',
    { config: { postgres_changes: [entry] }, access_token: token },
  ]);
  const reply = await socket.next((frame) => frame[3] === 'system');
  return reply[4].status === 'ok';
}

interface Case {
  readonly what: string;
  readonly code: string;
  readonly outcome: string;
  readonly persona: Persona;
  readonly entry?: Record<string, unknown>;
  readonly change: ChangeCheckInput['change'];
  /** Statements that run before the listener subscribes. */
  readonly before?: string;
  readonly statement: string;
  /** Whether the test skips joining the channel, because the rejection would take a long time. */
  readonly untried?: boolean;
}

const key = { id: '1' };
const insertOpen = `insert into public.open values (1, 'x', 'secret', 1.50)`;
const open = { schema: 'public', table: 'open', action: 'INSERT', key } as const;
const owned = { schema: 'public', table: 'owned', action: 'INSERT', key } as const;
const insertOwned = `insert into public.owned values (1, '${alice}', 'x')`;

const cases: Case[] = [
  {
    what: 'a row without policies',
    code: 'row-security-off',
    outcome: 'passes',
    persona: anon,
    change: open,
    statement: insertOpen,
  },
  {
    what: 'a column that the role can’t read',
    code: 'hidden-columns',
    outcome: 'alters',
    persona: anon,
    change: open,
    statement: insertOpen,
  },
  {
    what: 'the user’s own row',
    code: 'visible',
    outcome: 'passes',
    persona: user(alice),
    change: owned,
    statement: insertOwned,
  },
  {
    what: 'another user’s row',
    code: 'hidden-by-policies',
    outcome: 'stops',
    persona: user(bob),
    change: owned,
    statement: insertOwned,
  },
  {
    what: 'a role without any policy',
    code: 'no-policy',
    outcome: 'stops',
    persona: anon,
    change: owned,
    statement: insertOwned,
  },
  {
    what: 'a table without policies',
    code: 'no-policy',
    outcome: 'stops',
    persona: user(alice),
    change: { schema: 'public', table: 'closed', action: 'INSERT', key },
    statement: `insert into public.closed values (1, 'x')`,
  },
  {
    what: 'a table without a primary key',
    code: 'no-primary-key',
    outcome: 'alters',
    persona: anon,
    change: { schema: 'public', table: 'keyless', action: 'INSERT', key: { text: 'x' } },
    statement: `insert into public.keyless values ('x')`,
  },
  {
    what: 'a primary key that the role can’t read',
    code: 'no-select-on-key',
    outcome: 'alters',
    persona: anon,
    change: { schema: 'public', table: 'hidden', action: 'INSERT', key },
    statement: `insert into public.hidden values (1, 'x')`,
  },
  {
    what: 'a table that is not published',
    code: 'not-published',
    outcome: 'stops',
    persona: anon,
    change: { schema: 'public', table: 'unpublished', action: 'INSERT', key },
    statement: `insert into public.unpublished values (1, 'x')`,
    untried: true,
  },
  {
    what: 'a row that the publication’s filter excludes',
    code: 'publication-row-filter',
    outcome: 'stops',
    persona: anon,
    change: { schema: 'public', table: 'filtered', action: 'INSERT', key },
    statement: 'insert into public.filtered values (1, 1)',
  },
  {
    what: 'a row that the publication’s filter includes',
    code: 'published',
    outcome: 'passes',
    persona: anon,
    change: { schema: 'public', table: 'filtered', action: 'INSERT', key },
    statement: 'insert into public.filtered values (1, 2)',
  },
  {
    what: 'a filter that matches in the column’s type',
    code: 'filter-matches',
    outcome: 'passes',
    persona: anon,
    entry: { filter: 'n=eq.1.5' },
    change: open,
    statement: insertOpen,
  },
  {
    what: 'a filter that does not match',
    code: 'filter-does-not-match',
    outcome: 'stops',
    persona: anon,
    entry: { filter: 'id=gt.0,text=eq.y' },
    change: open,
    statement: insertOpen,
  },
  {
    what: 'a filter on a hidden column',
    code: 'request-refused',
    outcome: 'stops',
    persona: anon,
    entry: { filter: 'secret=eq.x' },
    change: open,
    statement: insertOpen,
  },
  {
    what: 'an invalid filter',
    code: 'request-invalid',
    outcome: 'stops',
    persona: anon,
    entry: { filter: 'id=around.1' },
    change: open,
    statement: insertOpen,
  },
  {
    what: 'another event',
    code: 'other-event',
    outcome: 'stops',
    persona: anon,
    entry: { event: 'DELETE' },
    change: open,
    statement: insertOpen,
  },
  {
    what: 'another table',
    code: 'other-table',
    outcome: 'stops',
    persona: anon,
    entry: { table: 'keyless' },
    change: open,
    statement: insertOpen,
  },
  {
    what: 'selected columns',
    code: 'request-matches',
    outcome: 'passes',
    persona: anon,
    entry: { select: ['text'] },
    change: open,
    statement: insertOpen,
  },
  {
    what: 'a deleted row with policies',
    code: 'delete-not-asked',
    outcome: 'alters',
    persona: user(bob),
    change: { ...owned, action: 'DELETE' },
    before: insertOwned,
    statement: 'delete from public.owned',
  },
  {
    what: 'a filter on a deleted row',
    code: 'column-not-in-identity',
    outcome: 'stops',
    persona: anon,
    entry: { filter: 'text=eq.x' },
    change: { ...open, action: 'DELETE' },
    before: insertOpen,
    statement: 'delete from public.open where id = 1',
  },
  {
    what: 'an update',
    code: 'row-security-off',
    outcome: 'passes',
    persona: anon,
    change: { ...open, action: 'UPDATE', row: { text: 'y' } },
    before: insertOpen,
    statement: `update public.open set text = 'y' where id = 1`,
  },
  {
    what: 'a value over the size limit',
    code: 'too-large',
    outcome: 'alters',
    persona: anon,
    change: open,
    statement: `insert into public.open values (1, repeat('x', 1100000), null, 1)`,
  },
];

describe('of changes', () => {
  test.each(cases)('$what: $code', async (one) => {
    await h.sql(
      'truncate public.open, public.owned, public.closed, public.keyless, public.hidden, public.unpublished, public.filtered',
    );
    if (one.before !== undefined) await h.sql(one.before);
    const entry = { event: '*', schema: 'public', table: one.change.table, ...one.entry };
    const question: ChangeCheckInput = { subscriber: one.persona, entry, change: one.change };
    const isDelete = one.change.action === 'DELETE';
    const beforehand = isDelete ? await h.deliveryChecks.checkChange(question) : undefined;
    const got = one.untried ? [] : await truth(one.persona, entry, one.statement, one.change.action);
    if (one.change.table === 'open' && !isDelete) {
      await h.sql('truncate public.open');
      await h.sql(one.before === undefined ? one.statement : `${one.before}; ${one.statement}`);
    }
    if (one.untried) await h.sql(one.statement);
    const result = beforehand ?? (await h.deliveryChecks.checkChange(question));
    expect(result.steps.find(({ code }) => code === one.code)?.outcome).toBe(one.outcome);
    expect(got).toHaveLength(result.delivered ? 1 : 0);
    expect(result.delivered).toBe(result.steps.every(({ outcome }) => outcome !== 'stops'));
    if (!result.delivered) return;
    const predicted = JSON.parse(result.dataJson as string);
    expect({ ...predicted, commit_timestamp: null }).toEqual({
      ...(got[0] as object),
      commit_timestamp: null,
    });
  });

  test('a role that no token can have is rejected', async () => {
    await h.sql('truncate public.open');
    await h.sql(insertOpen);
    const { steps, delivered } = await h.deliveryChecks.checkChange({
      subscriber: { role: 'none', claims: {} },
      entry: { event: '*', schema: 'public', table: 'open' },
      change: open,
    });
    expect(delivered).toBe(false);
    expect(steps[0]).toMatchObject({ step: 'token', outcome: 'stops', code: 'token-refused' });
  });

  test.each([
    ['a missing table', { ...open, table: 'nothing' }],
    ['a missing row', { ...open, key: { id: '77' } }],
    ['a missing column', { ...open, key: { 'id"; drop table x; --': '1' } }],
    ['a missing key', { ...open, key: {} }],
  ])('an invalid change is rejected: %s', async (_what, change) => {
    const entry = { event: '*', schema: 'public', table: 'open' };
    await expect(h.deliveryChecks.checkChange({ subscriber: anon, entry, change })).rejects.toThrow(
      expect.objectContaining({ name: 'DeliveryCheckError' }),
    );
  });

  test('currently connected channels are counted', async () => {
    await h.sql('truncate public.open');
    await h.sql(insertOpen);
    const client = h.client(alice);
    await joined(client.channel('one'));
    await joined(client.channel('two'));
    const entry = { event: '*', schema: 'public', table: 'open' };
    const ask = (subscriber: Persona) => h.deliveryChecks.checkChange({ subscriber, entry, change: open });
    expect((await ask(user(alice))).connected).toBe(2);
    expect((await ask(user(bob))).connected).toBe(0);
    await client.removeAllChannels();
  });
});

describe('of broadcasts', () => {
  const ask = (
    subscriber: Persona,
    isPrivate: boolean,
    message: Partial<BroadcastCheckInput['message']> = {},
    topic = 'room',
    version: '1.0.0' | '2.0.0' = '2.0.0',
  ) =>
    h.deliveryChecks.checkBroadcast({
      subscriber,
      topic,
      channel: { private: isPrivate, version },
      message: {
        from: 'client',
        private: isPrivate,
        event: 'e',
        encoding: 'json',
        sizeBytes: 10,
        ...message,
      } as never,
    });
  const stops = ({ steps }: Awaited<ReturnType<typeof ask>>): string[] =>
    steps.filter(({ outcome }) => outcome === 'stops').map(({ code }) => code);

  test('policies, channel types and limits are checked', async () => {
    expect(stops(await ask(anon, false))).toEqual([]);
    expect(stops(await ask(user(alice), true))).toEqual([]);
    expect(stops(await ask(user(bob), true))).toEqual(['may-not-read']);
    expect(stops(await ask(user(alice), true, {}, 'elsewhere'))).toEqual(['may-not-read']);
    expect(stops(await ask(user(alice), true, { private: false } as never))).toEqual(['other-privacy']);
    expect(stops(await ask(user(alice), true, { sender: user(bob) } as never))).toEqual(['may-not-write']);
    expect(stops(await ask(user(alice), true, { sender: user(alice) } as never))).toEqual([]);
    expect(stops(await ask(anon, false, { sizeBytes: 4_000_000 } as never))).toEqual(['too-large']);
    expect(stops(await ask(anon, false, { event: 'e'.repeat(256) } as never))).toEqual(['name-too-long']);
    expect(stops(await ask(anon, false, { encoding: 'binary' } as never, 'room', '1.0.0'))).toEqual([
      'binary-in-1.0.0',
    ]);
  });

  test('a database message and its effect are checked', async () => {
    const seen: string[] = [];
    const channel = h.client(alice).channel('room', { config: { private: true } });
    channel.on('broadcast', { event: '*' }, ({ event }) => seen.push(event));
    await joined(channel);
    await h.sql(`
      select realtime.send('{"a": 1}', 'public one', 'room', false);
      insert into realtime.messages (topic, extension, event, private, payload)
        values ('room', 'presence', 'no broadcast', true, '{}'), ('room', 'broadcast', 'no payload', true, null);
      select realtime.send('{"a": 1}', 'arrives', 'room')`);
    await until(() => seen.length > 0);
    expect(seen).toEqual(['arrives']);
    const rows = await h.database
      .pool('supabase_admin')
      .query<{ id: string; event: string }>(
        sql`select id, event from realtime.messages where event is not null`,
      );
    const codes = new Map<string, string[]>();
    for (const { id, event } of rows)
      codes.set(event, stops(await ask(user(alice), true, { from: 'database', id })));
    expect(Object.fromEntries(codes)).toEqual({
      'public one': ['other-privacy'],
      'no broadcast': ['other-extension'],
      'no payload': ['no-payload'],
      arrives: [],
    });
    const unknownId = '00000000-0000-4000-8000-0000000000ff';
    await expect(ask(user(alice), true, { from: 'database', id: unknownId })).rejects.toThrow('never stored');
  });
});
