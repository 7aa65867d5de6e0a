import { expect, test } from 'vitest';
import { listed, validateObjectSearch } from './list-search.ts';

const items = [
  { schema: 'public', name: 'add_item', extension: null },
  { schema: 'public', name: 'vector_in', extension: 'vector' },
  { schema: 'auth', name: 'uid', extension: null },
  { schema: 'shop', name: 'Add "quoted" item', extension: null },
];
const namesFor = (search: Parameters<typeof listed>[1]): string[] =>
  listed(items, search, ({ name }) => name).found.map(({ name }) => name);

test('objects of services and extensions are listed on request', () => {
  expect(namesFor({})).toEqual(['add_item', 'Add "quoted" item']);
  expect(namesFor({ system: true })).toHaveLength(4);
  expect(namesFor({ schema: 'auth' })).toEqual(['uid']);
});

test('all words must match, in any case', () => {
  expect(namesFor({ filter: 'ADD item' })).toEqual(['add_item', 'Add "quoted" item']);
  expect(namesFor({ filter: '"quoted" add' })).toEqual(['Add "quoted" item']);
  expect(namesFor({ filter: 'nothing' })).toEqual([]);
});

test('a list is divided into pages', () => {
  const many = Array.from({ length: 250 }, (_, index) => ({ schema: 'public', name: `f${index}` }));
  const { found, shown } = listed(many, { page: 3 }, ({ name }) => name);
  expect([found.length, shown.length, shown[0]?.name]).toEqual([250, 50, 'f200']);
});

test('invalid parameters are omitted', () => {
  expect(validateObjectSearch({ filter: 12, schema: '', open: null, system: 'yes', page: -1 })).toEqual({
    filter: '12',
  });
});
