/** Tests the path check of `npm run lint`: which paths it finds, and which it accepts. */
import { describe, expect, test } from 'vitest';
import { createPathIndex, findLinks, findPaths } from '../../scripts/lint/paths/find.ts';

const found = (file: string, source: string): string[] => findPaths(file, source).map(({ path }) => path);

describe('finds', () => {
  test.each([
    ['src/x.ts', '// See `core/a.ts`.', ['core/a.ts']],
    ['src/x.ts', '/**\n * Parsed by `b.ts`, as test/c/d.test.ts shows.\n */', ['b.ts', 'test/c/d.test.ts']],
    ['src/x.ts', 'const a = 1; // the folder src/base/', ['src/base/']],
    ['src/x.sql', '-- The function in sql/0001_a.sql.', ['sql/0001_a.sql']],
    ['docs/x.md', 'The file `../src/e.ts` and plain f.ts.', ['src/e.ts']],
  ])('in %s: %s', (file, source, paths) => {
    expect(found(file, source)).toEqual(paths);
  });

  test('the targets of relative links, without URLs', () => {
    const source = '[a](b.md#c), [d](https://e.example/f.md), [g](#h)\n[i](../j.ts)';
    expect(findLinks(source)).toEqual([
      { line: 1, path: 'b.md', anchor: 'c' },
      { line: 1, path: '', anchor: 'h' },
      { line: 2, path: '../j.ts', anchor: undefined },
    ]);
  });
});

test.each([
  ['src/x.ts', "import { a } from './core/a.ts';"],
  ['src/x.ts', '/** Loads `src/FEATURE/routes.ts` and sql/NNNN_subject.sql. */'],
  ['src/x.ts', '// Matches *.test.ts and https://a.example/b.ts'],
  ['docs/x.md', 'A file `dump.sql`'],
])('ignores code, placeholders and URLs in %s: %s', (file, source) => {
  expect(found(file, source)).toEqual([]);
});

test('a path exists if a file’s path ends with it', () => {
  const isKnown = createPathIndex(['src/services/auth/common/proof.ts']);
  for (const path of ['proof.ts', 'common/proof.ts', 'src/services/auth/common/proof.ts', 'src/services/'])
    expect([path, isKnown(path)]).toEqual([path, true]);
  for (const path of ['roof.ts', 'flows/proof.ts', 'services/auth/proof.ts', 'src/auth/'])
    expect([path, isKnown(path)]).toEqual([path, false]);
});
