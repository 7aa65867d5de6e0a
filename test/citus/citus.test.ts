/**
 * Tests Plinth on a Citus cluster: policies on the workers, hostile claims, schema changes, REST and Realtime. The tests
 * are skipped unless CITUS_URL contains the URL of a superuser on a coordinator with workers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { createRequestPath } from '../../src/platform/database/path/index.ts';
import type { PathRequest, RequestPath, Setting } from '../../src/platform/database/types.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import { operator } from '../console/harness.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { type CitusDatabase, citusUrl, createCitusDatabase } from './database.ts';

const schema = `
  create table public.countries (code text primary key, name text not null);
  select create_reference_table('public.countries');
  create table public.tenants (id bigint primary key, name text not null, country text references public.countries);
  select create_distributed_table('public.tenants', 'id');
  create table public.projects (
    tenant_id bigint references public.tenants,
    id bigint,
    name text not null,
    owner uuid default auth.uid(),
    budget numeric,
    tags text[] not null default '{}',
    primary key (tenant_id, id)
  );
  select create_distributed_table('public.projects', 'tenant_id');
  create table public.secrets (who text primary key, value text);
  select create_distributed_table('public.secrets', 'who');
  create table public.notes (id int primary key, body text);

  alter table public.tenants enable row level security;
  alter table public.projects enable row level security;
  alter table public.secrets enable row level security;
  create policy own on public.tenants to authenticated using (id = (auth.jwt() ->> 'tenant')::bigint);
  create policy own on public.projects to authenticated using (tenant_id = (auth.jwt() ->> 'tenant')::bigint);
  create policy own on public.secrets to authenticated using (who = auth.jwt() ->> 'who');
  insert into public.countries values ('de', 'Germany'), ('fr', 'France');
  insert into public.tenants select i, 'tenant ' || i, case when i % 2 = 0 then 'de' else 'fr' end
    from generate_series(1, 10) i;
  insert into public.projects select 1 + i % 10, i, 'project ' || i from generate_series(1, 30) i;
  alter publication supabase_realtime add table public.projects, public.countries, public.notes;`;

const hostile = [
  `it's`,
  `'; select set_config('request.jwt.claims', '{"who":"victim"}', true); --`,
  `\\'; set local request.jwt.claims = '{"who":"victim"}'; --`,
  `\\\\' or true --`,
  `$$; rollback; set role postgres; $$`,
  `E'\\x27' /* */ -- \n; commit; begin`,
  `line\nfeed\r\ttab " double "" 'single''`,
  `"} , {"who":"victim`,
  `ünïcödé 'ʼ＇ \u2028 😀`,
];

describe.skipIf(citusUrl === undefined)(
  `a Citus cluster${citusUrl === undefined ? ': CITUS_URL is not set' : ''}`,
  () => {
    const folder = temporaryFolder();
    const userId = '00000000-0000-4000-8000-000000000001';
    let cluster: CitusDatabase;
    let backend: Backend;
    let admin: Client;
    let service: SupabaseClient;

    const tokenOf = (claims: Record<string, unknown>) =>
      backend.keys.sign({ role: 'authenticated', sub: userId, exp: 4_000_000_000, ...claims });
    const userOf = (claims: Record<string, unknown>, headers: Record<string, string> = {}) =>
      createClient(backend.url, backend.keys.anonKey, {
        accessToken: async () => tokenOf(claims),
        global: { headers },
      });

    beforeAll(async () => {
      cluster = await createCitusDatabase(citusUrl as string);
      const projectDir = join(folder.path, 'project');
      mkdirSync(join(projectDir, 'supabase'), { recursive: true });
      writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "citus"\n');
      backend = await createBackend({
        projectDir,
        dataDir: join(projectDir, '.plinth'),
        databaseUrl: cluster.url,
        ...{ port: 0, consolePort: 0, mailPort: 0 },
      });
      await backend.start();
      admin = await Client.connect(cluster.coordinator);
      // Citus passes some statements on as part of the whole text that it receives.
      for (const statement of schema.split(';\n')) await admin.exec(statement);
      service = createClient(backend.url, backend.keys.serviceRoleKey);
      await vi.waitFor(async () => expect((await service.from('secrets').select()).error).toBe(null), 10_000);
    });
    afterAll(async () => {
      await backend?.stop();
      await admin?.connection.close();
      await cluster?.drop();
      folder.remove();
    });

    test('the preflight finds a prepared coordinator', async () => {
      const findings = await backend.database.findings();
      expect(findings.find(({ check }) => check === 'citus')).toMatchObject({
        status: 'ok',
        message: expect.stringContaining(`${cluster.workers.length} workers`),
      });
    });

    describe('policies on the workers', () => {
      test('see the role and the claims, also for interleaved requests', async () => {
        const users = Array.from({ length: 10 }, (_, index) => userOf({ tenant: index + 1 }));
        const rounds = Array.from({ length: 200 }, async (_, index) => {
          const user = users[index % 10] as SupabaseClient;
          // Every seventh request fails on the workers.
          if (index % 7 === 0) return (await user.from('projects').select('id, x:name::int')).error?.code;
          const { data } = await user.from('projects').select('tenant_id');
          return data?.map(({ tenant_id }) => tenant_id - 1 === index % 10);
        });
        for (const [index, result] of (await Promise.all(rounds)).entries())
          expect(result).toEqual(index % 7 === 0 ? '22P02' : [true, true, true]);
      });

      test('apply to changes', async () => {
        const user = userOf({ tenant: 1 });
        expect((await user.from('projects').insert({ tenant_id: 2, id: 90, name: 'x' })).error?.code).toBe(
          '42501',
        );
        expect((await user.from('projects').update({ name: 'x' }).eq('tenant_id', 2).select()).data).toEqual(
          [],
        );
        expect((await user.from('projects').delete().eq('tenant_id', 2).select()).data).toEqual([]);
        expect((await service.from('projects').select('id', { count: 'exact' })).count).toBe(30);
      });

      test('don’t apply in a function that runs as its owner', async () => {
        await admin.exec(`create function public.count_projects() returns bigint language plpgsql security definer
          as $$ begin return (select count(*) from public.projects); end $$`);
        await admin.exec(`create function public.count_own_projects() returns bigint language plpgsql
          as $$ begin return (select count(*) from public.projects); end $$`);
        const user = userOf({ tenant: 1 });
        await vi.waitFor(async () => expect((await user.rpc('count_own_projects')).data).toBe(3), 5000);
        expect((await user.rpc('count_projects')).data).toBe(30);
      });

      test('find nothing without claims', async () => {
        const anon = createClient(backend.url, backend.keys.anonKey);
        expect((await anon.from('projects').select()).data).toEqual([]);
      });
    });

    test.each(hostile)('a claim, a header and a value are only data: %j', async (who) => {
      await service.from('secrets').upsert([
        { who, value: 'own' },
        { who: 'victim', value: 'secret' },
      ]);
      const header = who.replace(/[^\x20-\x7e]/g, '');
      const user = userOf({ who }, { 'x-hostile': header, cookie: `a=${header.replaceAll(';', '')}` });
      expect(await user.from('secrets').select()).toMatchObject({
        data: [{ who, value: 'own' }],
        error: null,
      });
      expect((await user.from('secrets').select().eq('who', who)).data).toEqual([{ who, value: 'own' }]);
      expect((await user.from('secrets').update({ value: who }).neq('who', 'x').select()).data).toEqual([
        { who, value: who },
      ]);
      expect((await service.from('secrets').select('value').eq('who', 'victim').single()).data).toEqual({
        value: 'secret',
      });
    });

    describe('on a single connection', () => {
      let path: RequestPath;
      beforeAll(async () => {
        for (const statement of [
          'create table public.probes (id int primary key)',
          `select create_distributed_table('public.probes', 'id')`,
          'insert into public.probes select generate_series(1, 50)',
          'grant select on public.probes to anon, authenticated',
        ])
          await admin.exec(statement);
        path = createRequestPath({
          connectOptions: () => ({ ...cluster.coordinator, user: 'authenticator', passesSettingsOn: true }),
          sharedConnections: 1,
          aloneConnections: 1,
        });
      });
      afterAll(() => path?.stop());

      /** Returns what the workers' sessions see, as `pid user role claims path`. */
      const seen = async (request: Partial<PathRequest> & { settings: readonly Setting[] }) => {
        const { rows } = await path.execute({
          role: 'anon',
          statement: {
            key: 'seen',
            text: `select distinct pg_backend_pid()::text, current_user::text, current_setting('request.jwt.claims', true),
              current_setting('request.path', true), current_setting('search_path') from public.probes`,
          },
          params: [],
          access: 'read only',
          lane: 'shared',
          ...request,
        });
        return (rows as (Buffer | null)[][]).map((row) => row.map((cell) => cell?.toString() ?? null));
      };
      const worker = (rows: (string | null)[][]) =>
        new Set(rows.map(([, ...others]) => JSON.stringify(others)));

      test('each transaction has only its own settings, and nothing remains in the workers’ sessions', async () => {
        const one: Setting[] = [
          ['search_path', '"public", "ext, 1"'],
          ['role', 'authenticated'],
          ['request.jwt.claims', '{"a":1}'],
          ['request.path', '/a'],
        ];
        const [first, second, third] = await Promise.all([
          seen({ role: 'authenticated', settings: one }),
          seen({ settings: [['role', 'anon']] }),
          seen({
            role: 'authenticated',
            settings: [
              ['role', 'authenticated'],
              ['request.path', '/b'],
            ],
          }),
        ]);
        expect(worker(first)).toEqual(
          new Set([JSON.stringify(['authenticated', '{"a":1}', '/a', 'public, "ext, 1"'])]),
        );
        expect(worker(second)).toEqual(new Set([JSON.stringify(['anon', '', '', '"$user", public'])]));
        expect(worker(third)).toEqual(
          new Set([JSON.stringify(['authenticated', '', '/b', '"$user", public'])]),
        );
      });

      test('a request behind a failed one isn’t affected', async () => {
        const failing = { key: 'failing', text: `select (1 / (id - id))::text from public.probes` };
        const results = await Promise.allSettled([
          seen({
            settings: [
              ['role', 'anon'],
              ['request.path', '/1'],
            ],
            statement: failing,
          }),
          seen({
            settings: [
              ['role', 'anon'],
              ['request.path', '/2'],
            ],
          }),
          seen({ settings: [['role', 'anon']], role: 'none' }),
          seen({
            settings: [
              ['role', 'anon'],
              ['request.path', 'a\0b'],
            ],
          }),
          seen({
            settings: [
              ['role', 'anon'],
              ['request.path', '/3'],
            ],
          }),
        ]);
        expect(results.map(({ status }) => status)).toEqual([
          'rejected',
          'fulfilled',
          'rejected',
          'rejected',
          'fulfilled',
        ]);
        const paths = results.map((result) => result.status === 'fulfilled' && result.value[0]?.[3]);
        expect(paths).toEqual([false, '/2', false, false, '/3']);
      });

      test('a reused session of a worker has no settings outside a transaction', async () => {
        const client = await Client.connect({ ...cluster.coordinator, user: 'authenticated' });
        const probe = sql`select distinct pg_backend_pid() as pid, current_setting('request.jwt.claims', true) as claims
          from public.probes`;
        await client.exec(`begin; set local citus.propagate_set_commands = 'local'`);
        await client.exec(`set local "request"."jwt"."claims" = 'x'`);
        const during = await client.query<{ pid: number; claims: string }>(probe);
        await client.exec('commit');
        const after = await client.query<{ pid: number; claims: string }>(probe);
        await client.connection.close();
        expect(new Set(during.map(({ claims }) => claims))).toEqual(new Set(['x']));
        expect(after.some(({ pid }) => during.some((one) => one.pid === pid))).toBe(true);
        expect(after.every(({ claims }) => claims === '' || claims === null)).toBe(true);
      });
    });

    describe('REST', () => {
      const user = () => userOf({ tenant: 1 });

      test('embeds rows by the distribution column, and rows of reference tables', async () => {
        const { data, error } = await user()
          .from('tenants')
          .select('name, countries(name), projects(id, tenants!inner(name))')
          .order('id', { referencedTable: 'projects' });
        expect(error).toBe(null);
        const tenants = { name: 'tenant 1' };
        expect(data).toEqual([
          {
            name: 'tenant 1',
            countries: { name: 'France' },
            projects: [10, 20, 30].map((id) => ({ id, tenants })),
          },
        ]);
      });

      test('keeps the names of embedded columns without a limit', async () => {
        const { data } = await user()
          .from('projects')
          .select('id, tenants!inner(name)')
          .eq('tenants.name', 'tenant 1');
        expect(data?.[0]).toEqual({ id: 10, tenants: { name: 'tenant 1' } });
      });

      test('changes rows', async () => {
        const projects = () => user().from('projects');
        const row = { tenant_id: 1, id: 100, name: 'a', owner: userId, budget: null, tags: [] };
        expect(await projects().insert({ tenant_id: 1, id: 100, name: 'a' }).select()).toMatchObject({
          status: 201,
          data: [row],
        });
        expect((await projects().insert({ tenant_id: 1, id: 101, name: 'b' })).status).toBe(201);
        const many = [102, 103].map((id) => ({ tenant_id: 1, id, name: 'c', tags: ['x', 'y'] }));
        expect((await projects().insert(many).select('id, tags')).data).toEqual([
          { id: 102, tags: ['x', 'y'] },
          { id: 103, tags: ['x', 'y'] },
        ]);
        expect(
          (
            await projects()
              .update({ budget: 1.5, tags: ['z'] })
              .eq('id', 100)
              .eq('tenant_id', 1)
          ).status,
        ).toBe(204);
        expect((await projects().update({ name: 'd' }).eq('id', 100).select()).data).toEqual([
          { ...row, name: 'd', budget: 1.5, tags: ['z'] },
        ]);
        const upsert = await projects()
          .upsert({ tenant_id: 1, id: 100, name: 'e' }, { onConflict: 'tenant_id,id' })
          .select('name');
        expect(upsert).toMatchObject({ status: 200, data: [{ name: 'e' }] });
        expect(
          (await projects().upsert([{ tenant_id: 1, id: 100, name: 'f', tags: [] }, ...many])).error,
        ).toBe(null);
        expect((await projects().delete({ count: 'exact' }).gte('id', 100)).count).toBe(4);
      });

      test('changes rows of reference tables and local tables', async () => {
        const italy = { code: 'it', name: 'Italia' };
        expect((await service.from('countries').upsert(italy).select()).data).toEqual([italy]);
        expect(
          (await service.from('countries').update({ name: 'Italy' }).eq('code', 'it').select('name')).data,
        ).toEqual([{ name: 'Italy' }]);
        expect((await service.from('countries').delete().eq('code', 'it').select()).data).toHaveLength(1);
        expect((await service.from('notes').upsert({ id: 1, body: 'x' }).select()).data).toEqual([
          { id: 1, body: 'x' },
        ]);
      });

      test('returns the rows of an SQL function over a reference table', async () => {
        await admin.exec(`create function public.named(of text) returns setof public.countries language sql stable
          as $$ select * from public.countries where name = of $$`);
        const call = () => service.rpc('named', { of: 'France' }).select('code');
        await vi.waitFor(async () => expect((await call()).error).toBe(null), 5000);
        expect((await call()).data).toEqual([{ code: 'fr' }]);
        expect((await service.rpc('named', { of: 'France' }, { get: true }).select('code')).data).toEqual([
          { code: 'fr' },
        ]);
      });

      test.each([
        [
          'an embed in a changed row',
          () =>
            user().from('projects').insert({ tenant_id: 1, id: 200, name: 'x' }).select('id, tenants(name)'),
          '0A000',
        ],
        [
          'an embed of a distributed table in a reference table',
          () => service.from('countries').select('name, tenants(name)'),
          '0A000',
        ],
        [
          'on_conflict without the distribution column',
          () => service.from('projects').upsert({ tenant_id: 1, id: 1, name: 'x' }, { onConflict: 'id' }),
          '42P10',
        ],
      ])('rejects %s with a hint', async (_name, request, code) => {
        const { error } = await request();
        expect(error).toMatchObject({ code, hint: expect.stringMatching(/distribut/) });
        expect((await service.from('projects').select().gte('id', 200)).data).toEqual([]);
      });

      test('reloads its schema after a change of a reference table or a distributed table', async () => {
        for (const statement of [
          'alter table public.countries add column capital text',
          'create table public.later (id int primary key, at timestamptz)',
          `select create_reference_table('public.later')`,
          'alter table public.projects add column due date',
        ])
          await admin.exec(statement);
        const soon = { timeout: 15_000, interval: 50 };
        await expect
          .poll(async () => (await service.from('countries').select('capital')).error, soon)
          .toBe(null);
        await expect.poll(async () => (await service.from('projects').select('due')).error, soon).toBe(null);
        expect((await service.from('later').insert({ id: 1 }).select('id')).data).toEqual([{ id: 1 }]);
      });
    });

    test.each([
      ['projects', { kind: 'distributed', column: 'tenant_id', shards: 32 }],
      ['countries', { kind: 'reference', column: null, shards: 1 }],
      ['notes', { kind: 'local', column: null, shards: 0 }],
    ])('the Console shows how Citus stores the table %s', async (table, distribution) => {
      const owner = await operator(backend);
      const { body } = await owner.call('GET', `/tables/public/${table}`);
      expect(body.distribution).toEqual(distribution);
    });

    describe('Realtime', () => {
      const statusOf = (table: string): Promise<{ status: string; message: string }> =>
        new Promise((resolve) => {
          const channel = service.channel(`of ${table}`);
          channel
            .on('postgres_changes', { event: '*', schema: 'public', table }, () => {})
            .on('system', {}, resolve)
            .subscribe();
        });
      afterAll(() => service?.removeAllChannels());

      test('rejects a subscription to a distributed table', async () => {
        expect(await statusOf('projects')).toMatchObject({
          status: 'error',
          message: expect.stringContaining(
            '0A000 (feature_not_supported) public.projects: Citus stores its rows on the workers',
          ),
        });
      });

      test('accepts a local table', async () => {
        expect(await statusOf('notes')).toMatchObject({ status: 'ok' });
      });

      test('accepts a reference table only if Citus converts its changes', async () => {
        const [row] = await admin.query<{ converts: boolean }>(
          sql`select current_setting('citus.enable_change_data_capture') = 'on' as converts`,
        );
        expect(await statusOf('countries')).toMatchObject({ status: row?.converts ? 'ok' : 'error' });
      });
    });
  },
);
