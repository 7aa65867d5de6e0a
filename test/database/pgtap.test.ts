/**
 * Tests pgTAP as projects' test suites use it: on PostgreSQL 18 and with the role `postgres`, which isn't a superuser.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await createTestDatabase('pgtap');
  await own.database.pool('postgres').exec(`
    create extension if not exists pgtap with schema extensions;
    create type public.mood as enum ('calm', 'loud');
    create table public.notes (
      id bigint primary key generated always as identity, body text not null default 'x', mood public.mood, unique (body));
    create index notes_mood on public.notes (mood);
    alter table public.notes enable row level security;
    create policy "own notes" on public.notes for select to authenticated using (body = 'mine');
    create view public.calm_notes as select * from public.notes where mood = 'calm';
    create function public.double(int) returns int language sql immutable security definer as 'select $1 * 2'`);
});
afterAll(() => own?.drop());

/** Runs a test suite's function calls in one transaction, and returns the output lines. */
async function lines(...calls: string[]): Promise<string[]> {
  return own.database.pool('postgres').transaction(
    async (tx) => {
      const said: string[] = [];
      for (const call of calls) {
        for (const { line } of await tx.query<{ line: string | null }>(
          sql`select line::text from ${sql.raw(call)} as line`,
        ))
          if (line !== null) said.push(...line.split('\n'));
      }
      return said;
    },
    { end: 'rollback' },
  );
}

const passing = [
  `has_schema('public')`,
  `has_table('public', 'notes', 'a table')`,
  `has_view('public', 'calm_notes', 'a view')`,
  `has_column('public', 'notes', 'body', 'a column')`,
  `col_type_is('public', 'notes', 'id', 'bigint', 'its type')`,
  `col_not_null('public', 'notes', 'body', 'not null')`,
  `col_default_is('public', 'notes', 'body', 'x'::text, 'its default')`,
  `col_is_pk('public', 'notes', 'id', 'a key')`,
  `col_is_unique('public', 'notes', 'body', 'unique')`,
  `has_index('public', 'notes', 'notes_mood', 'mood', 'an index')`,
  `has_enum('public', 'mood', 'an enum')`,
  `enum_has_labels('public', 'mood', array['calm', 'loud'], 'its labels')`,
  `has_function('public', 'double', array['integer'], 'a function')`,
  `function_returns('public', 'double', array['integer'], 'integer', 'what it returns')`,
  `is_definer('public', 'double', array['integer'], 'a definer')`,
  `volatility_is('public', 'double', array['integer'], 'immutable', 'its volatility')`,
  `has_extension('pgtap')`,
  `has_role('authenticated')`,
  `policies_are('public', 'notes', array['own notes'], 'policies')`,
  `policy_roles_are('public', 'notes', 'own notes', array['authenticated'], 'roles of a policy')`,
  `policy_cmd_is('public', 'notes', 'own notes', 'SELECT', 'command of a policy')`,
  `tables_are('public', array['notes'], 'tables')`,
  `function_privs_are('public', 'double', array['integer'], 'postgres', array['EXECUTE'], 'a privilege')`,
  `throws_ok('select 1/0', '22012', 'division by zero', 'an error')`,
  `throws_like('select 1/0', '%zero', 'like')`,
  `lives_ok('select 1', 'runs')`,
  `results_eq('select double(2)', array[4], 'results')`,
  `set_eq('values (1), (2)', array[2, 1], 'a set')`,
  `bag_has('values (1), (2), (2)', 'values (2), (2)', 'a bag')`,
  `is_empty('select from notes', 'empty')`,
  `matches('plinth'::text, '^pl', 'a pattern')`,
  `cmp_ok(2, '>', 1, 'compared')`,
  `isa_ok(1, 'integer', 'a number')`,
];

test('a test suite can pass', async () => {
  const said = await lines(`plan(${passing.length})`, ...passing, 'finish()');
  expect(said[0]).toBe(`1..${passing.length}`);
  expect(said.slice(1).filter((line) => !/^ok \d+ - /.test(line))).toEqual([]);
  expect(said).toHaveLength(passing.length + 1);
});

test('failures, skipped tests and TODOs are reported', async () => {
  expect(
    await lines(
      'no_plan()',
      `is(1, 2, 'a number')`,
      `skip('later', 1)`,
      `todo('not yet', 1)`,
      `fail('a plan')`,
      `diag('a word')`,
      'finish()',
    ),
  ).toEqual([
    'not ok 1 - a number',
    '# Failed test 1: "a number"',
    '#         have: 1',
    '#         want: 2',
    'ok 2 # SKIP later',
    'not ok 3 - a plan # TODO not yet',
    '# Failed (TODO) test 3: "a plan"',
    '# a word',
    '1..3',
    '# Looks like you failed 1 test of 3',
  ]);
});

test('functions can be run as tests', async () => {
  const pool = own.database.pool('postgres');
  await pool.exec(`
    create schema checks;
    create function checks.test_one() returns setof text language sql as $$ select extensions.ok(true, 'one') $$;`);
  const said = await lines(`runtests('checks'::name)`);
  expect(said.map((line) => line.trim())).toEqual(
    expect.arrayContaining(['ok 1 - one', '1..1', 'ok 1 - checks.test_one']),
  );
});
