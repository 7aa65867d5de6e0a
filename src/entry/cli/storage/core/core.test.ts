import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../command.ts';
import {
  baseName,
  fileTarget,
  folderTarget,
  localSegments,
  parseStorageUrl,
  shownPath,
} from './storage-path.ts';

describe('storage URLs', () => {
  test.each([
    ['ss:///', { bucket: '', key: '', isFolder: true }],
    ['ss:///images', { bucket: 'images', key: '', isFolder: false }],
    ['ss:///images/', { bucket: 'images', key: '', isFolder: true }],
    ['SS:///images/a/b.png', { bucket: 'images', key: 'a/b.png', isFolder: false }],
    ['ss:///images/a/', { bucket: 'images', key: 'a/', isFolder: true }],
    ['ss:///images/a%20b', { bucket: 'images', key: 'a b', isFolder: false }],
    ['ss:///images/a?b#c', { bucket: 'images', key: 'a?b#c', isFolder: false }],
  ])('%s', (text, path) => {
    expect(parseStorageUrl(text)).toEqual(path);
  });

  test.each(['ss:', 'ss://', 'ss://images/a', 'images/a', 'https:///a', 'ss:///100%'])(
    '%s is invalid',
    (text) => {
      expect(() => parseStorageUrl(text)).toThrow(UsageError);
    },
  );

  test.each([
    ['ss:///', ''],
    ['ss:///a/', 'a'],
    ['ss:///a/b/c.png', 'c.png'],
    ['ss:///a/b/', 'b'],
  ])('the last segment of %s is %j', (text, name) => {
    expect(baseName(parseStorageUrl(text))).toBe(name);
  });
});

describe('keys of uploaded files', () => {
  const none = { isObject: false, isFolder: false };
  const folder = { isObject: false, isFolder: true };
  test.each([
    ['ss:///b/x.txt', none, '/b/x.txt'],
    ['ss:///b', none, '/b/a.txt'],
    ['ss:///b/docs/', none, '/b/docs/a.txt'],
    ['ss:///b/docs', folder, '/b/docs/a.txt'],
    ['ss:///b/docs', { isObject: true, isFolder: true }, '/b/docs'],
  ])('a.txt to %s, where %j, is %s', (url, state, key) => {
    expect(shownPath(fileTarget(parseStorageUrl(url), 'a.txt', state))).toBe(key);
  });

  test.each([
    ['ss:///', none, '/docs/x/a.txt'],
    ['ss:///b', none, '/b/x/a.txt'],
    ['ss:///b', folder, '/b/docs/x/a.txt'],
    ['ss:///b/www', none, '/b/www/x/a.txt'],
    ['ss:///b/www/', folder, '/b/www/docs/x/a.txt'],
  ])('docs/x/a.txt to %s, where %j, is %s', (url, state, key) => {
    const target = folderTarget(parseStorageUrl(url), { name: 'docs', path: 'x/a.txt' }, state);
    expect(shownPath(target)).toBe(key);
  });
});

describe('names of downloaded files', () => {
  test.each(['', '..', '../a', 'a/../../b', './a', 'a//b', '/etc/passwd', 'a\\..\\b', 'a/\0'])(
    '%j is rejected everywhere',
    (key) => {
      expect(localSegments(key, 'linux')).toBeUndefined();
      expect(localSegments(key, 'win32')).toBeUndefined();
    },
  );

  test.each(['C:/x', 'a:stream', 'con', 'docs/NUL.txt', 'a. ', 'a?b'])('%j is rejected on Windows', (key) => {
    expect(localSegments(key, 'win32')).toBeUndefined();
    expect(localSegments(key, 'linux')).toEqual(key.split('/'));
  });

  test('any accepted key consists of valid file names', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', 'a', '/', '\\', '', 'b.c')), (parts) => {
        const segments = localSegments(parts.join(''), 'linux');
        for (const segment of segments ?? []) expect(segment).not.toMatch(/^\.{0,2}$|[\\/]/);
      }),
    );
  });
});
