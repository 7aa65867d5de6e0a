import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asEmbedded } from './extension-statement.ts';
import { splitStatements } from './split.ts';

const missing = { postgis: {}, postgis_topology: { schema: 'topology' } };

function sent(text: string): string {
  const words = splitStatements(text)[0]?.words ?? [];
  return asEmbedded(text, words, missing);
}

describe('a statement about a placeholder', () => {
  test.each([
    [
      'create extension if not exists "postgis_topology" with schema "topology"',
      'create schema if not exists "topology"; create extension if not exists "postgis_topology" schema "topology"',
    ],
    [
      'CREATE EXTENSION postgis_topology',
      'create schema if not exists "topology"; create extension "postgis_topology" schema "topology"',
    ],
    [
      `-- maps\ncreate extension PostGIS with schema Maps version '3.4.0' cascade`,
      'create schema if not exists "maps"; create extension "postgis" schema "maps"',
    ],
    [
      'create extension postgis',
      'create schema if not exists "extensions"; create extension "postgis" schema "extensions"',
    ],
    [`alter extension postgis update to '3.5'`, 'alter extension "postgis" update'],
  ])('%j', (written, expected) => expect(sent(written)).toBe(expected));
});

test('an extension that hosted projects have from the start is dropped only if it exists', () => {
  expect(sent('DROP EXTENSION pg_graphql')).toBe('drop extension if exists pg_graphql');
  expect(sent('drop extension "pgsodium" cascade')).toBe('drop extension if exists "pgsodium" cascade');
});

test('the download of the package manager of database.dev is skipped', () => {
  const install = `select pgtle.install_extension('supabase-dbdev', '1', '', x.sql) from http(('GET', 'https://example.com'))`;
  expect(sent(install)).toBe('do $skip$ begin end $skip$');
  expect(sent(install.replace('supabase-dbdev', 'other'))).toContain('example.com');
});

test('the key counter of pgsodium in a data dump is set only if it exists', () => {
  const set = `SELECT pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false)`;
  expect(sent(`--\n-- Name: key_key_id_seq; Type: SEQUENCE SET; Schema: pgsodium\n--\n\n${set}`)).toMatch(
    /^do \$there\$ begin if pg_catalog\.to_regclass\('pgsodium\.key_key_id_seq'\) is not null then execute /,
  );
});

test('a security label of pgsodium becomes a warning', () => {
  expect(sent(`SECURITY LABEL FOR "pgsodium" ON COLUMN a.b IS 'ENCRYPT WITH KEY ID x'`)).toMatch(
    /^do \$label\$ begin raise warning using message = 'Plinth doesn''t encrypt columns/,
  );
  const other = `security label for selinux on table a is 'x'`;
  expect(sent(other)).toBe(other);
});

test.each([
  [
    `create extension if not exists "me-pkg" with schema public version '1.0'`,
    `perform pgtle.create_extension('me-pkg', 'public', '1.0', true);`,
  ],
  ['create extension "me@pkg"', `perform pgtle.create_extension('me@pkg', null, null, false);`],
  [`alter extension "me-pkg" update to '1.1'`, `perform pgtle.update_extension('me-pkg', '1.1');`],
  ['drop extension if exists "me-pkg" cascade', `perform pgtle.drop_extension('me-pkg', true);`],
])('%s calls pg_tle', (written, call) => {
  expect(sent(written)).toContain(call);
  expect(sent(written)).toContain('execute ');
});

test.each([
  [
    `create extension if not exists "pgmq" with schema "pgmq" version '1.4.4'`,
    'create schema if not exists "pgmq"; create extension if not exists "pgmq" with schema "pgmq"',
  ],
  [
    `create extension pg_jsonschema version '0.3.3' schema extensions`,
    'create extension pg_jsonschema schema extensions',
  ],
  [`alter extension pgmq update to '1.6.0'`, 'alter extension "pgmq" update'],
])('the version of one of Plinth’s extensions is ignored: %s', (written, expected) =>
  expect(sent(written)).toBe(expected),
);

test('the schema that one of Plinth’s extensions requires is created', () => {
  const written = 'create extension if not exists "pgmq" with schema "pgmq"';
  expect(sent(written)).toBe(`create schema if not exists "pgmq"; ${written}`);
});

test.each([
  'create extension pgcrypto with schema extensions',
  'create extension pgmq with schema other',
  'create extension if not exists hstore',
  'alter extension postgis set schema extensions',
  'alter extension pgcrypto update',
  'drop extension postgis',
  'drop extension if exists pg_graphql',
  `select pg_catalog.setval('"public"."key_key_id_seq"', 1, false)`,
  `select 'pg_catalog.setval(pgsodium.key_key_id_seq'`,
  'comment on extension postgis is null',
  'create extension',
  'create extension postgis schema',
  'create table extension ()',
])('%j is sent unchanged', (written) => expect(sent(written)).toBe(written));

test('processing never fails', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(typeof asEmbedded(`create extension ${text}`, ['create', 'extension'], missing)).toBe('string');
    }),
  );
});
