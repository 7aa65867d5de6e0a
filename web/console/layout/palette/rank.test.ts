import { expect, test } from 'vitest';
import { rankOf, ranks } from './rank.ts';

test.each([
  ['tasks', 'Tasks', ranks.exact],
  ['tas', 'tasks', ranks.prefix],
  ['tas', 'my_tasks', ranks.word],
  ['asks', 'tasks', ranks.part],
  ['user new', 'New user', ranks.part],
  ['tsk', 'tasks', ranks.fuzzy],
  ['ivu', 'Invite user', ranks.fuzzy],
  ['ts', 'tasks', ranks.none],
  ['xyz', 'tasks', ranks.none],
  ['', 'tasks', ranks.none],
])('%s in %s', (search, text, rank) => {
  expect(rankOf(search, text)).toBe(rank);
});
