import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mentions } from '../../folder/core/missing.ts';
import {
  columnOfValue,
  comparedColumns,
  conflictColumns,
  failedQuery,
  insertedColumns,
  insertedTable,
  referencedColumnsOf,
  referencedTables,
  selectedColumn,
  writtenSchema,
} from './statement.ts';

test('a statement mentions a name with or without its schema and quotes', () => {
  expect(mentions('alter table "Notes" add x int', 'Notes')).toBe(true);
  expect(mentions('alter table public.notes_old add x int', 'notes')).toBe(false);
});

test('the table and the columns of an insert are found', () => {
  const statement = `-- x\ninsert into public.notes (id, "kind", body) values ('1', 'a', 'it''s'), ('2', 'b', f('c')) on conflict (id, kind) do nothing`;
  expect(insertedTable(statement)).toBe('notes');
  expect(conflictColumns(statement)).toEqual(['id', 'kind']);
  expect(['1', 'b', "it's", 'c', 'nothing'].map((value) => columnOfValue(statement, value))).toEqual([
    'id',
    'kind',
    'body',
    undefined,
    undefined,
  ]);
  expect(insertedTable('update notes set id = 1')).toBeUndefined();
});

test('the columns of inserts in a function are found', () => {
  const body = `begin insert into public.notes as n (id, "Kind") values (1, (select max(x) from y));
    insert into notes (body) select 'a'; insert into old.notes (x) values (1); insert into notes values (1); end`;
  expect(insertedColumns(body, { schema: 'public', name: 'notes' })).toEqual(['id', 'Kind', 'body']);
  expect(insertedColumns(body, { schema: 'old', name: 'notes' })).toContain('x');
});

test('the schema of a table is found', () => {
  const trigger =
    'create trigger t after update of status on "Shop".orders execute function shop.orders_changed()';
  expect(writtenSchema(trigger, 'orders')).toBe('Shop');
  expect(writtenSchema('alter table orders add x int', 'orders')).toBeUndefined();
});

test('referenced tables and columns are found', () => {
  const statement = 'create table a (x int references public.b (id), y int references c)';
  expect(referencedColumnsOf(statement, 'b')).toEqual(['id']);
  expect(referencedColumnsOf(statement, 'c')).toBeUndefined();
  expect(referencedTables(statement)).toEqual([{ schema: 'public', name: 'b' }, { name: 'c' }]);
});

test('comparisons are sorted by distance', () => {
  const statement = 'create policy p on t using (a.owner = auth.uid() and other in (select id from u))';
  const at = statement.indexOf(' in ') + 2;
  expect(comparedColumns(statement, at)[0]).toMatchObject({ name: 'other', isLeft: true });
  expect(comparedColumns(statement, statement.indexOf('=') + 1)[0]).toMatchObject({
    name: 'owner',
    isLeft: true,
  });
});

test('the result type of an SQL function is found', () => {
  const statement = `create function f() returns table (a uuid, b time) language sql as $f$
    select 1; select s.id, "time" as b, coalesce(x, y), z::int from slots s where id in (select c from d) $f$`;
  const names = [1, 2, 3, 4, 5].map((place) => selectedColumn(statement, place)?.name);
  expect(names).toEqual(['id', 'time', undefined, undefined, undefined]);
  expect(selectedColumn("create function f() as 'select a from b where c = ''d'''", 1)?.name).toBe('a');
});

test('the failed query is found', () => {
  const error = { code: '', message: '' };
  expect(failedQuery({ ...error, position: 3 }, 'select a')).toEqual({ query: 'select a', position: 3 });
  expect(
    failedQuery({ ...error, internalQuery: 'select b', internalPosition: 8 }, 'do $$ select b $$'),
  ).toEqual({ query: 'select b', position: 8 });
  const where = 'SQL statement "select "c" from d"\nPL/pgSQL function f() line 3';
  expect(failedQuery({ ...error, where }, 'do $$ … $$')).toEqual({
    query: 'select "c" from d',
    position: undefined,
  });
  const statement = `create function "ä🙂"() as $f$ select x from y $f$`;
  const { query, position = 0 } = failedQuery(
    { ...error, position: [...statement].indexOf('x') + 1 },
    statement,
  );
  expect([query, query[position - 1]]).toEqual([' select x from y ', 'x']);
});

test('parsing never fails', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const statement = `insert into ${a} (${b}) values (${a}) on conflict (${b}`;
      insertedTable(statement);
      conflictColumns(statement);
      columnOfValue(statement, a);
      referencedColumnsOf(`references ${a} (${b}`, a);
      comparedColumns(`${a} = ${b}`, 3);
      selectedColumn(`as $$select ${a}`, 1);
    }),
  );
});
