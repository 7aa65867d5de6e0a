import fc from 'fast-check';
import { expect, test } from 'vitest';
import { positionOfColumn, tablesAround } from './scope.ts';

const around = (statement: string, word: string) =>
  tablesAround(statement, statement.indexOf(word) + 1).map((tables) =>
    tables.map(({ name, alias }) => (name === alias ? name : `${name} ${alias}`)),
  );

test('a subquery is searched before the query that contains it', () => {
  const policy = `create policy "on from" on public.requests for select to authenticated
    using (exists (select 1 from public.staff s, only teams where user_id = auth.uid() and role in ('a')))`;
  expect(around(policy, 'role in')).toEqual([['staff s', 'teams'], ['requests']]);
  expect(around(policy, 'using')).toEqual([['requests']]);
});

test('finds tables in joins, with aliases and in statements that change tables', () => {
  const view =
    'create view v as select s.plan, c.name from subs s left join "Co" as c on c.id = s.co where s.x';
  expect(around(view, 's.plan')).toEqual([['subs s', 'Co c']]);
  expect(around('update a set b = (select c from d where e) where f', 'e)')).toEqual([['d'], ['a']]);
  expect(around('update a set b = (select c from d where e) where g', 'g')).toEqual([['a']]);
  expect(around('alter table if exists only public.a add check (b)', 'b)')).toEqual([['a']]);
  expect(around('create index i on public.a using btree (b)', 'b)')).toEqual([['a']]);
});

test('the position of a column is found', () => {
  const statement = "/* é𝄞 */ select role(), s.role, 'role', role from s";
  expect(positionOfColumn(statement, 'role')).toBe(41);
  expect(positionOfColumn(statement, 'role', 's')).toBe(27);
  expect(positionOfColumn(statement, 'level')).toBeUndefined();
});

test('parsing never fails', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(20), (text, position) => {
      tablesAround(`select a from ${text}`, position);
      tablesAround(`create policy ${text} on ${text}`, position);
    }),
  );
});
