import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArray, writeArray } from './array-literal.ts';

const same = (text: string): string => text;

test('parsing a printed array returns the same array', () => {
  const items = fc.array(fc.option(fc.string({ unit: 'grapheme' })));
  fc.assert(
    fc.property(items, (values) => {
      expect(
        readArray(
          writeArray(values, (value) => value),
          same,
        ),
      ).toEqual(values);
    }),
  );
});

test('nested arrays keep their shape', () => {
  const items = fc.array(fc.array(fc.option(fc.string()), { minLength: 1 }), { minLength: 1 });
  fc.assert(
    fc.property(items, (values) => {
      const text = writeArray<string | null | (string | null)[]>(values, (value) => value as string | null);
      expect(readArray(text, same)).toEqual(values);
    }),
  );
});

test.each([
  ['{}', []],
  ['{1,2,NULL}', ['1', '2', null]],
  ['{"NULL","a b","\\"\\\\",""}', ['NULL', 'a b', '"\\', '']],
  ['[0:1]={1,2}', ['1', '2']],
  [
    '{{1,2},{3,4}}',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
])('PostgreSQL prints %s', (text, expected) => {
  expect(readArray(text, same)).toEqual(expected);
});
