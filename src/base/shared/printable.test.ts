import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapedJson, jsonText, oneLine, printable } from './printable.ts';

/** Every character that the functions must neutralize, apart from line breaks and tabs. */
const harmful = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const text = fc.string({ unit: 'binary' });

test('text for a terminal contains no escape sequence, and keeps line breaks and tabs', () => {
  expect(printable('a\u001b]0;x\u0007\tb\r\nc\u009b2J\u202ed')).toBe(
    'a\ufffd]0;x\ufffd\tb\nc\ufffd2J\ufffdd',
  );
  fc.assert(
    fc.property(text, (value) => {
      expect(printable(value)).not.toMatch(harmful);
      expect(oneLine(value)).not.toMatch(/[\n\t]/);
      expect(oneLine(value)).not.toMatch(harmful);
    }),
  );
});

test('letters of any script and emoji aren’t changed', () => {
  const words = 'naïve 日本語 العربية ‏שלום‎ 👩‍💻';
  expect([printable(words), oneLine(words)]).toEqual([words, words]);
});

test('escaped JSON has the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), text, (value, more) => {
      const json = jsonText({ value, more }, 2);
      expect(json).not.toMatch(harmful);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, more })));
      expect(escapedJson(json)).toBe(json);
    }),
  );
});
