import { expect, test } from 'vitest';
import { inAnyVersion } from './versions.ts';

const all = 'DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE';

test.each([
  [`GRANT ${all} ON TABLE "a"."b" TO "anon"`, 'GRANT ALL ON TABLE "a"."b" TO "anon"'],
  [`REVOKE ${all} ON TABLE "a"."b" FROM "anon"`, 'REVOKE ALL ON TABLE "a"."b" FROM "anon"'],
  [
    `ALTER DEFAULT PRIVILEGES FOR ROLE "a ""b" IN SCHEMA "public" GRANT ${all} ON TABLES TO "anon"`,
    'ALTER DEFAULT PRIVILEGES FOR ROLE "a ""b" IN SCHEMA "public" GRANT ALL ON TABLES TO "anon"',
  ],
])('%s contains no privilege that older servers reject', (text, expected) => {
  expect(inAnyVersion(text)).toBe(expected);
});

test.each([
  'GRANT MAINTAIN, SELECT ON TABLE "a" TO "anon"',
  `COMMENT ON TABLE "a" IS 'GRANT ${all} ON TABLE "a"'`,
])('%s stays the same', (text) => {
  expect(inAnyVersion(text)).toBe(text);
});
