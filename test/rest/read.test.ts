/** Tests reads over HTTP. The requests, including rejected ones, are listed as data with their responses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest?.stop());

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await rest.fetch(path, { headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
};

describe('rows', () => {
  const ADA = { id: 1, name: 'Ada' };
  const GRACE = { id: 2, name: 'Grace' };
  const LINUS = { id: 3, name: 'Linus' };
  test.each([
    ['a filter', 'id=eq.1', [ADA]],
    ['a negation', 'id=not.eq.1', [GRACE, LINUS]],
    ['a list with a quoted element', 'name=in.("Ada","x,y")', [ADA]],
    ['an empty list', 'id=in.()', []],
    ['a pattern', 'name=ilike.*a*', [ADA, GRACE]],
    ['any of several values', 'name=like(any).{A*,L*}', [ADA, LINUS]],
    ['null', 'born=is.null', [LINUS]],
    ['an array that contains a value', 'tags=cs.{code}', [ADA, GRACE]],
    ['a JSON path', 'data->address->>city=eq.London', [ADA]],
    ['a JSON index', 'data->langs->>1=eq.fr', [ADA]],
    ['a logic tree', 'or=(id.eq.1,and(id.gt.2,born.is.null))', [ADA, LINUS]],
    ['a computed column', 'initials=eq.L', [LINUS]],
    ['order, limit and offset', 'order=name.desc&limit=1&offset=1', [GRACE]],
    ['related rows that exist', 'teams=not.is.null&select=id,name,teams!lead_id()', [ADA, GRACE]],
  ])('%s', async (_what, query, expected) => {
    const select = query.includes('select=') ? '' : '&select=id,name';
    const order = query.includes('order=') ? '' : '&order=id';
    expect(await get(`/people?${query}${select}${order}`)).toMatchObject({ status: 200, body: expected });
  });

  test('columns can be renamed, cast and extracted from JSON', async () => {
    const { body } = await get(
      '/people?id=eq.1&select=key:id::text,data->langs->0,city:data->address->>city,initials',
    );
    expect(body).toEqual([{ key: '1', langs: 'en', city: 'London', initials: 'A' }]);
  });
});

describe('embeds', () => {
  test.each([
    [
      'many-to-one',
      '/teams?id=eq.1&select=name,people(name)',
      [{ name: 'compilers', people: { name: 'Grace' } }],
      300,
    ],
    [
      'many-to-one by its column',
      '/teams?id=eq.1&select=lead_id(name)',
      [{ lead_id: { name: 'Grace' } }],
      200,
    ],
    [
      'one-to-many by a hint',
      '/people?id=eq.1&select=teams!lead_id(name)',
      [{ teams: [{ name: 'engines' }] }],
      200,
    ],
    [
      'many-to-many by its junction',
      '/people?id=eq.1&select=teams!memberships(name)&teams.order=name',
      [{ teams: [{ name: 'compilers' }, { name: 'engines' }] }],
      200,
    ],
    [
      'an empty list if no rows are related',
      '/people?id=eq.3&select=teams!lead_id(name)',
      [{ teams: [] }],
      200,
    ],
    [
      'an inner join',
      '/teams?select=id,lead:people!lead_id!inner(name)&lead.name=eq.Ada',
      [{ id: 2, lead: { name: 'Ada' } }],
      200,
    ],
    [
      'a spread',
      '/teams?id=eq.1&select=name,...lead_id(lead:name)',
      [{ name: 'compilers', lead: 'Grace' }],
      200,
    ],
    [
      'a to-many spread',
      '/people?id=eq.1&select=name,...memberships(team_id)&memberships.order=team_id.desc',
      [{ name: 'Ada', team_id: [2, 1] }],
      200,
    ],
    [
      'a view by the columns it shows',
      '/leads?team_id=eq.1&select=team,people!person_id(name)',
      [{ team: 'compilers', people: { name: 'Grace' } }],
      200,
    ],
    [
      'a computed relationship',
      '/people?id=eq.1&select=colleagues(id)&colleagues.order=id&colleagues.limit=1',
      [{ colleagues: [{ id: 2 }] }],
      200,
    ],
    [
      'related order',
      '/teams?select=id,lead_id(name)&order=lead_id(name)&lead_id=not.is.null',
      [
        { id: 2, lead_id: { name: 'Ada' } },
        { id: 1, lead_id: { name: 'Grace' } },
      ],
      200,
    ],
  ])('%s', async (_what, path, expected, status) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    if (status === 200) expect(response.body).toEqual(expected);
  });
});

describe('headers', () => {
  test('determine counts, ranges and the resulting status', async () => {
    const part = await get('/people?limit=2&select=id', { prefer: 'count=exact' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('0-1/3');
    expect(part.headers.get('preference-applied')).toBe('count=exact');
    const beyond = await get('/people?offset=9', { prefer: 'count=exact' });
    expect(beyond).toMatchObject({
      status: 416,
      body: { code: 'PGRST103', details: 'An offset of 9 was requested, but there are only 3 rows.' },
    });
    const ranged = await get('/people?select=id', { range: '1-1' });
    expect(ranged).toMatchObject({ status: 200, body: [{ id: 2 }] });
    expect(ranged.headers.get('content-range')).toBe('1-1/*');
  });

  test('can request a single object, or get 406 with the number of rows', async () => {
    const accept = 'application/vnd.pgrst.object+json';
    expect(await get('/people?id=eq.1&select=id', { accept })).toMatchObject({
      status: 200,
      body: { id: 1 },
    });
    expect(await get('/people', { accept })).toMatchObject({
      status: 406,
      body: { code: 'PGRST116', details: 'The result contains 3 rows' },
    });
  });

  test('can strip nulls and request CSV', async () => {
    const accept = 'application/vnd.pgrst.array+json;nulls=stripped';
    expect((await get('/people?id=eq.3&select=id,born', { accept })).body).toEqual([{ id: 3 }]);
    const csv = await rest.fetch('/people?select=id,name&order=id', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toBe('id,name\n1,Ada\n2,Grace\n3,Linus');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  });

  test('are returned without a body by HEAD, and OPTIONS returns the allowed methods', async () => {
    const head = await rest.fetch('/people?select=id', {
      method: 'HEAD',
      headers: { prefer: 'count=exact' },
    });
    expect(head.headers.get('content-range')).toBe('0-2/3');
    expect(await head.text()).toBe('');
    const options = await rest.fetch('/people', { method: 'OPTIONS' });
    expect(options.headers.get('allow')).toBe('OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE');
  });
});

describe('rejections', () => {
  test.each([
    ['/peeple', 404, { code: 'PGRST205', hint: "Perhaps you meant the table 'public.people'" }],
    ['/people/', 404, { code: 'PGRST125' }],
    [
      '/people?id=x.1',
      400,
      { code: 'PGRST100', message: '"failed to parse filter (x.1)" (line 1, column 1)' },
    ],
    ['/people?select=id,nope(id)', 400, { code: 'PGRST200' }],
    ['/people?nope=eq.1', 400, { code: '42703', message: 'column people.nope does not exist' }],
    ['/people?id=eq.x', 400, { code: '22P02' }],
    ['/people?select=id.sum()', 400, { code: 'PGRST123' }],
    ['/people?teams.id=eq.1', 400, { code: 'PGRST108' }],
    ['/people?select=id,teams!lead_id(id)&order=teams(id)', 400, { code: 'PGRST118' }],
    ['/rpc/nope', 404, { code: 'PGRST202' }],
    [
      '/rpc/add?a=1&c=2',
      404,
      { code: 'PGRST202', hint: 'Perhaps you meant to call the function public.add(a, b)' },
    ],
  ])('%s', async (path, status, body) => {
    const response = await get(path);
    expect(response).toMatchObject({ status, body });
    expect(response.headers.get('proxy-status')).toBe(`PostgREST; error=${(body as { code: string }).code}`);
    expect(Object.keys(response.body).sort()).toEqual(['code', 'details', 'hint', 'message']);
  });

  test('several relationships return 300 with all of them', async () => {
    const { status, body } = await get('/people?select=teams(id)');
    expect(status).toBe(300);
    expect(body.details.map((one: { cardinality: string }) => one.cardinality)).toEqual([
      'one-to-many',
      'many-to-many',
    ]);
    expect(body.hint).toContain("'teams!memberships'");
  });
});

describe('injection', () => {
  const nasty = [
    `"`,
    `'`,
    `\\`,
    `";drop table people;--`,
    `');select 1;--`,
    `$1`,
    `\u0000`,
    `{}`,
    `%`,
    `"a\\"b"`,
  ];
  const places = (text: string) => {
    const raw = encodeURIComponent(text);
    const quoted = encodeURIComponent(`"${text.replace(/[\\"]/g, '\\$&')}"`);
    return [
      `/people?name=eq.${raw}`,
      `/people?name=in.(${quoted})`,
      `/people?${quoted}=eq.1`,
      `/people?select=${quoted}`,
      `/people?select=${quoted}:id`,
      `/people?select=data->${quoted}`,
      `/people?select=id::${raw}`,
      `/people?select=${quoted}(id)`,
      `/people?order=${quoted}`,
      `/people?or=(name.eq.${quoted},id.eq.1)`,
      `/people?name=fts(${raw}).x`,
      `/${raw}`,
      `/rpc/${raw}`,
      `/people?limit=${raw}`,
    ];
  };

  test.each(nasty)('%j has no effect anywhere', async (text) => {
    for (const path of places(text)) {
      const { status, body } = await get(path);
      expect([200, 400, 404], path).toContain(status);
      // A syntax error would mean that text escaped from its position. An empty name and a cast to an empty type are
      // rejected.
      const isRefused =
        body?.message?.startsWith('zero-length delimited identifier') || path.includes('id::');
      if (!isRefused) expect(body?.code, path).not.toBe('42601');
    }
    expect((await get('/people?select=id')).body).toHaveLength(3);
  });
});

test('very long and deeply nested queries get a response', async () => {
  const deep = await get(`/people?select=${'a('.repeat(2000)}`);
  expect(deep).toMatchObject({ status: 400, body: { code: 'PGRST100' } });
  const many = await get(
    `/people?or=(${Array.from({ length: 700 }, (_, id) => `id.eq.${id}`).join(',')})&select=id`,
  );
  expect(many.body).toHaveLength(3);
});

test('the root describes what the role can see', async () => {
  const { status, headers, body } = await get('/');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/openapi+json; charset=utf-8');
  expect(body.definitions.people.properties.id).toMatchObject({ format: 'int32', type: 'integer' });
  expect(body.definitions.teams.properties.lead_id.description).toContain("<fk table='people' column='id'/>");
  expect(body.paths['/rpc/add'].get.parameters).toHaveLength(2);
});
