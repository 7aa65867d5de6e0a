import { expect, test } from 'vitest';
import { listMigrations, migrateUp, repairMigrations } from '../../src/project/folder/index.ts';
import { projectWith } from './helpers.ts';

test('migrations can be listed, applied and repaired', async () => {
  const project = await projectWith({ 'migrations/2_b.sql': 'create table b ()' });
  await project.start();
  const list = async () =>
    (await listMigrations(project.deps)).map(
      ({ version, file, applied }) => `${version} ${file?.name} ${applied}`,
    );
  expect(await list()).toEqual(['2 b true']);

  project.write('migrations/3_c.sql', 'create table c ()');
  expect(await list()).toEqual(['2 b true', '3 c false']);
  expect(await migrateUp(project.deps, { includeAll: false })).toEqual(['supabase/migrations/3_c.sql']);
  expect(await migrateUp(project.deps, { includeAll: false })).toEqual([]);

  project.write('migrations/1_a.sql', 'create table a ()');
  await expect(migrateUp(project.deps, { includeAll: false })).rejects.toThrow(
    'Found local migration files to be inserted before the last migration on remote database.',
  );
  expect(await migrateUp(project.deps, { includeAll: true })).toEqual(['supabase/migrations/1_a.sql']);

  project.remove('migrations/2_b.sql');
  expect(await list()).toEqual(['1 a true', '2 undefined true', '3 c true']);
  await expect(migrateUp(project.deps, { includeAll: false })).rejects.toThrow(
    'Remote migration versions not found in local migrations directory.',
  );
  await repairMigrations(project.deps, { versions: ['2'], status: 'reverted' });
  expect(await list()).toEqual(['1 a true', '3 c true']);

  project.write('migrations/4_d.sql', 'select nonsense;');
  await repairMigrations(project.deps, { versions: ['4'], status: 'applied' });
  expect(await list()).toEqual(['1 a true', '3 c true', '4 d true']);
  expect(
    await project.values(`select statements from supabase_migrations.schema_migrations where version = '4'`),
  ).toEqual([['select nonsense']]);
  await expect(repairMigrations(project.deps, { versions: ['9'], status: 'applied' })).rejects.toThrow(
    "Migration 9 doesn't exist",
  );
});

test('CREATE INDEX CONCURRENTLY works on a running project', async () => {
  const project = await projectWith({ 'migrations/1_a.sql': 'create table a (id int)' });
  await project.start();
  project.write('migrations/2_b.sql', 'create index concurrently a_id on a (id);');
  await migrateUp(project.deps, { includeAll: false });
  expect(await project.values(`select indisvalid from pg_index where indexrelid = 'a_id'::regclass`)).toEqual(
    [true],
  );
});

test('deferred triggers run with the file’s settings', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `
      create schema app;
      create table app.notes (id int);
      create table app.seen (id int, role text, path text, timeout text);
      create function app.note() returns trigger language plpgsql as $$ begin
        insert into seen values (new.id, current_setting('role'), current_setting('search_path'), current_setting('statement_timeout'));
        return new;
      end $$;
      create constraint trigger note after insert on app.notes deferrable initially deferred
        for each row execute function app.note();
      grant all on all tables in schema app to service_role;
      grant usage on schema app to service_role;`,
    'migrations/2_b.sql': `
      set search_path = app, public; set statement_timeout = '60s'; set role service_role;
      insert into notes values (1)`,
  });
  await project.start();
  expect(await project.values('select row_to_json(s) from app.seen s')).toEqual([
    { id: 1, role: 'service_role', path: 'app, public', timeout: '1min' },
  ]);
  expect(
    await project.values(`select version from supabase_migrations.schema_migrations order by version`),
  ).toEqual(['1', '2']);
});

test('without a history table, all migrations are listed as pending', async () => {
  const project = await projectWith({ 'migrations/1_a.sql': 'select 1' });
  const [only] = await listMigrations(project.deps);
  expect(only?.applied).toBe(false);
});

test('a hosted project’s job extensions and vector indexes work', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `
      create extension if not exists vector with schema extensions;
      create extension if not exists pg_cron with schema pg_catalog;
      create extension if not exists pg_net with schema extensions;
      create extension if not exists pgmq;
      create extension if not exists http with schema extensions;
      create table docs (id int primary key, embedding vector(3));
      create index docs_near on docs using ivfflat (embedding vector_cosine_ops) with (lists = 100);
      select cron.schedule('nightly', '0 3 * * *', 'delete from docs');
      select pgmq.create('tasks');`,
  });
  await project.start();
  project.write(
    'migrations/2_b.sql',
    'create index concurrently docs_hnsw on docs using hnsw (embedding vector_ip_ops) with (m = 16)',
  );
  await migrateUp(project.deps, { includeAll: false });
  expect(
    await project.values(`select indexname::text from pg_indexes where tablename = 'docs' order by 1`),
  ).toEqual(['docs_hnsw', 'docs_near', 'docs_pkey']);
  expect(await project.values('select jobname from cron.job')).toEqual(['nightly']);
});

test('a later start reports migrations that it does not apply', async () => {
  const project = await projectWith({ 'migrations/1_a.sql': 'create table a (id int)' });
  await project.start();
  await project.start();
  expect(project.progress.join()).not.toContain('pending');
  project.write('migrations/2_b.sql', 'create table b (id int)');
  await project.start();
  expect(project.progress.at(-1)).toBe('1 pending migration. Run "plinth migration up" to apply it.');
  await project.start({ mode: 'production' });
  expect(project.progress.filter((message) => message.includes('pending'))).toHaveLength(1);
});
