import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cacheControl,
  contentDisposition,
  isHeaderText,
  isValidRobotsTag,
  parseDate,
  readObjectMetadata,
  robotsTag,
  shownContentType,
  storedContentType,
} from './object-headers.ts';

test('HTML is served as plain text', () => {
  expect(shownContentType({ mimetype: 'text/html' })).toBe('text/plain');
  expect(shownContentType({ mimetype: 'TEXT/HTML; charset=utf-8' })).toBe('text/plain');
  expect(shownContentType({ mimetype: 'image/png' })).toBe('image/png');
  expect(shownContentType({})).toBe('application/octet-stream');
});

test('a stored type that is invalid is served as binary data', () => {
  for (const mimetype of ['a/b\r\nset-cookie: x', 'image/png, text/xsl', 'png', '']) {
    expect(storedContentType({ mimetype })).toBe('application/octet-stream');
  }
  expect(storedContentType({ mimetype: 'text/html' })).toBe('text/html');
});

test('download names are encoded in both formats', () => {
  expect(contentDisposition(undefined)).toBeUndefined();
  expect(contentDisposition('')).toBe('attachment');
  expect(contentDisposition('a b.txt')).toBe(`attachment; filename="a b.txt"; filename*=UTF-8''a%20b.txt`);
});

test('every download name results in a valid header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(isHeaderText(contentDisposition(name) ?? '')).toBe(true);
    }),
  );
  expect(contentDisposition('\ud800')).toContain('%EF%BF%BD');
});

test('cache control is returned as stored', () => {
  expect(cacheControl('max-age=60', false)).toBe('max-age=60');
  expect(cacheControl('max-age=60', true)).toBe('max-age=60, stale-while-revalidate=30');
  expect(cacheControl(undefined, false)).toBe('no-cache');
  expect(cacheControl('x\r\ny: z', false)).toBe('no-cache');
});

test('metadata written by SQL is validated', () => {
  expect(readObjectMetadata(null)).toEqual({});
  expect(readObjectMetadata({ size: '12', mimetype: 5, contentLength: -1, eTag: '"a"' })).toEqual({
    size: 12,
    eTag: '"a"',
  });
  expect(parseDate('never')).toBeUndefined();
});

describe('the X-Robots-Tag header', () => {
  test.each([
    'none',
    'noindex, nofollow',
    'googlebot: noindex',
    'max-snippet: -1',
    'max-image-preview: large',
    'unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT',
    'unavailable_after: 2025-12-03, noindex',
  ])('%s is valid', (value) => {
    expect(isValidRobotsTag(value)).toBe(true);
  });
  test.each([
    '',
    ',',
    'sometimes',
    'noindex,',
    'max-snippet: many',
    'max-image-preview: huge',
    'bot:',
    ': noindex',
  ])('%j is invalid', (value) => {
    expect(isValidRobotsTag(value)).toBe(false);
  });
  test('an invalid value isn’t sent', () => {
    expect(robotsTag('all')).toBe('all');
    expect(robotsTag('whatever')).toBe('none');
    expect(robotsTag(undefined)).toBe('none');
  });
});
