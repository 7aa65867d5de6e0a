import { join, relative } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { functionPath, isSlug } from './management-api.ts';

test.each([
  ['source/index.ts', 'hello/index.ts'],
  ['/home/ada/app/supabase/functions/hello/lib/a.ts', 'hello/lib/a.ts'],
  ['supabase/functions/_shared/cors.ts', '_shared/cors.ts'],
  ['file:///src/index.ts', 'hello/index.ts'],
  ['deno.json', 'hello/deno.json'],
  ['../../.bashrc', undefined],
  ['supabase/functions/_shared/../../../.bashrc', undefined],
  ['functions/hello/..', undefined],
  ['a\\..\\b', undefined],
  ['', undefined],
])('%s: %s', (name, path) => {
  expect(functionPath('hello', name)).toBe(path);
});

test('a file is always inside the folder', () => {
  const segment = fc.oneof(
    fc.constantFrom('..', '.', '', 'functions', 'hello', '_shared', 'file:', 'source', '\0'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
      const path = functionPath('hello', segments.join('/'));
      if (path !== undefined)
        expect(relative('/project/functions', join('/project/functions', path))).toMatch(
          /^(?!\.\.(\/|$)|\/)./,
        );
    }),
  );
});

test('a slug is a single folder name', () => {
  expect(['hello', 'send-mail_2', '../x', '', 'a/b', '.env'].map(isSlug)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
