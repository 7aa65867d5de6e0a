import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantedWhereThere } from './extension-statement.ts';
import { splitStatements } from './split.ts';

const missing = { pgaudit: {}, postgis: {} };

function sent(text: string): string {
  return grantedWhereThere(text, splitStatements(text)[0]?.words ?? [], missing);
}

test.each([
  'GRANT ALL ON FUNCTION "public"."pgaudit_ddl_command_end"() TO "anon"',
  'revoke all on function pgaudit_sql_drop() from public',
  'GRANT ALL ON TABLE "public"."spatial_ref_sys" TO "service_role"',
])('%j is skipped if the object doesn’t exist', (written) => {
  const caught = 'exception when undefined_function or undefined_table or undefined_object then null;';
  expect(sent(written)).toBe(`do $grant$ begin execute '${written}'; ${caught} end $grant$`);
});

test.each([
  'grant all on function is_admin() to anon',
  'grant all on table notes to anon',
  'grant all on function match_documents(vector, int) to anon',
  'grant all on table vector to anon',
  'grant all on function hypopg() to anon',
  'grant anon to authenticated',
  'grant all on all tables in schema public to anon',
  'grant all on function',
  'select 1',
])('%j is sent unchanged', (written) => expect(sent(written)).toBe(written));

test('processing never fails', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(typeof grantedWhereThere(`grant all on function ${text}`, ['grant'], missing)).toBe('string');
    }),
  );
});
