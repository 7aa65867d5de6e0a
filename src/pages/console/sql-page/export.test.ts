import { expect, test } from 'vitest';
import { guardedCell } from '../../../base/shared/csv.ts';
import { jsonCell, uniqueNames } from './export.ts';

test.each<[string | null, number, unknown]>([
  [null, 25, null],
  ['1.50', 1700, 1.5],
  ['NaN', 701, 'NaN'],
  ['t', 16, true],
  ['{"a": [1]}', 3802, { a: [1] }],
  ['{1,NULL,3}', 1007, [1, null, 3]],
  ['{"a \\"b\\"",NULL,"NULL"}', 1009, ['a "b"', null, 'NULL']],
  [
    '{{t,f},{f,t}}',
    1000,
    [
      [true, false],
      [false, true],
    ],
  ],
  ['{}', 1009, []],
  ['(1,2)', 600, '(1,2)'],
  ['line\n"quoted"', 25, 'line\n"quoted"'],
])('%s of type %d is JSON', (text, type, value) => {
  expect(JSON.parse(jsonCell(text, type))).toEqual(value);
});

test('a number keeps all of its digits in JSON', () => {
  expect(jsonCell('12345678901234567890.123456789', 1700)).toBe('12345678901234567890.123456789');
});

test.each([
  ['=1+1', `'=1+1`],
  ['+SUM(A1)', `'+SUM(A1)`],
  ['-2+3', `'-2+3`],
  ['@cmd', `'@cmd`],
  ['\t=1', `'\t=1`],
  ['-5.2e3', '-5.2e3'],
  ['+4917012345', '+4917012345'],
  ['+49 170 123-45', '+49 170 123-45'],
  ['+1 (555) 010-9999', '+1 (555) 010-9999'],
  ['-1,234.50', '-1,234.50'],
  ['-Infinity', '-Infinity'],
  ['-01:30:00', '-01:30:00'],
  ['+1-2', `'+1-2`],
  ['+49 170 12345 A1', `'+49 170 12345 A1`],
  ['+4917012345\n=1', `'+4917012345\n=1`],
  ['+49*170*12345', `'+49*170*12345`],
  ['+123456789012345678 1', `'+123456789012345678 1`],
  ['=+4917012345', `'=+4917012345`],
  ['\uff1dSUM(A1)', `'\uff1dSUM(A1)`],
  [`x;=cmd|' /C calc'!A0;`, `x;'=cmd|' /C calc'!A0;`],
  ['x\n"=HYPERLINK("http://x")', `x\n"'=HYPERLINK("http://x")`],
  ['a;b;-1;+2', 'a;b;-1;+2'],
  ['Buy:\n- milk (fresh)\n- eggs', 'Buy:\n- milk (fresh)\n- eggs'],
  ['a=b', 'a=b'],
  ['', ''],
  [null, null],
])('a formula in CSV is harmless: %s', (text, guarded) => {
  expect(guardedCell(text)).toBe(guarded);
});

test('names are unique', () => {
  expect(uniqueNames(['id', 'id', 'id_2', 'name'])).toEqual(['id', 'id_2', 'id_2_2', 'name']);
});
