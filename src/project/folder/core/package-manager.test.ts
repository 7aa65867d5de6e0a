import { expect, test } from 'vitest';
import { isPackageManagerSetup, usesPackageManager } from './package-manager.ts';

test.each([
  [`select pgtle.uninstall_extension_if_exists('supabase-dbdev')`, true],
  [`-- installs it\nSELECT\n  pgtle.install_extension(\n    'supabase-dbdev',\n    '1', '', '')`, true],
  [`select pgtle.install_extension('other', '1', '', '')`, false],
  [
    `create function f() returns void as $$ select pgtle.install_extension('supabase-dbdev', '1', '', '') $$`,
    false,
  ],
])('%s: %s', (statement, isSetup) => {
  expect(isPackageManagerSetup(statement)).toBe(isSetup);
});

test('a suite that calls the package manager uses it', () => {
  expect(usesPackageManager('create extension "supabase-dbdev";')).toBe(true);
  expect(usesPackageManager('select 1')).toBe(false);
});
