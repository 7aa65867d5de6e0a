import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectPath } from './object-path.ts';

test.each([
  ['files', 'a.txt', 'files/a.txt'],
  ['files', 'a b/ü?#%.txt', 'files/a%20b/%C3%BC%3F%23%25.txt'],
  ['files', 'folder/', 'files/folder/'],
  ['files', '../../auth/v1/admin/users', undefined],
  ['files', 'a/./b', undefined],
  ['files', 'a/..', undefined],
  ['..', 'a', undefined],
  ['a/b', 'c', undefined],
  ['files', '', undefined],
])('%s, %s: %s', (bucket, name, path) => {
  expect(objectPath(bucket, name)).toBe(path);
});

test('a client can’t change the path', () => {
  const segment = fc.oneof(
    fc.constantFrom('.', '..', '%2e%2e', '\\..', 'a', ''),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(segment, fc.array(segment, { minLength: 1, maxLength: 5 }), (bucket, segments) => {
      const path = objectPath(bucket, segments.join('/'));
      if (path === undefined) return;
      const url = new URL(`http://localhost/storage/v1/object/${path}`);
      expect(url.pathname).toBe(`/storage/v1/object/${path}`);
      expect(url.search + url.hash).toBe('');
      expect(path.split('/').map(decodeURIComponent)).toEqual([bucket, ...segments.join('/').split('/')]);
    }),
  );
});
