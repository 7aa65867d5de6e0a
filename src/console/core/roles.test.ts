import { expect, test } from 'vitest';
import { may, permissionForRows } from './roles.ts';

test.each(['auth', 'vault', 'net', 'cron', 'supabase_functions', 'extensions', '_plinth'])(
  'rows of %s are not for a read-only operator',
  (schema) => {
    expect(may('read-only', permissionForRows(schema))).toBe(false);
    expect(may('developer', permissionForRows(schema))).toBe(true);
  },
);

test('rows of the project are', () => {
  expect(may('read-only', permissionForRows('public'))).toBe(true);
});
