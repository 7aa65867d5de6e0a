/** Sends hostile requests, which must be rejected quickly and with an error that names the limit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({
    config: {
      plinth: {
        graphql: {
          max_depth: 20,
          max_complexity: 10_000,
          max_query: 50_000,
          max_variables: 1000,
          timeout: 1000,
        },
      },
    },
  });
  await backend.database.pool('postgres').exec(`
    create extension pg_graphql;
    comment on schema public is '@graphql({"introspection": true})';
    create table public.node_row (id int primary key, parent int references public.node_row, body text);
    create index on public.node_row (parent);
    create function public.slow() returns int language plpgsql stable as
      $$ begin perform pg_sleep(20); return 1; end $$;
    insert into public.node_row select n, n / 10, 'x' from generate_series(0, 100) n`);
});
afterAll(() => backend?.stop());

async function send(request: object): Promise<{ readonly message: string | undefined; readonly ms: number }> {
  const startedAt = performance.now();
  const response = await fetch(`${backend.url}/graphql/v1`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${backend.keys.serviceRoleKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(request),
  });
  const body = (await response.json()) as { errors?: { message: string }[] };
  return { message: body.errors?.[0]?.message, ms: performance.now() - startedAt };
}

const nested = (levels: number, first: string) =>
  Array.from({ length: levels }).reduce<string>(
    (inner) => `node_rowCollection${first} { edges { node { id ${inner} } } }`,
    '',
  );
const fragments = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `fragment f${n} on Query { __typename ...f${n + 1} ...f${n + 1} }`,
  ).join(' ');

describe('a request is rejected', () => {
  test.each<readonly [string, object, string]>([
    [
      'nested fields',
      { query: `{ ${nested(7, '(first: 1)')} }` },
      'The query has more than 20 nested fields',
    ],
    [
      'full pages in full pages',
      { query: `{ ${nested(4, '')} }` },
      'The response can have more than 10000 fields. Request smaller pages',
    ],
    [
      'a page size in a variable',
      { query: `query($n: Int!) { ${nested(3, '(first: $n)')} }`, variables: { n: 1_000_000 } },
      'The response can have more than 10000 fields. Request smaller pages',
    ],
    [
      'aliases',
      { query: `{ ${Array.from({ length: 501 }, (_, n) => `a${n}: __typename`).join(' ')} }` },
      'The query has more than 500 aliases',
    ],
    [
      'a long query',
      { query: `{ __typename }${' '.repeat(50_000)}` },
      'The query is larger than 50000 bytes',
    ],
    [
      'large variables',
      { query: '{ __typename }', variables: { a: 'x'.repeat(1000) } },
      'The variables are larger than 1000 bytes',
    ],
    [
      'fragments that double at each level',
      { query: `{ ...f0 } ${fragments(20)} fragment f20 on Query { __typename }` },
      'The response can have more than 10000 fields. Request smaller pages',
    ],
    ['braces', { query: '{a'.repeat(20_000) }, 'The query is nested deeper than 500 levels'],
    [
      'a cycle of fragments',
      { query: '{ ...a } fragment a on Query { ...a }' },
      'Found a cycle between fragments',
    ],
    [
      'a slow function',
      { query: '{ slow }' },
      'The request was canceled because it took longer than 1000 ms',
    ],
  ])('%s', async (_name, request, message) => {
    const found = await send(request);
    expect(found.message).toBe(message);
    expect(found.ms).toBeLessThan(15_000);
  });
});

test('smaller pages and the introspection of clients are within the limits', async () => {
  const query = `query($n: Int!) { ${nested(3, '(first: $n)')} }`;
  expect(await send({ query, variables: { n: 3 } })).toMatchObject({ message: undefined });
  expect(await send({ query, variables: { n: 1000 } })).toMatchObject({ message: expect.any(String) });
  expect(await send({ query, variables: { n: 3 } })).toMatchObject({ message: undefined });
});
