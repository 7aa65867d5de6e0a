/** Tests that objects with circular dependencies can be created, changed and dropped. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import {
  apply,
  type ComparedDatabase,
  catalogs,
  createDatabase,
  createOwner,
  diffOf,
  dropOwner,
} from './helpers.ts';

beforeAll(createOwner);
afterAll(dropOwner);

const cases: Readonly<Record<string, readonly [create: string, change: string]>> = {
  'two tables that refer to each other': [
    `create table app.a (id integer primary key, b integer);
     create table app.b (id integer primary key, a integer references app.a);
     alter table app.a add constraint a_b foreign key (b) references app.b`,
    'alter table app.a add column note text; alter table app.b add column other integer references app.a',
  ],
  'a view and a function of its row type': [
    `create view app.v with (security_invoker = true) as select 1 as id, 'a'::varchar(5) as label;
     create function app.f(app.v) returns text language sql begin atomic select ($1).label; end;
     create or replace view app.v with (security_invoker = true) as
       select 1 as id, 'a'::varchar(5) as label, app.f(null) as more;
     create materialized view app.m as select count(more) as n, count(id) as "all" from app.v;
     grant select on app.v to anon; comment on view app.v is 'Circle'`,
    `create or replace view app.v with (security_invoker = true) as
       select 2 as id, 'b'::varchar(5) as label, app.f(null) as more, now() as at`,
  ],
  'two functions that call each other': [
    `create function app.even(n integer) returns boolean language sql return true;
     create function app.odd(n integer) returns boolean language sql return case when n = 0 then false else app.even(n - 1) end;
     create or replace function app.even(n integer) returns boolean language sql begin atomic
       select case when n = 0 then true else app.odd(n - 1) end; end`,
    `create or replace function app.even(n integer) returns boolean language sql begin atomic
       select case when n <= 0 then true else app.odd(n - 1) end; end`,
  ],
  'a table whose default, check and policy call functions that read it': [
    `create table app.t (a integer, b integer, c integer);
     create function app.total() returns integer language sql begin atomic select count(*)::integer from app.t; end;
     create function app.ok(app.t) returns boolean language sql immutable begin atomic select ($1).a > 0; end;
     alter table app.t alter column b set default app.total(), alter column b set not null,
       add constraint t_ok check (app.ok(t)), enable row level security;
     create policy reads on app.t using (app.ok(t) and app.total() > 0)`,
    'alter table app.t drop constraint t_ok, alter column c set default app.total()',
  ],
  'a domain whose check reads a column of the domain': [
    `create domain app.d as integer;
     create table app.uses (d app.d);
     create function app.is_ok(integer) returns boolean language sql stable begin atomic
       select $1 > 0 or exists (select from app.uses where d is null); end;
     alter domain app.d add constraint ok check (app.is_ok(value))`,
    'alter domain app.d set default 3',
  ],
  'two views that select from each other': [
    `create view app.x as select 1 as id;
     create view app.y as select id from app.x;
     create or replace view app.x as select id from app.y`,
    'create or replace view app.y as select id, 2 as two from app.x',
  ],
};

test.each(Object.entries(cases))('%s', async (_name, [create, change]) => {
  const databases: ComparedDatabase[] = [];
  const database = async (text: string): Promise<ComparedDatabase> => {
    const created = await createDatabase();
    databases.push(created);
    await created.run((client) => client.exec(`create schema app; ${text}`));
    return created;
  };
  try {
    const [empty, full, changed] = [
      await database(''),
      await database(create),
      await database(`${create}; ${change}`),
    ];
    const copy = await database('');
    for (const wanted of [full, changed, full, empty]) {
      await apply(copy, await diffOf(copy, wanted));
      expect((await diffOf(copy, wanted)).statements).toEqual([]);
      expect(await catalogs(copy)).toEqual(await catalogs(wanted));
    }
    await apply(copy, await diffOf(copy, full));
    if (create.includes('materialized')) {
      // The materialized view's rows come from the complete view.
      const rows = await copy.run((client) => client.query(sql`select n::text, "all"::text from app.m`));
      expect(rows).toEqual([{ n: '0', all: '1' }]);
    }
  } finally {
    for (const each of databases) await each.drop();
  }
});
