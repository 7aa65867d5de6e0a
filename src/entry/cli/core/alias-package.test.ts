import { expect, test } from 'vitest';
import { aliasManifest, replacedVersion, supabaseVersion, withSupabase } from './alias-package.ts';

const alias = 'file:supabase/cli';

test.each([
  [
    'the upstream CLI',
    '{\n  "devDependencies": {\n    "supabase": "^2.40.0",\n    "vite": "^7.0.0"\n  }\n}\n',
  ],
  ['a dependency', '{\n\t"dependencies": {\n\t\t"supabase": "2.0.0"\n\t},\n\t"private": true\n}'],
])('replaces %s in place', (_what, text) => {
  const before = supabaseVersion(text) ?? '';
  expect(withSupabase(text, alias)).toBe(text.replace(before, alias));
  expect(withSupabase(withSupabase(text, alias), before)).toBe(text);
});

test.each([
  [
    '{\n  "devDependencies": {\n    "plinth": "1.0.0",\n    "vite": "^7.0.0"\n  }\n}\n',
    '{\n  "devDependencies": {\n    "plinth": "1.0.0",\n    "supabase": "file:supabase/cli",\n    "vite": "^7.0.0"\n  }\n}\n',
  ],
  [
    '{\n  "name": "app"\n}\n',
    '{\n  "name": "app",\n  "devDependencies": {\n    "supabase": "file:supabase/cli"\n  }\n}\n',
  ],
])('adds the package, and removes it again', (text, expected) => {
  expect(supabaseVersion(text)).toBeUndefined();
  expect(withSupabase(text, alias)).toBe(expected);
  expect(withSupabase(expected, undefined)).toBe(text);
});

test.each(['[]', 'null', '{'])('%s isn’t a package.json', (text) => {
  expect(() => withSupabase(text, alias)).toThrow(SyntaxError);
});

test('the replaced version is recorded', () => {
  expect(replacedVersion(aliasManifest('^2.40.0'))).toBe('^2.40.0');
  expect(replacedVersion(aliasManifest(undefined))).toBeUndefined();
});
