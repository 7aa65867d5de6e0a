import { expect, test } from 'vitest';
import { readCopiedRow } from './copy.ts';

test.each([
  ['a\tb\n', ['a', 'b']],
  ['\\N\t\t\\\\N\n', [null, '', '\\N']],
  ['a\\tb\\nc\\rd\\be\\ff\\vg\n', ['a\tb\nc\rd\be\ff\vg']],
  ['C:\\\\temp\tü\n', ['C:\\temp', 'ü']],
])('%j', (line, row) => {
  expect(readCopiedRow(line)).toEqual(row);
});
