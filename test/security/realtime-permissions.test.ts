/**
 * Tests that only roles that can read a table with SQL receive its changes, regardless of what the publication
 * contains.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Harness, startRealtime } from '../realtime/harness.ts';

let realtime: Harness;
beforeAll(async () => {
  realtime = await startRealtime();
  const admin = realtime.database.pool('supabase_admin');
  await realtime.sql(`
    drop publication supabase_realtime;
    create table public.open (id int primary key, name text);
    grant select on public.open to anon, authenticated;
    create schema hidden;
    create table hidden.notes (id int primary key, name text);
    grant select on hidden.notes to anon;
    alter table hidden.notes replica identity full`);
  // A migration with this statement would have the same effect.
  await admin.exec('create publication supabase_realtime for all tables');
});
afterAll(() => realtime?.stop());

interface Answer {
  readonly message: string;
  readonly events: { readonly schema: string; readonly errors: unknown; readonly new: object }[];
}

/** Subscribes as a visitor. Returns the resulting message, and the events that arrive after the message. */
async function subscribe(schema: string, table: string, filter?: string): Promise<Answer> {
  const events: Answer['events'] = [];
  const said = Promise.withResolvers<string>();
  realtime
    .client()
    .channel(`${schema}-${table}-${filter ?? ''}`)
    .on('postgres_changes', { event: '*', schema, table, ...(filter ? { filter } : {}) }, (event) =>
      events.push(event as unknown as Answer['events'][number]),
    )
    .on('system', {}, ({ message }: { message: string }) => said.resolve(message))
    .subscribe();
  return { message: await said.promise, events };
}

test.each([
  ['net', 'http_request_queue'],
  ['net', '_http_response'],
  ['supabase_functions', 'hooks'],
  ['realtime', 'subscription'],
  ['_plinth', 'migrations'],
])(
  'no subscriber receives changes to a service’s table, even in a publication for all tables: %s.%s',
  async (...name) => {
    expect((await subscribe(...name)).message).toContain('Please check Realtime is enabled');
  },
);

test('a visitor doesn’t get information about requests, or about a table in a schema that isn’t exposed', async () => {
  const all = await subscribe('*', '*');
  const hidden = await subscribe('hidden', 'notes');
  await realtime.sql(`
    insert into hidden.notes values (1, 'secret');
    update hidden.notes set name = 'secret too';
    delete from hidden.notes;
    select net.http_post('http://127.0.0.1:1/', headers => '{"Authorization": "Bearer key-of-a-webhook"}');
    insert into public.open values (1, 'for everybody')`);
  await expect.poll(() => all.events.some(({ schema }) => schema === 'public')).toBe(true);
  const heard = JSON.stringify([all.events, hidden.events]);
  expect(heard).toContain('for everybody');
  expect(heard).not.toMatch(/secret|key-of-a-webhook/);
});

test('a filter can’t use a column of a table in a schema that isn’t exposed', async () => {
  expect((await subscribe('hidden', 'notes', 'name=eq.secret')).message).toContain(
    'invalid column for filter name',
  );
});

test('the Console’s delivery check gives the same result for a service’s table', async () => {
  await realtime.sql(`select net.http_get('http://127.0.0.1:1/')`);
  const [row] = await realtime.database
    .pool('postgres')
    .query<{ id: string }>(sql`select id::text as id from net.http_request_queue order by id desc limit 1`);
  const { steps } = await realtime.deliveryChecks.checkChange({
    subscriber: { role: 'anon', claims: { role: 'anon' } },
    entry: { event: '*', schema: 'net', table: 'http_request_queue' },
    change: { schema: 'net', table: 'http_request_queue', action: 'INSERT', key: { id: row?.id ?? '' } },
  });
  expect(steps).toContainEqual(expect.objectContaining({ code: 'not-published' }));
});
