import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHeaders } from './headers.ts';

test.each([
  ['', { headers: [] }],
  ['content-type: application/json', { headers: [['content-type', 'application/json']] }],
  [
    ' a :  1 \n\nb: x: y',
    {
      headers: [
        ['a', '1'],
        ['b', 'x: y'],
      ],
    },
  ],
  ['a: 1\nno colon', { badLine: 2 }],
  [': 1', { badLine: 1 }],
])('%j is parsed, or its first invalid line is reported', (text, expected) => {
  expect(parseHeaders(text)).toEqual(expected);
});

test('valid headers are parsed line by line', () => {
  const name = fc.stringMatching(/^[a-z-]{1,12}$/);
  const value = fc.stringMatching(/^[!-~]{0,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (headers) => {
      const text = headers.map(([key, content]) => `${key}: ${content}`).join('\n');
      expect(parseHeaders(text)).toEqual({ headers });
    }),
  );
});
