/**
 * Compares the owners and privileges in every schema of the hosted service with the owners and privileges in Plinth.
 * Migrations require the same privileges if they were written by `db pull` or reference a system table. The table of
 * expected grants contains a reason for each difference.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { grantsOf } from './grants.ts';
import { type Fact, factsOf } from './hosted-facts.ts';

// The timeouts are long, because the test creates a cluster and runs all of Plinth's migrations in it.
const facts = factsOf(readFileSync(new URL('hosted-grants.txt', import.meta.url), 'utf8'));
/**
 * Whether an object's name matches the name in a line of the table. A name that ends with `*` applies to objects that
 * don't match any other line.
 */
const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
const factOf = (name: string): Fact | undefined =>
  facts.find((fact) => fact.name === name) ?? facts.find((fact) => matches(fact.name, name));

const project = mkdtempSync(join(tmpdir(), 'plinth-grants-'));
let objects: { name: string; rights: string }[] = [];
let foreignKeys: { name: string }[] = [];
beforeAll(async () => {
  mkdirSync(join(project, 'supabase/migrations'), { recursive: true });
  writeFileSync(join(project, 'supabase/migrations/20260101000000_one.sql'), 'select 1;');
  const backend = await createTestBackend({ projectDir: project });
  try {
    objects = (await grantsOf(backend.database)).map((line) => {
      const cut = line.indexOf(' | ');
      return { name: line.slice(0, cut), rights: line.slice(cut + 3).trim() };
    });
    foreignKeys = await backend.database.pool('supabase_admin').query(sql`
      select conrelid::regclass::text || ': ' || conname as name from pg_catalog.pg_constraint
      where contype = 'f' and connamespace = '_plinth'::regnamespace
        and confrelid in (select oid from pg_catalog.pg_class
          where relnamespace in ('auth'::regnamespace, 'storage'::regnamespace, 'realtime'::regnamespace))`);
  } finally {
    await backend.stop();
  }
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const advice =
  'test/database/hosted-grants.txt lists the owner and the privileges of every object in a schema of the hosted service. ' +
  'Correct the grants in the migration, or add a line to the file. The first lines of the file explain the format.';

test('every object has the owner and the grants in the table', () => {
  const told = objects.map(({ name, rights }) => `${name} | ${rights}`);
  const listed = objects.map(({ name }) => `${name} | ${factOf(name)?.plinth ?? 'not in the table'}`);
  expect(told, advice).toEqual(listed);
});

test('every line of the table matches an object', () => {
  const unused = facts.filter(
    ({ name, plinth }) => (plinth === '-') === objects.some((object) => factOf(object.name)?.name === name),
  );
  expect(
    unused.map(({ name }) => name),
    advice,
  ).toEqual([]);
});

test('every listed difference from the hosted service exists and has a reason', () => {
  const wrong = facts.filter(({ hosted, plinth, reason }) => (hosted === plinth) !== (reason === ''));
  expect(
    wrong.map(({ name }) => name),
    advice,
  ).toEqual([]);
});

test('no table of Plinth has a foreign key to a schema of the hosted service', () => {
  // A dump couldn't be restored, because `postgres` couldn't truncate the referenced table.
  expect(foreignKeys).toEqual([]);
});
