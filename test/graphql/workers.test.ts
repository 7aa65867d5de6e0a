/** Tests that API workers serve GraphQL requests themselves and notice changes of the schema. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({ workers: { count: 2 } });
  await backend.database.pool('postgres').exec(`
    create extension pg_graphql;
    create table public.note (id int primary key)`);
});
afterAll(() => backend?.stop());

async function send(query: string): Promise<unknown> {
  const response = await fetch(`${backend.url}/graphql/v1`, {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ query }),
  });
  return await response.json();
}

test('each worker serves the current schema', async () => {
  const note = '{ noteCollection { edges { node { id } } } }';
  const rows = { data: { noteCollection: { edges: [] } } };
  await expect.poll(() => Promise.all([1, 2, 3, 4].map(() => send(note)))).toEqual([rows, rows, rows, rows]);
  await backend.database.pool('postgres').exec('alter table public.note rename to memo');
  const memo = { data: { memoCollection: { edges: [] } } };
  await expect
    .poll(() => Promise.all([1, 2, 3, 4].map(() => send('{ memoCollection { edges { node { id } } } }'))))
    .toEqual([memo, memo, memo, memo]);
});
