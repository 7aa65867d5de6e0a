import { expect, test } from 'vitest';
import { otherColumns } from './import-fixed.ts';
import { skippedCsv } from './skipped-csv.ts';

test('skipped rows keep their values and have their line and reason', () => {
  expect(
    skippedCsv([
      { line: 3, reason: 'is "bad"', values: { a: '', import_line: null } },
      { line: null, reason: 'late', values: { a: 'x,y', b: { c: 1 } } },
    ]),
  ).toBe('a,import_line,b,import_line_,import_error\r\n"",,,3,"is ""bad"""\r\n"x,y",,"{""c"":1}",,late\r\n');
});

test('columns without a value, default or NULL are required', () => {
  const column = {
    name: 'a',
    type: 'int',
    nullable: false,
    default: null,
    generated: false,
    identity: null,
  } as const;
  const more = { primary_key: false, enum_values: null, references: null, comment: null } as const;
  const columns = [
    { ...column, ...more },
    { ...column, ...more, name: 'b', default: 'now()' },
    { ...column, ...more, name: 'c', nullable: true },
    { ...column, ...more, name: 'd', generated: true },
    { ...column, ...more, name: 'e', identity: 'always' as const },
    { ...column, ...more, name: 'f' },
  ];
  expect(otherColumns(columns, ['f']).map((each) => [each.column.name, each.isRequired])).toEqual([
    ['a', true],
    ['b', false],
    ['c', false],
    ['e', false],
  ]);
});
