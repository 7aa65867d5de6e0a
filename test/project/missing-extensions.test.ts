/** Tests projects that use extensions that the embedded PostgreSQL doesn't have. */
import { expect, test } from 'vitest';
import { migrateUp, ProjectError } from '../../src/project/folder/index.ts';
import { projectWith } from './helpers.ts';

/** The beginning of a dump of a hosted database. */
const dump = `
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE EXTENSION IF NOT EXISTS "pg_net" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "pgsodium" WITH SCHEMA "pgsodium";
COMMENT ON SCHEMA "public" IS 'standard public schema';
CREATE EXTENSION IF NOT EXISTS "pg_graphql" WITH SCHEMA "graphql";
COMMENT ON EXTENSION "pg_graphql" IS 'GraphQL support';
CREATE EXTENSION IF NOT EXISTS "hypopg" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "index_advisor" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "pgmq" WITH SCHEMA "pgmq";
CREATE EXTENSION IF NOT EXISTS "pg_jsonschema" WITH SCHEMA "public" VERSION '0.3.3';
DROP EXTENSION IF EXISTS "plv8";
CREATE EXTENSION IF NOT EXISTS "wrappers" WITH SCHEMA "extensions";
CREATE TABLE "public"."notes" ("id" "uuid" DEFAULT "extensions"."uuid_generate_v4"() NOT NULL);
`;

test('a dump of the hosted database runs, and the start lists the placeholders', async () => {
  const project = await projectWith({ 'migrations/1_dump.sql': dump });
  await project.start();
  expect(await project.values(`select count(*)::int from public.notes`)).toEqual([0]);
  expect(await project.values(`select jsonb_matches_schema('{"type": "string"}', '1')`)).toEqual([false]);
  const lines = project.progress.slice(project.progress.indexOf('Applying migration 1_dump.sql...') + 1);
  expect(lines.slice(0, 2)).toEqual([
    'Skipped because only tuning, monitoring and development need them: hypopg, index_advisor',
    'The embedded PostgreSQL has only placeholders for these extensions:',
  ]);
  expect(lines[2]).toMatch(/^ {2}extension +created in +next step$/);
  expect(lines[3]).toMatch(
    /^ {2}wrappers +supabase\/migrations\/1_dump\.sql:14 +use postgres_fdw for PostgreSQL servers, or name/,
  );
  expect(lines).toHaveLength(4);

  project.progress.length = 0;
  await project.start();
  expect(await migrateUp(project.deps, { includeAll: false })).toEqual([]);
  expect(project.progress).toEqual([]);
});

test('a statement that needs a missing extension fails with a clear error that contains its name', async () => {
  const project = await projectWith({
    'migrations/1_extensions.sql':
      'create extension postgis with schema extensions; create extension pg_repack;',
    'migrations/2_places.sql':
      'create table a ();\ncreate table places (\n  at extensions.geography(point)\n);',
  });
  const error = await project.start().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ProjectError);
  const { message, advice } = error as ProjectError;
  expect(message).toMatch('supabase/migrations/2_places.sql:3: type "extensions.geography" does not exist');
  expect(advice[0]).toBe(
    `The embedded PostgreSQL doesn't have the extension "postgis": name a PostgreSQL 18 installation that has it in [database] extension_folders, or use a PostgreSQL server that has it with --database-url.`,
  );
  expect(advice.join('\n')).not.toContain('Hint:');
  expect(project.progress.at(-1)).toMatch(
    /^ {2}postgis +supabase\/migrations\/1_extensions\.sql:1 +supabase\/migrations\/2_places\.sql:3 +name a PostgreSQL 18/,
  );
});

test('the error is the same if no migration creates the extension', async () => {
  const project = await projectWith({ 'migrations/1_a.sql': 'create table places (at geometry)' });
  const error = (await project.start().catch((caught: unknown) => caught)) as ProjectError;
  expect(error.advice[0]).toMatch(`doesn't have the extension "postgis"`);
});

test('a name that the project itself creates isn’t attributed to an extension', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': 'create table places (at geometry)',
    'migrations/2_b.sql': 'create type geometry as enum ()',
  });
  const error = (await project.start().catch((caught: unknown) => caught)) as ProjectError;
  expect(error.advice.join('\n')).toContain('supabase/migrations/2_b.sql creates geometry');
});

test('pg_graphql can be dropped without being created first, as in a hosted project', async () => {
  const project = await projectWith({
    'migrations/1_hardening.sql': 'drop extension pg_graphql;\ncreate table notes ();',
  });
  await project.start();
  expect(await project.values(`select to_regclass('notes')::text`)).toEqual(['notes']);
});

test('a dump can grant privileges on functions of a missing extension and of the project', async () => {
  const project = await projectWith({
    'migrations/1_remote_schema.sql': `create extension if not exists "pgaudit" with schema "public";
      grant all on function "public"."pgaudit_sql_drop"() to "anon";
      create extension if not exists "vector" with schema "public";
      grant all on function "public"."vector_in"("cstring", "oid", integer) to "anon";
      grant all on function "public"."avg"("public"."halfvec") to "anon";
      create function hypopg_report() returns int language sql return 1;
      revoke all on function hypopg_report() from public, anon;
      grant all on function hypopg_report() to authenticated;`,
  });
  await project.start();
  const granted = `select has_function_privilege(r, 'hypopg_report()', 'execute') from unnest('{anon,authenticated}'::text[]) r`;
  expect(await project.values(granted)).toEqual([false, true]);
});

test('a data dump of a project with pgsodium works as a seed', async () => {
  const project = await projectWith({
    'seed.sql': `select pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false);\ncreate table seeded ();`,
  });
  await project.start();
  expect(await project.values(`select to_regclass('seeded')::text`)).toEqual(['seeded']);
});
