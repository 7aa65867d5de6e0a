import { expect, test } from 'vitest';
import { tablesInScope } from './columns-in-scope.ts';

const names = {
  functions: [],
  tables: [
    { schema: 'public', name: 'notes', columns: ['id', 'body'] },
    { schema: 'public', name: 'My "tasks"', columns: ['id'] },
    { schema: 'app', name: 'notes', columns: ['n'] },
    { schema: 'app', name: 'orders', columns: ['status'] },
  ],
};

test.each<[string, string[]]>([
  ['select * from notes where |', ['public.notes', 'app.notes']],
  ['select * from public.notes where |', ['public.notes']],
  ['select | from app.orders', ['app.orders']],
  ['select * from notes n, app.orders as o where |', ['public.notes', 'app.notes', 'app.orders']],
  ['select * from public."My ""tasks""" join APP.Orders o on |', ['public.My "tasks"', 'app.orders']],
  ['update only app.orders set |', ['app.orders']],
  ['insert into app.orders (|', ['app.orders']],
  ['select 1 from app.orders; select * from public.notes where |', ['public.notes']],
  [
    `select ' from app.orders' /* from app.orders */ -- from app.orders\n from public.notes where |`,
    ['public.notes'],
  ],
  ['|', []],
])('%s', (marked, expected) => {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  expect(tablesInScope(text, at, names).map(({ schema, name }) => `${schema}.${name}`)).toEqual(expected);
});

test('the table of a policy is always in scope', () => {
  const found = tablesInScope('status = ', 9, names, { schema: 'app', table: 'orders' });
  expect(found.map(({ name }) => name)).toEqual(['orders']);
});
