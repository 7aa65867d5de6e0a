import { join, relative, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archivePath, conflicts } from './check-deployment.ts';

describe('the path of an uploaded file', () => {
  test.each([
    ['index.ts', 'index.ts'],
    ['supabase/functions/hello/index.ts', 'supabase/functions/hello/index.ts'],
    ['./a/b.ts', 'a/b.ts'],
    ['a//b.ts', 'a/b.ts'],
    ['.npmrc', '.npmrc'],
    ['a/[id]/b c,d.ts', 'a/[id]/b c,d.ts'],
    ['ä/日本.json', 'ä/日本.json'],
  ])('%s', (text, path) => expect(archivePath(text)).toBe(path));

  test.each([
    '',
    '.',
    '.',
    '/',
    '/etc/passwd',
    '..',
    '../x.ts',
    'a/../../x.ts',
    'a/..',
    'a/b/',
    '..\\x.ts',
    'a\\b.ts',
    'C:/x.ts',
    'C:x.ts',
    'a/.. /x.ts',
    'a./x.ts',
    'x.ts\0',
    'x\n.ts',
    'x\ud800.ts',
    `${'a'.repeat(201)}.ts`,
    `${'ab/'.repeat(200)}x.ts`,
  ])('rejects %j', (text) => expect(archivePath(text)).toBeUndefined());

  test('an accepted path never leads out of the folder', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', '...', '.. ', 'a', '\\', 'C:'), fc.string());
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('/')),
        (text) => {
          const path = archivePath(text);
          if (path === undefined) return;
          expect(relative('/folder', join('/folder', path))).toBe(path);
          expect(win32.relative('C:\\root', win32.join('C:\\root', path)).replaceAll('\\', '/')).toBe(path);
          expect(archivePath(path)).toBe(path);
        },
      ),
    );
  });
});

describe('paths conflict', () => {
  test.each([
    [['a.ts', 'A.ts']],
    [['a', 'a/b.ts']],
    [['a/b', 'A/B/c.ts']],
    [['\u00e9.ts', 'e\u0301.ts']],
    [['a.ts', 'a.ts']],
  ])('%j', (paths) => expect(conflicts(paths)).toBe(true));

  test.each([[[]], [['a.ts', 'b.ts']], [['a/b.ts', 'ab.ts', 'a/c.ts']]])('%j don’t conflict', (paths) =>
    expect(conflicts(paths)).toBe(false),
  );
});
