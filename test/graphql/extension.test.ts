/** Tests the extension pg_graphql, which executes GraphQL requests in the caller's transaction and as its role. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Pool, Queryable } from '../../src/platform/database/index.ts';

let backend: Backend;
let postgres: Pool;
beforeAll(async () => {
  backend = await createTestBackend();
  postgres = backend.database.pool('postgres');
  await postgres.exec(`
    create extension pg_graphql;
    comment on schema public is '@graphql({"inflect_names": true})';
    create table public.note (id int primary key, owner text not null, body text);
    alter table public.note enable row level security;
    create policy own on public.note to authenticated using (owner = auth.jwt() ->> 'sub');
    grant all on public.note to anon, authenticated, service_role;
    insert into public.note values (1, 'ann', 'first'), (2, 'bob', 'second')`);
});
afterAll(() => backend?.stop());

const resolve = async (query: string, db: Queryable = postgres, variables: object = {}): Promise<unknown> => {
  const [row] = await db.query<{ value: unknown }>(
    sql`select graphql.resolve(${query}, ${JSON.stringify(variables)}::jsonb) as value`,
  );
  return row?.value;
};

const notes = '{ noteCollection { edges { node { id } } } }';
const ids = (...numbers: number[]) => ({
  data: { noteCollection: { edges: numbers.map((id) => ({ node: { id } })) } },
});

/** Runs `work` as a role with claims, in a transaction that is rolled back. */
const as = <T>(role: string, sub: string, work: (tx: Queryable) => Promise<T>): Promise<T> =>
  backend.database.pool('authenticator').transaction(work, {
    settings: [
      ['role', role],
      ['request.jwt.claims', JSON.stringify({ role, sub })],
    ],
    end: 'rollback',
  });

test('a request is executed with the privileges of its role and its policies', async () => {
  expect(await resolve(notes)).toEqual(ids(1, 2));
  expect(await as('authenticated', 'bob', (tx) => resolve(notes, tx))).toEqual(ids(2));
  expect(await as('anon', '', (tx) => resolve(notes, tx))).toEqual(ids());
});

test('a request sees the uncommitted changes of its transaction, and no other request sees them', async () => {
  await postgres.transaction(
    async (tx) => {
      await tx.exec('create table public.draft (id int primary key); insert into public.draft values (7)');
      const drafts = '{ draftCollection { edges { node { id } } } }';
      expect(await resolve(drafts, tx)).toEqual({
        data: { draftCollection: { edges: [{ node: { id: 7 } }] } },
      });
      expect(await resolve(drafts)).toEqual({
        data: null,
        errors: [{ message: 'Unknown field "draftCollection" on type Query' }],
      });
      expect(await resolve(drafts, tx)).toMatchObject({ data: { draftCollection: {} } });
      await tx.exec('alter table public.draft rename to sketch');
      expect(await resolve('{ sketchCollection { edges { node { id } } } }', tx)).toMatchObject({
        data: { sketchCollection: { edges: [{}] } },
      });
    },
    { end: 'rollback' },
  );
});

test.each([
  ['a grant', 'revoke select (body) on public.note from anon; revoke select on public.note from anon'],
  ['a membership', 'grant service_role to anon'],
])('%s changes the schema of the next request', async (_name, statement) => {
  const query = '{ noteCollection { edges { node { body } } } }';
  await postgres.transaction(
    async (tx) => {
      await tx.exec('set local role anon');
      const before = await resolve(query, tx);
      await tx.exec(`reset role; ${statement}; set local role anon`);
      if (statement.startsWith('revoke')) expect(await resolve(query, tx)).not.toEqual(before);
      else expect(await resolve(query, tx)).toEqual(before);
    },
    { end: 'rollback' },
  );
});

describe('a mutation', () => {
  const insert = 'mutation { insertIntoNoteCollection(objects: [{id: 3, owner: "ann"}]) { affectedCount } }';

  test('is part of the transaction', async () => {
    await postgres.transaction(
      async (tx) => {
        expect(await resolve(insert, tx)).toEqual({
          data: { insertIntoNoteCollection: { affectedCount: 1 } },
        });
        expect(await resolve(notes, tx)).toEqual(ids(1, 2, 3));
      },
      { end: 'rollback' },
    );
    expect(await resolve(notes)).toEqual(ids(1, 2));
  });

  test('that affects more rows than allowed changes nothing', async () => {
    await postgres.transaction(
      async (tx) => {
        const both = `mutation {
          insertIntoNoteCollection(objects: [{id: 3, owner: "ann"}]) { affectedCount }
          deleteFromNoteCollection(atMost: 1) { affectedCount }
        }`;
        expect(await resolve(both, tx)).toEqual({
          data: null,
          errors: [{ message: 'delete impacts too many records' }],
        });
        expect(await resolve(notes, tx)).toEqual(ids(1, 2));
      },
      { end: 'rollback' },
    );
  });

  test('that fails leaves the transaction intact', async () => {
    await postgres.transaction(
      async (tx) => {
        expect(
          await resolve(
            'mutation($id: Int!) { insertIntoNoteCollection(objects: [{id: $id, owner: "x"}]) { affectedCount } }',
            tx,
            { id: 1 },
          ),
        ).toEqual({
          data: null,
          errors: [{ message: 'duplicate key value violates unique constraint "note_pkey"' }],
        });
        expect(await resolve(notes, tx)).toEqual(ids(1, 2));
      },
      { end: 'rollback' },
    );
  });
});

test('the entry point of the API passes its arguments on', async () => {
  const [row] = await postgres.query<{ value: unknown }>(sql`
    select graphql_public.graphql('b', 'query a { __typename } query b { x: __typename }') as value`);
  expect(row?.value).toEqual({ data: { x: 'Query' } });
  expect(
    await as('anon', '', (tx) =>
      tx.query(sql`select graphql_public.graphql(query => '{ __typename }') as v`),
    ),
  ).toEqual([{ v: { data: { __typename: 'Query' } } }]);
});

test('a request that exceeds a limit is rejected', async () => {
  const nested = `${'{ a '.repeat(60)}${'}'.repeat(60)}`;
  expect(await resolve(nested)).toEqual({
    errors: [{ message: 'The query has more than 50 nested fields' }],
  });
});

test('a null character and long numbers arrive unchanged or as an error', async () => {
  expect(
    await resolve('{ noteCollection(filter: {body: {eq: "\\u0000"}}) { edges { node { id } } } }'),
  ).toEqual(ids());
  expect(
    await resolve('{ noteCollection(filter: {body: {eq: "\\\\u0000"}}) { edges { node { id } } } }'),
  ).toEqual(ids());
});

test('comment_directive returns the directive of a comment', async () => {
  const [row] = await postgres.query(sql`
    select graphql.comment_directive('a @graphql({"name": "b"}) c') as found,
      graphql.comment_directive('none') as missing, graphql.comment_directive(null) as null`);
  expect(row).toEqual({ found: { name: 'b' }, missing: {}, null: {} });
});

describe('the functions that run as a superuser', () => {
  test.each(['anon', 'postgres'])('can’t be called by %s, apart from the planner', async (role) => {
    for (const call of [
      `graphql._ask('{}')`,
      `graphql._catalog_state('{public}')`,
      `graphql._dblink('', '')`,
    ]) {
      const calling = postgres.transaction(async (tx) => {
        await tx.exec(`set local role ${role}`);
        await tx.query(sql.raw(`select ${call.replace('graphql._dblink', 'graphql._dblink')}`));
      });
      await expect(calling).rejects.toMatchObject({ code: expect.stringMatching(/42501|0A000|42601/) });
    }
  });

  test('ignore objects that the project created to replace the system’s', async () => {
    await postgres.transaction(
      async (tx) => {
        await tx.exec(`
          create schema trap;
          create function trap.format(text, variadic text[]) returns text language sql as $$ select 'trap' $$;
          create function trap.jsonb_build_object(variadic text[]) returns jsonb language sql as $$ select '{"trap": 1}'::jsonb $$;
          create function trap.has_schema_privilege(name, oid, text) returns boolean language sql as $$ select true $$;
          create table trap.pg_extension (extname text);
          set local search_path = trap, public, pg_catalog`);
        expect(await resolve(notes, tx)).toEqual(ids(1, 2));
      },
      { end: 'rollback' },
    );
  });
});

test('the extension can be dropped and created again', async () => {
  const call = sql`select graphql_public.graphql(query => '{ __typename }') as value`;
  await postgres.exec('drop extension pg_graphql');
  expect(await postgres.query(call)).toEqual([
    { value: { errors: [{ message: 'pg_graphql extension is not enabled.' }] } },
  ]);
  expect(await as('anon', '', (tx) => tx.query(call))).toHaveLength(1);
  await postgres.exec('create extension if not exists pg_graphql with schema graphql');
  expect(await postgres.query(call)).toEqual([{ value: { data: { __typename: 'Query' } } }]);
});
