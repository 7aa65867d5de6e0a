import { expect, test } from 'vitest';
import { indexFor } from './index-for.ts';

const columns = ['id', 'kind', 'Odd "name"', 'owner'].map((name) => ({ name, isSortable: true }));
const facts = { columns: [...columns, { name: 'data', isSortable: false }], indexes: [['id']] };

test.each<[string, string[] | undefined]>([
  ['(big.kind = $1)', ['kind']],
  ["((big.kind)::text = 'x'::text)", ['kind']],
  ['((big.owner > $1) AND (big.kind = $2))', ['kind', 'owner']],
  ['((b."Odd ""name""" = ANY ($1)) AND (b.kind ~~ $2))', ['Odd "name"']],
  ['(big.owner = ( SELECT auth.uid() AS uid))', ['owner']],
  // No index can serve these conditions.
  ['(lower(big.kind) = $1)', undefined],
  ['((big.kind = $1) OR (big.owner = $2))', undefined],
  ["(big.kind ~~ '%x%'::text)", undefined],
  ['(big.kind <> $1)', undefined],
  ['(NOT (big.kind = $1))', undefined],
  ['(big.data = $1)', undefined],
  ['(big.kind = big.owner)', undefined],
  // An index that finds these rows exists, so another one wouldn't change the plan.
  ['((big.id = $1) AND (big.kind = $2))', undefined],
  ['', undefined],
])('%s', (condition, expected) => {
  expect(indexFor(condition, facts)).toEqual(expected);
});
