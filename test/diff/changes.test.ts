/**
 * Tests which changes are marked as destructive, which renames are detected, and how the triggers of partitions are
 * compared.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { compareSnapshots, diffScript, readSnapshot, type SchemaDiff } from '../../src/project/diff/index.ts';
import {
  apply,
  type ComparedDatabase,
  catalogs,
  createDatabase,
  createOwner,
  diffOf,
  dropOwner,
  owner,
} from './helpers.ts';

const databases: ComparedDatabase[] = [];
beforeAll(createOwner);
afterAll(async () => {
  for (const database of databases) await database.drop();
  await dropOwner();
});

async function database(text: string): Promise<ComparedDatabase> {
  const created = await createDatabase();
  databases.push(created);
  await created.run((client) => client.exec(`create schema app; ${text}`));
  return created;
}

const destructive = ({ statements }: SchemaDiff): string[] =>
  statements.filter(({ isDestructive }) => isDestructive).map(({ text }) => text);

test('statements that can lose data are marked', async () => {
  const table = (columns: string): string => `create table app.t (id integer, ${columns})`;
  const before = await database(
    `${table('short varchar(20), wide integer, price numeric(10, 4), gone text, kept integer')};
     create sequence app.counter; create type app.mood as enum ('sad', 'ok')`,
  );
  const after = await database(
    `${table('short varchar(5), wide bigint, price numeric(10, 2), kept text, added text')};
     create type app.mood as enum ('ok')`,
  );
  const diff = await diffOf(before, after);
  const marked = destructive(diff).map((text) => text.replace(/ USING .*/, ''));
  expect(marked).toEqual(
    expect.arrayContaining([
      'ALTER TABLE "app"."t" ALTER COLUMN "short" TYPE character varying(5)',
      'ALTER TABLE "app"."t" ALTER COLUMN "price" TYPE numeric(10,2)',
      'ALTER TABLE "app"."t" DROP COLUMN "gone"',
      'DROP SEQUENCE "app"."counter"',
    ]),
  );
  expect(marked.filter((text) => /"(wide|kept|added)"/.test(text))).toEqual([]);
  const script = diffScript(diff);
  expect(script).toContain('-- Destructive: this statement deletes data.\nALTER TABLE "app"."t" DROP COLUMN');
  expect(script).toContain(
    '-- Destructive: this statement can lose data.\nALTER TABLE "app"."t" ALTER COLUMN',
  );
});

test('possible renames are tables with the same columns, and columns with the same definition', async () => {
  const before = await database(
    `create table app.notes (id integer primary key, title text); create index notes_title on app.notes (title);
     create table app.tags (id integer, "Old name" text); create function app.f() returns integer language sql as 'select 1'`,
  );
  const after = await database(
    `create table app.posts (id integer primary key, title text); create index notes_title on app.posts (title);
     create table app.tags (id integer, label text); create function app.g() returns integer language sql as 'select 1'`,
  );
  const diff = await diffOf(before, after);
  expect(diff.possibleRenames.map(({ kind, statement }) => [kind, statement])).toEqual([
    ['column', 'ALTER TABLE app.tags RENAME COLUMN "Old name" TO label'],
    ['table', 'ALTER TABLE app.notes RENAME TO posts'],
  ]);
  expect(diffScript(diff)).toContain(`--rename 'app.notes=app.posts'`);
  await before.run((client) => client.exec(diff.possibleRenames.map(({ statement }) => statement).join(';')));
  const rest = await diffOf(before, after);
  expect(destructive(rest)).toEqual([]);
  expect(rest.possibleRenames).toEqual([]);
});

test('a specified rename is planned without a temporary database', async () => {
  const before = await readSnapshot((await database('create table app.a (id integer)')).target);
  const after = await readSnapshot((await database('create table app.b (id integer)')).target);
  const { statements } = compareSnapshots(before, after, { renames: [{ from: 'app.a', to: 'app.b' }] });
  expect(statements.map(({ text }) => text)).toEqual(['ALTER TABLE "app"."a" RENAME TO "b"']);
});

test("the state of a partition's trigger is compared", async () => {
  const base = `create table app.p (id integer) partition by range (id);
    create table app.p1 partition of app.p for values from (0) to (10);
    create table app.p2 partition of app.p for values from (10) to (20);
    create function app.noted() returns trigger language plpgsql as 'begin return new; end';
    create trigger t before insert on app.p for each row execute function app.noted()`;
  const wanted = [
    `${base}; alter table app.p1 disable trigger t; alter table app.p2 enable always trigger t`,
    `${base}; alter table app.p disable trigger t; alter table app.p2 enable replica trigger t`,
    base,
    '',
  ];
  const copy = await database('');
  for (const text of wanted) {
    const target = await database(text);
    await apply(copy, await diffOf(copy, target));
    expect((await diffOf(copy, target)).statements).toEqual([]);
    expect(await catalogs(copy)).toEqual(await catalogs(target));
  }
});

test('types used by columns are replaced, and matching values are kept', async () => {
  const table = `create table app.t (code app.code default 'a', codes app.code[], pair app.pair, span app.span, feeling app.feeling,
      check (length(code) > 0));
    create index t_code on app.t (code); create view app.v as select code, pair from app.t;
    create function app.f(app.code) returns app.pair language sql as 'select null::app.pair'`;
  const before = `create domain app.code as text; create type app.pair as (a integer, b text);
    create type app.span as range (subtype = integer); create type app.mood as enum ('sad', 'ok');
    create domain app.feeling as app.mood; ${table};
    comment on domain app.code is 'Code'; grant usage on type app.code to anon;
    insert into app.t values ('abc', '{x,y}', (1, 'two'), '[1,5)', 'ok')`;
  const after = `create domain app.code as varchar(5); create type app.pair as (a bigint, b text);
    create type app.span as range (subtype = numeric); create type app.mood as enum ('ok');
    create domain app.feeling as app.mood; ${table}`;
  const [source, target] = [await database(before), await database(after)];
  const diff = await diffOf(source, target);
  expect(destructive(diff).some((text) => text.includes('COLUMN "code" TYPE'))).toBe(true);
  await apply(source, diff);
  expect((await diffOf(source, target)).statements).toEqual([]);
  expect(await catalogs(source)).toEqual(await catalogs(target));
  const rows = await source.run((client) =>
    client.query<{ row: string }>(sql`select t::text as row from app.t`),
  );
  expect(rows).toEqual([{ row: '(abc,"{x,y}","(1,two)","[1,5)",ok)' }]);
});

test('tables that were attached or detached as partitions are found', async () => {
  const tables = `create table app.p (id integer) partition by range (id); create table app.other (id integer)`;
  const attached = await database(
    `${tables}; create table app.p1 partition of app.p for values from (0) to (10)`,
  );
  const detached = await database(`${tables}; create table app.p1 (id integer)`);
  expect((await diffOf(attached, detached)).partitionMoves).toEqual([
    'ALTER TABLE "app"."p" DETACH PARTITION "app"."p1"',
  ]);
  const { partitionMoves } = await diffOf(detached, attached);
  expect(partitionMoves).toEqual([
    'ALTER TABLE "app"."p" ATTACH PARTITION "app"."p1" FOR VALUES FROM (0) TO (10)',
  ]);
  await detached.run((client) => client.exec(partitionMoves.join(';')));
  expect((await diffOf(detached, attached)).statements).toEqual([]);
});

test('the order is kept for keys with the same columns, and for columns whose default calls a function', async () => {
  const text = `create function app.next() returns integer language sql as 'select 1';
    create table app.t (id integer default app.next(), other integer not null, later integer default app.next(),
      constraint k1 primary key (id, other), constraint k2 unique (id, other), constraint k3 unique (other, id))`;
  const [copy, wanted] = [await database(''), await database(text)];
  await apply(copy, await diffOf(copy, wanted));
  expect(await catalogs(copy)).toEqual(await catalogs(wanted));
});

test('grants on columns are kept if the table has no grants, and a schema gets its owner before its grants', async () => {
  const text = `create table app.t (a integer, b integer);
    alter default privileges in schema app grant all on tables to anon;
    create table app.u (a integer, b integer); revoke all on app.u from anon; grant select (a, b) on app.u to anon;
    grant select (b) on app.t to anon; grant all on schema public to postgres; alter schema public owner to postgres;
    revoke create on schema public from postgres`;
  const plain = `create table app.t (a integer, b integer); grant all on app.t to anon;
    grant all on schema public to postgres`;
  const [copy, other, wanted] = [await database(plain), await database(plain), await database(text)];
  for (const target of [wanted, other]) {
    await apply(copy, await diffOf(copy, target));
    expect((await diffOf(copy, target)).statements).toEqual([]);
    expect(await catalogs(copy)).toEqual(await catalogs(target));
  }
});

test('security labels are compared', async () => {
  const table = 'create table app.t (a integer)';
  const labeled = await database(
    `${table}; insert into pg_seclabel (objoid, classoid, objsubid, provider, label) values
       ('app.t'::regclass, 'pg_class'::regclass, 0, 'none', 'secret'),
       ('app.t'::regclass, 'pg_class'::regclass, 1, 'none', 'a column')`,
  );
  const { statements } = await diffOf(await database(table), labeled);
  expect(statements.map(({ text }) => text)).toEqual([
    `SECURITY LABEL FOR 'none' ON COLUMN "app"."t"."a" IS 'a column'`,
    `SECURITY LABEL FOR 'none' ON TABLE "app"."t" IS 'secret'`,
  ]);
});

test('an enum that is recreated keeps its grants and its comment', async () => {
  const common = `revoke usage on type app.mood from public; grant usage on type app.mood to anon with grant option;
    grant usage on type app.mood to authenticated; comment on type app.mood is 'It''s'; create table app.t (m app.mood)`;
  const before = await database(`create type app.mood as enum ('sad', 'ok', 'gone'); ${common}`);
  const after = await database(`create type app.mood as enum ('ok', 'sad'); ${common}`);
  await apply(before, await diffOf(before, after));
  expect((await diffOf(before, after)).statements).toEqual([]);
  expect(await catalogs(before)).toEqual(await catalogs(after));
});

test("a new extension's objects get their privileges, whether it is older or newer than the default privileges", async () => {
  const defaults = `alter default privileges revoke execute on functions from public;
    alter default privileges in schema app grant all on functions to anon`;
  const citext = 'create extension citext schema app';
  // The dblink extension's script revokes privileges.
  const both = `${citext}; create extension dblink schema app`;
  for (const [before, after] of [
    ['', `${citext}; ${defaults}`],
    ['', `${defaults}; ${citext}`],
    [defaults, `${both}; ${defaults}`],
    [defaults, `${defaults}; ${both}`],
    [defaults, `create extension dblink schema app; ${defaults}`],
  ] as const) {
    const [copy, wanted] = [await database(before), await database(after)];
    await apply(copy, await diffOf(copy, wanted));
    expect((await diffOf(copy, wanted)).statements).toEqual([]);
    expect(await catalogs(copy)).toEqual(await catalogs(wanted));
  }
});

test('default privileges that the comparison omits are unchanged, and do not apply to a new extension', async () => {
  const global = 'alter default privileges revoke execute on functions from public;';
  const citext = 'create extension citext schema app;';
  for (const [before, after] of [
    [global, `${citext} ${global}`],
    [global, citext],
  ] as const) {
    const [copy, wanted] = [await database(before), await database(after)];
    const options = { role: owner, schemas: ['app'] };
    const compare = async () =>
      compareSnapshots(await readSnapshot(copy.target), await readSnapshot(wanted.target), options);
    const { defaults } = await catalogs(copy);
    await apply(copy, await compare());
    expect((await compare()).statements).toEqual([]);
    const [own, others] = [await catalogs(copy), await catalogs(wanted)];
    expect(own.defaults).toEqual(defaults);
    expect(own.functions).toEqual(others.functions);
  }
  const copy = await database(global);
  const wanted = await database(`${citext} ${global}`);
  const { statements } = compareSnapshots(
    await readSnapshot(copy.target),
    await readSnapshot(wanted.target),
    { role: owner, schemas: ['public'] },
  );
  expect(statements).toEqual([]);
});

test('the privileges of an extension type are compared', async () => {
  const citext = 'create extension citext schema app;';
  const revoked = `${citext} revoke usage on type app.citext from public; grant usage on type app.citext to anon;`;
  const defaults = 'alter default privileges in schema app grant all on types to anon;';
  for (const [before, after] of [
    [citext, revoked],
    [revoked, citext],
    [revoked, ''],
    ['', revoked],
    [defaults, `${citext} ${defaults}`],
    ['', `${defaults} ${citext}`],
  ] as const) {
    const [copy, wanted] = [await database(before), await database(after)];
    await apply(copy, await diffOf(copy, wanted));
    expect((await diffOf(copy, wanted)).statements).toEqual([]);
    expect((await catalogs(copy)).types).toEqual((await catalogs(wanted)).types);
  }
});

test('options of a TOAST table that no column needs are omitted', async () => {
  const text = 'create table app.t (id integer, note text) with (toast.autovacuum_enabled = false);';
  const before = await database('');
  const after = await database(`${text} alter table app.t drop column note`);
  const script = diffScript(await diffOf(before, after));
  expect(script).toContain('CREATE TABLE "app"."t"');
  expect(script).not.toContain('toast.');
  const kept = await database(text);
  expect(diffScript(await diffOf(before, kept))).toContain('toast.autovacuum_enabled');
});

test('extensions of the hosted service’s databases are never dropped, because schema files don’t contain them', async () => {
  const names = ['pgjwt', 'pg_graphql', 'pgsodium', 'pg_stat_statements', 'supabase_vault', 'pg_net'];
  const base = 'create schema extensions; create extension pgcrypto schema extensions;';
  const available = (name: string) =>
    ({
      pg_graphql: 'create schema graphql',
      pgsodium: 'create schema pgsodium',
      supabase_vault: 'create schema vault',
    })[name];
  const create = names
    .map((name) => {
      const schema = available(name);
      return `${schema ?? 'create schema if not exists extensions'};
        create extension if not exists "${name}" schema ${schema?.split(' ').at(-1) ?? 'extensions'} cascade;`;
    })
    .join('');
  const [all, none] = [
    await database(`${base} ${create}`),
    await database(`${base} create table app.t (a integer)`),
  ];
  expect((await diffOf(all, none)).statements.map(({ text }) => text)).toEqual([
    expect.stringContaining('CREATE TABLE "app"."t"'),
  ]);
  const { statements } = await diffOf(none, all);
  const created = statements.map(({ text }) => text).filter((text) => text.startsWith('CREATE EXTENSION'));
  expect(created).toEqual([expect.stringContaining('pgjwt')]);
  const [vector, without] = [await database('create extension vector schema app'), await database('')];
  const dropped = (await diffOf(vector, without)).statements.at(-1);
  expect(dropped?.text).toBe('DROP EXTENSION "vector"');
});

test('statements for new tables, extensions and published tables run on older servers', async () => {
  const publications = `create publication supabase_realtime with (publish_generated_columns = stored);
    create publication kept with (publish_generated_columns = stored)`;
  const before = await database(publications);
  const after = await database(`${publications};
    create table app.t (id integer primary key); grant all on app.t to ${owner}, public;
    alter publication supabase_realtime add table app.t; alter publication kept add table app.t;
    create extension pg_trgm`);
  const script = diffScript(await diffOf(before, after));
  expect(script).toContain('CREATE EXTENSION IF NOT EXISTS "pg_trgm"');
  expect(script).toContain('GRANT ALL ON TABLE "app"."t" TO PUBLIC');
  expect(script).toContain('ALTER PUBLICATION "supabase_realtime" ADD TABLE "app"."t"');
  expect(script).not.toMatch(/MAINTAIN|COMMENT ON EXTENSION|publish_generated_columns/);
  await apply(before, await diffOf(before, after));
  expect((await diffOf(before, after)).statements).toEqual([]);
  await after.run((client) =>
    client.exec(`comment on extension pg_trgm is 'own'; drop publication kept;
      create publication kept for table app.t with (publish_generated_columns = stored)`),
  );
  await before.run((client) => client.exec('drop publication kept'));
  const changes = diffScript(await diffOf(before, after));
  expect(changes).toContain(`COMMENT ON EXTENSION "pg_trgm" IS 'own'`);
  expect(changes).toContain('ALTER PUBLICATION kept SET (publish_generated_columns = stored)');
});

test('privileges and settings that an older server doesn’t have are not compared', async () => {
  const table = 'create table app.t (id integer primary key);';
  const newer = await database(`${table} grant all on app.t to public;
    create table app.u (); grant maintain on app.u to public;
    alter default privileges in schema app grant all on tables to public;
    alter default privileges in schema app grant maintain on tables to pg_monitor;
    create publication p for table app.t with (publish_generated_columns = stored)`);
  const older = await database(`${table} grant all on app.t to public; revoke maintain on app.t from public;
    create table app.u ();
    alter default privileges in schema app grant all on tables to public;
    alter default privileges in schema app revoke maintain on tables from public;
    create publication p for table app.t`);
  const asOlder = { ...(await older.snapshot()), serverVersion: 150_000 };
  for (const [from, to] of [
    [await newer.snapshot(), asOlder],
    [asOlder, await newer.snapshot()],
  ] as const)
    expect(compareSnapshots(from, to, { role: owner }).statements).toEqual([]);
  expect((await diffOf(newer, older)).statements.length).toBeGreaterThan(3);
  await older.run((client) => client.exec('revoke select on app.t from public'));
  const { statements } = compareSnapshots(await newer.snapshot(), await older.snapshot(), {
    role: owner,
    targetVersion: 150_000,
  });
  expect(statements.map(({ text }) => text)).toEqual([
    'REVOKE ALL ON TABLE "app"."t" FROM PUBLIC',
    'GRANT DELETE, INSERT, REFERENCES, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."t" TO PUBLIC',
  ]);
});
