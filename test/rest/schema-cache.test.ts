/**
 * Tests how the schema cache is loaded. Every kind of change is detected, and unchanged parts stay the same objects.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import { SchemaCacheLoader } from '../../src/services/rest/schema-cache/load.ts';
import { keyOf, type SchemaCache } from '../../src/services/rest/schema-cache/types.ts';

let db: TestDatabase;
const loader = new SchemaCacheLoader();
const run = (text: string) => db.database.pool('postgres').exec(text);
const load = () =>
  loader.load(db.database.pool('authenticator'), {
    schemas: ['public'],
    extraSearchPath: ['public'],
    hoistedSettings: ['statement_timeout'],
  });
const relation = (cache: SchemaCache, name: string) => cache.relations.get(keyOf('public', name));
const relationships = (cache: SchemaCache, name: string) =>
  cache.relationships.get(keyOf('public', name)) ?? [];

beforeAll(async () => {
  db = await createTestDatabase('schema-cache');
  await run(`
    create type public.mood as enum ('fine');
    create table public.people (id int primary key, mood public.mood);
    create table public.notes (id int primary key, person int references public.people);
    create view public.shown as select id, person from public.notes;
    create function public.first_note() returns public.notes language sql stable
      as 'select * from public.notes limit 1'`);
});
afterAll(() => db?.drop());

test('without changes, the cache stays the same', async () => {
  const first = await load();
  expect(relation(first, 'shown')).toMatchObject({ isView: true, primaryKey: ['id'] });
  expect(relationships(first, 'people').map(({ foreignTable }) => foreignTable.name)).toEqual([
    'notes',
    'shown',
  ]);
  expect(await load()).toBe(first);
});

test.each<[what: string, sql: string, seen: (cache: SchemaCache) => unknown, expected: unknown]>([
  [
    'a column',
    'alter table public.notes add text text',
    (cache) => relation(cache, 'notes')?.columns.has('text'),
    true,
  ],
  [
    'a new enum value',
    `alter type public.mood add value 'low'`,
    (cache) => relation(cache, 'people')?.columns.get('mood')?.enumValues,
    ['fine', 'low'],
  ],
  [
    'a type name',
    'alter type public.mood rename to state',
    (cache) => relation(cache, 'people')?.columns.get('mood')?.type,
    'public.state',
  ],
  [
    'a comment',
    `comment on column public.people.id is 'number'`,
    (cache) => relation(cache, 'people')?.columns.get('id')?.description,
    'number',
  ],
  [
    'the columns of a view',
    'create or replace view public.shown as select id, id as person from public.notes',
    (cache) => relationships(cache, 'people').map(({ foreignTable }) => foreignTable.name),
    ['notes'],
  ],
  [
    'the name of a referenced table',
    'alter table public.people rename to persons',
    (cache) => relationships(cache, 'notes').map(({ foreignTable }) => foreignTable.name),
    ['persons'],
  ],
  [
    'a function',
    'alter function public.first_note() volatile',
    (cache) => cache.routines.get(keyOf('public', 'first_note'))?.[0]?.volatility,
    'volatile',
  ],
  [
    'a dropped table',
    'drop table public.persons cascade',
    (cache) => [relation(cache, 'persons'), relationships(cache, 'notes')],
    [undefined, []],
  ],
])('%s is detected', async (_what, sql, seen, expected) => {
  const before = await load();
  expect(seen(before)).not.toEqual(expected);
  await run(sql);
  const after = await load();
  expect(seen(after)).toEqual(expected);
  expect(await load()).toBe(after);
});

test('unchanged parts aren’t transferred or built again', async () => {
  await run('create table public.other (id int primary key)');
  const before = await load();
  await run('alter table public.other add more int');
  const after = await load();
  expect(relation(after, 'other')?.columns).not.toBe(relation(before, 'other')?.columns);
  expect(relation(after, 'notes')?.columns).toBe(relation(before, 'notes')?.columns);
});
