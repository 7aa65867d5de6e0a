import { expect, test } from 'vitest';
import { becomesAnother } from './contact.ts';

test('every letter whose lowercase form is ASCII is known', () => {
  const letters = Array.from({ length: 0x10ffff - 0x80 }, (_, index) => 0x80 + index)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));
  const becoming = letters.filter((letter) => /[a-z]/.test(letter.toLowerCase()));
  expect(becoming).toEqual(['\u0130', '\u212a']);
  expect(becoming.every((letter) => becomesAnother(`${letter}ate@example.com`))).toBe(true);
  expect(becomesAnother('käthe@exämple.com')).toBe(false);
});
