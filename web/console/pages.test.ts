import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { menu } from './layout/menu.ts';
import { type Page, pageModules, pages, relativePath } from './pages.ts';

const table: Record<string, Page> = pages;

test.each(Object.entries(table))(
  '%s has the name of a component that its module exports',
  (_path, { module, component }) => {
    const source = readFileSync(new URL(module, import.meta.url), 'utf8');
    expect(source).toMatch(new RegExp(`^export (default )?(function|const) ${component}\\b`, 'm'));
  },
);

test('parents and redirect targets are pages', () => {
  const related = Object.values(table).flatMap(({ parent, redirect }) => [parent ?? '/', redirect ?? '/']);
  expect(related.filter((path) => table[path] === undefined)).toEqual([]);
});

test('menu entries have distinct keys', () => {
  expect(new Set(menu.map(({ key }) => key)).size).toBe(menu.length);
});

test('a path is relative to its parent', () => {
  expect(relativePath('/users')).toBe('/users');
  expect(relativePath('/tables/')).toBe('/');
  expect(relativePath('/tables/$schema/$table/structure')).toBe('/$schema/$table/structure');
});

test.each([
  ['/', ['features/home/page.tsx']],
  ['', ['features/home/page.tsx']],
  ['/sign-in', ['features/sign-in/page.tsx']],
  ['/tables', ['features/tables/list/tables-page.tsx']],
  ['/tables/new', ['features/tables/list/tables-page.tsx', 'features/tables/schema/new-table-page.tsx']],
  ['/tables/public/posts', ['features/tables/list/tables-page.tsx', 'features/tables/rows/table-page.tsx']],
  [
    '/tables/public/posts/structure',
    ['features/tables/list/tables-page.tsx', 'features/tables/schema/structure-page.tsx'],
  ],
  ['/sql', ['features/sql/page.tsx', 'components/editor/sql-editor.tsx']],
  ['/jobs', ['features/jobs/page.tsx', 'features/jobs/cron/page.tsx']],
  ['/jobs/queues', ['features/jobs/page.tsx', 'features/jobs/queues/page.tsx']],
  ['/unknown', undefined],
])('the modules of %s exist', (address, modules) => {
  expect(pageModules().find(([pattern]) => new RegExp(pattern).test(address))?.[1]).toEqual(modules);
});
