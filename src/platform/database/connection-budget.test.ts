import { expect, test } from 'vitest';
import { budgetOf } from './connection-budget.ts';

const path = { sharedConnections: 4, aloneConnections: 6, slowConnections: 4 };

test('a process uses its connections for REST, one pool per role, notifications and replication', () => {
  expect(budgetOf({ path, poolMax: 5 })).toMatchObject({
    rest: 14,
    pools: 45,
    sessions: 2,
    pooled: 0,
    direct: 61,
  });
});

test('workers have their own connections', () => {
  const workers = { count: 2, path: { ...path, sharedConnections: 2 }, poolMax: 3 };
  expect(budgetOf({ path, poolMax: 5, workers })).toMatchObject({
    rest: 14 + 2 * 12,
    pools: 45 + 2 * 3,
    sessions: 4,
    pooled: 0,
    direct: 38 + 51 + 4,
  });
});

test('with a pooler, most connections lead to the pooler', () => {
  expect(budgetOf({ path, poolMax: 5, isPooled: true })).toMatchObject({
    rest: 14,
    pools: 45,
    sessions: 4,
    pooled: 14 + 20,
    direct: 25 + 4,
  });
});
