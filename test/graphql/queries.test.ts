/**
 * Runs queries and mutations on a real database, in the session by `graphql.resolve` and over HTTP by `/graphql/v1`,
 * which must respond equally.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

const COLUMNS = 120;
const wide = Array.from({ length: COLUMNS }, (_, n) => `c${n}`);

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend();
  await backend.database.pool('postgres').exec(`
    create extension pg_graphql;
    comment on schema public is '@graphql({"inflect_names": true, "max_rows": 50})';
    create type public.mood as enum ('happy', 'so-so');
    comment on type public.mood is '@graphql({"mappings": {"so-so": "SO_SO"}})';
    create table public.item (
      id int primary key, rank int, name varchar(20), mood public.mood, tags text[], price numeric(8, 2), big bigint, data jsonb
    );
    comment on table public.item is '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})';
    insert into public.item (id, rank, name, price, big)
      select n, nullif(n % 4, 0), 'item ' || n % 5, n, 9007199254740993 from generate_series(1, 17) n;
    create table public.part (id int primary key, item_id int references public.item, label text);
    insert into public.part select n, 1 + n % 3, 'part ' || n from generate_series(1, 9) n;
    create table public.wide (id int primary key, ${wide.map((name) => `${name} int default 1`).join()});
    insert into public.wide (id) values (1);
    create sequence public.calls;
    create function public.cheap_items(below int default 4) returns setof public.item language sql volatile as
      $$ select pg_catalog.nextval('public.calls'); select * from public.item where id < below $$;
    create function public.label(item public.item) returns text language sql stable as $$ select item.name || '!' $$;
    create function public.first_parts(item public.item) returns setof public.part language sql stable as
      $$ select * from public.part where item_id = item.id order by id limit 2 $$;
    create function public.joined(words text[], glue text default '-') returns text language sql immutable as
      $$ select pg_catalog.array_to_string(words, glue, 'null') $$;
    grant all on all tables in schema public to service_role`);
});
afterAll(() => backend?.stop());

interface Result {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

async function inSession(query: string, variables: object = {}): Promise<Result> {
  const [row] = await backend.database
    .pool('postgres')
    .query<{ result: Result }>(
      sql`select graphql.resolve(${query}, ${JSON.stringify(variables)}::jsonb) as result`,
    );
  if (row === undefined) throw new Error('no row');
  return row.result;
}

async function overHttp(query: string, variables: object = {}): Promise<Result> {
  const { serviceRoleKey } = backend.keys;
  const response = await fetch(`${backend.url}/graphql/v1`, {
    method: 'POST',
    headers: {
      apikey: serviceRoleKey,
      authorization: `Bearer ${serviceRoleKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Result;
}

/** Returns the result of a query, which must be the same both ways. */
async function resolve(query: string, variables: object = {}): Promise<Result> {
  const result = await overHttp(query, variables);
  expect(await inSession(query, variables)).toEqual(result);
  return result;
}

interface Page {
  readonly edges: readonly { readonly node: { readonly id: number } }[];
  readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
    Readonly<Record<'startCursor' | 'endCursor', string | null>>;
}

const PAGE = '{ edges { node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }';

describe('pages', () => {
  const orders = ['AscNullsFirst', 'AscNullsLast', 'DescNullsFirst', 'DescNullsLast'].flatMap((direction) => [
    [{ rank: direction }],
    [{ rank: direction }, { name: 'DescNullsLast' }],
  ]);

  test.each([[[]], ...orders.map((order) => [order])])(
    'all rows are on one page, in order: %j',
    async (order) => {
      const query = (args: string) =>
        `query($order: [ItemOrderBy!], $cursor: Cursor) { page: itemCollection(orderBy: $order, ${args}) ${PAGE} }`;
      const pageOf = async (args: string, cursor: string | null): Promise<Page> =>
        (await resolve(query(args), { order, cursor })).data?.page as Page;
      const idsOf = (page: Page) => page.edges.map(({ node }) => node.id);
      const all = idsOf(await pageOf('first: 50', null));
      expect(all).toHaveLength(17);

      const forward: number[] = [];
      for (let cursor: string | null = null, more = true; more; ) {
        const page: Page = await pageOf('first: 5, after: $cursor', cursor);
        expect(page.pageInfo.hasPreviousPage).toBe(forward.length > 0);
        forward.push(...idsOf(page));
        more = page.pageInfo.hasNextPage;
        cursor = page.pageInfo.endCursor;
      }
      expect(forward).toEqual(all);

      const backward: number[] = [];
      for (let cursor: string | null = null, more = true; more; ) {
        const page: Page = await pageOf('last: 5, before: $cursor', cursor);
        expect(page.pageInfo.hasNextPage).toBe(backward.length > 0);
        backward.unshift(...idsOf(page));
        more = page.pageInfo.hasPreviousPage;
        cursor = page.pageInfo.startCursor;
      }
      expect(backward).toEqual(all);
    },
  );

  test('an offset, and an empty page', async () => {
    const query = `{ a: itemCollection(first: 2, offset: 16) ${PAGE} b: itemCollection(offset: 17) ${PAGE} }`;
    expect((await resolve(query)).data).toMatchObject({
      a: { edges: [{ node: { id: 17 } }], pageInfo: { hasNextPage: false, hasPreviousPage: true } },
      b: {
        edges: [],
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      },
    });
  });
});

describe('filters', () => {
  const idsWith = async (filter: object): Promise<number[]> => {
    const query =
      'query($filter: ItemFilter) { itemCollection(filter: $filter) { totalCount edges { node { id } } } }';
    const { data } = await resolve(query, { filter });
    const found = data?.itemCollection as Page & { readonly totalCount: number };
    expect(found.totalCount).toBe(found.edges.length);
    return found.edges.map(({ node }) => node.id);
  };

  test.each<readonly [object, readonly number[]]>([
    [{ id: { gte: 3, lt: 6, neq: 4 } }, [3, 5]],
    [{ id: { in: [2, 1, 99] } }, [1, 2]],
    [{ id: { in: [] } }, []],
    [{ rank: { is: 'NULL' } }, [4, 8, 12, 16]],
    [{ name: { startsWith: 'item 1' }, id: { lte: 6 } }, [1, 6]],
    [{ name: { iregex: '^ITEM [01]$' }, id: { lte: 6 } }, [1, 5, 6]],
    [{ or: [{ id: { eq: 1 } }, { and: [{ id: { eq: 2 } }, { not: { rank: { is: 'NULL' } } }] }] }, [1, 2]],
    [{ or: [{}], not: {}, id: { eq: 1 } }, [1]],
    [{ big: { eq: '9007199254740993' }, id: { eq: 1 } }, [1]],
    [{ price: { gt: '15.5' } }, [16, 17]],
    [{ id: { eq: null } }, []],
  ])('%j', async (filter, ids) => {
    expect(await idsWith(filter)).toEqual(ids);
  });
});

describe('rows', () => {
  test('relationships, computed fields and functions', async () => {
    const query = `{
      itemCollection(first: 1) { edges { node {
        label big price
        partCollection(filter: { id: { lt: 8 } }, last: 1) { edges { node { label item { id } } } }
        firstParts(first: 1) { edges { node { id } } }
      } } aggregate { count avg { id } sum { price } max { name } } }
      joined(words: ["a", null, "b\\"\\\\,"])
    }`;
    expect((await resolve(query)).data).toEqual({
      itemCollection: {
        edges: [
          {
            node: {
              label: 'item 1!',
              big: '9007199254740993',
              price: '1.00',
              partCollection: { edges: [{ node: { label: 'part 6', item: { id: 1 } } }] },
              firstParts: { edges: [{ node: { id: 3 } }] },
            },
          },
        ],
        aggregate: { count: 17, avg: { id: 9 }, sum: { price: 153 }, max: { name: 'item 4' } },
      },
      joined: 'a-null-b"\\,',
    });
  });

  test('a row with many fields', async () => {
    const { data } = await resolve(`{ wideCollection { edges { node { ${wide.join(' ')} } } } }`);
    const node = Object.fromEntries(wide.map((name) => [name, 1]));
    expect(data).toEqual({ wideCollection: { edges: [{ node }] } });
  });

  test('a volatile function is called once', async () => {
    const query = `mutation { cheapItems(below: 3) { totalCount ${PAGE.slice(2, -2)} } }`;
    const before = await calls();
    expect((await overHttp(query)).data).toMatchObject({
      cheapItems: { totalCount: 2, edges: [{ node: { id: 1 } }, { node: { id: 2 } }] },
    });
    expect(await calls()).toBe(before + 1);
  });

  async function calls(): Promise<number> {
    const [row] = await backend.database
      .pool('postgres')
      .query<{ calls: number }>(
        sql`select case when is_called then last_value else 0 end::int as calls from public.calls`,
      );
    return row?.calls ?? -1;
  }
});

describe('changes', () => {
  test('many rows of a variable, with values of every kind', async () => {
    const odd = `'"\\ \u00e9 \u{1F600} {},`;
    const rows = Array.from({ length: 500 }, (_, n) => ({
      id: 1000 + n,
      name: `new ${n}`,
      mood: n % 2 === 0 ? 'SO_SO' : 'happy',
      tags: [odd, null],
      data: JSON.stringify({ n }),
    }));
    const query = `mutation($rows: [ItemInsertInput!]!) {
      insertIntoItemCollection(objects: $rows) { affectedCount records { id name mood tags data } }
    }`;
    const { data, errors } = await overHttp(query, { rows });
    expect(errors).toBeUndefined();
    const inserted = data?.insertIntoItemCollection as {
      readonly records: readonly { readonly data: string }[];
    };
    expect({
      ...inserted,
      records: inserted.records.map((row) => ({ ...row, data: JSON.stringify(JSON.parse(row.data)) })),
    }).toEqual({ affectedCount: 500, records: rows });
    const removed = await overHttp(
      'mutation { deleteFromItemCollection(filter: { id: { gte: 1000 } }, atMost: 500) { affectedCount } }',
    );
    expect(removed.data).toEqual({ deleteFromItemCollection: { affectedCount: 500 } });
  });

  test('rows with different columns have their defaults', async () => {
    const query = `mutation {
      insertIntoWideCollection(objects: [{ id: 2, c0: null }, { id: 3, c1: 5 }]) { records { id c0 c1 } }
    }`;
    expect((await overHttp(query)).data).toEqual({
      insertIntoWideCollection: {
        records: [
          { id: 2, c0: null, c1: 1 },
          { id: 3, c0: 1, c1: 5 },
        ],
      },
    });
  });

  test('a change of too many rows undoes the whole mutation', async () => {
    const query = `mutation {
      one: updateItemCollection(set: { name: "x" }, filter: { id: { eq: 1 } }) { affectedCount }
      two: updateItemCollection(set: { name: "x" }, filter: { id: { lt: 4 } }, atMost: 2) { affectedCount }
    }`;
    const failed = { data: null, errors: [{ message: 'update impacts too many records' }] };
    expect(await overHttp(query)).toEqual(failed);
    expect(await inSession(query)).toEqual(failed);
    expect((await resolve('{ itemByPk(id: 1) { name } }')).data).toEqual({ itemByPk: { name: 'item 1' } });
  });

  test('a value that is too long is refused rather than shortened', async () => {
    const query =
      'mutation { updateItemCollection(set: { price: "1234567" }, filter: { id: { eq: 1 } }) { affectedCount } }';
    expect(await overHttp(query)).toMatchObject({
      data: null,
      errors: [{ message: 'numeric field overflow' }],
    });
  });
});

test('objects in front of those of PostgreSQL are not used', async () => {
  await backend.database.pool('postgres').exec(`
    create schema evil;
    create function evil.always(varchar, varchar) returns boolean language sql as 'select true';
    create function evil.always(int, int) returns boolean language sql as 'select true';
    create operator evil.= (leftarg = varchar, rightarg = varchar, function = evil.always);
    create operator evil.= (leftarg = int, rightarg = int, function = evil.always);
    create operator evil.> (leftarg = int, rightarg = int, function = evil.always);
    create function evil.jsonb_build_array(text, text, int) returns jsonb language sql as $$ select '[]'::jsonb $$;
    create function evil.json_agg(json) returns json language sql as $$ select '["evil"]'::json $$;
    create domain evil.text as pg_catalog.text check (false);
    create domain evil.uuid as pg_catalog.text check (false);
    create function public.attacked(query pg_catalog.text) returns pg_catalog.jsonb language sql
      set search_path = evil, public, pg_catalog as 'select graphql.resolve(query)'`);
  const query = `{ itemCollection(filter: { name: { eq: "none" } }) { edges { node { id } } }
    one: itemCollection(filter: { id: { eq: 2 } }, after: "${Buffer.from('[1]').toString('base64')}") {
      edges { node { id nodeId big partCollection { edges { node { id } } } } }
    } }`;
  const [row] = await backend.database
    .pool('postgres')
    .query<{ result: Result }>(sql`select public.attacked(${query}) as result`);
  expect(row?.result).toEqual(await inSession(query));
  expect(row?.result.data).toMatchObject({
    itemCollection: { edges: [] },
    one: { edges: [{ node: { id: 2 } }] },
  });
});
