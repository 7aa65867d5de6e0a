import { expect, test } from 'vitest';
import { isNotModified, isRangeCurrent } from './conditions.ts';

const current = { etag: '"abc"', lastModified: new Date('2026-01-02T03:04:05.678Z') };

test.each([
  [{}, false],
  [{ 'if-none-match': '"abc"' }, true],
  [{ 'if-none-match': 'W/"abc"' }, true],
  [{ 'if-none-match': '"x", "abc"' }, true],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-none-match': '"x"' }, false],
  [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, true],
  [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, false],
  [{ 'if-modified-since': 'yesterday' }, false],
  // If both headers are sent, If-None-Match takes precedence.
  [{ 'if-none-match': '"x"', 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, false],
])('%j', (headers, expected) => {
  expect(isNotModified(headers, current)).toBe(expected);
});

test('conditions never match an object without validators', () => {
  const unknown = { etag: undefined, lastModified: undefined };
  expect(isNotModified({ 'if-none-match': '*' }, unknown)).toBe(false);
  expect(isNotModified({ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, unknown)).toBe(false);
});

test('a range of a different version isn’t returned', () => {
  expect(isRangeCurrent({}, current)).toBe(true);
  expect(isRangeCurrent({ 'if-range': '"abc"' }, current)).toBe(true);
  expect(isRangeCurrent({ 'if-range': '"x"' }, current)).toBe(false);
  expect(isRangeCurrent({ 'if-range': 'Fri, 02 Jan 2026 03:04:05 GMT' }, current)).toBe(true);
  expect(isRangeCurrent({ 'if-range': 'Fri, 02 Jan 2026 03:04:06 GMT' }, current)).toBe(false);
});
