import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTsv, printTsv } from './tsv.ts';

const cell = fc.option(fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', '\r', ' ', 'é', "'") }), {
  nil: null,
});

test('copied cells can be pasted', () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 4 })
        .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 })),
      (rows) => {
        // As in every spreadsheet, a last line that consists of a single NULL is ignored when the text is parsed.
        fc.pre(!(rows.length > 1 && rows.at(-1)?.length === 1 && rows.at(-1)?.[0] === null));
        expect(parseTsv(printTsv(rows))).toEqual(rows);
      },
    ),
  );
});

test('the text of a single NULL differs from a clipboard without text', () => {
  expect(printTsv([[null]])).toBe('\n');
});

test.each([
  ['', [[null]]],
  [
    'a\tb\r\nc\t\r\n',
    [
      ['a', 'b'],
      ['c', null],
    ],
  ],
  ['""\t"x\ty"', [['', 'x\ty']]],
  ['5" nail', [['5" nail']]],
  ['"open', [['"open']]],
])('the clipboard text %j is parsed', (text, rows) => {
  expect(parseTsv(text)).toEqual(rows);
});
