import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeValue, readArray, writeArray } from './values.ts';

test.each([
  [null, null],
  [undefined, null],
  ['text', 'text'],
  [true, 'true'],
  [1.5, '1.5'],
  [-0, '-0'],
  [12345678901234567890n, '12345678901234567890'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [new Date(Date.UTC(12345, 0, 2)), '12345-01-02T00:00:00.000Z'],
  [new Date(-62167219200000), '0001-01-01T00:00:00.000Z BC'],
  [new Uint8Array([0, 255]), '\\x00ff'],
  [{ a: [1] }, '{"a":[1]}'],
  [['a"b', null, [1, true]], '{"a\\"b",NULL,{"1","true"}}'],
])('value %#', (value, expected) => {
  expect(encodeValue(value)).toBe(expected);
});

test('an array for a jsonb parameter is encoded as JSON', () => {
  expect(encodeValue([1, 'a'], 3802)).toBe('[1,"a"]');
  expect(encodeValue([{ a: 1 }, [1, 'x'], null, '2'], 3807)).toBe('{"{\\"a\\":1}","[1,\\"x\\"]",NULL,"2"}');
});

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
