/** Tests a start that skips failing statements: what is applied, what is recorded, and where it is reported. */
import { describe, expect, test } from 'vitest';
import {
  createProject,
  listFailures,
  listMigrations,
  migrateUp,
  repairMigrations,
} from '../../src/project/folder/index.ts';
import { projectWith } from './helpers.ts';

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

test('a failed deferred constraint skips its statement, and the rest of the transaction is applied', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `create table a (id int primary key, b int references a deferrable initially deferred)`,
    'migrations/2_b.sql': 'insert into a values (1, 9); alter table a enable row level security',
    'migrations/3_c.sql': 'create table c ()',
  });
  await project.start({ keepGoing: true });
  expect(await project.values(`select to_regclass('c') is not null`)).toEqual([true]);
  expect(await project.values(rowSecurity('a'))).toEqual([true]);
  const [failure, ...others] = await listFailures(project.deps.database);
  expect(failure).toMatchObject({ file: 'supabase/migrations/2_b.sql', line: 1, code: '23503' });
  expect(others).toEqual([]);
});

const rowSecurity = (table: string) => `select relrowsecurity from pg_class where oid = '${table}'::regclass`;
const policies = 'select polname::text from pg_policy order by polname';

describe('a skipped statement runs again after a later file', () => {
  test('so that a table of a later file has its row level security and its policies', async () => {
    const project = await projectWith({
      'roles.sql': 'revoke all on public.b from anon',
      'migrations/1_a.sql': `alter table public.b enable row level security;
create policy p on public.b using (owned());
grant select on b to anon`,
      'migrations/2_b.sql': 'create table public.b (id int primary key)',
      'migrations/3_c.sql': `create function owned() returns boolean return true;
create policy seeded on public.s using (true);
alter table public.s enable row level security`,
      'seed.sql': 'create table public.s (id int)',
    });
    await project.start({ keepGoing: true });
    expect(await listFailures(project.deps.database)).toEqual([]);
    expect(await project.values(`${rowSecurity('b')} union all ${rowSecurity('s')}`)).toEqual([true, true]);
    expect(await project.values(policies)).toEqual(['p', 'seeded']);
    expect(project.progress.join()).not.toContain('incomplete');
    const history = `select statements from supabase_migrations.schema_migrations where version = '1'`;
    expect(await project.values(history)).toEqual([
      [
        'alter table public.b enable row level security',
        'create policy p on public.b using (owned())',
        'grant select on b to anon',
      ],
    ]);
  });

  test('with its role and its search path', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': `create schema app; set search_path = app; create index named on b (id)`,
      'migrations/2_b.sql': 'create table app.b (id int); set search_path = public; create table b (id int)',
    });
    await project.start({ keepGoing: true });
    expect(await project.values(`select to_regclass('app.named') is not null`)).toEqual([true]);
  });

  test('unless a later statement has replaced or removed what it creates', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': `create policy everyone on b using (true); grant select on b to anon; drop table c`,
      'migrations/2_b.sql': `create table b (id int); create table c (id int);
alter table b enable row level security;
drop policy if exists everyone on b;
create policy own on b using (false);
revoke all on b from anon`,
    });
    await project.start({ keepGoing: true });
    expect(await project.values(policies)).toEqual(['own']);
    expect(
      await project.values(`select has_table_privilege('anon', 'b', 'select') or to_regclass('c') is null`),
    ).toEqual([false]);
    expect(await listFailures(project.deps.database)).toHaveLength(3);
  });

  test('even if the start was interrupted between the files', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'alter table b enable row level security; vacuum; select 1;',
      'migrations/2_b.sql': 'create table b (id int)',
    });
    const interrupted = createProject({
      ...project.deps,
      onProgress: (message) => {
        if (message.includes('2_b')) throw new Error('killed');
      },
    });
    await expect(interrupted.prepareDatabase({ keepGoing: true })).rejects.toThrow('killed');
    await project.start({ keepGoing: true });
    expect(await project.values(rowSecurity('b'))).toEqual([true]);
    expect(await listFailures(project.deps.database)).toEqual([]);
  });

  test('and also after a migration that is applied later', async () => {
    const project = await projectWith({ 'migrations/1_a.sql': 'alter table b enable row level security' });
    await project.start({ keepGoing: true });
    project.write('migrations/2_b.sql', 'create table b (id int)');
    await migrateUp(project.deps, { includeAll: false });
    expect(await project.values(rowSecurity('b'))).toEqual([true]);
    expect(await listFailures(project.deps.database)).toEqual([]);
  });
});

test('the report names the tables that remain open, and the rules that are missing', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `create table a (id int); grant select on a to anon;
alter table a enable row level security, add column x nonsense;
create policy p on a as restrictive using (nonsense);
revoke all on a from nonsense;`,
  });
  await project.start({ keepGoing: true });
  const table = project.progress.find((message) => message.startsWith('The schema is incomplete'));
  expect(table?.split('Security:')[1]?.trim().split(/\n\s*/)).toEqual([
    'public.a: any client with a publishable key can access all rows, because the statement that enables row level security was skipped (supabase/migrations/1_a.sql:2).',
    'supabase/migrations/1_a.sql:3: clients can access more rows than intended, because this restrictive policy was skipped.',
    'supabase/migrations/1_a.sql:4: roles keep privileges that this statement revokes.',
  ]);
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
