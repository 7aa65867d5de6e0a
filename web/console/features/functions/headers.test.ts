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
])('%j', (text, expected) => {
  expect(parseHeaders(text)).toEqual(expected);
});

test('what was written is read, line by line', () => {
  const name = fc.stringMatching(/^[a-z-]{1,12}$/);
  const value = fc.stringMatching(/^[!-~]{0,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (headers) => {
      const text = headers.map(([key, content]) => `${key}: ${content}`).join('\n');
      expect(parseHeaders(text)).toEqual({ headers });
    }),
  );
});
