import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { downloadPath } from './function-paths.ts';

const entrypoint = 'supabase/functions/hello/index.ts';

test.each([
  [entrypoint, entrypoint, 'hello/index.ts'],
  [entrypoint, 'supabase/functions/hello/deno.json', 'hello/deno.json'],
  [entrypoint, 'supabase/functions/_shared/a.ts', '_shared/a.ts'],
  ['index.ts', 'lib/a.ts', 'hello/lib/a.ts'],
])('with the entrypoint %s, %s', (entry, path, expected) =>
  expect(downloadPath('hello', entry, path)).toBe(expected),
);

test.each([
  [entrypoint, 'lib/a.ts'],
  [entrypoint, '../x.ts'],
  [entrypoint, '/etc/passwd'],
  ['index.ts', '../../x.ts'],
  ['index.ts', '..\\..\\x.ts'],
  ['index.ts', 'C:/x.ts'],
  ['/index.ts', 'a.ts'],
  ['a/../../../x/index.ts', 'a.ts'],
])('with the entrypoint %s, %s leaves the folder', (entry, path) =>
  expect(downloadPath('hello', entry, path)).toBeUndefined(),
);

test('no path leads out of the folder', () => {
  const path = fc.array(fc.constantFrom('..', '.', 'a', 'b', '', '/')).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, path, (entry, file) => {
      const target = downloadPath('hello', entry, file);
      if (target !== undefined) expect(posix.join('/folder', target).startsWith('/folder/')).toBe(true);
    }),
  );
});
