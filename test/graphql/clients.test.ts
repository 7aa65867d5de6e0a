/** Tests GraphQL clients against `/graphql/v1`: Apollo Client, urql, and the compiler and the runtime of Relay. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;
let url: string;
let headers: Record<string, string>;
beforeAll(async () => {
  backend = await createTestBackend();
  await backend.database.pool('postgres').exec(`
    create extension pg_graphql;
    comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';
    create table public.author (id int primary key, name text not null);
    create table public.book (id int primary key, title text, author_id int not null references public.author);
    insert into public.author values (1, 'Ann'), (2, 'Bob');
    insert into public.book select n, 'Book ' || n, 1 + n % 2 from generate_series(1, 5) n`);
  url = `${backend.url}/graphql/v1`;
  headers = { apikey: backend.keys.anonKey, authorization: `Bearer ${backend.keys.serviceRoleKey}` };
});
afterAll(() => backend?.stop());

const books = `query Books($first: Int!, $after: Cursor) {
  bookCollection(first: $first, after: $after, orderBy: [{id: AscNullsLast}]) {
    edges { cursor node { nodeId id title author { nodeId name } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Books {
  readonly bookCollection: {
    readonly edges: readonly { readonly node: { readonly id: number; readonly title: string } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const rename = `mutation Rename($id: Int!, $title: String!) {
  updateBookCollection(set: {title: $title}, filter: {id: {eq: $id}}, atMost: 1) {
    affectedCount records { nodeId id title }
  }
}`;

test('Apollo Client reads two pages and sees a mutation in its cache', async () => {
  const client = new ApolloClient({
    link: new HttpLink({ uri: url, headers }),
    cache: new InMemoryCache({ dataIdFromObject: (object) => object.nodeId as string }),
  });
  const query = gql(books);
  const first = await client.query<Books>({ query, variables: { first: 2 } });
  const { pageInfo } = first.data?.bookCollection ?? {};
  expect(pageInfo?.hasNextPage).toBe(true);
  const second = await client.query<Books>({ query, variables: { first: 2, after: pageInfo?.endCursor } });
  expect(second.data?.bookCollection.edges.map(({ node }) => node.id)).toEqual([3, 4]);
  await client.mutate({ mutation: gql(rename), variables: { id: 1, title: 'Renamed' } });
  const cached = client.readQuery<Books>({ query, variables: { first: 2 } });
  expect(cached?.bookCollection.edges[0]?.node.title).toBe('Renamed');
});

test('urql reads a page and reports an error', async () => {
  const client = new Client({
    url,
    exchanges: [cacheExchange, fetchExchange],
    fetchOptions: { headers },
    preferGetMethod: false,
  });
  const { data } = await client.query<Books>(books, { first: 3 }).toPromise();
  expect(data?.bookCollection.edges).toHaveLength(3);
  const { error } = await client.query('{ nothing }', {}).toPromise();
  expect(error?.graphQLErrors.map(({ message }) => message)).toEqual([
    'Unknown field "nothing" on type Query',
  ]);
});

test('urql reads a page with GET', async () => {
  const client = new Client({
    url,
    exchanges: [fetchExchange],
    fetchOptions: { headers },
    preferGetMethod: 'force',
  });
  const { data } = await client.query<Books>(books, { first: 3 }).toPromise();
  expect(data?.bookCollection.edges).toHaveLength(3);
});

describe('Relay', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-relay-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('compiles a connection with a fragment against the schema, and the result runs', async () => {
    const introspection = await post({ query: getIntrospectionQuery() });
    const schema = printSchema(buildClientSchema(introspection.data as unknown as IntrospectionQuery));
    expect(schema).toContain('interface Node');
    writeFileSync(join(folder, 'schema.graphql'), schema);
    mkdirSync(join(folder, 'src'));
    writeFileSync(
      join(folder, 'src', 'page.js'),
      `graphql\`
        query pageQuery($count: Int!, $cursor: Cursor) { ...page_books }
      \`;
      graphql\`
        fragment page_books on Query @refetchable(queryName: "pagePaginationQuery") {
          bookCollection(first: $count, after: $cursor) @connection(key: "page_bookCollection") {
            edges { node { id title author { name } } }
          }
        }
      \`;`,
    );
    writeFileSync(
      join(folder, 'relay.config.json'),
      JSON.stringify({
        src: './src',
        schema: './schema.graphql',
        language: 'javascript',
        eagerEsModules: false,
        schemaConfig: { nodeInterfaceIdField: 'nodeId', nodeInterfaceIdVariableName: 'nodeId' },
      }),
    );
    const compiler = createRequire(import.meta.url)('relay-compiler') as string;
    await promisify(execFile)(compiler, ['relay.config.json'], { cwd: folder });
    const compiled = readFileSync(join(folder, 'src', '__generated__', 'pageQuery.graphql.js'), 'utf8');
    const text = JSON.parse(/"text": (".*")/.exec(compiled)?.[1] ?? 'null') as string;
    expect(text).toContain('...page_books');
    const { data, errors } = await post({ query: text, variables: { count: 2 }, operationName: 'pageQuery' });
    expect(errors).toBeUndefined();
    expect(data.bookCollection).toMatchObject({
      edges: [{ cursor: expect.any(String), node: { __typename: 'Book', id: 1 } }, { node: { id: 2 } }],
      pageInfo: { hasNextPage: true },
    });
    expect(
      readFileSync(join(folder, 'src', '__generated__', 'pagePaginationQuery.graphql.js'), 'utf8'),
    ).toContain('bookCollection');
  });
});

async function post(body: object): Promise<{ data: Record<string, unknown>; errors?: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
}
