import { expect, test } from 'vitest';
import type { SchemaDiff } from '../types.ts';
import { objectDifferences, shown } from './objects.ts';
import { indexTables, subjectOf } from './subject.ts';

const indexes = indexTables(['CREATE INDEX notes_body ON public.notes USING btree (body)']);

test.each([
  ['CREATE TABLE "public"."no.tes" ("id" integer)', 'table public.no.tes'],
  ['create table if not exists Notes (id int)', 'table public.notes'],
  ['ALTER TABLE ONLY "a"."b" ENABLE ROW LEVEL SECURITY', 'table a.b'],
  ['CREATE UNIQUE INDEX x ON public.notes USING btree (id)', 'table public.notes'],
  ['DROP INDEX "public"."notes_body"', 'table public.notes'],
  ['DROP INDEX public.other', 'index public.other'],
  ['CREATE POLICY "on x ON y" ON "public"."notes" FOR SELECT USING (true)', 'table public.notes'],
  [
    'CREATE TRIGGER t BEFORE INSERT OR UPDATE OF id ON public.notes FOR EACH ROW EXECUTE FUNCTION f()',
    'table public.notes',
  ],
  ['COMMENT ON COLUMN "public"."notes"."id" IS \'x\'', 'table public.notes'],
  ['COMMENT ON POLICY "p" ON "public"."notes" IS NULL', 'table public.notes'],
  ['COMMENT ON CONSTRAINT "c" ON DOMAIN "public"."d" IS NULL', 'domain public.d'],
  ['GRANT SELECT ("id") ON "public"."notes" TO "anon"', 'table public.notes'],
  ['REVOKE ALL ON FUNCTION "public"."f"(integer, text) FROM PUBLIC', 'function public.f'],
  ['GRANT USAGE ON SCHEMA "other" TO "anon"', 'schema other'],
  ['GRANT "admins" TO "jane"', 'role admins'],
  ['CREATE OR REPLACE FUNCTION public.f(a integer)\n RETURNS integer', 'function public.f'],
  ['DROP MATERIALIZED VIEW "public"."m"', 'materialized view public.m'],
  ['ALTER DEFAULT PRIVILEGES IN SCHEMA "public" GRANT SELECT ON TABLES TO "anon"', 'default privileges '],
  ['CREATE EXTENSION IF NOT EXISTS "vector" SCHEMA "extensions"', 'extension vector'],
  ['CREATE STATISTICS public.st ON a, b FROM t', 'statistics public.st'],
  ['CREATE USER MAPPING FOR "postgres" SERVER "files"', 'server files'],
])('%s belongs to %s', (statement, expected) => {
  const subject = subjectOf(statement, indexes);
  expect(`${subject?.kind} ${subject?.name}`).toBe(expected);
});

test('statements that don’t change an object have no subject', () => {
  for (const statement of ['SET check_function_bodies = off', 'select 1', ''])
    expect(subjectOf(statement, indexes)).toBeUndefined();
});

const diff = (...texts: string[]): SchemaDiff => ({
  statements: texts.map((text) => ({
    text,
    isDestructive: text.startsWith('DROP TABLE'),
    needsCommit: false,
  })),
  possibleRenames: [],
  partitionMoves: [],
});

test('differences are listed by object, with both definitions and the files', () => {
  const policy = 'CREATE POLICY "p" ON "public"."notes" USING (true)';
  const found = objectDifferences({
    first: diff('CREATE TABLE "public"."notes" ("id" integer)', 'CREATE VIEW "public"."v" AS SELECT 1'),
    second: diff(
      'CREATE TABLE "public"."notes" ("id" integer, "body" text DEFAULT \'(\')',
      policy,
      'CREATE TABLE "public"."new" ("id" integer)',
    ),
    forward: diff(
      'SET check_function_bodies = off',
      'DROP VIEW "public"."v"',
      'ALTER TABLE "public"."notes" ADD COLUMN "body" text',
      policy,
      'CREATE TABLE "public"."new" ("id" integer)',
    ),
    backward: diff(
      'DROP TABLE "public"."new"',
      'DROP POLICY "p" ON "public"."notes"',
      'ALTER TABLE "public"."notes" DROP COLUMN "body"',
      'CREATE VIEW "public"."v" AS SELECT 1',
    ),
    files: [
      { path: '1_a.sql', text: '-- The notes\ncreate table notes (id int);\nselect 1;' },
      { path: '2_b.sql', text: 'create view v as select 1;' },
    ],
  });
  expect(found.map(({ kind, name, change, files }) => [change, kind, name, ...files])).toEqual([
    ['removed', 'view', 'public.v', '2_b.sql'],
    ['changed', 'table', 'public.notes', '1_a.sql'],
    ['added', 'table', 'public.new'],
  ]);
  expect(found[1]?.lines.filter(({ kind }) => kind !== 'same')).toEqual([
    { kind: 'removed', text: '  "id" integer' },
    { kind: 'added', text: '  "id" integer,' },
    { kind: 'added', text: '  "body" text DEFAULT \'(\'' },
    { kind: 'added', text: `${policy};` },
  ]);
  expect(found[2]?.losesData).toEqual({ forward: false, backward: true });
  expect(found[0]?.backward).toBe('CREATE VIEW "public"."v" AS SELECT 1;\n');
});

test('the columns of a new table are on separate lines', () => {
  expect(
    shown(
      'CREATE TABLE "a"."b" ("x,(" numeric(3,2), CONSTRAINT c CHECK ((y = \'),\'))) PARTITION BY LIST (x)',
    ),
  ).toBe(
    'CREATE TABLE "a"."b" (\n  "x,(" numeric(3,2),\n  CONSTRAINT c CHECK ((y = \'),\'))\n) PARTITION BY LIST (x);',
  );
});
