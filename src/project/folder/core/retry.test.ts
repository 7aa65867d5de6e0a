import { expect, test } from 'vitest';
import { isRetried } from './retry.ts';

const retried = (statement: string, later: readonly string[] = [], seedsHaveRun = false) =>
  isRetried(statement, { later, seedsHaveRun });

test.each([
  ['alter table public.b enable row level security', ['create table public.b ()']],
  ['create policy p on b using (true)', ['create table b ()', 'create policy q on b using (false)']],
  ['create policy p on b using (true)', ['create policy p on c using (false)', 'drop policy p on "C"']],
  ['create policy "a b" on b', ['drop policy if exists a on b']],
  ["alter function f() set search_path = ''", ['create function f() returns int return 1']],
  ['grant select on b to anon', ['revoke all on c from anon', 'create table b ()']],
  ['revoke all on b from anon', ['grant select on b to anon']],
  ['-- why\ncreate index on b (x)', ['drop index b_y_idx']],
  ["do $$ begin execute 'alter table b enable row level security'; end $$", ['drop policy p on b']],
  ['create trigger t after insert on b execute function f()', ['drop trigger t on c']],
  ['insert into b values (1)', ['create table b ()']],
  ['create function f() returns void language sql as $$ drop table a $$', ['create table b ()']],
])('%s runs again after %j', (statement, later) => {
  expect(retried(statement, later)).toBe(true);
});

test.each<[string, string[]]>([
  ['create policy p on public.b using (true)', ['drop policy if exists p on b']],
  ['create policy p on public.b using (true)', ['create policy "p" on "b" using (false)']],
  ['create policy p on b using (true)', ['alter policy p on b using (false)']],
  ['alter policy p on b using (true)', ['create policy p on b using (false)']],
  ['grant select on table public.b to anon', ['revoke all on b, c from anon, authenticated']],
  ['grant select (x), update on b to anon', ['revoke all on table b from anon']],
  ['alter table b enable row level security', ['alter table public.b disable row level security']],
  ['create or replace function f() returns int', ['create or replace function public.f() returns int']],
  ['create table a (x nonsense)', ['create table if not exists public.a ()']],
  ['create view v as select 1', ['drop view if exists u, v cascade']],
  ['drop table b', []],
  ['drop policy p on b', []],
  ['truncate b', []],
  ['delete from b', []],
  ['alter table b disable row level security', []],
  ['alter table b no force row level security', []],
  ['alter table b drop column c', []],
  ['alter table b rename to c', []],
  ['alter table b set schema s', []],
  ["do $$ begin execute 'drop table b'; end $$", []],
  ['set role nonsense', []],
  ['begin isolation level serializable', []],
  ['copy b from stdin', []],
  ['vacuum nonsense', []],
])('%s does not run again after %j', (statement, later) => {
  expect(retried(statement, later)).toBe(false);
});

test('rows of migrations are not written after seeds', () => {
  expect(retried('update b set x = 1', [], true)).toBe(false);
  expect(retried('alter table b enable row level security', [], true)).toBe(true);
});
