import { expect, test } from 'vitest';
import { placesLiteral, rowsBetweenQuery, type SharedTable, sharedTable } from './row-text.ts';

const table: SharedTable = {
  table: 'public.a',
  schema: 'public',
  name: 'a',
  columns: ['id', '"odd ""name"'],
  key: ['id'],
};

test('only row positions become SQL text', () => {
  expect(placesLiteral(['(0,1)', '(12,345)'])).toBe(`'{"(0,1)","(12,345)"}'::pg_catalog.tid[]`);
  expect(() => placesLiteral(["(0,1)'::tid; drop table a; --"])).toThrow('not a row position');
});

test('heap ranges are bounded by blocks, and a table’s condition still applies', () => {
  expect(rowsBetweenQuery(table, 0, 16)).toBe(
    `SELECT t.id, t."odd ""name" FROM ONLY public.a t WHERE t.ctid >= '(0,0)'::pg_catalog.tid AND t.ctid < '(16,0)'::pg_catalog.tid`,
  );
  expect(rowsBetweenQuery({ ...table, condition: 'id > 1 OR true' }, 16, undefined)).toBe(
    `SELECT t.id, t."odd ""name" FROM ONLY public.a t WHERE (id > 1 OR true) AND t.ctid >= '(16,0)'::pg_catalog.tid`,
  );
});

test('a key is usable only if the target has all of its columns', () => {
  const side = (columns: string[]) => ({ ...table, owner: 'postgres', columns });
  expect(sharedTable(side(['a', 'b', 'c']), side(['c', 'a']), ['a'])).toMatchObject({
    columns: ['a', 'c'],
    key: ['a'],
  });
  expect(sharedTable(side(['a', 'b']), side(['a']), ['a', 'b'])).toMatchObject({ key: [] });
});
