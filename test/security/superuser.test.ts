/** Tests that project code never runs in a superuser's session, regardless of how the code is triggered. */
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { listVersions } from '../../src/operations/backup/queries.ts';
import { type Backend, type Operator, operator, startBackend } from '../console/harness.ts';
import { plant, sightings } from './plants.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
  const postgres = backend.database.pool('postgres');
  await postgres.exec(
    'create extension pg_cron; create extension pgmq; create extension http with schema extensions',
  );
  await plant(postgres);
});
afterAll(() => backend?.stop());

const prefix = '/console/api';
const person = { email: 'ada@example.com', password: 'a-Good-password-1' };

/** Replaces the parameters of a path with values, so that the route is reached. */
const filled = (path: string, user: string): string =>
  path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    name === 'schema' ? 'public' : name === 'table' ? 'tasks' : user,
  );

async function callTheApi(): Promise<string> {
  const client = createClient(backend.url, backend.keys.publishableKey, { auth: { persistSession: false } });
  const { data } = await client.auth.signUp(person);
  const id = data.user?.id as string;
  await client.auth.signInWithPassword(person);
  await client.auth.refreshSession();
  await client.auth.signInWithOtp({ email: person.email });
  await client.from('tasks').select().eq('title', 'Task 1');
  await client.from('tasks').insert({ title: 'planted' });
  const service = createClient(backend.url, backend.keys.secretKey, { auth: { persistSession: false } });
  await service.auth.admin.listUsers();
  await service.storage.createBucket('files', { public: true });
  await service.storage.from('files').upload('a.txt', 'text');
  await service.storage.from('files').list();
  await service.storage.from('files').download('a.txt');
  expect(await listVersions(backend.database)).toHaveLength(1);
  await service.storage.from('files').remove(['a.txt']);
  const heard = Promise.withResolvers<void>();
  const channel = service
    .channel('changes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'tasks' }, () => heard.resolve())
    .subscribe((status) => {
      if (status === 'SUBSCRIBED') heard.resolve();
    });
  await heard.promise;
  await service.from('tasks').update({ note: 'seen' }).eq('title', 'planted');
  await service.removeChannel(channel);
  await client.auth.signOut();
  return id;
}

async function walkTheConsole(name: string | undefined, user: string): Promise<void> {
  const who = await operator(backend, name);
  for (const { method, path } of await backend.console.routes()) {
    if (method !== 'GET' || !path.startsWith(`${prefix}/`)) continue;
    for (const as of ['', `?as=user:${user}`, '?search=ada', '?search=%2B4917', '?search=0123'])
      await look(who, filled(path, user) + as);
  }
  const title = { operation: 'select', key: { id: '1' }, values: {}, returned: ['title'] };
  const posts: readonly [string, object][] = [
    ['/sql/look', { text: 'select lower(title), title = note from public.tasks' }],
    ['/sql/look', { text: `select 'x'::varchar = 'y'::name, length('x'::varchar)`, as: `user:${user}` }],
    ['/sql/run', { text: 'select count(*) from auth.users', confirmed: true }],
    ['/sql/explain', { text: 'select * from auth.users' }],
    ['/why', { schema: 'public', table: 'tasks', as: `user:${user}`, ...title }],
    [
      '/why',
      { schema: 'auth', table: 'users', as: 'anon', ...title, key: { id: user }, returned: ['email'] },
    ],
    ['/policies/preview', { schema: 'public', table: 'tasks', change: { kind: 'security', rls: true } }],
    ['/realtime/verdict/broadcast', { topic: 'x', as: `user:${user}` }],
    ['/realtime/token', { as: `user:${user}` }],
    [`/users/${user}/impersonate`, {}],
    ['/sql/saved', { name: 'one', text: 'select 1' }],
  ];
  for (const [path, body] of posts) await who.call('POST', path, body);
}

/** Requests a path, but doesn't read a stream to its end. */
async function look(who: Operator, path: string): Promise<void> {
  const response = await backend.fetch(prefix + path, { headers: { cookie: who.cookie } });
  await response.body?.cancel();
}

test('hostile code at every point never runs as a superuser while all features are used', async () => {
  const admin = backend.database.pool('supabase_admin');
  const user = await callTheApi();
  for (const role of ['developer', 'read-only'] as const) await backend.operators.createOperator(role, role);
  for (const name of [undefined, 'developer', 'read-only']) await walkTheConsole(name, user);
  const postgres = backend.database.pool('postgres');
  await postgres.exec(
    `select cron.schedule('job', '1 second', 'select 1'); select net.http_get('${backend.url}/health')`,
  );
  await expect
    .poll(() => postgres.query(sql`select from cron.job_run_details where status = 'succeeded'`), {
      timeout: 20_000,
    })
    .not.toEqual([]);
  await postgres.exec(`select cron.unschedule('job'); select vault.create_secret('s', 'n'); select * from vault.decrypted_secrets;
    select lower('X'::varchar); notify pgrst, 'reload schema'`);
  await backend.fetch('/rest/v1/', { headers: { apikey: backend.keys.secretKey } });
  const { superuser, others } = await sightings(admin);
  // The recorded calls by other roles show that the traps work.
  expect(others).toEqual(
    expect.arrayContaining(['auth.users', 'storage.objects', 'auth.sessions', 'function lower']),
  );
  expect(superuser).toEqual([]);
});

test.each([
  ['search_path', 'public', 'pg_catalog, pg_temp'],
  ['standard_conforming_strings', 'off', 'on'],
  ['role', 'postgres', 'none'],
  ['default_transaction_read_only', 'on', 'off'],
  ['session_replication_role', 'replica', 'origin'],
])('a database’s setting doesn’t apply to superuser sessions: %s', async (name, value, kept) => {
  const { database, pool } = {
    database: 'current_database()',
    pool: backend.database.pool('supabase_admin'),
  };
  const alter = (change: string): Promise<void> =>
    backend.database
      .pool('postgres')
      .exec(`do $$ begin execute format('alter database %I ${change}', ${database}); end $$`);
  await alter(`set ${name} = ''${value}''`);
  // The test opens as many sessions as the pool allows, because idle sessions still have the old settings.
  const sessions = await Promise.all(Array.from({ length: 5 }, () => pool.connect()));
  try {
    const values = await Promise.all(
      sessions.map((session) =>
        session.query<{ value: string }>(sql`select pg_catalog.current_setting(${name}) as value`),
      ),
    );
    expect(new Set(values.map(([row]) => row?.value))).toEqual(new Set([kept]));
  } finally {
    for (const session of sessions) session.destroy();
    await alter(`reset ${name}`);
  }
});
