import { describe, expect, test } from 'vitest';
import { explainMissing } from './missing.ts';

const relation = (name: string) => ({ code: '42P01', message: `relation "${name}" does not exist` });
const func = (call: string) => ({ code: '42883', message: `function ${call} does not exist` });
const type = (name: string) => ({ code: '42704', message: `type "${name}" does not exist` });

const failed = 'supabase/migrations/20240102_b.sql';

/** Returns the first line of advice for the second of three migrations. */
function adviceOf(
  error: { code: string; message: string },
  before = '',
  own = '',
  after = '',
): string | undefined {
  const files = [
    { shownPath: 'supabase/migrations/20240101_a.sql', text: before },
    { shownPath: failed, text: own },
    { shownPath: 'supabase/migrations/20240103_c.sql', text: after },
  ];
  return explainMissing(error, { failed, files })[0];
}

describe('an object that no migration creates', () => {
  test.each([
    [relation('public.documents'), 'No migration creates public.documents.'],
    [relation('documents'), 'No migration creates documents.'],
    [func('public.is_admin(uuid)'), 'No migration creates the function public.is_admin.'],
    [func('is_admin(uuid, numeric(1,2))'), 'No migration creates the function is_admin.'],
    [type('public.status'), 'No migration creates the type public.status.'],
    [type('status[]'), 'No migration creates the type status.'],
    [{ code: '3F000', message: 'schema "app" does not exist' }, 'No migration creates the schema app.'],
    [
      { code: '42703', message: 'column "owner" of relation "docs" does not exist' },
      'No migration adds the column owner of docs.',
    ],
  ])('%j', (error, sentence) => {
    expect(adviceOf(error, 'create table other ()', 'alter table documents add owner int')).toMatch(sentence);
  });

  test('the message names the file that is applied first', () => {
    const advice = explainMissing(relation('a'), { failed, files: [{ shownPath: failed, text: '' }] });
    expect(advice.join(' ')).toContain('such as supabase/migrations/00000000_dashboard.sql');
    const zero = 'supabase/migrations/000_a.sql';
    expect(
      explainMissing(relation('a'), { failed: zero, files: [{ shownPath: zero, text: '' }] }).join(),
    ).not.toContain('_dashboard.sql');
  });

  test.each([
    '-- create table documents ()',
    '/* create table documents (); */',
    'create table documents_old ()',
    'create table app.documents ()',
    'create index on documents (id)',
  ])('a migration with %j doesn’t create the object', (text) =>
    expect(adviceOf(relation('public.documents'), text)).toMatch('No migration creates'),
  );
});

describe('an object that another migration creates', () => {
  test.each([
    'create table documents ()',
    'CREATE UNLOGGED TABLE IF NOT EXISTS "public" . "documents" ()',
    'create or replace view public.documents as select 1',
    'create materialized view documents as select 1',
    'create foreign table documents () server s',
    'alter table docs rename to documents',
    'select 1 as a into public.documents',
    "do $$ begin execute 'create table documents ()'; end $$",
  ])('%s', (text) => {
    expect(adviceOf(relation('public.documents'), text)).toBeUndefined();
    expect(adviceOf(relation('documents'), '', '', text)).toMatch(
      'supabase/migrations/20240103_c.sql creates documents, but runs later',
    );
  });

  test('a relation that a table creates implicitly', () => {
    expect(adviceOf(relation('documents_id_seq'), 'create table documents (id serial)')).toBeUndefined();
  });

  test('a column, a function and a type', () => {
    const column = { code: '42703', message: 'column "owner" of relation "docs" does not exist' };
    expect(adviceOf(column, 'alter table docs add "owner" int')).toBeUndefined();
    expect(adviceOf(func('f(int)'), 'create or replace function public.f(text) returns int')).toBeUndefined();
    expect(adviceOf(type('public.status'), `create type status as enum ('a')`)).toBeUndefined();
  });

  test('a seed runs after all migrations', () => {
    const files = [{ shownPath: failed, text: 'create table a (); drop table a' }];
    expect(explainMissing(relation('a'), { failed: 'supabase/seed.sql', files })).toEqual([]);
  });
});

describe('an object of an extension', () => {
  test.each([
    [func('uuid_generate_v4()'), 'create extension if not exists "uuid-ossp" with schema extensions;'],
    [type('citext'), 'create extension if not exists citext with schema extensions;'],
    [type('extensions.vector'), 'create extension if not exists vector;'],
    [{ code: '3F000', message: 'schema "cron" does not exist' }, 'create extension if not exists pg_cron;'],
    [func('net.http_post(url => text)'), 'create extension if not exists pg_net;'],
  ])('%j', (error, statement) => {
    expect(explainMissing(error, { failed, files: [] })[1]).toBe(statement);
  });

  test('an extension outside the search_path', () => {
    expect(adviceOf(func('uuid_generate_v4()'), 'create extension if not exists "uuid-ossp"')).toBe(
      'The extension "uuid-ossp" defines it. Include the schema: extensions.uuid_generate_v4.',
    );
  });
});

test.each([
  { code: '42P01', message: 'missing FROM-clause entry for table "a"' },
  { code: '42883', message: 'operator does not exist: integer = text' },
  { code: '42P01', message: 'Relation »a« existiert nicht' },
  relation('auth.nonsense'),
  { code: '23505', message: 'relation "a" does not exist' },
])('no advice for %j', (error) => {
  expect(explainMissing(error, { failed, files: [] })).toEqual([]);
});
