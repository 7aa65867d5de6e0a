import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inferColumns } from './infer-types.ts';

const typeOf = (...values: unknown[]) =>
  inferColumns(
    ['x'],
    values.map((x) => ({ x })),
  )[0]?.type;

test.each([
  ['bigint', ['1', '-20', null]],
  ['text', ['01234', '5']],
  ['numeric', ['1', '2.50']],
  ['numeric', ['1', '12345678901234567890']],
  ['double precision', ['1e5', '2']],
  ['boolean', ['true', 'F']],
  ['uuid', ['6f9619ff-8b86-d011-b42d-00cf4fc964ff']],
  ['date', ['2024-02-29']],
  ['text', ['2024-13-01']],
  ['timestamptz', ['2024-01-01T10:00:00Z', '2024-01-01 10:00+02']],
  ['timestamp', ['2024-01-01 10:00:00.5']],
  ['jsonb', ['{"a": 1}', '[1]']],
  ['text', ['{a', '[1]']],
  ['jsonb', [{ a: 1 }, 2]],
  ['bigint', [1, 2]],
  ['text', [null, undefined]],
  ['text', ['']],
])('%s is inferred from %j', (type, values) => {
  expect(typeOf(...values)).toBe(type);
});

test('a column is unique if each row has another value', () => {
  const rows = [
    { id: '1', name: 'a', rare: 'x' },
    { id: '2', name: 'a', rare: null },
  ];
  expect(inferColumns(['id', 'name', 'rare'], rows)).toMatchObject([
    { unique: true, nullable: false },
    { unique: false, nullable: false },
    { unique: false, nullable: true },
  ]);
});

test('any value is accepted', () => {
  fc.assert(
    fc.property(
      fc.array(fc.anything()),
      (values) =>
        void typeOf(
          ...values.filter((x) => typeof x !== 'bigint' && typeof x !== 'symbol' && typeof x !== 'object'),
        ),
    ),
  );
});
