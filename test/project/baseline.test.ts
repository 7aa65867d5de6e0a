/** Tests a baseline that is written from generated types and applied before the project's own migrations. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import { type Baseline, type BaselineOptions, makeBaseline } from '../../src/project/baseline/index.ts';
import { migrations } from '../../src/project/folder/index.ts';
import { projectWith, type TestProject } from './helpers.ts';

// The timeouts are long, because each test creates databases and applies a baseline and migrations to them.
/**
 * Returns the Row and Insert types of tables in the generator's format. In a column (`a: string`), `?` means optional
 * in Insert, and `~` means nullable.
 */
function typesOf(tables: Readonly<Record<string, string>>, rest = ''): string {
  const written = Object.entries(tables).map(([name, columns]) => {
    const [list = '', relationships = ''] = columns.split('|');
    const parts = list
      .trim()
      .split(/,\s*/)
      .map((column) => {
        const [, column_, optional, nullable, type = 'string'] =
          /^(\w+)(\??)(~?)(?::\s*(.+))?$/.exec(column) ?? [];
        return {
          name: column_,
          optional: optional === '?' || nullable === '~',
          type: `${type}${nullable === '~' ? ' | null' : ''}`,
        };
      });
    const links =
      relationships.trim() === ''
        ? []
        : relationships
            .trim()
            .split(/,\s*/)
            .map((link) => {
              const [, column, unique, table, target] = /^(\w+)(!?)->(\w+)\.(\w+)$/.exec(link) ?? [];
              return `{ foreignKeyName: "${name}_${column}_fkey", columns: ["${column}"], isOneToOne: ${unique === '!'},
        referencedRelation: "${table}", referencedColumns: ["${target}"] }`;
            });
    return `${name}: {
      Row: { ${parts.map((one) => `${one.name}: ${one.type}`).join('; ')} }
      Insert: { ${parts.map((one) => `${one.name}${one.optional ? '?' : ''}: ${one.type}`).join('; ')} }
      Relationships: [${links.join(', ')}]
    }`;
  });
  return `export type Database = { public: { Tables: { ${written.join('\n')} } ${rest} } }`;
}

interface Made extends Baseline {
  readonly project: TestProject;
}

/** Generates the baseline from the types and these migrations, and writes it to a file. */
async function baselineOf(types: string, ...files: readonly string[]): Promise<Made> {
  return await baselineWithin({}, types, ...files);
}

async function baselineWithin(
  limits: Pick<BaselineOptions, 'timeLimitMs'>,
  types: string,
  ...files: readonly string[]
): Promise<Made> {
  const named = files.map((text, index) => [`migrations/2024010${index + 1}_m.sql`, text]);
  const project = await projectWith(Object.fromEntries(named));
  const typesFile = join(project.projectDir, 'types.ts');
  writeFileSync(typesFile, types);
  const baseline = await makeBaseline({
    ...limits,
    projectDir: project.projectDir,
    typesFile,
    openDatabase: async () => {
      const { database, drop } = await createTestDatabase('project', (template) =>
        template.migrate([migrations]),
      );
      return { deps: { ...project.deps, database }, close: drop };
    },
    onProgress: () => {},
  });
  if (baseline.text !== undefined) {
    mkdirSync(dirname(baseline.path), { recursive: true });
    writeFileSync(baseline.path, baseline.text);
  }
  return { ...baseline, project };
}

/** Starts a project with a baseline, and returns the text of the baseline. */
async function started(
  types: string,
  ...files: readonly string[]
): Promise<{ text: string; project: TestProject }> {
  const { text = '', failures, project } = await baselineOf(types, ...files);
  expect(failures).toEqual([]);
  await project.start();
  return { text, project };
}

const notes = 'id?, user_id, title, created_at?';

describe('the baseline creates, if no migration does,', () => {
  test('a table that migrations only alter', async () => {
    const { text, project } = await started(
      typesOf({ notes }),
      'alter table public.notes enable row level security; create policy p on notes using (auth.uid() = user_id)',
    );
    expect(text).toContain('user_id uuid not null, -- guess: string named *_id');
    expect(text).not.toContain('create policy');
    expect(
      await project.values(
        "insert into notes (user_id, title) values (gen_random_uuid(), 'x') returning title",
      ),
    ).toEqual(['x']);
    expect(
      await project.values(`select version from supabase_migrations.schema_migrations order by 1`),
    ).toEqual(['00000000', '20240101']);
  });

  test('a table that no migration creates, with the tables that it references', async () => {
    const { project } = await started(
      typesOf({
        profiles: 'id, name~',
        teams: 'id?: number, name',
        members: 'team_id: number, profile_id | team_id->teams.id, profile_id->profiles.id',
        settings: 'profile_id, theme? | profile_id!->profiles.id',
      }),
      'create table other (id int)',
    );
    expect(
      await project.values(`
        select conrelid::regclass || ': ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace and contype in ('p', 'f', 'u') order by 1`),
    ).toEqual([
      'members: FOREIGN KEY (profile_id) REFERENCES profiles(id)',
      'members: FOREIGN KEY (team_id) REFERENCES teams(id)',
      'members: PRIMARY KEY (team_id, profile_id)',
      'profiles: PRIMARY KEY (id)',
      'settings: FOREIGN KEY (profile_id) REFERENCES profiles(id)',
      'settings: PRIMARY KEY (profile_id)',
      'teams: PRIMARY KEY (id)',
    ]);
    expect(
      await project.values(
        `select format_type(atttypid, null) from pg_attribute where attrelid = 'members'::regclass and attnum > 0 order by attname`,
      ),
    ).toEqual(['uuid', 'bigint']);
  });

  test('columns that only a subquery, an alias or a function uses', async () => {
    const { project } = await started(
      typesOf({ staff: 'id?, user_id', requests: 'id?, user_id', slots: 'id?, time' }),
      `alter table staff enable row level security; alter table requests enable row level security; alter table slots add x int;
       create policy p on requests for select using
         (exists (select 1 from staff where user_id = auth.uid() and role in ('admin')));
       create view v as select r.status, s.level from requests r join staff s on s.user_id = r.user_id;
       create function f(wanted uuid) returns table (id uuid, "time" time) language sql as $$
         select id, "time" from slots where id = wanted $$;`,
    );
    expect(
      await project.values(`
        select attrelid::regclass || '.' || attname || ': ' || format_type(atttypid, null) from pg_attribute
        where attrelid in ('staff'::regclass, 'requests'::regclass, 'slots'::regclass) and attnum > 0
          and attname in ('role', 'level', 'status', 'time') order by 1`),
    ).toEqual([
      'requests.status: text',
      'slots.time: time without time zone',
      'staff.level: text',
      'staff.role: text',
    ]);
  });

  test('nothing if the migrations create everything', async () => {
    const { text, failures } = await baselineOf(
      typesOf({ notes }),
      'create table notes (id uuid, user_id uuid, title text, created_at date)',
    );
    expect([text, failures]).toEqual([undefined, []]);
  });

  test('enums, composite types, views and functions', async () => {
    const { text, project } = await started(
      typesOf(
        {
          notes:
            'id?, role: Database["public"]["Enums"]["role"], place~: Database["public"]["CompositeTypes"]["place"]',
        },
        `Views: { board: { Row: { id: string | null; total: number | null } } }
         Functions: { is_admin: { Args: { who: string }; Returns: boolean }; unused: { Args: { a: string; b?: number }; Returns: string[] } }
         Enums: { role: "admin" | "user" }
         CompositeTypes: { place: { street: string | null; no: number | null } }`,
      ),
      'create policy p on notes using (public.is_admin(auth.uid()) and role = $$admin$$::role)',
    );
    expect(text).toContain(`create type public.role as enum ('admin', 'user')`);
    expect(await project.values(`select count(*)::int from board`)).toEqual([0]);
    expect(await project.values(`select is_admin(gen_random_uuid())`)).toEqual([null]);
    await expect(project.values(`select unused('a')`)).rejects.toThrow(
      "the baseline doesn't contain this function's body",
    );
  });
});

describe('the baseline omits what later migrations add', () => {
  test.each([
    ['a column', 'alter table notes add column title text'],
    [
      'a column, if it doesn’t exist',
      'alter table notes add column if not exists title text default $$mine$$',
    ],
    ['a column with dynamic SQL', `do $$ begin alter table notes add column title text; end $$`],
    [
      'two columns in one statement',
      'alter table notes add column title text, add column if not exists created_at date',
    ],
  ])('%s', async (_, statement) => {
    const { text } = await started(
      typesOf({ notes }),
      `alter table notes enable row level security; ${statement}`,
    );
    expect(text).toContain('create table public.notes');
    expect(text).not.toMatch(/^ {2}title /m);
  });

  test('a column in a block that checks whether the table exists', async () => {
    const { text, project } = await started(
      typesOf({ notes }),
      `do $$ begin
         if exists (select from information_schema.tables where table_name = 'notes') then
           alter table notes add column title varchar(7);
         end if;
       end $$`,
    );
    expect(text).not.toMatch(/^ {2}title /m);
    expect(
      await project.values(
        `select character_maximum_length from information_schema.columns where column_name = 'title'`,
      ),
    ).toEqual([7]);
  });

  test('a column that an earlier statement uses is kept', async () => {
    const { text } = await started(
      typesOf({ notes }),
      'create index on notes (title)',
      'alter table notes add column if not exists title text',
    );
    expect(text).toMatch(/^ {2}title /m);
  });

  test('a column that only a function inserts into, so that the sign-up trigger works', async () => {
    const { text, project } = await started(
      typesOf({ profiles: 'id, name~' }),
      `create table sign_ups (id uuid, email text);
      create function welcome() returns trigger language plpgsql security definer as $$ begin
        insert into public.profiles (id, email, full_name) values (new.id, new.email, 'Ada'); return new; end $$;
      create trigger welcome after insert on sign_ups for each row execute function welcome();
      alter table public.profiles enable row level security;`,
    );
    expect(text).toMatch(/^ {2}email text,/m);
    expect(
      await project.values(
        `with made as (insert into sign_ups values (gen_random_uuid(), 'a@b.c') returning email)
         select email from made`,
      ),
    ).toEqual(['a@b.c']);
    expect(await project.values('select full_name from public.profiles')).toEqual(['Ada']);
  });

  test('values of an enum, the enum itself', async () => {
    const types = typesOf(
      { notes: 'id?, role: Database["public"]["Enums"]["role"]' },
      'Enums: { role: "a" | "b" }',
    );
    const { text } = await started(
      types,
      'alter table notes enable row level security',
      `alter type role add value 'b'`,
    );
    expect(text).toContain(`as enum ('a')`);
    const later = await started(
      types,
      `alter table notes enable row level security; create type role as enum ('a', 'b');
       alter table notes alter column role type role using role::role`,
    );
    expect(later.text).not.toContain('create type');
    expect(later.text).toMatch(/role text not null, -- guess: the enum role is created by a later migration/);
  });

  test('constraints, functions and views', async () => {
    const { text } = await started(
      typesOf(
        { notes: 'id?, parent_id~ | parent_id->notes.id' },
        `Views: { board: { Row: { id: string | null } } } Functions: { f: { Args: never; Returns: string } }`,
      ),
      `alter table notes add constraint notes_parent_id_fkey foreign key (parent_id) references notes (id) on delete cascade;
       create or replace function f() returns text language sql as 'select $$x$$';
       create or replace view board as select id, parent_id from notes`,
    );
    expect(text).not.toMatch(/fkey|create function|create view/);
  });

  test('a table that a migration creates if it is missing, with a column that no migration adds', async () => {
    const guarded = 'create table if not exists notes (id uuid primary key)';
    const use = `insert into notes (id, title, author_id) values (gen_random_uuid(), 'a', gen_random_uuid())`;
    const { text } = await started(typesOf({ notes: 'id?, title, author_id' }), guarded, use);
    expect(text).toMatch(/^create table public\.notes/m);
    const created = await baselineOf(
      typesOf({ notes: 'id?, title, author_id' }),
      'create table notes (id uuid primary key)',
      use,
    );
    expect(created.failures).not.toEqual([]);
    expect(created.text).toBeUndefined();
  });

  test('a table that a later migration creates if it is missing', async () => {
    const { text } = await started(
      typesOf({ notes }),
      'alter table notes enable row level security',
      'create table if not exists notes (id int); alter table notes add column if not exists title text',
    );
    expect(text).toContain('create table public.notes');
  });
});

describe('the baseline restores what the types no longer contain', () => {
  test('a table and a column that were renamed', async () => {
    const { text } = await started(
      typesOf({ notes: 'id?, heading, seen_at~' }),
      'alter table memos add column seen_at timestamptz; create index on memos (title)',
      'alter table memos rename to notes; alter table notes rename column title to heading',
    );
    expect(text).toContain('create table public.memos');
    expect(text).toMatch(/^ {2}title text/m);
  });

  test('dropped policies and constraints, and a dropped table', async () => {
    const { text } = await started(
      typesOf({ notes }),
      `drop policy "old one" on notes; alter table notes drop constraint notes_title_check; drop table legacy;
       create trigger t before update on notes for each row execute function touch()`,
    );
    expect(text).toContain(`create policy "old one" on public.notes using (false)`);
    expect(text).toContain('create table public.legacy');
    expect(text).toContain('create function public.touch() returns trigger');
  });
});

describe('types inferred from migrations', () => {
  test.each<[string, string, RegExp]>([
    [
      'from a comparison with a uuid',
      'create policy p on notes using (auth.uid() = owner)',
      /^ {2}owner uuid/m,
    ],
    [
      'from a reference to a text column',
      'create table t (k text primary key); alter table notes add foreign key (user_id) references t (k)',
      /^ {2}user_id text/m,
    ],
    ['from being referenced', 'create table t (n text references notes (id))', /^ {2}id text/m],
    [
      'filled',
      `insert into notes (id, user_id, owner) values (gen_random_uuid(), 'no uuid', 'x')`,
      /^ {2}user_id text/m,
    ],
    [
      'from being omitted in an insert',
      `insert into notes (id) values (gen_random_uuid())`,
      /^ {2}user_id uuid,/m,
    ],
    [
      'from ON CONFLICT',
      `insert into notes (user_id, owner) values (gen_random_uuid(), 'x') on conflict (owner) do nothing`,
      /unique \(owner\)/,
    ],
  ])('%s', async (_, statement, expected) => {
    const { text } = await started(typesOf({ notes: 'id?, user_id, owner' }), statement);
    expect(text).toMatch(expected);
  });
});

test('a type that an operator or a function needs is inferred', async () => {
  const { text } = await started(
    typesOf({ notes: 'id?, user_id, owner, kind' }),
    `create function stage(p_end timestamptz, p_status text default 'x') returns text language sql as 'select p_status';
     create view a as select stage(n.ends, n.status) as s, n.labels from notes n where n.status in ('a');
     create view b as select extract(epoch from n.moment) as a from notes n;
     update notes set owner = kind->>'a' where kind ? 'a';
     create view c as select array_length(labels, 1) as a from notes where user_id ilike 'a%';
     create function flag() returns bigint language sql as $$ select count(*) from notes n where n.is_open $$;
     do $$ begin execute 'create index on notes (id) ' || 'where is_done = true'; end $$`,
  );
  for (const line of [
    'ends timestamptz',
    'moment timestamptz',
    'kind jsonb',
    'labels text[]',
    'user_id text',
    'is_open boolean',
    'is_done boolean',
  ])
    expect(text).toContain(`\n  ${line}`);
  expect(text).not.toContain('create function');
});

describe('types that aren’t in the types file are created', () => {
  const stub = `create policy p on notes using (public.has_role('admin'))`;
  const role = `do $$ begin
    if not exists (select from pg_type where typname = 'app_role') then
      create type public.app_role as enum ('admin', 'user');
    end if; end $$;
    create or replace function public.has_role(_role app_role) returns boolean language sql as 'select true'`;

  test.each<[string, string, string[], string]>([
    [
      'an enum that a later migration creates',
      '',
      [stub, role],
      `create type public.app_role as enum ('admin', 'user')`,
    ],
    [
      'an enum from the types for a function from a migration',
      'Enums: { app_role: "a" | "b" }',
      [stub.replace('admin', 'a'), role],
      `create type public.app_role as enum ('a', 'b')`,
    ],
    [
      'an enum that gets a value',
      '',
      [`alter type state add value 'done' after 'open'`],
      `create type public.state as enum ('open')`,
    ],
    [
      'a type that a migration drops',
      '',
      ['alter table notes add column k legacy', 'alter table notes drop column k; drop type legacy'],
      'create domain public.legacy as text',
    ],
  ])('%s', async (_, rest, files, expected) => {
    const { text } = await started(typesOf({ notes }, rest), ...files);
    expect(text).toContain(expected);
  });

  test('except a misspelled type', async () => {
    const { failures } = await baselineOf(typesOf({ notes }), 'alter table notes add column k txet');
    expect(failures.map(({ error }) => error.message)).toEqual(['type "txet" does not exist']);
  });
});

describe('unique constraints for ON CONFLICT in a function', () => {
  const upsert = `create function f() returns void language plpgsql as $$ begin
    insert into notes (user_id, title) values (auth.uid(), 'x') on conflict (user_id, title) do nothing; end $$`;

  test('are added as a guess', async () => {
    const { text } = await started(typesOf({ notes }), upsert);
    expect(text).toContain(
      '-- Guess: a migration needs this constraint.\n' +
        'alter table public.notes add constraint notes_user_id_title_key unique (user_id, title)',
    );
  });

  test.each([
    ['a migration creates the key', 'create unique index i on notes (title, user_id)'],
    [
      'the rows of a migration violate it',
      `insert into notes (user_id, title) select '00000000-0000-0000-0000-000000000001', 'x' from generate_series(1, 2)`,
    ],
  ])('aren’t added if %s', async (_, statement) => {
    const { text } = await started(typesOf({ notes }), `${upsert}; ${statement}`);
    expect(text).not.toContain('add constraint');
  });
});

describe('access', () => {
  test('requires row level security, and a policy is created only for an owner column', async () => {
    const { text, project } = await started(typesOf({ notes, tags: 'id?, name' }), 'select 1');
    expect(
      await project.values(
        `select relname::text from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace order by 1`,
      ),
    ).toEqual(['notes', 'tags']);
    expect(text).toMatch(/^create policy "Baseline: own rows" on public.notes/m);
    expect(text).toMatch(/^-- create policy "Baseline: everyone reads" on public.tags/m);
    expect(
      await project.values(`select tablename::text from pg_policies where schemaname = 'public'`),
    ).toEqual(['notes']);
  });
});

test('statements that the baseline can’t fix are listed with their location', async () => {
  const { failures } = await baselineOf(
    typesOf({ notes, docs: 'id?, extra~' }),
    'alter table notes enable row level security;\ncreate table docs (id int);\ncreate index on docs (extra);\nselect 1/0',
  );
  expect(failures.map(({ file, line, error }) => `${file}:${line} ${error.message}`)).toEqual([
    'supabase/migrations/20240101_m.sql:3 column "extra" does not exist',
    'supabase/migrations/20240101_m.sql:4 division by zero',
  ]);
});

test('the last version is returned if the time limit is reached', async () => {
  const migration = 'alter table notes enable row level security';
  const whole = await baselineOf(typesOf({ notes }), migration);
  expect(whole).toMatchObject({ isSettled: true, failures: [] });
  const stopped = await baselineWithin({ timeLimitMs: 0 }, typesOf({ notes }), migration);
  expect(stopped).toMatchObject({ isSettled: false, rehearsals: 1, tables: ['public.notes'] });
  expect(stopped.text).toContain('create table public.notes');
});

test('a failed start suggests the command if a types file contains the table', async () => {
  const project = await projectWith({ 'migrations/1_a.sql': 'alter table notes add x int' });
  const path = join(project.projectDir, 'src/integrations/supabase/types.ts');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typesOf({ other: 'id' }));
  const advice = async () => {
    const error = await project.start().catch((thrown) => thrown);
    return error.advice.join('\n');
  };
  expect(await advice()).not.toContain('db baseline');
  writeFileSync(path, typesOf({ notes }));
  expect(await advice()).toContain('plinth db baseline --from-types src/integrations/supabase/types.ts');
});

test('invalid types and an existing baseline are rejected', async () => {
  await expect(baselineOf('export const a = 1', 'select 1')).rejects.toThrow(
    "doesn't declare a type Database",
  );
  const project = await projectWith({
    'migrations/000_baseline.sql': '',
    'migrations/001_a.sql': 'select 1',
  });
  writeFileSync(join(project.projectDir, 'types.ts'), typesOf({ notes }));
  const openDatabase = async () => expect.unreachable();
  const options = {
    projectDir: project.projectDir,
    typesFile: join(project.projectDir, 'types.ts'),
    openDatabase,
    onProgress: () => {},
  };
  await expect(makeBaseline(options)).rejects.toThrow('supabase/migrations/000_baseline.sql already exists');
});
