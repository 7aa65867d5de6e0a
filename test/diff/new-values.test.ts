/**
 * Tests new enum values. PostgreSQL doesn't allow the use of a new value in the transaction that adds it, so each kind
 * of object that can contain a value is tested.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { committingNewValues } from '../../src/project/diff/core/enum-values.ts';
import { diffScript, type SchemaDiff } from '../../src/project/diff/index.ts';
import type { DiffStatement } from '../../src/project/diff/types.ts';
import {
  apply,
  type ComparedDatabase,
  catalogs,
  createDatabase,
  createOwner,
  diffOf,
  dropOwner,
} from './helpers.ts';

const base = `create schema app; create type app.s as enum ('a', 'm'); create type app.other as enum ('o');
  create domain app.d as app.s default 'a'; create domain app.ds as app.s[] default '{a}';
  create type app.c as (v app.s, n integer); create type app.r as range (subtype = app.s);
  create table app.t (id integer, x app.s default 'a', xs app.s[] default '{a}', dx app.d, dxs app.ds, cx app.c, rx app.r,
    o app.other default 'o');
  create table app.p (x app.s) partition by list (x); create view app.v as select id from app.t;
  create function app.f(v app.s default 'a') returns app.s language sql as 'select v';
  create table app.texts (y text); insert into app.texts values ('b')`;

let empty: ComparedDatabase;
beforeAll(async () => {
  await createOwner();
  empty = await createDatabase();
  await empty.run((client) => client.exec(base));
});
afterAll(async () => {
  await empty?.drop();
  await dropOwner();
});

const add = `alter type app.s add value 'b'`;
const trigger = `create function app.noted() returns trigger language plpgsql as 'begin return new; end'`;

/** Each use of the new value `b`. */
const uses = [
  `alter table app.t alter x set default 'b'`,
  `alter table app.t alter xs set default '{a,b}'`,
  `alter table app.t alter xs set default array['a', 'b']::app.s[]`,
  `alter table app.t alter cx set default '(b,1)'`,
  `alter table app.t alter cx set default row('b', 1)::app.c`,
  `alter table app.t alter rx set default '[a,b]'`,
  `alter table app.t alter dx set default 'b'`,
  `alter table app.t alter dxs set default '{b}'`,
  `alter domain app.d set default 'b'`,
  `alter domain app.ds set default '{b}'`,
  `alter domain app.d add constraint not_b check (value <> 'b')`,
  `create domain app.new as app.s check (value in ('a', 'b'))`,
  `alter table app.t add y app.s default 'b'`,
  `alter table app.t add y text generated always as (case when x = 'b' then 'yes' end) stored`,
  `alter table app.t add check (x <> 'b')`,
  `alter table app.texts alter y type app.s using y::app.s`,
  `create table app.n (a app.s default 'b')`,
  `create table app.n (a app.s check (a = 'b'), b app.s[] default '{b}')`,
  `create table app.n (a integer, b app.s default 'b'); alter table app.n add c app.s default 'b'`,
  `create table app.p1 partition of app.p for values in ('b')`,
  `create unlogged table app.n (a app.d default 'b', primary key (a))`,
  `create index t_b on app.t (id) where x = 'b'`,
  `create index t_is_b on app.t ((x = 'b'))`,
  `create statistics app.st on (x = 'b'), id from app.t`,
  `create policy b on app.t using (x = 'b')`,
  `create view app.w as select id from app.t where x = 'b'`,
  `create or replace view app.v as select id from app.t where x = 'b'`,
  `create materialized view app.mv as select 'b'::app.s as x`,
  `create or replace function app.f(v app.s default 'b') returns app.s language sql as 'select v'`,
  `create function app.g() returns app.s language sql begin atomic select 'b'::app.s; end`,
  `create function app.g() returns app.s language sql as $$ select 'b'::app.s $$; alter table app.t alter x set default app.g()`,
  `${trigger}; create trigger t before insert on app.t for each row when (new.x = 'b') execute function app.noted()`,
  `create rule no_b as on update to app.t where new.x = 'b' do instead nothing`,
  `alter table app.t add y app.s default enum_last(null::app.s)`,
  `alter type app.other add value 'b'; alter table app.t alter o set default 'b', alter x set default 'b'`,
] as const;

/** Turns a copy of the empty schema into the schema of `to`. */
async function becomes(to: ComparedDatabase): Promise<SchemaDiff> {
  const diff = await diffOf(empty, to);
  await withCopy(async (copy) => {
    await apply(copy, diff);
    expect(await catalogs(copy)).toEqual(await catalogs(to));
  });
  return diff;
}

async function withCopy<T>(work: (copy: ComparedDatabase) => Promise<T>): Promise<T> {
  const copy = await createDatabase(empty.name);
  try {
    return await work(copy);
  } finally {
    await copy.drop();
  }
}

/** Runs each change in its own transaction. */
const changed = (changes: string): Promise<SchemaDiff> =>
  withCopy(async (to) => {
    await to.run(async (client) => {
      for (const change of changes.split(/;\s*(?=alter|create)/)) await client.exec(change);
    });
    return await becomes(to);
  });

/**
 * Runs the statements in one transaction, and returns those that PostgreSQL rejects because they use a value of the
 * same transaction.
 */
const rejected = (statements: readonly DiffStatement[]): Promise<DiffStatement[]> =>
  withCopy((copy) =>
    copy.run(async (client) => {
      const unsafe: DiffStatement[] = [];
      await client.exec('begin');
      for (const statement of statements) {
        await client.exec('savepoint s');
        await client.exec(statement.text).catch(async ({ code }: { code?: string }) => {
          if (code === '55P04') unsafe.push(statement);
          await client.exec('rollback to savepoint s');
        });
      }
      await client.exec('rollback');
      return unsafe;
    }),
  );

test('each statement that uses a new value follows the commit of this value', async () => {
  const all = uses.map((use, index) =>
    use.replaceAll(/\bapp\.[ng]\b|\badd y\b/g, (name) => `${name}${index}`),
  );
  const { statements } = await changed([add, ...all].join('; '));
  const isAdd = ({ text }: DiffStatement): boolean => / ADD VALUE /.test(text);
  const adds = statements.filter(isAdd);
  expect(statements.findLastIndex(isAdd) - statements.findIndex(isAdd)).toBe(adds.length - 1);
  expect(statements.filter(({ needsCommit }) => needsCommit)).toHaveLength(1);
  const unsafe = await rejected(statements);
  expect(unsafe.length).toBeGreaterThan(25);
  const plain = adds.map((each) => ({ ...each, text: each.text.replace('IF NOT EXISTS ', '') }));
  for (const statement of unsafe) {
    const [last] = committingNewValues([...plain, { ...statement, needsCommit: false }]).slice(-1);
    expect(last).toMatchObject({ text: statement.text, needsCommit: true });
  }
});

test('values keep their order, and labels can contain any characters', async () => {
  const labels = [`it''s`, 'with space', 'a"b', 'back\\slash', '{x,y}', 'a.b', 'ünï'];
  const added = labels.map((label, index) =>
    index % 2 === 0
      ? `alter type app.s add value '${label}' before 'a'`
      : `alter type app.s add value '${label}' after 'a'`,
  );
  const used = labels.map(
    (label, index) => `alter table app.t add c${index} app.s[] default array['${label}']::app.s[]`,
  );
  const diff = await changed([...added, ...used].join('; '));
  expect(diffScript(diff).match(/^COMMIT;$/gm)).toHaveLength(1);
});

test('values that nothing uses, or that a new type contains, don’t need a commit', async () => {
  const changes = [
    `${add}; create table app.n (a app.s, b text default 'bb', c app.s default 'a')`,
    `create type app.fresh as enum ('b'); create table app.n (a app.fresh default 'b')`,
  ];
  for (const change of changes) {
    const { statements } = await changed(change);
    expect(statements.filter(({ needsCommit }) => needsCommit)).toEqual([]);
  }
});

test('a script that fails after its commit can be run again', async () => {
  const diff = await changed(`${add}; alter table app.t alter x set default 'b'`);
  await withCopy(async (copy) => {
    await apply(copy, { ...diff, statements: diff.statements.slice(0, 1) });
    await apply(copy, diff);
    expect((await diffOf(empty, copy)).statements).toEqual(diff.statements);
  });
});
