import { expect, test } from 'vitest';
import { dataStatements } from './data-statements.ts';

const textsOf = (text: string) => dataStatements([{ shownPath: 'a.sql', text }]).map((found) => found.text);

test.each([
  "insert into notes values (1, 'a')",
  '-- sample\nupdate notes set title = 2',
  'DELETE FROM notes',
  'with old as (select 1) insert into notes select * from old',
  "select cron.schedule('nightly', '0 0 * * *', 'select 1')",
  "select vault.create_secret('x')",
  'do $$ begin insert into notes values (1); end $$',
  'create table copy as select * from notes',
  'create table copy as (values (1))',
  'call fill()',
  "create role app login password 'x'",
])('reports %j as a change of data', (text) => {
  expect(textsOf(`create table a ();\n${text};`)).toHaveLength(1);
});

test.each([
  'create table notes (id int)',
  "select pg_catalog.set_config('search_path', '', false)",
  'create function f() returns void language sql as $$ insert into notes values (1) $$',
  'create view v as select 1',
  'create materialized view v as select 1',
  'do $$ begin create type mood as enum (); exception when duplicate_object then null; end $$',
  'create role app',
  'create policy p on notes for update using (true)',
  'create trigger t after insert on notes execute function f()',
  'grant insert on notes to anon',
])('doesn’t report %j, which changes only the schema', (text) => {
  expect(textsOf(text)).toEqual([]);
});

test('the position and the beginning of a statement are returned', () => {
  const text = `create table a ();\n\n-- rows\ninsert into a\n  select ${'1, '.repeat(60)}2;`;
  expect(dataStatements([{ shownPath: 'supabase/migrations/1_a.sql', text }])).toEqual([
    { place: 'supabase/migrations/1_a.sql:3', text: expect.stringMatching(/^insert into a select 1, .*…$/) },
  ]);
});
