import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Images, paired, parentsFirst, stateOf, type Values } from './states.ts';

test.each<[string, Values | null, Values | null, Values | null]>([
  ['ready', ['1', 'a'], ['1', 'b'], ['1', 'b']],
  ['done', ['1', 'a'], ['1', 'b'], ['1', 'a']],
  ['changed', ['1', 'a'], ['1', 'b'], ['1', 'c']],
  ['changed', ['1', null], ['1', 'b'], ['1', '']],
  ['missing', ['1', 'a'], ['1', 'b'], null],
  ['ready', ['1', 'a'], null, null],
  ['done', ['1', 'a'], null, ['1', 'a']],
  ['exists', ['1', 'a'], null, ['1', 'b']],
  ['ready', null, ['1', 'b'], ['1', 'b']],
  ['done', null, ['1', 'b'], null],
  ['changed', null, ['1', 'b'], ['1', 'c']],
])('a row is %s: before %j, after %j, now %j', (state, before, after, now) => {
  expect(stateOf({ before, after }, now)).toBe(state);
});

test('row versions are paired by key, and unchanged rows are left out', () => {
  const olds = [
    ['1', 'a'],
    ['2', 'b'],
    ['3', 'c'],
  ];
  const news = [
    ['1', 'x'],
    ['3', 'c'],
    ['4', 'd'],
  ];
  expect(paired(olds, news, [0])).toEqual([
    { before: ['1', 'a'], after: ['1', 'x'] },
    { before: ['2', 'b'], after: null },
    { before: null, after: ['4', 'd'] },
  ]);
  expect(paired(olds, news, [])).toHaveLength(6);
});

test('pairs contain each version once', () => {
  const versions = fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: ([key]) => key });
  fc.assert(
    fc.property(versions, versions, (olds, news) => {
      const images: Images[] = paired(olds, news, [0]);
      const kept = olds.filter((old) => news.some((each) => each[0] === old[0] && each[1] === old[1]));
      const count = (side: 'before' | 'after') => images.filter((image) => image[side] !== null).length;
      expect([count('before'), count('after')]).toEqual([
        olds.length - kept.length,
        news.length - kept.length,
      ]);
    }),
  );
});

test('referenced tables precede referencing tables, and cycles end', () => {
  expect(
    parentsFirst(
      [1, 2, 3],
      [
        [1, 2],
        [2, 3],
        [1, 9],
      ],
    ),
  ).toEqual([3, 2, 1]);
  expect(
    parentsFirst(
      [1, 2],
      [
        [1, 2],
        [2, 1],
      ],
    ),
  ).toEqual([2, 1]);
  expect(parentsFirst([1], [[1, 1]])).toEqual([1]);
});
