import { describe, expect, test } from 'vitest';
import { ProjectError } from '../../src/project/folder/index.ts';
import { projectWith } from './helpers.ts';

const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`;
const versions = 'select version from supabase_migrations.schema_migrations order by 1';

describe('the first start', () => {
  test('runs vault, roles, migrations and seeds once', async () => {
    const project = await projectWith({
      'config.toml': '[db.vault]\napi_key = "hush"\n[api]\nauto_expose_new_tables = true',
      'roles.sql': 'create role reporter nologin;\ngrant reporter to postgres;',
      'migrations/20240101000000_init.sql': `
        create table todos (id int primary key, title text);
        grant select on todos to reporter;`,
      'migrations/20240102000000_more.sql': `alter table todos add done boolean default false;`,
      'migrations/README.md': 'notes',
      'seed.sql': "insert into todos values (1, 'one; two'), (2, 'three');",
    });
    await project.start();
    expect(await project.values('select title from todos order by id')).toEqual(['one; two', 'three']);
    expect(await project.values(versions)).toEqual(['20240101000000', '20240102000000']);
    expect(
      await project.values(`select decrypted_secret from vault.decrypted_secrets where name = 'api_key'`),
    ).toEqual(['hush']);
    expect(project.progress).toEqual([
      'Updating vault secrets...',
      'Creating roles from supabase/roles.sql...',
      'Skipping supabase/migrations/README.md: migration files must be named <timestamp>_name.sql.',
      'Applying migration 20240101000000_init.sql...',
      'Applying migration 20240102000000_more.sql...',
      'Seeding data from supabase/seed.sql...',
    ]);

    project.progress.length = 0;
    project.write('migrations/20240103000000_later.sql', 'create table later ()');
    project.write('seed.sql', 'insert into todos values (3)');
    await project.start();
    expect(project.progress).toEqual(['1 pending migration. Run "plinth migration up" to apply it.']);
    expect(await project.values(tables)).toEqual(['todos']);
  });

  test('writes the same history tables as upstream', async () => {
    const text = '-- one\ncreate table a ();\n\ncreate table b ();\n';
    const project = await projectWith({
      'migrations/20240101000000_two_tables.sql': text,
      'seed.sql': 'select 1;',
    });
    await project.start();
    expect(await project.values('select to_jsonb(m) from supabase_migrations.schema_migrations m')).toEqual([
      {
        version: '20240101000000',
        name: 'two_tables',
        statements: ['-- one\ncreate table a ()', 'create table b ()'],
      },
    ]);
    expect(await project.values('select to_jsonb(s) from supabase_migrations.seed_files s')).toEqual([
      { path: 'supabase/seed.sql', hash: '354b7196c9ba5fb4b21cf615bb6ec4cd5c07503c34229feef033fc081a8c03f4' },
    ]);
    expect(
      await project.values(
        `select nspowner::regrole::text from pg_namespace where nspname = 'supabase_migrations'`,
      ),
    ).toEqual(['postgres']);
  });

  test('continues after an interruption', async () => {
    const project = await projectWith({
      'roles.sql': 'create role reader_x nologin; drop role reader_x; create table from_roles ();',
      'migrations/1_a.sql': 'create table a (id int);',
      'migrations/2_b.sql': 'create table b (id int); select 1/0;',
      'seed.sql': 'insert into a values (1);',
    });
    await expect(project.start()).rejects.toThrow('division by zero');
    expect(await project.values(tables)).toEqual(['a', 'from_roles']);
    project.write('migrations/2_b.sql', 'create table b (id int);');
    await project.startHalf();
    await project.start();
    expect(await project.values(tables)).toEqual(['a', 'b', 'from_roles']);
    expect(await project.values('select count(*) from a')).toEqual([1]);
    expect(await project.values('select step from _plinth.project_steps order by 1')).toEqual([
      'complete',
      'database',
      'roles',
    ]);
  });

  test('stops at the requested version', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'create table a ()',
      'migrations/2_b.sql': 'create table b ()',
    });
    await project.start({ upToVersion: '1' });
    expect(await project.values(tables)).toEqual(['a']);
  });

  test('respects enabled = false for migrations and seeds', async () => {
    const project = await projectWith({
      'config.toml': '[db.migrations]\nenabled = false\n[db.seed]\nenabled = false',
      'migrations/1_a.sql': 'create table a ()',
      'seed.sql': 'create table seeded ()',
    });
    await project.start();
    expect(await project.values(tables)).toEqual([]);
  });

  test('runs each seed once, in the order of the globs', async () => {
    const project = await projectWith({
      'config.toml': '[db.seed]\nsql_paths = ["./seeds/2*.sql", "./seeds/*.sql", "./none/*.sql"]',
      'migrations/1_a.sql': 'create table a (id int generated always as identity, name text)',
      'seeds/1.sql': "insert into a (name) values ('first')",
      'seeds/2.sql': "insert into a (name) values ('second')",
    });
    await project.start();
    expect(await project.values('select name from a order by id')).toEqual(['second', 'first']);
    expect(project.progress).toContain('No seed file matches ./none/*.sql.');
  });

  test('respects auto_expose_new_tables', async () => {
    const canSelect = `select has_table_privilege('anon', 'a', 'select')`;
    for (const [value, expected] of [
      ['', true],
      ['auto_expose_new_tables = true', true],
      ['auto_expose_new_tables = false', false],
    ] as const) {
      const project = await projectWith({
        'config.toml': `[api]\n${value}`,
        'migrations/1_a.sql': 'create table a ()',
      });
      await project.start();
      expect(await project.values(canSelect)).toEqual([expected]);
      expect(project.progress.join()).not.toContain('auto_expose_new_tables');
    }
  });

  test('skips the initial migration of very old projects', async () => {
    const project = await projectWith({
      'migrations/20210101000000_init.sql': 'select nonsense',
      'migrations/20240101000000_a.sql': 'create table a ()',
    });
    await project.start();
    expect(await project.values(versions)).toEqual(['20240101000000']);
  });

  test('runs an init.sql without a timestamp as the first migration', async () => {
    const project = await projectWith({
      'migrations/001_init.sql': 'create table a ()',
      'migrations/002_more.sql': 'alter table a add id int',
    });
    await project.start();
    expect(await project.values(versions)).toEqual(['001', '002']);
  });

  test('does nothing in an external database', async () => {
    const project = await projectWith({ 'migrations/1_a.sql': 'create table a ()' });
    const { createProject } = await import('../../src/project/folder/index.ts');
    const database = {
      ...project.deps.database,
      info: { ...project.deps.database.info, ownsSchemas: false },
    };
    const foreign = createProject({ ...project.deps, database });
    await foreign.prepareDatabase();
    await foreign.prepareBuckets(() => Promise.reject(new Error('never called')));
    expect(await project.values(tables)).toEqual([]);
    expect(project.progress).toEqual([]);
  });
});

describe('the error of a failing file', () => {
  /**
   * Starts a project with this text as its only migration. Returns the error's message and advice, and the tables that
   * exist afterwards.
   */
  async function failure(
    text: string,
  ): Promise<{ message: string; advice: readonly string[]; left: unknown[] }> {
    const project = await projectWith({ 'migrations/1_bad.sql': text });
    const error = await project.start().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ProjectError);
    const { message, advice } = error as ProjectError;
    return { message, advice, left: await project.values(tables) };
  }

  test('contains the file, line, statement, position and hint, and everything is rolled back', async () => {
    const { message, advice, left } = await failure(
      `create table a (id int);\n\ncreate table b (\n  x citxt\n);`,
    );
    expect(message).toBe('supabase/migrations/1_bad.sql:4: type "citxt" does not exist (SQLSTATE 42704)');
    expect(advice).toContain('At statement: 1');
    expect(advice).toContain('create table b (\n  x citxt\n    ^\n)');
    expect(advice).toContain('Hint: if an extension defines this type, include its schema: extensions.citxt');
    expect(advice).toContain("None of this file's statements were applied.");
    expect(left).toEqual([]);
  });

  test('contains the database’s detail and hint', async () => {
    const { advice } = await failure(`do $$ begin raise 'no' using detail = 'because', hint = 'try'; end $$`);
    expect(advice).toContain('Detail: because');
    expect(advice).toContain('Hint: try');
  });

  test('mentions the commit if a deferred constraint fails there', async () => {
    const { message, left } = await failure(`
      create table a (id int primary key);
      create table b (id int references a deferrable initially deferred);
      insert into b values (1);`);
    expect(message).toContain('violates foreign key constraint');
    expect(message).toContain('while committing the transaction');
    expect(left).toEqual([]);
  });

  test('contains the location within the file’s own BEGIN and COMMIT', async () => {
    const { left } = await failure('begin; create table a (); commit; select nonsense');
    expect(left).toEqual(['a']);
    expect((await failure('begin; create table a (); select nonsense; commit;')).left).toEqual([]);
  });

  test('explains that no migration creates a table', async () => {
    const { message, advice, left } = await failure(
      'create table a ();\nalter table public.documents enable row level security;',
    );
    expect(message).toBe(
      'supabase/migrations/1_bad.sql:2: relation "public.documents" does not exist (SQLSTATE 42P01)',
    );
    expect(advice).toContain(
      "No migration creates public.documents. Was it created in the hosted project's dashboard?",
    );
    expect(left).toEqual([]);
  });

  test('names the statement that has already created an object', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'select 1;\ncreate table notes (id int)',
      'migrations/2_b.sql': 'create table notes (id int)',
    });
    await expect(project.start()).rejects.toMatchObject({
      advice: expect.arrayContaining([
        'supabase/migrations/1_a.sql:2 has already created notes. Remove one of the two statements, or use IF NOT EXISTS.',
      ]),
    });
  });

  test('names the tool that creates the tables of a seed', async () => {
    const project = await projectWith({ 'seed.sql': 'insert into users values (1)' });
    project.write('../packages/db/drizzle.config.ts', 'export default {}');
    const error = await project.start().catch((reason) => reason);
    const advice = error.advice.join('\n');
    expect(advice).toContain(
      'This project uses Drizzle (packages/db/drizzle.config.ts), which may create it.',
    );
    expect(advice).not.toContain('dashboard');
  });

  test('explains that a later migration creates a table', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'create index on documents (id);',
      'migrations/2_b.sql': 'create table documents (id int);',
    });
    await expect(project.start()).rejects.toMatchObject({
      advice: expect.arrayContaining([
        'supabase/migrations/2_b.sql creates documents, but runs later because files run in name order.',
      ]),
    });
  });

  test('explains COPY rows that are meant for psql', async () => {
    const { message } = await failure('create table a (id int);\ncopy a from stdin;\n1\n\\.\n');
    expect(message).toMatch(/^supabase\/migrations\/1_bad\.sql:2: COPY … FROM stdin/);
  });
});

describe('statements of a migration', () => {
  test('don’t affect the settings and the role of the next file', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': `select set_config('search_path', '', false); set role anon;`,
      'migrations/2_b.sql': 'create table b ();',
    });
    await project.start();
    expect(await project.values(tables)).toEqual(['b']);
  });

  test('can be CREATE INDEX CONCURRENTLY', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'create table a (id int); create index concurrently a_id on a (id);',
      'migrations/2_b.sql': 'drop index concurrently a_id; select 1/0;',
    });
    await expect(project.start()).rejects.toThrow('division by zero');
    expect(
      await project.values(`select indisvalid from pg_index where indexrelid = 'a_id'::regclass`),
    ).toEqual([true]);
  });

  test('with several steps continue after the last completed step', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'create table a (); commit; create table b (); vacuum a; select 1/0;',
    });
    await expect(project.start()).rejects.toThrow('division by zero');
    expect(await project.values(tables)).toEqual(['a', 'b']);
    project.write(
      'migrations/1_a.sql',
      'create table a (); commit; create table b (); vacuum a; create table c ();',
    );
    await project.start();
    expect(await project.values(tables)).toEqual(['a', 'b', 'c']);
    expect(await project.values('select file from _plinth.project_progress')).toEqual([]);
  });

  test('can create event triggers and publications as a superuser, which then belong to postgres', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': `
        create function note() returns event_trigger language plpgsql as $$ begin
          if current_user <> 'postgres' then raise 'ran as %', current_user; end if;
          create table if not exists noted ();
        end $$;
        create event trigger noter on ddl_command_end when tag in ('CREATE SCHEMA') execute function note();
        create publication everything for all tables;
        create publication app for tables in schema public with (publish = 'insert');
        alter publication supabase_realtime add tables in schema public;
        create schema noticed;`,
      'migrations/2_b.sql': `
        alter event trigger noter rename to noter2; alter publication everything rename to everything2;
        alter publication app set tables in schema noticed, public;`,
    });
    await project.start();
    expect(
      await project.values(`
        select pubname || ': ' || string_agg(pnnspid::regnamespace::text, ', ' order by pnnspid)
        from pg_publication_namespace join pg_publication p on p.oid = pnpubid
        where pg_get_userbyid(pubowner) = 'postgres' group by pubname order by pubname`),
    ).toEqual(['app: public, noticed', 'supabase_realtime: public']);
    expect(
      await project.values(`select evtowner::regrole::text from pg_event_trigger where evtname = 'noter2'`),
    ).toEqual(['postgres']);
    expect(
      await project.values(
        `select pubowner::regrole::text from pg_publication where pubname = 'everything2'`,
      ),
    ).toEqual(['postgres']);
    expect(await project.values(`select rolsuper from pg_roles where rolname = 'postgres'`)).toEqual([false]);
    expect(await project.values(tables)).toEqual(['noted']);
    expect(await project.values(`select proname from pg_proc where proname like 'project_step%'`)).toEqual(
      [],
    );
  });

  test('can’t add a schema to a publication that belongs to a service', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'alter publication "Of a service" add tables in schema public;',
    });
    await project.deps.database.pool('supabase_admin').exec('create publication "Of a service"');
    await expect(project.start()).rejects.toThrow('must be owner of publication Of a service');
  });

  test('that need a superuser are applied completely or not at all', async () => {
    const project = await projectWith({
      'migrations/1_a.sql': 'create table a (); create publication everything for all tables; select 1/0;',
    });
    await expect(project.start()).rejects.toThrow('division by zero');
    expect(await project.values(tables)).toEqual([]);
    expect(await project.values(`select pubname from pg_publication where pubname = 'everything'`)).toEqual(
      [],
    );
    expect(await project.values(`select rolsuper from pg_roles where rolname = 'postgres'`)).toEqual([false]);
    expect(await project.values(`select proname from pg_proc where proname like 'project_step%'`)).toEqual(
      [],
    );
  });

  test('can’t enable a project’s event triggers in production', async () => {
    const text = `
      create function note() returns event_trigger language plpgsql as $$ begin raise 'it ran'; end $$;
      create event trigger noter on ddl_command_start execute function note();`;
    const project = await projectWith({
      'migrations/1_a.sql': text,
      'migrations/2_b.sql': 'create table b ()',
    });
    await project.start({ mode: 'production' });
    expect(await project.values(tables)).toEqual(['b']);

    const local = await projectWith({ 'migrations/1_a.sql': text });
    await local.start();
    await expect(local.values('create table b ()')).rejects.toThrow('it ran');
    await local.start({ mode: 'production' });
    await local.values('create table b ()');
  });
});
