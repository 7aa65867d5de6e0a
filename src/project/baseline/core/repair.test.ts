import { expect, test } from 'vitest';
import type { Failure } from '../../folder/core/observe.ts';
import { readTypes, type TypesModel } from '../../types-file/index.ts';
import { Draft } from './draft.ts';
import { baselineStatements } from './print.ts';
import { Repairer } from './repair.ts';
import { Sources } from './sources.ts';

const types = `export type Database = { public: { Tables: { profiles: {
  Row: { id: string } Insert: { id: string } Relationships: [] } } } }`;

const linked = `export type Database = { public: { Tables: {
  teams: { Row: { id: string } Insert: { id: string } Relationships: [] }
  notes: { Row: { team_id: string } Insert: { team_id: string } Relationships: [{ foreignKeyName: "notes_team_id_fkey",
    columns: ["team_id"], isOneToOne: false, referencedRelation: "teams", referencedColumns: ["id"] }] } } } }`;

const unlinked = `export type Database = { public: { Tables: {
  teams: { Row: { id: string } Insert: { id: string } Relationships: [] }
  notes: { Row: { customer_id: string } Insert: { customer_id: string } Relationships: [] } } } }`;

/** Returns the statements of the baseline after the given statements have failed. */
function repaired(
  migration: string,
  ...failures: readonly (Failure & { readonly statement?: string })[]
): string {
  const draft = new Draft(readTypes(types) as TypesModel);
  const repairer = new Repairer(draft, new Sources([{ shownPath: 'm.sql', text: migration }]));
  for (const { statement = 'select 1', ...failure } of failures) repairer.remedy(failure, statement);
  return baselineStatements(draft).join(';\n');
}

const noType = (name: string) => ({ code: '42704', message: `type "${name}" does not exist` });
const noFunction = (call: string) => ({ code: '42883', message: `function ${call} does not exist` });

test('using the row type of a table in the types file adds the table', () => {
  const text = repaired('', noType('public.profiles'));
  expect(text).toContain('create table public.profiles');
  expect(text).not.toContain('create domain');
});

test('the row type of a table that a migration creates isn’t replaced by a domain', () => {
  const migration =
    'create function f(a teams) returns int as $$ $$ language sql; create table teams (id int)';
  expect(repaired(migration, noFunction('f(unknown)'), noType('teams'))).not.toContain('create domain');
});

test('each call gets a function with the same number of parameters', () => {
  const migration = `create function has_role(a text) returns boolean as $$ $$ language sql;
    create function has_role(a uuid, b text default 'x') returns int as $$ $$ language sql`;
  const text = repaired(migration, noFunction('has_role(unknown)'), noFunction('has_role(uuid, unknown)'));
  expect(text).toContain('create function public.has_role(a text) returns boolean');
  expect(text).toContain(`create function public.has_role(a uuid, b text default 'x') returns int`);
});

test('a column is added to the table in the schema that the statement specifies', () => {
  const text = repaired(
    '',
    { code: '42P01', message: 'relation "public.jobs" does not exist' },
    { code: '42P01', message: 'relation "common.jobs" does not exist' },
    {
      code: '42703',
      message: 'column "status" of relation "jobs" does not exist',
      statement: 'create trigger t after update of status on common.jobs for each row execute function f()',
    },
  );
  expect(text).toMatch(/create table common\.jobs \(\n {2}status /);
  expect(text.match(/status/g)).toHaveLength(1);
});

test('a schema that no migration has created yet is created', () => {
  const text = repaired('', { code: '3F000', message: 'schema "Shop" does not exist' });
  expect(text).toBe('create schema if not exists "Shop"');
  expect(repaired('', { code: '3F000', message: 'schema "auth" does not exist' })).toBe('');
});

test('a foreign key in the baseline is omitted if its columns need different types', () => {
  const draft = new Draft(readTypes(linked) as TypesModel);
  const repairer = new Repairer(draft, new Sources([]));
  const key = () => baselineStatements(draft).find((statement) => statement.includes('foreign key')) ?? '';
  for (const name of ['teams', 'notes'])
    repairer.remedy({ code: '42P01', message: `relation "${name}" does not exist` }, 'select 1');
  draft.types.set('public.notes.team_id', 'text').set('public.teams.id', 'uuid');
  const failure = {
    code: '42804',
    message: 'foreign key constraint "notes_team_id_fkey" cannot be implemented',
    detail:
      'Key columns "team_id" of the referencing table and "id" of the referenced table are of incompatible types: ' +
      'text and uuid.',
  };
  expect(key()).toContain('notes_team_id_fkey');
  expect(repairer.remedy(failure, key())).toEqual({ kind: 'restart' });
  expect(key()).toBe('');
});

test('a foreign key changes only the table that it references, not another table with the same columns', () => {
  const text = repaired(
    '',
    { code: '42P01', message: 'relation "old.teams" does not exist' },
    {
      code: '42703',
      message: 'column "id" of relation "teams" does not exist',
      statement: 'comment on old.teams',
    },
    { code: '42P01', message: 'relation "profiles" does not exist' },
    {
      code: '42804',
      message: 'foreign key constraint "k" cannot be implemented',
      detail:
        'Key columns "team_id" of the referencing table and "id" of the referenced table are of incompatible types: bigint and uuid.',
      statement: 'create table old.teams_2 (team_id bigint constraint k references public.profiles (id))',
    },
  );
  expect(text).toMatch(/create table old\.teams \(\n {2}id uuid/);
  expect(text).toMatch(/create table public\.profiles \(\n {2}id bigint/);
});

test.each([
  ['the referencing column becomes a UUID', [], 'customer_id uuid not null', 'id uuid not null'],
  [
    'both become text if a statement needs it',
    ['public.notes.customer_id'],
    'customer_id text not null',
    'id text not null',
  ],
])('a foreign key from text to uuid: %s', (_, needed: readonly string[], source, target) => {
  const draft = new Draft(readTypes(unlinked) as TypesModel);
  const repairer = new Repairer(draft, new Sources([]));
  for (const name of ['teams', 'notes'])
    repairer.remedy({ code: '42P01', message: `relation "${name}" does not exist` }, 'select 1');
  for (const key of needed) draft.types.set(key, 'text');
  const failure = {
    code: '42804',
    message: 'foreign key constraint "k" cannot be implemented',
    detail:
      'Key columns "customer_id" of the referencing table and "id" of the referenced table are of incompatible types: ' +
      'text and uuid.',
  };
  const statement = 'alter table notes add constraint k foreign key (customer_id) references teams (id)';
  expect(repairer.remedy(failure, statement)).toEqual({ kind: 'restart' });
  const text = baselineStatements(draft).join();
  expect(text).toContain(source);
  expect(text).toContain(target);
});
