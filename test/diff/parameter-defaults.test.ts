/** Tests changed parameter defaults. Dropping a function would drop or require its dependents, so it is replaced. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  apply,
  type ComparedDatabase,
  catalogs,
  createDatabase,
  createOwner,
  diffOf,
  dropOwner,
} from './helpers.ts';

const databases: ComparedDatabase[] = [];
beforeAll(createOwner);
afterAll(async () => {
  for (const database of databases) await database.drop();
  await dropOwner();
});

/** The old and the new arguments of functions that CREATE OR REPLACE can change. */
const replaceable = {
  changed: ['a integer, b integer default 1', 'a integer, b integer default 2'],
  added: ['a integer, b integer default 1', 'a integer default 5, b integer default 1'],
  separators: [`a integer, b text default 'x, "y" default (z'`, `a integer, b text default ', default'`],
  expressions: [`a integer, b integer[] default '{1,2}'`, 'a integer, b integer[] default array[abs(-1), 2]'],
  quoted: ['a integer, "default" integer default 1', 'a integer, "default" integer default 2'],
  named: ['integer, double precision default 1', 'a integer, "B b" double precision default 2'],
  called: ['a integer, b integer default 1', 'a integer, b integer default app.helper()'],
  output: ['a integer, b integer default 1, out c integer', 'a integer, b integer default 2, out c integer'],
  variadic: [`a integer, variadic b text[] default '{}'`, `a integer, variadic b text[] default '{x}'`],
} as const;

/** Functions that must be recreated. */
const others = {
  removed: ['a integer, b integer default 1', 'a integer, b integer'],
  renamed: ['a integer, b integer default 1', 'a integer, c integer default 2'],
  result: ['a integer, out c integer', 'a integer, out c bigint'],
  variadic_now: ['a integer, b text[]', 'a integer, variadic b text[]'],
} as const;

type Functions = Readonly<Record<string, readonly [before: string, after: string]>>;

const create = (functions: Functions, index: 0 | 1): string =>
  Object.entries(functions)
    .map(([name, signatures]) => {
      const result = /\bout /.test(signatures[index]) ? '' : 'returns integer';
      return `create function app.${name}(${signatures[index]}) ${result} language sql immutable as 'select 1'`;
    })
    .join(';');

const dependents = Object.keys(replaceable)
  .map(
    (name) => `create table app.t_${name} (id integer default app.${name}(1) check (app.${name}(id) > 0));
      create policy p on app.t_${name} using (app.${name}(1) = 1); create index on app.t_${name} (app.${name}(id));
      create view app.v_${name} as select app.${name}(id) from app.t_${name};
      create materialized view app.m_${name} as select * from app.v_${name}`,
  )
  .join(';');

async function database(text: string): Promise<ComparedDatabase> {
  const created = await createDatabase();
  databases.push(created);
  await created.run((client) => client.exec(`create schema app; ${text}`));
  return created;
}

test('changed defaults replace the functions and drop nothing', async () => {
  const helper = `create function app.helper() returns integer language sql immutable as 'select 7'`;
  const from = await database(`${create(replaceable, 0)}; ${dependents}`);
  const to = await database(`${helper}; ${create(replaceable, 1)}; ${dependents}`);
  const diff = await diffOf(from, to);
  const texts = diff.statements.map(({ text }) => text);
  const replaced = texts.filter((text) => text.startsWith('CREATE OR REPLACE FUNCTION app.'));
  expect(replaced).toHaveLength(Object.keys(replaceable).length + 1);
  expect(
    texts.filter((text) => !replaced.includes(text) && !/^SET |^(GRANT|REVOKE) .*helper/.test(text)),
  ).toEqual([]);
  await apply(from, diff);
  expect((await diffOf(from, to)).statements).toEqual([]);
  expect(await catalogs(from)).toEqual(await catalogs(to));
});

test('other changes of arguments recreate the functions', async () => {
  const uses = 'create view app.v as select app.removed(1, 2), app.renamed(1), app.result(1)';
  const [from, to] = [
    await database(`${create(others, 0)}; ${uses}`),
    await database(`${create(others, 1)}; ${uses}`),
  ];
  await apply(from, await diffOf(from, to));
  expect((await diffOf(from, to)).statements).toEqual([]);
  expect(await catalogs(from)).toEqual(await catalogs(to));
});
