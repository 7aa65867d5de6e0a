/** Tests the data of the diagram: tables, columns and foreign keys with their properties. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { DiagramTable } from '../../src/pages/console/schema/contract.ts';
import { type Backend, operator } from './harness.ts';

let backend: Backend;
let tables: readonly DiagramTable[];

beforeAll(async () => {
  backend = await createTestBackend();
  await backend.database.pool('postgres').exec(`
    create table public.people (id int primary key, email text not null unique);
    create table public.profiles (
      person int primary key references public.people on delete cascade,
      friend int references public.people (id) on update set null deferrable initially deferred
    );
    create table public.pairs (a int, b int, primary key (a, b));
    create table public.pair_notes (
      x int not null, y int not null, z int,
      constraint full_pair foreign key (x, y) references public.pairs match full,
      constraint some_pair foreign key (z, y) references public.pairs on delete set null (z)
    );
    create unique index partial on public.pair_notes (z) where z > 3;
    create schema "o""dd.s";
    create table "o""dd.s"."__proto__" ("__proto__" int references public.people);
    create table public.measures (at date not null, person int references public.people) partition by range (at);
    create table public.measures_2026 partition of public.measures for values from ('2026-01-01') to ('2027-01-01');
    create view public.emails as select email from public.people;
    insert into public.people select i, 'p' || i from generate_series(1, 40) i;
    alter table public.people enable row level security;
    create policy everyone on public.people using (true);
    analyze public.people;`);
  const owner = await operator(backend);
  const response = await owner.call('GET', '/schema/diagram');
  expect(response.status).toBe(200);
  tables = response.body.tables;
});
afterAll(() => backend?.stop());

const find = (schema: string, name: string): DiagramTable | undefined =>
  tables.find((table) => table.schema === schema && table.name === name);
const keyOf = (name: string, column: string) =>
  find('public', name)?.foreign_keys.find(({ columns }) => columns[0] === column);

test('a table has its columns, estimated rows and policies', () => {
  expect(find('public', 'people')).toMatchObject({
    kind: 'table',
    estimated_rows: 40,
    rls: true,
    policies: 1,
    columns: [
      { name: 'id', type: 'integer', nullable: false, primary_key: true },
      { name: 'email', type: 'text', nullable: false, primary_key: false },
    ],
    foreign_keys: [],
  });
  expect(find('public', 'emails')).toMatchObject({ kind: 'view', foreign_keys: [] });
  expect(tables.some(({ schema }) => schema === '_plinth' || schema.startsWith('pg_'))).toBe(false);
  expect(find('auth', 'users')?.columns.length).toBeGreaterThan(5);
});

test('a foreign key has its actions and cardinality', () => {
  expect(keyOf('profiles', 'person')).toEqual({
    name: 'profiles_person_fkey',
    schema: 'public',
    table: 'people',
    columns: ['person'],
    references: ['id'],
    on_delete: 'cascade',
    on_update: 'no action',
    deferrable: false,
    editable: true,
    unique: true,
    required: true,
  });
  expect(keyOf('profiles', 'friend')).toMatchObject({
    on_update: 'set null',
    deferrable: true,
    editable: true,
    unique: false,
    required: false,
  });
});

test('the form can’t edit keys with properties that it doesn’t have', () => {
  expect(keyOf('pair_notes', 'x')).toMatchObject({
    columns: ['x', 'y'],
    references: ['a', 'b'],
    editable: false,
    required: true,
  });
  // A partial index doesn't limit all rows.
  expect(keyOf('pair_notes', 'z')).toMatchObject({ editable: false, unique: false, required: false });
});

test('names can contain any character, and partitions are omitted', () => {
  expect(find('o"dd.s', '__proto__')).toMatchObject({
    columns: [{ name: '__proto__' }],
    foreign_keys: [{ columns: ['__proto__'], table: 'people' }],
  });
  expect(find('public', 'measures')?.foreign_keys).toHaveLength(1);
  expect(find('public', 'measures_2026')).toBeUndefined();
});
