import { expect, test } from 'vitest';
import { parseHeaders, printHeaders } from './header-lines.ts';

test('headers are parsed from lines and printed', () => {
  const headers = { prefer: 'return=minimal,count=exact', accept: 'text/csv' };
  expect(parseHeaders(printHeaders(headers))).toEqual(headers);
  expect(parseHeaders(' Prefer :  a: b \n\n')).toEqual({ prefer: 'a: b' });
  expect(parseHeaders('')).toEqual({});
  expect(parseHeaders('no header')).toBeUndefined();
});
