import { expect, test } from 'vitest';
import { likelyDelimiter } from './likely-delimiter.ts';

test.each([
  ['id,name\n1;2;3,x', ','],
  ['\uFEFFid;name;note\r\n1;"a,b";2', ';'],
  ['"a, b, c";name\n', ';'],
  ['id\tname', '\t'],
  ['id|name|n', '|'],
  ['id', ','],
  ['', ','],
])('the delimiter of %j is detected', (text, delimiter) => {
  expect(likelyDelimiter(text)).toBe(delimiter);
});
