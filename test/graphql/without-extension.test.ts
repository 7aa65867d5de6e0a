/** Tests `/graphql/v1` in a database without the extension pg_graphql. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({ config: { plinth: { graphql: { without_extension: true } } } });
  await backend.database.pool('postgres').exec('create table public.note (id int primary key)');
});
afterAll(() => backend?.stop());

async function send(query: string): Promise<unknown> {
  const response = await backend.fetch('/graphql/v1', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return await response.json();
}

test('the setting serves GraphQL, and changes of the schema are noticed', async () => {
  expect(await send('{ noteCollection { edges { node { id } } } }')).toEqual({
    data: { noteCollection: { edges: [] } },
  });
  await backend.database.pool('postgres').exec('alter table public.note add body text');
  await expect
    .poll(() => send('{ noteCollection { edges { node { body } } } }'))
    .toEqual({ data: { noteCollection: { edges: [] } } });
});
