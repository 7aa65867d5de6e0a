import { expect, test } from 'vitest';
import { may, permissionForRows } from './roles.ts';

test.each(['auth', 'vault', 'net', 'cron', 'supabase_functions', 'extensions', '_plinth'])(
  'read-only operators can’t view rows in %s',
  (schema) => {
    expect(may('read-only', permissionForRows(schema))).toBe(false);
    expect(may('developer', permissionForRows(schema))).toBe(true);
  },
);

test('read-only operators can view rows of the project', () => {
  expect(may('read-only', permissionForRows('public'))).toBe(true);
});
