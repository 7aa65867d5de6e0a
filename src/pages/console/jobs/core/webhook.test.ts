import fc from 'fast-check';
import { expect, test } from 'vitest';
import { argumentsOf, eventsOf, isPlainType, requestOf, shownPairs, shownUrl } from './webhook.ts';

const stored = (texts: readonly string[]): Buffer => Buffer.from(texts.map((text) => `${text}\0`).join(''));
const noZero = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));

test('stored arguments are parsed unchanged', () => {
  fc.assert(
    fc.property(
      fc.webUrl(),
      fc.constantFrom('GET', 'POST'),
      fc.dictionary(noZero, noZero),
      fc.dictionary(noZero, noZero),
      fc.integer({ min: 1, max: 600_000 }),
      (url, method, headers, params, timeoutMs) => {
        const request = { url, method, headers, params, timeoutMs };
        expect(requestOf(stored(argumentsOf(request)))).toEqual(request);
      },
    ),
  );
});

test('any bytes can be parsed', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(typeof requestOf(Buffer.from(bytes)).url).toBe('string');
    }),
  );
});

test('null and missing values become the defaults', () => {
  const defaults = { headers: { 'Content-Type': 'application/json' }, params: {}, timeoutMs: 1000 };
  expect(requestOf(stored(['http://a/', 'POST', 'null', 'null', 'null']))).toMatchObject(defaults);
  expect(requestOf(stored(['http://a/', 'POST']))).toEqual({ url: 'http://a/', method: 'POST', ...defaults });
});

test('trigger types are decoded from bits', () => {
  expect(eventsOf(1 | 4 | 16)).toEqual(['insert', 'update']);
  expect([isPlainType(1 | 8), isPlainType(8), isPlainType(1 | 2 | 4), isPlainType(1 | 32)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('without the secrets permission, only origins and names are returned', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), (secret) => {
      const path = encodeURIComponent(secret.replaceAll(/[\ud800-\udfff]/g, 'x'));
      for (const url of [
        `https://a.example/${path}`,
        `https://u:${path}@a.example/`,
        secret,
        `data:,${path}`,
      ])
        expect(shownUrl(url, false)).toMatch(/^(https:\/\/a\.example\/)?…$|^https?:\/\/[^/]+\/…$/);
      expect(shownUrl(`https://a.example/${path}`, false)).toBe('https://a.example/…');
      expect(shownPairs({ authorization: secret }, false)).toEqual([['authorization', null]]);
      expect(shownPairs({ authorization: secret }, true)).toEqual([['authorization', secret]]);
    }),
  );
});
