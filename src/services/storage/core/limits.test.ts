import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMimeAllowed, isValidMimePattern, parseFileSize, smallestLimit } from './limits.ts';

describe('file sizes', () => {
  test.each([
    ['1B', 1],
    ['1kb', 1000],
    ['1.5MB', 1_500_000],
    ['20GB', 20_000_000_000],
    ['1.2345KB', 1230],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseFileSize(text)).toBe(bytes);
  });
  test.each(['', '1', 'MB', '-1MB', '1 MB', '1TB', '1e3KB', '1MBx'])('%j isn’t a size', (text) => {
    expect(parseFileSize(text)).toBeUndefined();
  });
  test('text is either parsed as a size or rejected', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const bytes = parseFileSize(text);
        expect(bytes === undefined || (Number.isInteger(bytes) && bytes >= 0)).toBe(true);
      }),
    );
  });
});

describe('media types', () => {
  test('match a bucket’s patterns', () => {
    for (const good of ['image/png', 'image/*', '*', 'text/plain; charset=utf-8', 'application/vnd.x+json']) {
      expect(isValidMimePattern(good), good).toBe(true);
    }
    for (const bad of ['', 'image', 'image/', '/png', 'thisisnotarealmimetype', `a/${'b'.repeat(1000)}`]) {
      expect(isValidMimePattern(bad), bad).toBe(false);
    }
  });
  test('an empty list allows all types, and any other list allows only its types', () => {
    expect(isMimeAllowed('image/png', [])).toBe(true);
    expect(isMimeAllowed('image/png', ['image/jpeg', 'image/png'])).toBe(true);
    expect(isMimeAllowed('image/png', ['image/*'])).toBe(true);
    expect(isMimeAllowed('text/plain', ['image/*'])).toBe(false);
    expect(isMimeAllowed('nonsense', ['text/plain'])).toBe(false);
    expect(isMimeAllowed('image/png', ['*'])).toBe(false);
  });
  test.each([
    ['text/plain;charset=UTF-8', 'text/plain'],
    ['application/json ; charset=utf-8', 'application/json'],
    ['multipart/mixed; boundary="a/b"', 'multipart/mixed'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/plain;charset=us-ascii', 'text/plain; charset=utf-8'],
    ['image/png; name="a"', 'image/*'],
    ['IMAGE/Png', 'image/png'],
    ['image/png', 'IMAGE/*'],
  ])('%j matches %j without its parameters and in any case', (mimeType, pattern) => {
    expect(isMimeAllowed(mimeType, [pattern])).toBe(true);
    expect(isMimeAllowed(mimeType, ['video/mp4'])).toBe(false);
  });
});

test('the smallest configured limit applies', () => {
  expect(smallestLimit(50, null, undefined, 20)).toBe(20);
  expect(smallestLimit(50, 0)).toBe(0);
});
