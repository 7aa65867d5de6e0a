/**
 * Tests every kind of object that a schema can contain. The difference from an empty database creates the objects, and
 * the reverse difference drops them.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitSql } from '../../src/base/shared/sql/split.ts';
import {
  apply,
  type ComparedDatabase,
  catalogs,
  createDatabase,
  createOwner,
  diffOf,
  dropOwner,
} from './helpers.ts';

// The timeouts are long because complete schemas of several databases are compared.
/**
 * Whether a statement is excluded from the test, because it creates rows, labels, or objects that only a superuser can
 * create.
 */
const isLeftOut = (statement: string): boolean =>
  /kinds_language|kinds_heap|kinds_subscription|large object|\blo_/.test(statement) ||
  /^insert into/im.test(statement);

/** The schema without options that could be secrets. */
const fixture = readFileSync(new URL('../dump/fixtures/every-kind.sql', import.meta.url), 'utf8');
const schema = [...splitSql(fixture)]
  .map(({ start, end }) => fixture.slice(start, end))
  .filter((statement) => !isLeftOut(statement))
  .join(';\n')
  .replace(/options \(debug 'true'\)/i, '')
  .replace(/options \(path [^)]*\)/i, '')
  .replace(/with no data/i, '')
  .replace(/owner to postgres/gi, 'owner to current_user');

let full: ComparedDatabase;
let empty: ComparedDatabase;
let copy: ComparedDatabase;
beforeAll(async () => {
  await createOwner();
  [full, empty, copy] = [await createDatabase(), await createDatabase(), await createDatabase()];
  await full.run((client) => client.exec(schema));
});
afterAll(async () => {
  for (const database of [full, empty, copy]) await database?.drop();
  await dropOwner();
});

test('the difference creates everything, with the columns in the same order', async () => {
  await apply(copy, await diffOf(copy, full));
  expect((await diffOf(copy, full)).statements).toEqual([]);
  expect(await catalogs(copy)).toEqual(await catalogs(full));
});

test('the reverse difference drops everything and marks the statements that delete data', async () => {
  const diff = await diffOf(copy, empty);
  expect(diff.statements.filter(({ isDestructive }) => isDestructive).map(({ text }) => text)).toContain(
    'DROP TABLE "kinds"."items"',
  );
  await apply(copy, diff);
  expect((await diffOf(copy, empty)).statements).toEqual([]);
  expect(await catalogs(copy)).toEqual(await catalogs(empty));
});
