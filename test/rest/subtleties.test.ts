/**
 * Tests that `plinth rest` behaves like PostgREST 16 in ways that PostgREST's source code defines but its tests don't
 * cover.
 */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type RestProcess,
  type StandaloneDatabase,
  startDatabase,
  startRestProcess,
} from './standalone-harness.ts';

const secret = 'a-secret-that-is-long-enough-for-hs256!';

const fixture = `
  create table api.authors (id int primary key, name text, "left" int, bio jsonb);
  create table api.books (id int primary key, title text, author_id int references api.authors,
    left_id int references api.authors, printed text[]);
  insert into api.authors values (1, 'Ann', 1, '{"b": 1, "a": 1e2}'), (2, 'Bob', 2, null), (3, 'a\\b "c"', 3, null);
  insert into api.books values (1, 'One', 1, 2, '{}'), (2, 'Two', 1, 2, '{a}'), (3, 'Six', 2, 1, '{"",b}');
  create table api.vip (author_id int primary key references api.authors, since int);
  insert into api.vip values (1, 1990), (2, 1980);
  create table api.flags (id int primary key, ok bool);
  insert into api.flags values (1, true), (2, null);
  create function api.book_text(api.books) returns text immutable language sql as $$ select $1.title || ' words' $$;
  create function api.search(q text default 'x', out doc text, out n int) language sql immutable as
    $$ select 'the words of ' || q, 1 $$;
  create function api.needs(a int) returns int immutable language sql as $$ select a $$;
  create function api.one_json(json) returns json immutable language sql as $$ select $1 $$;
  create function api.two(out a int, out b int) immutable language sql as $$ select 1, 2 $$;
  create function api.many() returns setof api.flags stable language sql as $$ select * from api.flags $$;
  create function api.path() returns text stable language sql as $$ select current_setting('search_path') $$;
  create function api.moment() returns timestamptz immutable language sql as $$ select '2026-01-01 12:00Z'::timestamptz $$;
  create function api.nullrow() returns api.flags stable language sql as $$ select null::api.flags $$;
  create view api.no_columns as select from api.flags;
  create role rest_odd;
  grant rest_odd to rest_login;
  alter role rest_odd set search_path to elsewhere, api;
  grant usage on schema api to rest_odd;
  grant select, insert, update, delete on all tables in schema api to rest_anon, rest_user;
  revoke all on api.secrets from rest_anon, rest_user;
`;

let database: StandaloneDatabase;
let rest: RestProcess;
/** A server whose max-rows is two. */
let short: RestProcess;

beforeAll(async () => {
  database = await startDatabase();
  await database.run(fixture);
  const base = {
    PGRST_DB_URI: database.uri,
    PGRST_DB_SCHEMAS: 'api',
    PGRST_DB_ANON_ROLE: 'rest_anon',
    PGRST_DB_AGGREGATES_ENABLED: 'true',
    PGRST_DB_TX_END: 'rollback',
    PGRST_JWT_SECRET: secret,
  };
  [rest, short] = await Promise.all([
    startRestProcess(base),
    startRestProcess({ ...base, PGRST_DB_MAX_ROWS: '2' }),
  ]);
});
afterAll(async () => {
  await Promise.all([rest?.stop(), short?.stop()]);
  await database?.drop();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(path: string, init: RequestInit = {}, server = rest): Promise<Answer> {
  const response = await server.fetch(path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const ids = async (path: string): Promise<unknown> => {
  const { status, text } = await ask(path);
  if (status >= 300) return `${status} ${(JSON.parse(text) as { code: string }).code}`;
  return (JSON.parse(text) as { id: number }[]).map(({ id }) => id);
};

const json = { 'content-type': 'application/json' };
const exact = { headers: { prefer: 'count=exact' } };
const bearer = (claims: object) => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const data = `${encode({ alg: 'HS256' })}.${encode(claims)}`;
  const signature = createHmac('sha256', secret).update(data).digest('base64url');
  return { headers: { authorization: `Bearer ${data}.${signature}` } };
};

describe('values', () => {
  test('in.("") is treated as an empty list', async () => {
    expect(await ids('/books?title=in.("")')).toEqual([]);
    expect(await ids('/books?title=not.in.("")')).toEqual([1, 2, 3]);
    expect(await ids('/books?title=in.()')).toEqual([]);
  });

  test('quotes are part of a plain value, but not of one in a list or a logic tree', async () => {
    expect(await ids('/books?title=eq."One"')).toEqual([]);
    expect(await ids('/books?or=(title.eq."One")')).toEqual([1]);
    expect(await ids('/books?title=in.("One","Two")')).toEqual([1, 2]);
  });

  test('spaces are significant in lists, except right after the opening parenthesis', async () => {
    expect(await ids('/books?title=in.( One,Two)&order=id')).toEqual([1, 2]);
    expect(await ids('/books?title=in.(One, Two)')).toEqual([1]);
    expect(await ids('/books?title=in.(One ,Two)')).toEqual([2]);
  });

  test('text after the end of a list, a tree or is.null is ignored', async () => {
    expect(await ids('/books?title=in.(One)rest')).toEqual([1]);
    expect(await ids('/flags?ok=is.nullrest')).toEqual([2]);
    expect(await ids('/books?or=(id.eq.1)rest')).toEqual([1]);
  });

  test('isdistinct takes a literal, so null is text there', async () => {
    expect(await ids('/books?title=isdistinct.null')).toEqual([1, 2, 3]);
  });

  test('parameters without = and limits that aren’t numbers are ignored', async () => {
    expect(await ids('/books?nothing&limit=x&order=id')).toEqual([1, 2, 3]);
  });
});

describe('select', () => {
  test('returns plain columns first, then embeds, starting with those with a filter', async () => {
    const columns = async (path: string) =>
      Object.keys((JSON.parse((await ask(path)).text) as object[])[0] ?? {});
    expect(await columns('/books?select=author:author_id(name),id,title&limit=1')).toEqual([
      'id',
      'title',
      'author',
    ]);
    const both = '/books?select=first:author_id(name),second:left_id(name),id&limit=1';
    expect(await columns(both)).toEqual(['id', 'first', 'second']);
    expect(await columns(`${both}&second.name=not.is.null`)).toEqual(['id', 'second', 'first']);
  });

  test('requires quotes for hints that begin with left or inner', async () => {
    expect((await ask('/books?select=id,authors!left_id(name)')).status).toBe(400);
    expect((await ask('/books?select=id,authors!"left_id"(name)&limit=1')).status).toBe(200);
  });

  test('uses the first order and select, but the last limit', async () => {
    expect(await ids('/books?order=id.desc&order=id.asc')).toEqual([3, 2, 1]);
    expect((await ask('/books?select=id&select=title&id=eq.1')).text).toBe('[{"id":1}]');
    expect(await ids('/books?order=id&limit=1&limit=2')).toEqual([1, 2]);
  });

  test('returns JSON as stored at the root, but as jsonb inside an embed', async () => {
    expect((await ask('/books?select=author:author_id(bio)&id=eq.1')).text).toBe(
      '[{"author":{"bio": {"a": 100, "b": 1}}}]',
    );
  });

  test('doesn’t return null for an embed whose rows contain only null', async () => {
    expect(await ids('/vip?select=id:author_id,authors(bio)&authors=not.is.null&order=author_id')).toEqual([
      1, 2,
    ]);
  });
});

describe('ranges and counts', () => {
  test('limit=0 is empty, and out of range with an offset', async () => {
    expect(await ask('/books?limit=0')).toMatchObject({ status: 200, text: '[]' });
    const { status, text } = await ask('/books?limit=0&offset=5');
    expect([status, JSON.parse(text)]).toMatchObject([416, { code: 'PGRST103' }]);
  });

  test('a negative offset is ignored at the root but causes a PostgreSQL error in an embed', async () => {
    expect(await ids('/books?offset=-3&order=id')).toEqual([1, 2, 3]);
    const { status, text } = await ask('/authors?select=id,books!author_id(id)&books.offset=-1');
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: '2201X' }]);
    expect((await ask('/books?limit=-1')).status).toBe(416);
  });

  test('an offset equal to the total returns 206, and a larger one 416 with the negotiated type but without Proxy-Status', async () => {
    const at = await ask('/books?offset=3', exact);
    expect([at.status, at.headers.get('content-range')]).toEqual([206, '*/3']);
    const beyond = await ask('/books?offset=4', { headers: { ...exact.headers, accept: 'text/csv' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, '*/3']);
    expect(beyond.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(beyond.headers.get('proxy-status')).toBeNull();
    expect(JSON.parse(beyond.text)).toMatchObject({ code: 'PGRST103' });
  });

  test('ranges apply only to GET, and other header formats are ignored', async () => {
    const ranged = async (range: string, init: RequestInit = {}) =>
      (await ask('/books?order=id', { ...init, headers: { range } })).headers.get('content-range');
    expect(await ranged('1-1')).toBe('1-1/*');
    expect(await ranged('1-')).toBe('1-2/*');
    expect(await ranged('bytes=0-0')).toBe('0-2/*');
    expect(await ranged('0-0', { method: 'HEAD' })).toBe('0-2/*');
    expect((await ask('/books', { headers: { range: '5-2' } })).status).toBe(416);
  });

  test('without max-rows, an estimate is the larger of count and plan', async () => {
    const total = async (count: string, server: RestProcess) =>
      Number(
        (await ask('/flags', { headers: { prefer: `count=${count}` } }, server)).headers
          .get('content-range')
          ?.split('/')[1],
      );
    const planned = await total('planned', rest);
    expect(planned).toBeGreaterThan(2);
    expect(await total('estimated', rest)).toBe(planned);
    // Two rows don't exceed max-rows, so they are counted.
    expect(await total('estimated', short)).toBe(2);
  });

  test('with aggregates and max-rows, the total counts rows instead of groups', async () => {
    const { status, headers } = await ask('/books?select=author_id,count()', exact, short);
    expect([status, headers.get('content-range')]).toEqual([206, '0-1/3']);
  });

  test('counts of functions without SETOF are 1', async () => {
    expect((await ask('/rpc/two', exact)).headers.get('content-range')).toBe('0-0/1');
  });
});

describe('preferences', () => {
  const applied = async (prefer: string, init: RequestInit = {}, path = '/books?id=eq.1') => {
    const { status, headers } = await ask(path, { ...init, headers: { ...init.headers, prefer } });
    return [status, headers.get('preference-applied')];
  };

  test('the first preference of a kind is used, and count=none is unknown', async () => {
    expect(await applied('count=exact, count=planned')).toEqual([200, 'count=exact']);
    expect(await applied('count=none')).toEqual([200, null]);
    expect(await applied('handling=strict, count=none')).toEqual([400, null]);
  });

  test('strict allows tx regardless of the configuration, and max-affected with any value', async () => {
    expect(await applied('handling=strict, tx=commit, max-affected=abc')).toEqual([200, 'handling=strict']);
  });

  test('a time zone with minutes is a POSIX offset, whose sign is the opposite of ISO 8601', async () => {
    const moment = async (timezone: string) =>
      (await ask('/rpc/moment', { headers: { prefer: `timezone=${timezone}` } })).text;
    expect(await moment('05:30')).toBe('"2026-01-01T06:30:00-05:30"');
    expect(await moment('+05:30')).toBe('"2026-01-01T06:30:00-05:30"');
    expect(await moment('-4')).toBe('"2026-01-01T08:00:00-04:00"');
    expect(await moment('Asia/Kolkata')).toBe('"2026-01-01T17:30:00+05:30"');
  });

  test('merge-duplicates without a key only inserts and isn’t listed as applied', async () => {
    await database.run(
      'create table if not exists api.keyless (x int); grant insert on api.keyless to rest_anon',
    );
    const from = rest.err().length;
    rest.signal('SIGUSR1');
    await rest.said(/Schema cache loaded/, from);
    const init = { method: 'POST', body: '{"x":1}', headers: json };
    expect(await applied('resolution=merge-duplicates', init, '/keyless')).toEqual([201, null]);
  });
});

describe('CSV', () => {
  const csv = { accept: 'text/csv' };
  test('has PostgreSQL’s quoting, and contains one line feed for an empty result', async () => {
    expect((await ask('/authors?select=id,name&id=eq.3', { headers: csv })).text).toBe(
      'id,name\n3,"a\\\\b ""c"""',
    );
    expect((await ask('/flags?order=id', { headers: csv })).text).toBe('id,ok\n1,t\n2,');
    expect((await ask('/flags?id=eq.9', { headers: csv })).text).toBe('\n');
  });
});

describe('functions', () => {
  test('receive a scalar posted to an unnamed argument as []', async () => {
    const post = (body: string) => ask('/rpc/one_json', { method: 'POST', body, headers: json });
    expect((await post('5')).text).toBe('[]');
    expect((await post('{"a":1}')).text).toBe('{"a":1}');
    expect((await post('[{"a":1},{"b":1}]')).status).toBe(400);
  });

  test('with required arguments return 404 for OPTIONS', async () => {
    expect((await ask('/rpc/needs', { method: 'OPTIONS' })).status).toBe(404);
    const fine = await ask('/rpc/two', { method: 'OPTIONS' });
    expect([fine.status, fine.headers.get('allow')]).toEqual([200, 'OPTIONS,GET,HEAD,POST']);
  });

  test('treat arguments that look like operators as filters', async () => {
    expect((await ask('/rpc/needs?a=eq.1')).status).toBe(404);
    expect((await ask('/rpc/search?q=is.x')).status).toBe(400);
  });

  test('return a NULL row as an object of nulls', async () => {
    expect((await ask('/rpc/nullrow')).text).toBe('{"id":null,"ok":null}');
  });

  test('don’t wrap full-text search on their results or computed columns in to_tsvector', async () => {
    // The operator text @@ tsquery also exists and uses the default configuration, so the search must work without a
    // language.
    expect((await ask('/rpc/search?doc=fts.words')).status).toBe(200);
    expect(await ids('/books?book_text=fts.words&order=id')).toEqual([1, 2, 3]);
    // As on the hosted service, the default configuration is English, so words are reduced to their stems.
    expect(await ids('/books?book_text=fts.word&order=id')).toEqual([1, 2, 3]);
    expect(await ids('/books?book_text=plfts.the%20word&order=id')).toEqual([1, 2, 3]);
  });
});

describe('roles and tokens', () => {
  test('a role’s search path takes precedence over the configured one', async () => {
    expect((await ask('/rpc/path', bearer({ role: 'rest_odd' }))).text).toBe('"elsewhere, api"');
    expect((await ask('/rpc/path')).text).toBe('"\\"api\\", \\"public\\""');
  });

  test('times with a fraction are compared like whole seconds', async () => {
    const soon = Math.floor(Date.now() / 1000) + 1000.5;
    const status = async (claims: object) =>
      (await ask('/books', bearer({ role: 'rest_user', ...claims }))).status;
    for (const time of [soon, Math.ceil(soon)]) {
      expect(await status({ exp: time })).toBe(200);
      expect(await status({ exp: time - 2000 })).toBe(401);
      expect(await status({ nbf: time })).toBe(401);
      expect(await status({ iat: time })).toBe(401);
      expect(await status({ nbf: time - 2000, iat: time - 2000 })).toBe(200);
    }
  });

  test('a token with the anonymous role is treated like a missing token', async () => {
    const { status, headers } = await ask('/secrets', bearer({ role: 'rest_anon' }));
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await ask('/secrets', bearer({ role: 'rest_user' }))).status).toBe(403);
  });

  test("an unknown role returns 401, and one that isn't granted returns 403", async () => {
    const code = async (role: string) => {
      const { status, text } = await ask('/books', bearer({ role }));
      return [status, (JSON.parse(text) as { code: string }).code];
    };
    expect(await code('unknown_role')).toEqual([401, '22023']);
    expect(await code('postgres')).toEqual([403, '42501']);
  });
});

test('a view without columns returns empty objects', async () => {
  await database.run('grant select on api.no_columns to rest_anon');
  expect((await ask('/no_columns')).text.replace(/\s/g, '')).toBe('[{},{}]');
});

describe('requests', () => {
  test.each([
    ['GET', '/books/', 404, 'PGRST125'],
    ['GET', '/books/1', 404, 'PGRST125'],
    ['POST', '/', 405, 'PGRST117'],
    ['PUT', '/rpc/two', 405, 'PGRST101'],
    ['PUT', '/flags?id=eq.1&limit=1', 400, 'PGRST114'],
    ['PUT', '/flags?id=gt.1', 405, 'PGRST105'],
    ['GET', '/flags?select=id::int[]', 400, 'PGRST100'],
    ['GET', '/flags?select=id::s.t', 400, 'PGRST100'],
    ['GET', '/flags?columns=nothing', 200, undefined],
    ['GET', '/flags?select=id::double precision', 200, undefined],
    ['GET', '/nothing', 404, 'PGRST205'],
    ['GET', '/rpc/nothing', 404, 'PGRST202'],
  ])('%s %s returns %i', async (method, path, status, code) => {
    const body = method === 'PUT' ? '{"id":1}' : undefined;
    const response = await ask(path, { method, ...(body === undefined ? {} : { body, headers: json }) });
    expect([response.status, (JSON.parse(response.text || '{}') as { code?: string }).code]).toEqual([
      status,
      code,
    ]);
  });
});
