import { describe, expect, test } from 'vitest';
import { jsonValue, parameterText } from './json-values.ts';

describe('jsonValue', () => {
  test.each([
    ['1', 'integer', 1],
    ['9007199254740993', 'bigint', '9007199254740993'],
    ['NaN', 'double precision', 'NaN'],
    ['1.5', 'real', 1.5],
    ['1.50', 'numeric', '1.50'],
    ['t', 'boolean', true],
    ['{"a":[1]}', 'jsonb', { a: [1] }],
    ['{1,NULL,3}', 'integer[]', [1, null, 3]],
    [
      '{{1,2},{3,4}}',
      'integer[]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['[0:1]={1,2}', 'integer[]', [1, 2]],
    ['{"a \\"b\\"","c,d",NULL,"NULL"}', 'text[]', ['a "b"', 'c,d', null, 'NULL']],
    ['{"{\\"a\\": 1}"}', 'json[]', [{ a: 1 }]],
    ['{}', 'text[]', []],
    [null, 'text', null],
    ['2026-01-01 00:00:00+00', 'timestamp with time zone', '2026-01-01 00:00:00+00'],
  ])('converts %s of type %s', (text, type, value) => {
    expect(jsonValue(text, type)).toEqual(value);
  });

  test.each(['{', '{"', '{1', '{{', '{"a\\', ''])('ends for the incomplete array %s', (text) => {
    expect(() => jsonValue(text, 'text[]')).not.toThrow();
  });
});

test('parameters become PostgreSQL text', () => {
  expect([null, 1, true, 'a', { a: 1 }, ['a', 'b"c', null, [1]]].map(parameterText)).toEqual([
    null,
    '1',
    'true',
    'a',
    '{"a":1}',
    '{"a","b\\"c",NULL,{"1"}}',
  ]);
});
