/** Tests the SQL text and the parameters of plans over a small schema cache. */
import { describe, expect, test } from 'vitest';
import { inSlices } from '../../../../base/shared/slices.ts';
import { defaultConfig } from '../../../../platform/config/index.ts';
import type { ForeignKeyRow, RelationRow, RoutineRow } from '../../queries.ts';
import { buildSchemaCache, type CatalogRows } from '../../schema-cache/build.ts';
import { settingsFromConfig } from '../../settings.ts';
import { planCrud } from '../plan/crud.ts';
import { parseBody, parseHead, readAction, readProfile } from '../request.ts';
import { bind, compileShape, ShapeCache } from '../shapes.ts';

const relation = (oid: number, name: string, ...columns: [name: string, type: string][]): RelationRow => ({
  oid,
  schema: 'public',
  name,
  description: null,
  isView: false,
  events: 28,
  primaryKey: ['id'],
  columns: columns.map(([column, type]) => ({
    name: column,
    description: null,
    nullable: true,
    type,
    nominalType: type,
    maxLength: null,
    default: column === 'id' ? "nextval('ids')" : null,
    enumValues: [],
  })),
});
const foreignKey: ForeignKeyRow = {
  tableOid: 2,
  schema: 'public',
  table: 'books',
  foreignOid: 1,
  foreignSchema: 'public',
  foreignTable: 'people',
  constraint: 'books_author_fkey',
  columns: [['author', 'id']],
  columnNumbers: [2],
  foreignColumnNumbers: [1],
  oneToOne: false,
};
const routine: RoutineRow = {
  schema: 'public',
  name: 'add',
  description: null,
  parameters: [{ name: 'a', type: 'integer', unboundedType: 'integer', required: true, variadic: false }],
  returnsSchema: 'pg_catalog',
  returnsName: 'int4',
  returnsSet: false,
  returnsComposite: false,
  volatility: 'i',
  hasVariadic: false,
  isolation: null,
  settings: [],
};
const catalog: CatalogRows = {
  schemas: ['public'],
  relations: [
    relation(1, 'people', ['id', 'integer'], ['name', 'text'], ['data', 'jsonb']),
    relation(2, 'books', ['id', 'integer'], ['author', 'integer'], ['title', 'text']),
  ],
  foreignKeys: [foreignKey],
  primaryKeys: [],
  views: [],
  computed: [],
  routines: [routine],
  representations: [],
  mediaHandlers: [],
  setsResponse: false,
  isDistributed: false,
};
const settings = { ...settingsFromConfig(defaultConfig(), 'off'), schemas: ['public'] };
const contextOf = async (rows: CatalogRows) => ({
  cache: await inSlices(buildSchemaCache(rows)),
  settings,
  shapes: new ShapeCache(),
});
const single = await contextOf(catalog);
const citus = await contextOf({ ...catalog, isDistributed: true });

type Headers = Record<string, string>;

const compiled = (method: string, url: string, body = '', headers: Headers = {}) =>
  compiledIn(single, { method, url, body, headers });

interface Case {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly headers?: Headers;
}

function compiledIn(context: typeof single, { method, url, body = '', headers = {} }: Case) {
  const [path = '', query = ''] = url.split('?');
  const request = { method, path, query, headers, body: new TextEncoder().encode(body) };
  const action = readAction(request, settings);
  if (action.kind === 'root' || action.kind === 'options') throw new Error('no statement');
  const parsed = parseBody(
    parseHead(request, action, readProfile(request, settings.schemas), settings),
    request,
  );
  const shape = context.shapes.get(parsed.key) ?? compileShape(planCrud(parsed, context), parsed, context);
  context.shapes.set(parsed.key, shape);
  const values = bind(shape, parsed).params.map((value) =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : value,
  );
  const { text, key } = shape.compiled.main;
  return { shape, text, key, values };
}

describe('statements for reads', () => {
  test('a plain read returns one JSON text per row', () => {
    expect(compiled('GET', '/people?id=eq.1&select=id,city:data->>city&order=name.desc')).toMatchObject({
      text:
        `select row_to_json(_postgrest_t) from (select "people"."id", "public"."people"."data"->>'city' as "city"`.replace(
          '"people"."id"',
          '"public"."people"."id"',
        ) +
        ` from "public"."people" where "public"."people"."id" = $1 order by "public"."people"."name" desc limit 1000) _postgrest_t`,
      values: ['1'],
    });
  });

  test('equal shapes share a plan and a statement, and only their values differ', () => {
    const one = compiled('GET', '/people?name=like.A*&limit=2');
    const other = compiled('GET', '/people?name=like.*z&limit=3&');
    expect(other.shape).toBe(one.shape);
    expect([one.values, other.values]).toEqual([
      ['A%', '2', '0'],
      ['%z', '3', '0'],
    ]);
  });

  test('the statement doesn’t depend on values, even if the shape does', () => {
    const one = compiled('GET', '/people?or=(id.eq.1,name.eq.x)');
    const other = compiled('GET', '/people?or=(id.eq.2,name.eq.y)');
    expect(other.key).toBe(one.key);
    expect(other.values).toEqual(['2', 'y']);
  });

  test('embeds are lateral joins with their own filters and limits', () => {
    const { text, values } = compiled('GET', '/people?select=id,books(title)&books.title=eq.x&books.limit=1');
    expect(text).toContain(
      `left join lateral (select json_agg("people_books_1")::jsonb as "people_books_1" from (select "books_1"."title" from "public"."books" as "books_1" where "books_1"."title" = $1 and "books_1"."author" = "public"."people"."id" limit $2 offset $3) as "people_books_1") as "people_books_1" on true`,
    );
    expect(values).toEqual(['x', '1', '0']);
  });

  test('all identifiers are quoted, regardless of their source', () => {
    const { text } = compiled('GET', `/people?select=${encodeURIComponent(`"a\\"b":"c\\";--"->"d'e"`)}`);
    expect(text).toContain(`to_jsonb("public"."people"."c"";--")->'d''e' as "a""b"`);
  });

  test('counts ignore the selected columns and the limits', () => {
    const { text } = compiled('GET', '/people?select=id,books!inner(id)&limit=1', '', {
      prefer: 'count=exact',
    });
    expect(text).toContain(
      'pgrst_source_count as (select 1 from "public"."people" where exists (select 1 from "public"."books" as "books_1" where "books_1"."author" = "public"."people"."id"))',
    );
  });
});

describe('statements for writes', () => {
  test('the body is one parameter, which is expanded by its columns', () => {
    expect(compiled('POST', '/people', '[{"name":"a","id":1}]')).toMatchObject({
      text: 'insert into "public"."people" ("id", "name") select "pgrst_body"."id", "pgrst_body"."name" from json_to_recordset($1::json) as pgrst_body ("id" integer, "name" text)',
      values: ['[{"name":"a","id":1}]'],
    });
  });

  test('an update filters the table, not the body', () => {
    const { text, values } = compiled('PATCH', '/people?id=eq.5', '{"name":"a"}', {
      prefer: 'return=representation',
    });
    expect(text).toBe(
      'update "public"."people" set "name" = "pgrst_body"."name" from json_to_record($1::json) as pgrst_body ("name" text) where "public"."people"."id" = $2 returning row_to_json("public"."people".*)',
    );
    expect(values).toEqual(['{"name":"a"}', '5']);
  });

  test('an upsert counts inserted rows', () => {
    const { text } = compiled('POST', '/people', '{"id":1}', { prefer: 'resolution=merge-duplicates' });
    expect(text).toContain('on conflict ("id") do update set "id" = excluded."id" where set_config');
    expect(text).toMatch(/ returning nullif\(current_setting\('pgrst\.inserted', true\), ''\)::int$/);
  });

  test('a write returns the selected columns without another query around it', () => {
    const prefer = 'return=representation';
    expect(compiled('POST', '/people?select=id,city:data->>city', '{"id":1}', { prefer }).text).toMatch(
      / returning \(select row_to_json\(_postgrest_t\) from \(select "public"."people"."id", "public"."people"."data"->>'city' as "city"\) _postgrest_t\)$/,
    );
  });

  test.each([
    ['with an embed', '/books?select=id,people(name)', { prefer: 'return=representation' }],
    ['with an order', '/books?order=id', { prefer: 'return=representation' }],
    ['as CSV', '/books', { prefer: 'return=representation', accept: 'text/csv' }],
    ['with a Location header', '/books', { prefer: 'return=headers-only' }],
  ])('a write whose response requires more is part of a query: %s', (_name, url, headers) => {
    expect(compiled('POST', url, '{"id":1}', headers).text).toMatch(/^with pgrst_source as \(insert into /);
  });
});

test('a function call passes its arguments by name', () => {
  expect(compiled('GET', '/rpc/add?a=1')).toMatchObject({
    text: expect.stringContaining('(select "public"."add"("a" := $1::integer) pgrst_scalar) pgrst_call'),
    values: ['1'],
  });
});

describe('statements in Citus', () => {
  const prefer = 'return=representation';

  test('a level without a limit keeps its column names', () => {
    const { text } = compiledIn(citus, {
      method: 'GET',
      url: '/books?select=id,people!inner(name)&people.name=eq.a',
    });
    expect(text).toContain('"books"."author" offset 0) as "books_people_1" on true limit 1000)');
  });

  test.each([
    ['PATCH', '/people?id=eq.5', '{"name":"a"}'],
    ['DELETE', '/people?id=eq.5', ''],
    ['POST', '/people?on_conflict=id', '{"id":1}'],
  ])('JSON is built outside the write: %s %s', (method, url, body) => {
    const headers = { prefer: method === 'POST' ? `${prefer},resolution=merge-duplicates` : prefer };
    const { text } = compiledIn(citus, { method, url, body, headers });
    expect(text).toMatch(
      /^with pgrst_source as \((update|delete|insert) .* returning "public"."people"\.\*\) select /,
    );
    expect(text).not.toContain('set_config');
  });

  test('an insert always has RETURNING', () => {
    expect(compiledIn(citus, { method: 'POST', url: '/people', body: '{"id":1}' }).text).toMatch(
      /^with pgrst_source as \(insert into .* returning 1\)/,
    );
    expect(
      compiledIn(citus, { method: 'POST', url: '/people', body: '{"id":1}', headers: { prefer } }).text,
    ).toMatch(/^insert into .* returning row_to_json\("public"."people"\.\*\)$/);
  });

  test('the body of a change is a set of rows', () => {
    expect(compiledIn(citus, { method: 'PATCH', url: '/people?id=eq.5', body: '{"name":"a"}' }).text).toBe(
      'update "public"."people" set "name" = "pgrst_body"."name" from json_to_recordset(json_build_array($1::json)) as pgrst_body ("name" text) where "public"."people"."id" = $2',
    );
  });
});
