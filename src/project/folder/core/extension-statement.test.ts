import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asEmbedded } from './extension-statement.ts';
import { splitStatements } from './split.ts';

const missing = { postgis: {}, pg_graphql: { schema: 'graphql' }, pgsodium: { schema: 'pgsodium' } };

function sent(text: string): string {
  const words = splitStatements(text)[0]?.words ?? [];
  return asEmbedded(text, words, missing);
}

describe('a statement about a placeholder', () => {
  test.each([
    [
      'create extension if not exists "pgsodium" with schema "pgsodium"',
      'create schema if not exists "pgsodium"; create extension if not exists "pgsodium" schema "pgsodium"',
    ],
    [
      'CREATE EXTENSION pgsodium',
      'create schema if not exists "pgsodium"; create extension "pgsodium" schema "pgsodium"',
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

test('the key counter of pgsodium in a data dump is skipped', () => {
  const set = `SELECT pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false)`;
  expect(sent(`--\n-- Name: key_key_id_seq; Type: SEQUENCE SET; Schema: pgsodium\n--\n\n${set}`)).toBe(
    'select 1',
  );
});

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
