import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  columnOfValue,
  comparedColumns,
  conflictColumns,
  insertedTable,
  mentions,
  referencedColumnsOf,
  selectedColumn,
} from './statement.ts';

test('mentions', () => {
  expect(mentions('alter table "Notes" add x int', 'Notes')).toBe(true);
  expect(mentions('alter table public.notes_old add x int', 'notes')).toBe(false);
});

test('inserts', () => {
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

test('references', () => {
  const statement = 'create table a (x int references public.b (id), y int references c)';
  expect(referencedColumnsOf(statement, 'b')).toEqual(['id']);
  expect(referencedColumnsOf(statement, 'c')).toBeUndefined();
});

test('comparisons, the nearest first', () => {
  const statement = 'create policy p on t using (a.owner = auth.uid() and other in (select id from u))';
  const at = statement.indexOf(' in ') + 2;
  expect(comparedColumns(statement, at)[0]).toMatchObject({ name: 'other', isLeft: true });
  expect(comparedColumns(statement, statement.indexOf('=') + 1)[0]).toMatchObject({
    name: 'owner',
    isLeft: true,
  });
});

test('the result of an SQL function', () => {
  const statement = `create function f() returns table (a uuid, b time) language sql as $f$
    select 1; select s.id, "time" as b, coalesce(x, y), z::int from slots s where id in (select c from d) $f$`;
  const names = [1, 2, 3, 4, 5].map((place) => selectedColumn(statement, place)?.name);
  expect(names).toEqual(['id', 'time', undefined, undefined, undefined]);
  expect(selectedColumn("create function f() as 'select a from b where c = ''d'''", 1)?.name).toBe('a');
});

test('any text is read', () => {
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
