/** Tests a start that skips failing statements: what is applied, what is recorded, and where it is reported. */
import { describe, expect, test, vi } from 'vitest';
import { createProject, listFailures, listMigrations, repairMigrations } from '../../src/project/index.ts';
import { projectWith } from './helpers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const files = {
  'migrations/1_a.sql': `create table a (id int primary key);
create table b (x nonsense);
create index on b (x);
insert into a values (1);`,
  'migrations/2_b.sql': 'create table c (id int)',
  'migrations/3_c.sql':
    'alter table b add y int; vacuum nonsense; begin; insert into a values (2), (2); insert into a values (3); commit',
  'seed.sql': `insert into a values (4); insert into b values (1)`,
};

test('everything else is applied, and each failure is listed with its location', async () => {
  const project = await projectWith(files);
  await project.start({ keepGoing: true });
  expect(await project.values('select id from a order by id')).toEqual([1, 3, 4]);
  expect(await project.values(`select to_regclass('c') is not null`)).toEqual([true]);
  const failures = await listFailures(project.deps.database);
  expect(failures.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
    'supabase/migrations/1_a.sql:2 type "nonsense" does not exist',
    'supabase/migrations/1_a.sql:3 relation "b" does not exist',
    'supabase/migrations/3_c.sql:1 relation "b" does not exist',
    'supabase/migrations/3_c.sql:1 relation "nonsense" does not exist',
    'supabase/migrations/3_c.sql:1 duplicate key value violates unique constraint "a_pkey"',
    'supabase/seed.sql:1 relation "b" does not exist',
  ]);
  const table = project.progress.find((message) => message.startsWith('The schema is incomplete'));
  expect(table).toContain('6 statements of 3 files failed');
  expect(table).toMatch(/1_a\.sql:2 .* 1_a\.sql:3, 3_c\.sql:1, supabase\/seed\.sql:1$/m);
});

test('a file is considered applied, and its history contains the statements that ran', async () => {
  const project = await projectWith(files);
  await project.start({ keepGoing: true });
  expect((await listMigrations(project.deps)).map(({ applied }) => applied)).toEqual([true, true, true]);
  expect(
    await project.values(`select statements from supabase_migrations.schema_migrations where version = '1'`),
  ).toEqual([['create table a (id int primary key)', 'insert into a values (1)']]);
});

test('every later start reports a partial schema until the files are applied again', async () => {
  const project = await projectWith({ 'migrations/1_a.sql': 'create table a (x nonsense)' });
  await project.start({ keepGoing: true });
  project.progress.length = 0;
  await project.start();
  expect(project.progress).toEqual([
    'The schema is incomplete: 1 statement of 1 file failed and was skipped by --keep-going. Run "plinth db reset" to apply the files again.',
  ]);
  await repairMigrations(project.deps, { versions: ['1'], status: 'reverted' });
  expect(await listFailures(project.deps.database)).toEqual([]);
});

test('a failed deferred constraint rolls back its transaction, and the rest continues', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `create table a (id int primary key, b int references a deferrable initially deferred)`,
    'migrations/2_b.sql': 'insert into a values (1, 9); create table never ()',
    'migrations/3_c.sql': 'create table c ()',
  });
  await project.start({ keepGoing: true });
  expect(
    await project.values(`select to_regclass('never') is null and to_regclass('c') is not null`),
  ).toEqual([true]);
  const [failure] = await listFailures(project.deps.database);
  expect(failure).toMatchObject({ file: 'supabase/migrations/2_b.sql', code: '23503' });
});

test('COPY rows that are meant for psql are skipped', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': 'create table a (id int);\ncopy a from stdin;\n1\n\\.\ncreate table b ()',
  });
  await project.start({ keepGoing: true });
  expect(await project.values(`select to_regclass('b') is not null`)).toEqual([true]);
  expect((await listFailures(project.deps.database))[0]?.message).toContain('COPY … FROM stdin');
});

describe('without the flag', () => {
  test('a start ends at the first failure', async () => {
    const project = await projectWith(files);
    await expect(project.start()).rejects.toThrow('type "nonsense" does not exist');
    expect(await listFailures(project.deps.database)).toEqual([]);
  });

  test('a start with the flag completes an interrupted one', async () => {
    const project = await projectWith(files);
    await project.start().catch(() => {});
    await createProject(project.deps).prepareDatabase({ keepGoing: true });
    expect(await listFailures(project.deps.database)).toHaveLength(6);
  });
});

test('a UTF-16 file, as Windows editors save it, is applied', async () => {
  const project = await projectWith({});
  project.write('migrations/1_a.sql', Buffer.from('\uFEFFcreate table a ();', 'utf16le'));
  await project.start();
  expect(await project.values(`select to_regclass('a') is not null`)).toEqual([true]);
  const broken = await projectWith({ 'migrations/1_a.sql': 'select 1;\0' });
  await expect(broken.start()).rejects.toThrow('Save the file as UTF-8');
});
