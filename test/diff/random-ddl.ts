/**
 * Generates random DDL. Names are chosen from small sets, so statements refer to each other's objects. Statements that
 * PostgreSQL rejects are skipped, so every sequence creates a schema.
 */
import fc from 'fast-check';

const pick = (...items: readonly string[]) => fc.constantFrom(...items);
const schema = pick('app', 'public');
const table = fc.tuple(schema, pick('a', 'b', 'c', 'parted')).map(([s, t]) => `${s}.${t}`);
const column = pick('id', 'x', 'y', '"Odd col"', 'note');
const view = fc.tuple(schema, pick('v', 'w')).map(([s, v]) => `${s}.${v}`);
const type = pick(
  'integer',
  'bigint',
  'text',
  'varchar(20)',
  'numeric(10,2)',
  'app.mood',
  'app.code',
  'app.pair',
  'jsonb',
  'date',
);
const value = pick("'1'", 'null', '7', "'sad'", 'app.add(1, 2)', 'now()', "nextval('app.counter')");
const condition = pick(
  'true',
  'x is not null',
  'id > 0',
  "note <> ''",
  'app.add(1, 2) = 3',
  "x::text in ('a', 'b')",
);
const role = pick('anon', 'authenticated', 'service_role', 'public');
const privilege = pick('select', 'insert', 'update (id)', 'all', 'select (x)');
const action = pick(
  '',
  ' on delete cascade',
  ' on update set null deferrable initially deferred',
  ' not valid',
);
const label = pick('sad', 'ok', 'happy', "it''s");
const comment = pick("'First'", "'It''s'", 'null');
const on = pick(
  'table app.a',
  'table public.b',
  'column app.a.id',
  'view app.v',
  'function app.add(integer, integer)',
  'type app.mood',
  'schema app',
  'sequence app.counter',
  'index app.a_index',
  'materialized view app.m',
);

const text = (
  strings: TemplateStringsArray,
  ...parts: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<string> => fc.tuple(...parts).map((values) => String.raw({ raw: strings }, ...values));

/** Statements that create objects. Each element generates one kind of statement. */
const creations = [
  text`create schema ${pick('app', 'other')}`,
  text`create table ${table} (id bigint primary key, x ${type}, note text default 'n')`,
  text`create table ${table} (id integer generated ${pick('always', 'by default')} as identity, "Odd col" ${type} not null, y ${type} default ${value}, constraint ${pick('k', 'checked')} check (${condition}))`,
  text`create table ${table} (id integer, x integer, doubled integer generated always as (x * 2) ${pick('stored', 'virtual')}, unique (id, x))`,
  text`create table ${schema}.parted (id integer, x integer, note text) partition by range (id)`,
  text`create table ${schema}.part_1 partition of ${schema}.parted for values from (${pick('0', '10')}) to (100)`,
  text`create table ${schema}.child (extra ${type}) inherits (${table})`,
  text`create unlogged table ${schema}.c (id serial, y ${type})`,
  text`create type app.mood as enum ('sad', '${pick('happy', 'ok')}')`,
  text`create type app.pair as (a ${pick('integer', 'text')}, b text)`,
  text`create type app.span as range (subtype = ${pick('integer', 'float8')})`,
  text`create domain app.code as ${pick('text', 'varchar(5)')} check (value <> '${pick('', 'x')}')`,
  text`create sequence ${schema}.counter increment ${pick('1', '5')} ${pick('', 'cycle')}`,
  text`create or replace function app.add(a integer, b integer) returns integer language sql immutable as 'select a + b${pick('', ' + 0')}'`,
  text`create function ${schema}.rows_of() returns setof ${table} language sql ${pick('stable', 'volatile security definer')} as 'select * from ${table}'`,
  text`create function app.noted() returns trigger language plpgsql as 'begin return ${pick('new', 'null')}; end'`,
  text`create procedure app.work(inout n integer) language plpgsql as 'begin n := n + ${pick('1', '2')}; end'`,
  text`create aggregate app.total(integer) (sfunc = app.add, stype = integer, initcond = '${pick('0', '1')}')`,
  text`create view ${view} ${pick('', 'with (security_invoker = true) ')}as select id, ${column} as c from ${table} where ${condition}`,
  text`create or replace view ${view} as select *, 1 as one from ${view}`,
  text`create materialized view app.m as select id, count(*) as n from ${table} group by id`,
  text`create ${pick('', 'unique ')}index ${pick('a_index', 'b_index')} on ${table} ${pick('', 'using btree ')}(${column}${pick('', ' desc nulls last')})`,
  text`create index expression_index on ${table} (lower(note)) where ${condition}`,
  text`create unique index m_index on app.m (id)`,
  text`create statistics ${schema}.stats on id, x from ${table}`,
  text`create text search configuration app.search (copy = ${pick('simple', 'english')})`,
  text`create trigger ${pick('t1', 't2')} ${pick('before', 'after')} ${pick('insert', 'update of id', 'delete')} on ${table} for each row ${pick('', 'when (true) ')}execute function app.noted()`,
  text`create policy ${pick('reads', '"Odd; policy"')} on ${table} ${pick('', 'as restrictive ')}for ${pick('all', 'select', 'update')} to ${role} using (${condition})`,
  text`create rule nothing as on ${pick('update', 'delete')} to ${table} do instead nothing`,
  text`create publication ${pick('p1', 'p2')} for table ${table}`,
  text`create extension ${pick('citext', 'pg_trgm')} with schema ${schema}`,
  text`create collation app.german (provider = icu, locale = 'de')`,
];
const changes = [
  text`alter table ${table} add column ${column} ${type} ${pick('', 'default 1', 'not null', 'collate "C"')}`,
  text`alter table ${table} alter column ${column} type ${type} using null`,
  text`alter table ${table} alter column ${column} ${pick('set not null', 'drop not null', 'drop default', 'set statistics 50', 'set storage external', 'set compression pglz', 'drop identity', 'drop expression')}`,
  text`alter table ${table} alter column ${column} set default ${value}`,
  text`alter table ${table} rename column ${column} to ${column}`,
  text`alter table ${table} rename to ${pick('a', 'b', 'c')}`,
  text`alter table ${table} add constraint ${pick('k', 'k2')} ${pick('unique (id)', 'unique nulls not distinct (x)', 'primary key (id)')}`,
  text`alter table ${table} add constraint ${pick('k', 'checked')} check (${condition})${pick('', ' not valid', ' no inherit')}`,
  text`alter table ${table} add constraint ${pick('fk', 'fk2')} foreign key (${column}) references ${table} (id)${action}`,
  text`alter table ${table} add constraint ex exclude using gist (int4range(x, x + 1) with &&)`,
  text`alter table ${table} ${pick('enable row level security', 'force row level security', 'disable row level security', 'replica identity full', 'set unlogged', 'set logged', 'set (fillfactor = 70)', 'reset (fillfactor)', 'set (toast.autovacuum_enabled = false)')}`,
  text`alter table ${table} ${pick('disable', 'enable always')} trigger ${pick('t1', 't2')}`,
  text`alter table ${schema}.part_1 ${pick('disable', 'enable replica')} trigger ${pick('t1', 't2')}`,
  text`alter table ${table} cluster on ${pick('a_index', 'k')}`,
  text`alter table ${schema}.parted detach partition ${schema}.part_1`,
  text`alter type app.mood add value '${label}' ${pick('', "before 'sad'", "after 'sad'")}`,
  text`alter type app.mood rename value 'sad' to '${label}'`,
  text`alter type app.pair ${pick('add attribute c date', 'drop attribute b', 'rename attribute a to z')}`,
  text`alter domain app.code ${pick('set not null', 'drop not null', "set default 'd'", "add constraint extra check (value <> 'y')")}`,
  text`alter sequence ${schema}.counter ${pick('increment 3', 'owned by none', 'owned by app.a.id', 'as integer')}`,
  text`alter function app.add(integer, integer) ${pick('strict', "set search_path = ''", 'parallel safe', 'reset all')}`,
  text`alter view ${view} ${pick('set (security_barrier)', 'reset (security_barrier)')}`,
  text`alter view ${view} alter column c set default 'x'`,
  text`alter publication p1 ${pick('add table app.a', 'drop table app.a', "set (publish = 'insert')")}`,
  text`grant ${privilege} on ${table} to ${role}${pick('', ' with grant option')}`,
  text`revoke ${privilege} on ${table} from ${role}`,
  text`grant ${pick('usage', 'all')} on schema app to ${role}`,
  text`revoke execute on function app.add(integer, integer) from ${role}`,
  text`grant execute on function app.add(integer, integer) to ${role}`,
  text`revoke usage on type app.mood from ${role}`,
  text`alter default privileges in schema ${schema} grant all on ${pick('tables to anon', 'functions to authenticated', 'sequences to anon')}`,
  text`alter default privileges in schema ${schema} revoke all on ${pick('tables from anon', 'functions from authenticated')}`,
  text`alter default privileges revoke execute on functions from public`,
  text`comment on ${on} is ${comment}`,
];
const removals = [
  text`drop table ${table} ${pick('', 'cascade')}`,
  text`drop view ${view} ${pick('', 'cascade')}`,
  text`drop materialized view app.m`,
  text`alter table ${table} drop column ${column} ${pick('', 'cascade')}`,
  text`alter table ${table} drop constraint ${pick('k', 'k2', 'checked', 'fk')} ${pick('', 'cascade')}`,
  text`drop index ${schema}.${pick('a_index', 'expression_index')}`,
  text`drop function app.add(integer, integer) ${pick('', 'cascade')}`,
  text`drop type ${pick('app.mood', 'app.pair', 'app.span')} ${pick('', 'cascade')}`,
  text`drop domain app.code ${pick('', 'cascade')}`,
  text`drop sequence ${schema}.counter ${pick('', 'cascade')}`,
  text`drop policy reads on ${table}`,
  text`drop trigger t1 on ${table}`,
  text`drop statistics ${schema}.stats`,
  text`drop text search configuration app.search`,
  text`drop publication p1`,
  text`drop extension citext cascade`,
  text`drop schema other cascade`,
];

/** Generates a sequence of statements, most of which create objects. */
export const ddl = (length: number): fc.Arbitrary<string[]> =>
  fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.oneof(...creations) },
      { weight: 4, arbitrary: fc.oneof(...changes) },
      { weight: 1, arbitrary: fc.oneof(...removals) },
    ),
    { minLength: length / 2, maxLength: length, size: 'max' },
  );
