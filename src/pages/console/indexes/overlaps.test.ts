import { expect, test } from 'vitest';
import { coveringIndex, type IndexShape } from './overlaps.ts';

const shape = (name: string, keys: string[], more: Partial<IndexShape> = {}): IndexShape => ({
  schema: 'public',
  table: 't',
  name,
  method: 'btree',
  unique: false,
  valid: true,
  constraint: null,
  keys,
  included: [],
  predicate: '',
  ...more,
});

function covered(...indexes: IndexShape[]): Record<string, string> {
  return Object.fromEntries(
    indexes.flatMap((index) => {
      const by = coveringIndex(index, indexes);
      return by === undefined ? [] : [[index.name, by]];
    }),
  );
}

test('of identical indexes, one is kept', () => {
  expect(covered(shape('a', ['x']), shape('b', ['x']), shape('c', ['x']))).toEqual({ b: 'a', c: 'a' });
});

test('an index that enforces uniqueness is kept', () => {
  expect(covered(shape('a', ['x']), shape('b', ['x'], { unique: true }))).toEqual({ a: 'b' });
  expect(covered(shape('a', ['x'], { unique: true }), shape('b', ['x', 'y']))).toEqual({});
  expect(
    covered(
      shape('a', ['x'], { unique: true }),
      shape('t_pkey', ['x'], { unique: true, constraint: 't_pkey' }),
    ),
  ).toEqual({ a: 't_pkey' });
});

test('a B-tree that begins with the columns covers the index, a hash index does not', () => {
  expect(covered(shape('a', ['x']), shape('b', ['x', 'y']))).toEqual({ a: 'b' });
  expect(covered(shape('a', ['y']), shape('b', ['x', 'y']))).toEqual({});
  expect(covered(shape('a', ['x'], { method: 'gin' }), shape('b', ['x', 'y'], { method: 'gin' }))).toEqual(
    {},
  );
});

test('conditions, included columns and invalid indexes count', () => {
  expect(covered(shape('a', ['x']), shape('b', ['x'], { predicate: 'deleted' }))).toEqual({});
  expect(covered(shape('a', ['x'], { included: ['z'] }), shape('b', ['x']))).toEqual({ b: 'a' });
  expect(covered(shape('a', ['x']), shape('b', ['x'], { valid: false }))).toEqual({ b: 'a' });
});
