import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFolderPlaceholder, isUuid, isValidBucketName, isValidKey, isValidNewBucketName } from './names.ts';

describe('object keys', () => {
  test.each(['a', 'folder/file.txt', 'a///b', '../../etc/passwd', "a!_.*'() &$=@;:+,?-", '.', '//'])(
    '%j is allowed',
    (key) => {
      expect(isValidKey(key)).toBe(true);
    },
  );
  test.each(['', 'ü', 'a\0b', 'a\nb', 'a\n', 'a%b', 'a#b', 'a\\b', 'a|b', 'a"b', '<a>', '😀'])(
    '%j is rejected',
    (key) => {
      expect(isValidKey(key)).toBe(false);
    },
  );
  test('contain only printable ASCII characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (key) => {
        if (isValidKey(key)) expect(key).toMatch(/^[\x20-\x7e]+$/);
      }),
    );
  });
});

describe('bucket names', () => {
  test('are keys of at most 100 characters without a slash', () => {
    expect(isValidBucketName('my bucket')).toBe(true);
    expect(isValidBucketName('a/b')).toBe(false);
    expect(isValidBucketName('a'.repeat(100))).toBe(true);
    expect(isValidBucketName('a'.repeat(101))).toBe(false);
  });
  test('of new buckets don’t have spaces at their ends or a reserved suffix', () => {
    expect(isValidNewBucketName('a b')).toBe(true);
    expect(isValidNewBucketName(' a')).toBe(false);
    expect(isValidNewBucketName('a ')).toBe(false);
    expect(isValidNewBucketName('a--table-s3')).toBe(false);
  });
});

test('a folder placeholder is recognized by its suffix', () => {
  expect(isFolderPlaceholder('a/.emptyFolderPlaceholder')).toBe(true);
  expect(isFolderPlaceholder('a/.emptyFolderPlaceholder/b')).toBe(false);
});

test('UUIDs are accepted in upper and lower case', () => {
  expect(isUuid('317EADCE-631a-4429-a0bb-f19a7a517b4a')).toBe(true);
  expect(isUuid('317eadce-631a-4429-a0bb-f19a7a517b4a ')).toBe(false);
});
