import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attachment, decodeHeader, encodeHeader, encodeLocation, sendableHeader } from './header-text.ts';

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

test.each([
  ['a.txt', `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
  ['my file.pdf', `attachment; filename="my file.pdf"; filename*=UTF-8''my%20file.pdf`],
  ["John's (1)*.pdf", `attachment; filename="John's (1)*.pdf"; filename*=UTF-8''John%27s%20%281%29%2A.pdf`],
  ['Größe 🦊.txt', `attachment; filename="Gr__e _.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%F0%9F%A6%8A.txt`],
  ['a"b\\c%41.txt', `attachment; filename="a_b_c_41.txt"; filename*=UTF-8''a%22b%5Cc%2541.txt`],
  ['100%.txt', `attachment; filename="100%.txt"; filename*=UTF-8''100%25.txt`],
  ['a\r\nb\ud800', `attachment; filename="a__b_"; filename*=UTF-8''a%0D%0Ab%EF%BF%BD`],
])('encodes %j', (name, header) => {
  expect(attachment(name)).toBe(header);
});

test('any name results in a valid header from which the name can be read', () => {
  const anyName = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(anyName, (name) => {
      // The grammar of RFC 6266 section 4.1 and RFC 8187 section 3.2.1.
      const match =
        /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''((?:%[0-9A-F]{2}|[\w!#$&+.^`|~-])*)$/.exec(
          attachment(name),
        );
      expect(decodeURIComponent(match?.[1] ?? 'no match')).toBe(name.toWellFormed());
    }),
  );
});
