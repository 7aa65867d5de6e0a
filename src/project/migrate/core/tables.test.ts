import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderByReferences } from './tables.ts';

test('a table comes after the tables that it references', () => {
  const references = [
    ['a', 'c'],
    ['c', 'b'],
    ['b', 'elsewhere'],
    ['b', 'b'],
  ] as const;
  expect(orderByReferences(['a', 'b', 'c'], references)).toEqual(['b', 'c', 'a']);
});

test('every table appears once, and tables outside of cycles are in order', () => {
  const name = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name)), fc.boolean(), (pairs, cyclic) => {
      const references = pairs
        .filter(([from, to]) => cyclic || from > to)
        .map(([from, to]) => [`t${from}`, `t${to}`] as const);
      const tables = Array.from({ length: 10 }, (_, index) => `t${9 - index}`);
      const ordered = orderByReferences(tables, references);
      expect(ordered.toSorted()).toEqual(tables.toSorted());
      if (cyclic) return;
      for (const [from, to] of references) expect(ordered.indexOf(from)).toBeGreaterThan(ordered.indexOf(to));
    }),
  );
});
