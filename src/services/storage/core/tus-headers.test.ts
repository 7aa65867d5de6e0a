import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseByteCount, parseTusMetadata, printTusMetadata, tusCacheControl } from './tus-headers.ts';

test('parsing a printed header returns the same metadata', () => {
  const key = fc.stringMatching(/^[\x21-\x2b\x2d-\x7e]{1,20}$/);
  const value = fc.option(fc.string({ unit: 'binary', minLength: 1 }));
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }), (metadata) => {
      expect(parseTusMetadata(printTusMetadata(metadata))).toEqual(metadata);
    }),
  );
});

test('text is either parsed as metadata or rejected', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const metadata = parseTusMetadata(text);
      if (metadata !== undefined) expect(Object.keys(metadata).length).toBeGreaterThan(0);
    }),
  );
});

test.each(['', ' ', ',', 'a b c', 'a YQ', 'a !!!!', 'a YQ==,a YQ==', 'ä YQ==', 'a YQ==,'])(
  '%j isn’t upload metadata',
  (text) => {
    expect(parseTusMetadata(text)).toBeUndefined();
  },
);

test('the names of Object’s properties are ordinary keys', () => {
  expect(parseTusMetadata('constructor YQ==')).toEqual({ constructor: 'a' });
  expect(Object.getPrototypeOf(parseTusMetadata('__proto__ YQ=='))).toBe(Object.prototype);
});

test('byte counts are nonnegative integers', () => {
  expect(parseByteCount('0')).toBe(0);
  expect(parseByteCount('12')).toBe(12);
  for (const text of ['', '-1', '+1', '1.5', '1e3', '012', ' 1', 'x', '9007199254740993'])
    expect(parseByteCount(text), text).toBeUndefined();
});

test('cache durations are in seconds', () => {
  expect(tusCacheControl('60')).toBe('max-age=60');
  expect(tusCacheControl('public')).toBe('no-cache');
  expect(tusCacheControl(null)).toBe('no-cache');
});
