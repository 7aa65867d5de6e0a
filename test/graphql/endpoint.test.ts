/** Tests `/graphql/v1`, which plans and executes GraphQL requests without the extension's function. */
import { createHmac } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Pool } from '../../src/platform/database/index.ts';

let backend: Backend;
let postgres: Pool;
beforeAll(async () => {
  backend = await createTestBackend();
  postgres = backend.database.pool('postgres');
  await postgres.exec(`
    create extension pg_graphql;
    comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';
    create table public.note (id int primary key, owner uuid, body text, unique (body));
    alter table public.note enable row level security;
    create policy own on public.note to authenticated using (owner = auth.uid());
    create policy service on public.note to service_role using (true);
    insert into public.note values (1, '00000000-0000-4000-8000-000000000001', 'first'), (2, null, 'second');
    create function public.context() returns json language sql stable as
      $$ select json_build_object('role', current_user, 'method', current_setting('request.method', true),
        'path', current_setting('request.path', true), 'claims', current_setting('request.jwt.claims', true)::json) $$;
    create function public.wait(seconds float) returns int language sql volatile as
      $$ select 1 from pg_sleep(seconds) $$`);
});
afterAll(() => backend?.stop());

/** Signs a token with the well-known secret of development. */
function tokenOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const data = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ exp: 4_000_000_000, ...claims })}`;
  return `${data}.${createHmac('sha256', backend.keys.jwtSecret).update(data).digest('base64url')}`;
}
const userToken = (sub: string): string => tokenOf({ role: 'authenticated', sub });

interface Sent {
  readonly key?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly query?: string;
}

async function send(
  body: unknown,
  { key = backend.keys.anonKey, token, headers, method = 'POST', query = '' }: Sent = {},
) {
  const response = await fetch(`${backend.url}/graphql/v1${query}`, {
    method,
    headers: {
      apikey: key,
      authorization: `Bearer ${token ?? key}`,
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

const notes = '{ noteCollection { edges { node { id } } } }';
const ids = (...numbers: number[]) => ({
  data: { noteCollection: { edges: numbers.map((id) => ({ node: { id } })) } },
});
const serviceKey = () => backend.keys.serviceRoleKey;

test('a query', async () => {
  const { status, headers, body } = await send({ query: notes }, { key: serviceKey() });
  expect([status, body]).toEqual([200, ids(1, 2)]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('access-control-allow-origin')).toBe('*');
});

describe('a request like that of a client', () => {
  test.each([
    ['Apollo Client', { accept: 'application/graphql-response+json,application/json;q=0.9' }],
    [
      'urql',
      {
        accept:
          'application/graphql-response+json, application/graphql+json, application/json, text/event-stream',
      },
    ],
    ['cURL', { accept: '*/*' }],
  ])('%s', async (_name, headers) => {
    const request = { operationName: 'a', query: `query a ${notes}`, variables: {}, extensions: {} };
    expect((await send(request, { key: serviceKey(), headers })).body).toEqual(ids(1, 2));
  });

  test('supabase-js', async () => {
    const client = createClient(backend.url, serviceKey());
    expect((await client.schema('graphql_public').rpc('graphql', { query: notes })).data).toEqual(ids(1, 2));
  });
});

test('the request runs with the role and the claims of its token, and the settings of a REST request', async () => {
  const token = userToken('00000000-0000-4000-8000-000000000001');
  expect((await send({ query: notes }, { token })).body).toEqual(ids(1));
  expect((await send({ query: notes })).body).toEqual(ids());
  const { body } = await send({ query: '{ context }' }, { token });
  expect(JSON.parse((body as { data: { context: string } }).data.context)).toMatchObject({
    role: 'authenticated',
    method: 'POST',
    path: '/rpc/graphql',
    claims: { sub: '00000000-0000-4000-8000-000000000001' },
  });
});

describe('the response is that of the function', () => {
  const variables = { id: 3, body: 'third', big: 1 };
  const insert = (id: number, body: string) =>
    `mutation { insertIntoNoteCollection(objects: [{id: ${id}, body: "${body}"}]) { affectedCount records { id } } }`;
  test.each<readonly [string, object]>([
    ['query', { query: notes }],
    ['aliases', { query: `{ a: noteCollection(first: 1) { edges { node { id } } } b: __typename }` }],
    [
      'variables',
      {
        query: `query($n: Int!) { noteCollection(first: $n) { edges { node { id } } } }`,
        variables: { n: 1 },
      },
    ],
    ['an unknown field', { query: '{ nothing }' }],
    ['an unknown field beside another', { query: '{ nothing __typename }' }],
    ['a syntax error', { query: '{' }],
    ['an unknown operation', { query: 'query a { __typename }', operationName: 'b' }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
    ['a duplicate key', { query: insert(1, 'x') }],
    [
      'two mutations of which one fails',
      {
        query: `mutation { a: insertIntoNoteCollection(objects: [{id: 50}]) { affectedCount } b: insertIntoNoteCollection(objects: [{id: 1}]) { affectedCount } }`,
      },
    ],
    ['too many rows', { query: 'mutation { deleteFromNoteCollection(atMost: 1) { affectedCount } }' }],
    ['a typename in a mutation', { query: 'mutation { __typename }' }],
    ['variables that aren’t used', { query: '{ __typename }', variables }],
    ['no query', { query: null }],
    ['variables that aren’t an object', { query: '{ __typename }', variables: [1] }],
  ])('%s', async (_name, request) => {
    const { body, status } = await send(request, { key: serviceKey() });
    const client = createClient(backend.url, serviceKey());
    const called = await client.schema('graphql_public').rpc('graphql', request);
    expect([status, body]).toEqual([200, called.data]);
    expect((await send({ query: notes }, { key: serviceKey() })).body).toEqual(ids(1, 2));
  });

  test.each<readonly [string, unknown, Sent, number, string]>([
    ['an argument that the function doesn’t have', { query: notes, other: 1 }, {}, 404, 'PGRST202'],
    ['invalid JSON', '{', {}, 400, 'PGRST102'],
    ['an invalid token', { query: notes }, { token: 'x.y.z' }, 401, 'PGRST301'],
    ['a path below', { query: notes }, { query: '/more' }, 404, 'PGRST125'],
    ['a method', { query: notes }, { method: 'PUT' }, 405, 'PGRST101'],
    ['a media type', { query: notes }, { headers: { accept: 'text/csv2' } }, 406, 'PGRST107'],
  ])('%s is an error of REST', async (_name, request, sent, status, code) => {
    const response = await send(request, sent);
    expect([response.status, (response.body as { code: string }).code]).toEqual([status, code]);
  });
});

describe('GET', () => {
  const get = (parameters: Record<string, string>) =>
    send(undefined, { method: 'GET', key: serviceKey(), query: `?${new URLSearchParams(parameters)}` });

  test('runs a query', async () => {
    const query =
      'query a($n: Int!) { noteCollection(first: $n) { edges { node { id } } } } query b { __typename }';
    expect((await get({ query, operationName: 'a', variables: '{"n": 1}' })).body).toEqual(ids(1));
  });

  test('can’t change anything', async () => {
    const { body } = await get({
      query: 'mutation { deleteFromNoteCollection(atMost: 9) { affectedCount } }',
    });
    expect(body).toEqual({
      data: null,
      errors: [{ message: 'cannot execute SELECT in a read-only transaction' }],
    });
  });
});

test('mutations are committed together', async () => {
  const query = `mutation {
    a: insertIntoNoteCollection(objects: [{id: 10, body: "ten"}]) { records { id body } }
    b: updateNoteCollection(set: {body: "TEN"}, filter: {id: {eq: 10}}, atMost: 1) { affectedCount records { body } }
    c: deleteFromNoteCollection(filter: {id: {eq: 10}}, atMost: 1) { affectedCount }
    d: __typename
  }`;
  expect((await send({ query }, { key: serviceKey() })).body).toEqual({
    data: {
      a: { records: [{ id: 10, body: 'ten' }] },
      b: { affectedCount: 1, records: [{ body: 'TEN' }] },
      c: { affectedCount: 1 },
      d: 'Mutation',
    },
  });
});

describe('a change of the schema', () => {
  const fields = async () => {
    const { body } = await send({ query: '{ __type(name: "Note") { fields { name } } }' });
    return (body as { data: { __type: { fields: { name: string }[] } } }).data.__type.fields.map(
      ({ name }) => name,
    );
  };
  test.each([
    ['a column', 'alter table public.note add added int', 'alter table public.note drop added'],
    [
      'a comment',
      `comment on column public.note.body is '@graphql({"name": "added"})'`,
      'comment on column public.note.body is null',
    ],
  ])('%s', async (_name, change, back) => {
    expect(await fields()).not.toContain('added');
    await postgres.exec(change);
    await expect.poll(fields).toContain('added');
    await postgres.exec(back);
    await expect.poll(fields).not.toContain('added');
  });

  test('a revoked privilege', async () => {
    expect(await fields()).toContain('owner');
    await postgres.exec(
      'revoke select on public.note from anon; grant select (id, body) on public.note to anon',
    );
    await expect.poll(fields).not.toContain('owner');
    await postgres.exec('grant select on public.note to anon');
    await expect.poll(fields).toContain('owner');
  });
});

describe('GraphQL is off', () => {
  const query = { query: '{ __typename }' };
  const on = { data: { __typename: 'Query' } };
  const asAnon = () => send(query);

  test.each([
    ['for a role without the privilege on the entry point', 'function graphql_public.graphql', 401],
    ['for a role without the privilege on resolve', 'function graphql.resolve', 401],
  ])('%s', async (_name, object, status) => {
    const admin = backend.database.pool('supabase_admin');
    await admin.exec(`revoke execute on ${object} from public, anon; notify plinth_graphql`);
    await expect.poll(async () => (await asAnon()).status).toBe(status);
    expect((await send(query, { key: serviceKey() })).body).toEqual(on);
    await admin.exec(`grant execute on ${object} to public; notify plinth_graphql`);
    await expect.poll(async () => (await asAnon()).body).toEqual(on);
  });

  test('without the extension', async () => {
    await postgres.exec('drop extension pg_graphql');
    await expect
      .poll(async () => (await asAnon()).body)
      .toEqual({ errors: [{ message: 'pg_graphql extension is not enabled.' }] });
    await postgres.exec('create extension pg_graphql');
    await expect.poll(async () => (await asAnon()).body).toEqual(on);
  });
});

test('unknown roles and roles that the API can’t use get REST’s errors', async () => {
  for (const [role, status] of [
    ['unknown_role', 401],
    ['postgres', 403],
  ] as const)
    expect((await send({ query: notes }, { token: tokenOf({ role }) })).status).toBe(status);
});

test('several introspections at the same time have the same response, and other requests are served in between', async () => {
  const all = { query: '{ __schema { types { name fields { name type { name } } } } }' };
  const [one, two, read] = await Promise.all([
    send(all),
    send(all),
    send({ query: notes }, { key: serviceKey() }),
  ]);
  expect(one.body).toMatchObject({ data: { __schema: { types: expect.arrayContaining([]) } } });
  expect(two.body).toEqual(one.body);
  expect(read.body).toEqual(ids(1, 2));
  const [row] = await postgres.query<{ value: unknown }>(sql`select graphql.resolve(${all.query}) as value`);
  expect(row?.value).toHaveProperty(['data', '__schema', 'types']);
});
