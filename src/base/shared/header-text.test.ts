import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHeader, encodeHeader, encodeLocation, sendableHeader } from './header-text.ts';

/** Text of every kind: control characters, Latin-1, emoji and unpaired surrogates. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0xffff })))
  .map((units) => String.fromCharCode(...units));

test('encoded header values contain only characters that Node accepts', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(encodeHeader(text)).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
      expect(sendableHeader(text)).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
    }),
  );
});

test('text without control characters is the same after it has been encoded and decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(decodeHeader(encodeHeader(text))).toBe(text);
    }),
  );
});

test.each([
  ['http://localhost:3000/日本?q=é#🦊', 'http://localhost:3000/%E6%97%A5%E6%9C%AC?q=%C3%A9#%F0%9F%A6%8A'],
  ['http://localhost:3000/%E6%97%A5?a=b%20c', 'http://localhost:3000/%E6%97%A5?a=b%20c'],
  ['app://a\r\nx: y\ud800', 'app://a%0D%0Ax:%20y%EF%BF%BD'],
])('encodes %j in Location', (url, encoded) => {
  expect(encodeLocation(url)).toBe(encoded);
});

test('a Location has only visible ASCII characters, and opens the same URL', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), anyText, (url, text) => {
      const location = encodeLocation(url + text);
      expect(location).toMatch(/^[\x21-\x7e]*$/);
      expect(encodeLocation(location)).toBe(location);
      if (!/\s|\p{Cc}/u.test(text) && URL.canParse(url + text))
        expect(new URL(location).href).toBe(new URL(url + text).href);
    }),
  );
});
