/**
 * Tests a whole backend whose requests go through a pooler in transaction mode, with and without tracked statements.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { createDatabase } from '../../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { plinth } from '../cli/run-plinth.ts';
import { availableServers, type ExternalServer, startExternalServer } from './external-server.ts';
import { temporaryFolder } from './helpers.ts';
import { startTransactionPooler, type TransactionPooler } from './transaction-pooler.ts';

const folder = temporaryFolder();
let server: ExternalServer;
let admin: Client;

beforeAll(async () => {
  const [newest] = availableServers();
  server = await startExternalServer(newest?.bin as string, folder.path);
  admin = await Client.connect(parseConnectionString(server.url('admin')));
});
afterAll(async () => {
  await admin?.connection.close();
  await server?.stop();
  folder.remove();
});

interface User {
  readonly id: string;
  readonly client: SupabaseClient;
}

const withPort = (url: string, port: number): string => {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
};

const schema = `
  create table public.notes (
    id int generated always as identity primary key,
    owner uuid not null default auth.uid(),
    body text not null,
    claims text default current_setting('request.jwt.claims', true)
  );
  alter table public.notes enable row level security;
  create policy own on public.notes using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
  grant all on public.notes to anon, authenticated;
  alter publication supabase_realtime add table public.notes;
  create function public.who() returns text language sql stable as
    $$ select concat_ws(' ', auth.uid(), current_user, current_setting('request.headers', true)::json ->> 'x-mark') $$;
  create function public.pollute() returns void language plpgsql volatile as $$ begin
    perform set_config('request.jwt.claim.sub', '00000000-0000-4000-8000-000000000000', false);
    perform set_config('app.tenant', 'theirs', false);
    perform set_config('search_path', 'pg_catalog', false);
    perform set_config('statement_timeout', '1', false);
    perform pg_advisory_lock(4711);
    create temporary table notes (id int);
  end $$;
  create function public.pollute_and_fail() returns void language plpgsql volatile as $$ begin
    perform pg_advisory_lock(4712);
    raise exception 'failed';
  end $$;
  create function public.quiet_pollute() returns text language sql stable as
    $$ select set_config('request.jwt.claim.sub', '00000000-0000-4000-8000-000000000000', false) $$;
  create function public.state() returns text language sql stable as $$
    select concat_ws('|', auth.uid(), nullif(current_setting('app.tenant', true), ''), to_regclass('pg_temp.notes')) $$;
  create function public.slow() returns void language sql volatile as $$ select pg_sleep(30) $$;
  create table public.parents (id int primary key);
  create table public.children (id int references public.parents deferrable initially deferred);
  grant all on public.parents, public.children to anon, authenticated;
  create function public.orphan() returns void language sql volatile as $$ insert into public.children values (1) $$;
`;

describe.each([false, true])('tracked statements: %s', (tracksStatements) => {
  const name = tracksStatements ? 'tracked' : 'untracked';
  const projectDir = join(folder.path, name);
  let pooler: TransactionPooler;
  let backend: Backend;
  let users: User[];
  const user = (at: number) => users[at % users.length] as User;

  beforeAll(async () => {
    await admin.exec(`create database ${name}`);
    const direct = parseConnectionString(server.url('admin', name));
    pooler = await startTransactionPooler({ server: direct, tracksStatements });
    mkdirSync(join(projectDir, 'supabase'), { recursive: true });
    writeFileSync(join(projectDir, 'supabase', 'config.toml'), `project_id = "${name}"\n`);
    backend = await createBackend({
      ...{ projectDir, dataDir: join(projectDir, '.plinth'), port: 0, consolePort: 0, mailPort: 0 },
      databaseUrl: withPort(server.url('admin', name), pooler.port),
      databaseDirectUrl: server.url('admin', name),
      passwordCost: 4,
    });
    await backend.start();
    await backend.database.pool('postgres').exec(schema);
    await backend.database.announceSchema();
    users = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => {
        const client = createClient(backend.url, backend.keys.publishableKey, {
          auth: { persistSession: false },
          global: { headers: { 'x-mark': `mark${at}` } },
        });
        const { data, error } = await client.auth.signUp({
          email: `user${at}@example.com`,
          password: 'correct horse battery',
        });
        expect(error).toBeNull();
        return { id: data.user?.id ?? '', client };
      }),
    );
  });
  afterAll(async () => {
    await Promise.all((users ?? []).map(({ client }) => client.removeAllChannels()));
    await backend?.stop();
    await pooler?.stop();
  });

  const sessions = async (): Promise<number> => {
    const [row] = await admin.query<{ count: number }>(sql`
      select count(*)::int as count from pg_locks where locktype = 'advisory' and objid in (4711, 4712)`);
    return row?.count ?? 0;
  };

  test('requests run through the pooler', async () => {
    const { transactions } = pooler.counts;
    await Promise.all(users.map(({ client }) => client.from('notes').select()));
    expect(pooler.counts.transactions).toBeGreaterThanOrEqual(transactions + users.length);
  });

  test('concurrent requests of several users have their own role, claims and headers', async () => {
    const request = async (count: number) => {
      const { id, client } = user(count);
      const kind = Math.floor(count / users.length) % 4;
      if (kind === 0) {
        const { data, error } = await client
          .from('notes')
          .insert({ body: `${count}` })
          .select()
          .single();
        expect(error).toBeNull();
        expect([data.owner, JSON.parse(data.claims).sub]).toEqual([id, id]);
      } else if (kind === 1) {
        const { data } = await client.from('notes').select('owner');
        expect(new Set(data?.map(({ owner }) => owner)).difference(new Set([id]))).toEqual(new Set());
      } else if (kind === 2) {
        const { data } = await client.rpc('who', {});
        expect(data).toBe(`${id} authenticated mark${count % users.length}`);
      } else {
        const { error } = await client.from('notes').insert({ body: 'x', owner: user(count + 1).id });
        expect(error?.code).toBe('42501');
      }
    };
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 24 }, (_, at) => request(24 * round + at)));
    const { data } = await createClient(backend.url, backend.keys.publishableKey).from('notes').select();
    expect(data).toEqual([]);
  });

  test('a function that changes the session doesn’t affect other requests', async () => {
    for (let round = 0; round < 6; round++) {
      const { error } = await user(0).client.rpc('pollute');
      expect(error).toBeNull();
      const { error: raised } = await user(0).client.rpc('pollute_and_fail');
      expect(raised?.message).toBe('failed');
      await user(0).client.rpc('quiet_pollute', {}, { get: true });
      await Promise.all(
        users.map(async ({ id, client }) => {
          expect((await client.rpc('state', {}, { get: true })).data).toBe(id);
          expect((await client.from('notes').select('id')).error).toBeNull();
        }),
      );
      const [row] = (await backend.database.asRequest({ role: 'anon', settings: [] }, (tx) =>
        tx.query(sql`select auth.uid() as uid, current_setting('app.tenant', true) as tenant`),
      )) as { uid: string | null; tenant: string | null }[];
      expect([row?.uid, row?.tenant || null]).toEqual([null, null]);
    }
    expect(await sessions()).toBe(0);
  });

  test('a deferred constraint that fails is reported, and nothing is stored', async () => {
    const { error } = await user(0).client.rpc('orphan');
    expect(error?.code).toBe('23503');
    const { data } = await user(0).client.from('children').select();
    expect(data).toEqual([]);
  });

  test('a slow statement is canceled when its client disconnects', async () => {
    const { cancels } = pooler.counts;
    const abort = new AbortController();
    const call = user(0).client.rpc('slow').abortSignal(abort.signal);
    const running = call.then(({ error }) => error);
    const isRunning = async () => {
      const [row] = await admin.query<{ count: number }>(sql`
        select count(*)::int as count from pg_stat_activity
        where query like '%"slow"%' and state = 'active' and datname = ${name}`);
      return row?.count;
    };
    await expect.poll(isRunning, { timeout: 5000 }).toBe(1);
    abort.abort();
    await running;
    await expect.poll(isRunning, { timeout: 5000 }).toBe(0);
    expect(pooler.counts.cancels).toBeGreaterThan(cancels);
    await Promise.all(
      users.map(async ({ client }) => expect((await client.from('notes').select()).error).toBeNull()),
    );
  });

  test('objects are uploaded and downloaded', async () => {
    const service = createClient(backend.url, backend.keys.secretKey, { auth: { persistSession: false } });
    expect((await service.storage.createBucket('files')).error).toBeNull();
    expect((await service.storage.from('files').upload('a/b.txt', 'content')).error).toBeNull();
    const { data } = await service.storage.from('files').download('a/b.txt');
    expect(await data?.text()).toBe('content');
    expect((await user(0).client.storage.from('files').upload('c.txt', 'x')).error).not.toBeNull();
  });

  test('a changed schema is loaded', async () => {
    await backend.database
      .pool('postgres')
      .exec("alter table public.notes add column extra text; notify pgrst, 'reload schema'");
    await expect
      .poll(async () => (await user(0).client.from('notes').select('extra')).error, { timeout: 10_000 })
      .toBeNull();
    // The statements were prepared with the previous columns.
    const { data } = await user(0).client.from('notes').select().limit(1);
    expect(data?.[0]).toHaveProperty('extra');
  });

  test('changes are delivered', async () => {
    const received: unknown[] = [];
    const statuses: string[] = [];
    const { client, id } = user(1);
    client
      .channel('notes')
      .on('system', {}, ({ status }) => statuses.push(status))
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, ({ new: row }) => {
        received.push([row.owner, row.body]);
      })
      .subscribe();
    await expect.poll(() => statuses, { timeout: 20_000 }).toEqual(['ok']);
    await user(2).client.from('notes').insert({ body: 'for another user' });
    await client.from('notes').insert({ body: 'delivered' });
    await expect.poll(() => received, { timeout: 20_000 }).toEqual([[id, 'delivered']]);
  });

  test('named statements are used only if the pooler tracks them', async () => {
    const [row] = await admin.query<{ count: number }>(sql`
      select count(*)::int as count from pg_stat_activity where datname = ${name} and usename = 'authenticator'`);
    // The pooler's sessions, and one direct session that listens.
    expect(row?.count).toBeLessThanOrEqual(4);
    const rows = (await backend.database.asRequest({ role: 'anon', settings: [] }, (tx) =>
      tx.query(sql`select count(*)::int as count from pg_prepared_statements`),
    )) as { count: number }[];
    // At the start, Plinth prepares two statements to find out whether the pooler tracks them.
    if (tracksStatements) expect(rows[0]?.count).toBeGreaterThan(2);
    else expect(rows[0]?.count).toBeLessThanOrEqual(2);
  });

  test('doctor reports whether the pooler can be used and tracks prepared statements', async () => {
    const doctor = async (direct: string) => {
      const pooled = withPort(server.url('admin', name), pooler.port);
      const { stdout } = await plinth(
        ['doctor', '--database-url', pooled, '--database-direct-url', direct, '--json'],
        { cwd: projectDir },
      );
      const findings = JSON.parse(stdout) as { check?: string; status: string; message: string }[];
      return findings.find(({ check }) => check === 'pooled_url');
    };
    expect(await doctor(server.url('admin', name))).toMatchObject({
      status: tracksStatements ? 'ok' : 'degraded',
      message: expect.stringContaining(tracksStatements ? 'tracks prepared' : "doesn't track prepared"),
    });
    expect(await doctor(server.url('admin'))).toMatchObject({
      status: 'failing',
      message: expect.stringContaining('leads to a different server or database'),
    });
  });

  test('the users for the pooler have the verifiers of PostgreSQL', async () => {
    const { stdout } = await plinth(['db', 'pooler-users', '--database-url', server.url('admin', name)], {
      cwd: projectDir,
    });
    const rows = await admin.query<{ line: string }>(sql`
      select format('"%s" "%s"', rolname, rolpassword) as line from pg_authid
      where rolname in ('authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin')`);
    expect(stdout.trim().split('\n').sort()).toEqual(rows.map(({ line }) => line).sort());
  });

  test('both URLs must lead to the same database', async () => {
    const opened = createDatabase({
      dataDir: '/nowhere',
      databaseUrl: withPort(server.url('admin', 'postgres'), pooler.port),
      databaseDirectUrl: server.url('admin', name),
    });
    await expect(opened).rejects.toMatchObject({ code: 'pooler_elsewhere' });
  });

  test('a pooled URL alone is rejected with a sentence that names the option', async () => {
    const opened = createDatabase({
      dataDir: '/nowhere',
      databaseUrl: withPort(server.url('admin', name), pooler.port),
    });
    await expect(opened).rejects.toThrow(/--database-direct-url/);
  });
});
