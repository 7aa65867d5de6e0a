import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseByteCount,
  parseTusMetadata,
  parseUploadId,
  printTusMetadata,
  printUploadId,
  tusCacheControl,
} from './tus.ts';

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

test('parsing a printed ID returns the same upload', () => {
  const bucketId = fc.stringMatching(/^[\w.-]{1,20}$/);
  const key = fc.stringMatching(/^[\w/. -]{1,40}$/);
  fc.assert(
    fc.property(bucketId, key, fc.uuid(), (bucketId, key, id) => {
      expect(parseUploadId(printUploadId({ bucketId, key, id }))).toEqual({ bucketId, key, id });
    }),
  );
});

test('text is either parsed as an upload or rejected', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseUploadId(text)));
  const named = (path: string) => parseUploadId(Buffer.from(path).toString('base64url'));
  const id = '317eadce-631a-4429-a0bb-f19a7a517b4a';
  for (const path of ['', id, `a/${id}`, `/a/${id}`, `a//${id}`, 'a/b/../../etc', `a/b/${id}/`, `a/b/${id}x`])
    expect(named(path), path).toBeUndefined();
  expect(named(`a/../b/${id}`)).toEqual({ bucketId: 'a', key: '../b', id });
});
