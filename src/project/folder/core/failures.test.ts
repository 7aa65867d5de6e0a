import { expect, test } from 'vitest';
import { dependents, describeFailures, type SkippedStatement } from './failures.ts';

const failed = (statement: string, message = 'broken', code = '42P01'): SkippedStatement => ({
  file: 'supabase/migrations/1_a.sql',
  line: 1,
  statement,
  code,
  message,
});

test.each<[string, string, string, string]>([
  [
    'create table if not exists public.notes (x nonsense)',
    'create index on notes (x)',
    '42P01',
    'relation "notes" does not exist',
  ],
  ['create type mood as enum (1)', 'create table t (m mood)', '42704', 'type "mood" does not exist'],
  ['create function f() returns nonsense', 'select f()', '42883', 'function f() does not exist'],
  ['alter table t add column a nonsense', 'create index on t (a)', '42703', 'column "a" does not exist'],
  [
    'create policy "p q" on t using (nonsense)',
    'drop policy "p q" on t',
    '42704',
    'policy "p q" for table "t" does not exist',
  ],
])('%s: %s', (first, second, code, message) => {
  expect(dependents([failed(first), failed('select 1/0'), failed(second, message, code)])).toEqual([
    [2],
    [],
    [],
  ]);
  expect(dependents([failed(second, message, code), failed(first)])).toEqual([[], []]);
});

test('is printed as a table in the terminal', () => {
  expect(describeFailures([])).toEqual([]);
  const lines = describeFailures([
    failed('-- why\ncreate table notes (\n  x nonsense\n)', 'type "nonsense" does not exist', '42704'),
    { ...failed('insert into notes values (1)', 'relation "notes" does not exist'), line: 7 },
  ]);
  expect(lines[0]).toBe(
    'The schema is incomplete: 2 statements of 1 file failed and were skipped by --keep-going.',
  );
  expect(lines[2]).toMatch(
    /^ {2}supabase\/migrations\/1_a\.sql:1 {2}create table notes \( x nonsense \) {2}type "nonsense" does not exist {2,}1_a\.sql:7$/,
  );
  expect(lines[3]).toMatch(/^ {2}supabase\/migrations\/1_a\.sql:7 {2}insert into notes values \(1\) /);
});
