import { expect, test } from 'vitest';
import { explainExisting } from './existing.ts';

const failed = 'supabase/migrations/2_b.sql';

const adviceOf = (code: string, message: string, before: string, own = 'select 1') =>
  explainExisting(
    { code, message },
    {
      failed,
      line: own.split('\n').length,
      files: [
        { shownPath: 'supabase/migrations/1_a.sql', text: `select 1;\n${before}` },
        { shownPath: failed, text: own },
        { shownPath: 'supabase/migrations/3_c.sql', text: before },
      ],
    },
  )[0];

test.each([
  ['42P07', 'relation "x" already exists', 'create table public.x ()'],
  ['42P07', 'relation "x" already exists', 'create view x as select 1'],
  ['42P07', 'relation "x_a_idx" already exists', 'create index x_a_idx on x (a)'],
  ['42P07', 'relation "x" already exists', 'alter table y rename to x'],
  ['42710', 'type "x" already exists', "create type public.x as enum ('a')"],
  ['42710', 'policy "a b" for table "x" already exists', 'create policy "a b" on public.x using (true)'],
  [
    '42710',
    'trigger "t" for relation "x" already exists',
    'create trigger t after insert on x execute function f()',
  ],
  [
    '42710',
    'constraint "c" for relation "x" already exists',
    'alter table only x add constraint c unique (a)',
  ],
  ['42710', 'constraint "c" for relation "x" already exists', 'create table x (a int constraint c unique)'],
  ['42710', 'role "r" already exists', 'create user r'],
  ['42710', 'extension "citext" already exists', 'create extension citext'],
  ['42710', 'publication "p" already exists', 'create publication p'],
  ['42710', 'event trigger "e" already exists', 'create event trigger e on sql_drop execute function f()'],
  ['42710', 'enum label "b" already exists', "alter type x add value 'b'"],
  [
    '42723',
    'function "f" already exists with same argument types',
    'create or replace function public.f() returns int',
  ],
  [
    '42701',
    'column "a" of relation "x" already exists',
    'create table if not exists public.x (id int, a int)',
  ],
  ['42701', 'column "a" of relation "x" already exists', 'alter table x add a int'],
  ['42P06', 'schema "s" already exists', 'create schema s'],
])('%s %s: %s', (code, message, before) => {
  expect(adviceOf(code, message, before)).toMatch('supabase/migrations/1_a.sql:2 has already created');
  expect(adviceOf(code, message, 'select 1', `${before};\nselect 1`)).toMatch(
    `${failed}:1 has already created`,
  );
  // A statement that runs later, or the failed statement itself, isn't the reason.
  expect(adviceOf(code, message, 'select 1', before)).toBeUndefined();
});

test('policies of another table and comments are ignored', () => {
  const message = 'policy "p" for table "x" already exists';
  expect(adviceOf('42710', message, 'create policy p on y using (true)')).toBeUndefined();
  expect(adviceOf('42P07', 'relation "x" already exists', '-- create table x ()')).toBeUndefined();
  expect(adviceOf('23505', 'relation "x" already exists', 'create table x ()')).toBeUndefined();
});

test('a role of the server is explained', () => {
  expect(adviceOf('42710', 'role "authenticated" already exists', '')).toBe(
    'Plinth creates the role authenticated, as the hosted service does, so remove the statement.',
  );
});

test('a seed runs after all migrations', () => {
  const files = [{ shownPath: 'supabase/migrations/1_a.sql', text: 'create table x ()' }];
  const error = { code: '42P07', message: 'relation "x" already exists' };
  expect(explainExisting(error, { failed: 'supabase/seed.sql', line: 1, files })).toEqual([
    'supabase/migrations/1_a.sql:1 has already created x. Remove one of the two statements, or use IF NOT EXISTS.',
  ]);
});
