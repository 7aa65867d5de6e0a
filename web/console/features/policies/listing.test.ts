import { expect, test } from 'vitest';
import type { SecuredTable } from './api.ts';
import { byName, keyOf, listTables } from './listing.ts';
import { likelyInput, templates } from './templates.ts';

const table = (schema: string, name: string, rls: boolean, ...policies: string[]): SecuredTable => ({
  schema,
  name,
  kind: 'table',
  owner: 'postgres',
  invoker: false,
  triggers: [],
  rls,
  forced: false,
  policies: policies.map((each) => ({
    name: each,
    command: 'all',
    permissive: true,
    roles: ['public'],
    using: 'true',
    check: null,
  })),
  turnedOff: [],
  grants: [],
});
const tables = [
  table('public', 'notes', true, 'Own rows'),
  table('public', 'notes_old', true),
  table('app', 'open', false),
  table('auth', 'users', false),
];
const listed = (search: Parameters<typeof listTables>[1]): string[] => listTables(tables, search).map(keyOf);

test.each([
  [{}, ['public.notes', 'public.notes_old']],
  [{ filter: 'own' }, ['public.notes']],
  [{ filter: 'APP.' }, ['app.open']],
  [{ show: 'off', schema: 'app' }, ['app.open']],
  [{ show: 'bare' }, ['public.notes_old']],
  [{ only: 'public.notes' }, ['public.notes']],
] as const)('%j lists %j', (search, expected) => {
  expect(listed(search)).toEqual(expected);
});

test('views are listed between the tables, and only those that ignore policies count as unprotected', () => {
  const views: SecuredTable[] = [
    { ...table('public', 'all_notes', false), kind: 'view' },
    { ...table('public', 'own_notes', false), kind: 'view', invoker: true },
  ];
  const both = [...tables, ...views].sort(byName);
  expect(listTables(both, {}).map(keyOf)).toEqual([
    'public.all_notes',
    'public.notes',
    'public.notes_old',
    'public.own_notes',
  ]);
  expect(listTables(both, { show: 'off', schema: 'public' }).map(keyOf)).toEqual(['public.all_notes']);
  expect(listTables(both, { show: 'bare' }).map(keyOf)).toEqual(['public.notes_old']);
});

test('the member template uses the tables and columns of the schema', () => {
  const [notes] = tables;
  const template = templates.find(({ fields }) => fields === 'member');
  const columns = [
    { name: 'id', type: 'bigint', isUser: false, isKey: true, references: null },
    { name: 'order', type: 'bigint', isUser: false, isKey: false, references: 'app.orders' },
  ];
  const member = {
    schema: 'app',
    name: 'order members',
    rls: true,
    users: ['who'],
    groups: [{ name: 'order', references: 'app.orders' }],
  };
  const usingOf = (choices: Parameters<typeof likelyInput>[1]) =>
    template?.build(likelyInput(notes as SecuredTable, choices)).using;
  expect(usingOf({ columns, memberTables: [member], memberFunctions: [] })).toBe(
    `"order" in (select m."order" from app."order members" m where m.who = (select auth.uid()))`,
  );
  const memberFunctions = [{ schema: 'app', name: 'is_member', argument: 'bigint' }];
  expect(usingOf({ columns, memberTables: [], memberFunctions })).toBe('app.is_member("order")');
  expect(
    usingOf({
      columns,
      memberTables: [],
      memberFunctions: [{ schema: 'app', name: 'is_member', argument: null }],
    }),
  ).toBe('"order" in (select app.is_member())');
});
