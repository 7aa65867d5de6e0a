/**
 * Tests SQL in every position where a client's text is used. The SQL must be treated as text, and the response must be
 * the same as for any other unusual text.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

/** Texts that add a row to `canary` if they escape from a quoted name, literal, cast or list. */
const PAYLOADS = [
  `x"; select public.pwn(); --`,
  `x'; select public.pwn(); --`,
  `x\\'; select public.pwn(); --`,
  `x"); select public.pwn(); --`,
  `x')); select public.pwn(); --`,
  `$$; select public.pwn(); --`,
  `x" || public.pwn() || "`,
  `' || public.pwn() || '`,
  `/**/public.pwn()/**/`,
  `{"}'; select public.pwn(); --`,
];
const [MAIN] = PAYLOADS as [string];

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Place {
  readonly place: string;
  readonly ask: (text: string) => Asked;
  readonly status: number;
  /** The response to the first payload. */
  readonly body?: unknown;
}

const encoded = encodeURIComponent;
/** Returns the text as a quoted name, because the grammar accepts any text in quotes. */
const named = (text: string) => encoded(`"${text.replace(/[\\"]/g, '\\$&')}"`);
const json = { 'content-type': 'application/json' };
const post = (path: string, body: string, headers: Record<string, string> = json): Asked => ({
  path,
  method: 'POST',
  headers,
  body,
});
const noColumn = (where: string) => ({ code: '42703', message: `column ${where}${MAIN} does not exist` });

const places: Place[] = [
  {
    place: 'select',
    ask: (text) => ({ path: `/people?select=${named(text)}` }),
    status: 400,
    body: noColumn('people.'),
  },
  {
    place: 'an alias',
    ask: (text) => ({ path: `/people?id=eq.1&select=${named(text)}:id` }),
    status: 200,
    body: [{ [MAIN]: 1 }],
  },
  {
    place: 'a cast',
    ask: (text) => ({ path: `/people?select=id::${encoded(text)}` }),
    status: 400,
    body: { code: 'PGRST100' },
  },
  {
    place: 'a JSON key',
    ask: (text) => ({ path: `/people?id=eq.1&select=v:data->${named(text)}` }),
    status: 200,
    body: [{ v: null }],
  },
  {
    place: 'the last JSON key, which names the column',
    ask: (text) => ({ path: `/people?id=eq.1&select=data->>${named(text)}` }),
    status: 200,
    body: [{ [MAIN]: null }],
  },
  {
    place: 'a JSON key in a filter',
    ask: (text) => ({ path: `/people?data->>${named(text)}=eq.1` }),
    status: 200,
    body: [],
  },
  {
    place: 'a JSON key to order by',
    ask: (text) => ({ path: `/people?order=data->${named(text)}&select=id&id=eq.1` }),
    status: 200,
    body: [{ id: 1 }],
  },
  {
    place: 'the column of a filter',
    ask: (text) => ({ path: `/people?${named(text)}=eq.1` }),
    status: 400,
    body: noColumn('people.'),
  },
  { place: 'a value', ask: (text) => ({ path: `/people?name=eq.${encoded(text)}` }), status: 200, body: [] },
  {
    place: 'a pattern',
    ask: (text) => ({ path: `/people?name=ilike.${encoded(text)}` }),
    status: 200,
    body: [],
  },
  { place: 'a list', ask: (text) => ({ path: `/people?name=in.(${named(text)},x)` }), status: 200, body: [] },
  {
    place: 'a bare list',
    ask: (text) => ({ path: `/people?name=in.(${encoded(text.replaceAll(/[,"()]/g, ''))})` }),
    status: 200,
    body: [],
  },
  {
    place: 'an array of any()',
    ask: (text) => ({ path: `/people?name=eq(any).{${named(text)}}` }),
    status: 200,
    body: [],
  },
  {
    place: 'is',
    ask: (text) => ({ path: `/people?name=is.${encoded(text)}` }),
    status: 400,
    body: { code: 'PGRST100' },
  },
  {
    place: 'isdistinct',
    ask: (text) => ({ path: `/people?select=id&id=eq.1&name=isdistinct.${encoded(text)}` }),
    status: 200,
    body: [{ id: 1 }],
  },
  {
    place: 'an operator',
    ask: (text) => ({ path: `/people?name=${encoded(text)}.x` }),
    status: 400,
    body: { code: 'PGRST100' },
  },
  {
    place: 'a language',
    ask: (text) => ({ path: `/people?name=fts(${encoded(text)}).x` }),
    status: 400,
    body: { code: 'PGRST100' },
  },
  {
    place: 'a search',
    ask: (text) => ({ path: `/people?name=plfts(english).${encoded(text)}` }),
    status: 200,
    body: [],
  },
  {
    place: 'a logic tree',
    ask: (text) => ({ path: `/people?or=(name.eq.${named(text)},${named(text)}.is.null)` }),
    status: 400,
    body: noColumn('people.'),
  },
  {
    place: 'order',
    ask: (text) => ({ path: `/people?order=${named(text)}.desc` }),
    status: 400,
    body: noColumn('people.'),
  },
  {
    place: 'a direction',
    ask: (text) => ({ path: `/people?order=id.${encoded(text)}` }),
    status: 400,
    body: { code: 'PGRST100' },
  },
  {
    place: 'a related order',
    ask: (text) => ({ path: `/teams?select=people!lead_id(id)&order=people(${named(text)})` }),
    status: 400,
    body: { code: '42703' },
  },
  {
    place: 'limit',
    ask: (text) => ({ path: `/people?select=id&id=eq.1&limit=${encoded(text)}` }),
    status: 200,
    body: [{ id: 1 }],
  },
  {
    place: 'offset',
    ask: (text) => ({ path: `/people?select=id&id=eq.1&offset=${encoded(text)}` }),
    status: 200,
    body: [{ id: 1 }],
  },
  {
    place: 'Range',
    ask: (text) => ({ path: '/people?select=id&id=eq.1', headers: { range: `0-${text}` } }),
    status: 200,
    body: [{ id: 1 }],
  },
  {
    place: 'a table',
    ask: (text) => ({ path: `/${encoded(text)}` }),
    status: 404,
    body: { code: 'PGRST205', message: `Could not find the table 'public.${MAIN}' in the schema cache` },
  },
  {
    place: 'an embed',
    ask: (text) => ({ path: `/people?select=${named(text)}(id)` }),
    status: 400,
    body: {
      code: 'PGRST200',
      message: `Could not find a relationship between 'people' and '${MAIN}' in the schema cache`,
    },
  },
  {
    place: 'the hint of an embed',
    ask: (text) => ({ path: `/teams?select=people!${named(text)}(id)` }),
    status: 400,
    body: { code: 'PGRST200' },
  },
  {
    place: 'the alias of an embed',
    ask: (text) => ({ path: `/teams?id=eq.1&select=${named(text)}:people!lead_id(id)` }),
    status: 200,
    body: [{ [MAIN]: { id: 2 } }],
  },
  {
    place: 'a column of an embed',
    ask: (text) => ({ path: `/teams?select=people!lead_id(${named(text)})` }),
    status: 400,
    body: noColumn('people_1.'),
  },
  {
    place: 'a column of a spread',
    ask: (text) => ({ path: `/teams?select=...people!lead_id(${named(text)}:id)&id=eq.1` }),
    status: 200,
    body: [{ [MAIN]: 2 }],
  },
  {
    place: 'a function',
    ask: (text) => ({ path: `/rpc/${encoded(text)}` }),
    status: 404,
    body: { code: 'PGRST202' },
  },
  {
    place: 'an argument by GET',
    ask: (text) => ({ path: `/rpc/add?a=1&${named(text)}=1` }),
    status: 404,
    body: { code: 'PGRST202' },
  },
  {
    place: 'the value of an argument',
    ask: (text) => ({ path: `/rpc/say?what=${encoded(text)}` }),
    status: 200,
    body: MAIN,
  },
  {
    place: 'an argument by POST',
    ask: (text) => post('/rpc/add', JSON.stringify({ a: 1, [text]: 1 })),
    status: 404,
    body: { code: 'PGRST202' },
  },
  {
    place: 'the value of an argument in JSON',
    ask: (text) => post('/rpc/say', JSON.stringify({ what: text })),
    status: 200,
    body: MAIN,
  },
  {
    place: 'a filter on what a function returns',
    ask: (text) => ({ path: `/rpc/say_rows?${named(text)}=eq.1` }),
    status: 400,
    body: noColumn('people.'),
  },
  {
    place: 'a key of a body',
    ask: (text) => post('/people', JSON.stringify({ [text]: 1 })),
    status: 400,
    body: { code: 'PGRST204' },
  },
  {
    place: 'columns',
    ask: (text) => post(`/people?columns=${named(text)}`, '{}'),
    status: 400,
    body: { code: 'PGRST204' },
  },
  {
    place: 'on_conflict',
    ask: (text) =>
      post(`/people?on_conflict=${named(text)}`, '{"name": "x"}', {
        ...json,
        prefer: 'resolution=merge-duplicates',
      }),
    status: 400,
    body: { code: '42703' },
  },
  {
    place: 'the header of a CSV',
    ask: (text) => post('/people', `"${text.replaceAll('"', '""')}"\n1\n`, { 'content-type': 'text/csv' }),
    status: 400,
    body: { code: 'PGRST204' },
  },
  {
    place: 'a form',
    ask: (text) =>
      post('/people', `${encoded(text)}=1`, { 'content-type': 'application/x-www-form-urlencoded' }),
    status: 400,
    body: { code: 'PGRST204' },
  },
  {
    place: 'the columns that are returned',
    ask: (text) =>
      post(`/people?select=${named(text)}`, '{"name": "x"}', { ...json, prefer: 'return=representation' }),
    status: 400,
    body: { code: '42703' },
  },
  {
    place: 'the filter of an update',
    ask: (text) => ({ ...post(`/people?${named(text)}=eq.1`, '{"name": "x"}'), method: 'PATCH' }),
    status: 400,
    body: noColumn('people.'),
  },
  {
    place: 'the filter of a delete',
    ask: (text) => ({ path: `/people?name=eq.${encoded(text)}`, method: 'DELETE' }),
    status: 204,
  },
  {
    place: 'a profile',
    ask: (text) => ({ path: '/people', headers: { 'accept-profile': text } }),
    status: 406,
    body: { code: 'PGRST106', message: `Invalid schema: ${MAIN}` },
  },
  {
    place: 'the profile of a write',
    ask: (text) => post('/people', '{}', { ...json, 'content-profile': text }),
    status: 406,
    body: { code: 'PGRST106' },
  },
  {
    place: 'a time zone',
    ask: (text) => ({ path: '/people', headers: { prefer: `timezone=${text}` } }),
    status: 400,
    body: { code: '22023' },
  },
  {
    place: 'a media type',
    ask: (text) => ({ path: '/people', headers: { accept: `text/${text}` } }),
    status: 406,
    body: { code: 'PGRST107' },
  },
  {
    place: 'options of a plan',
    ask: (text) => ({
      path: '/people',
      headers: { accept: `application/vnd.pgrst.plan; options="analyze|${text.replaceAll('"', '')}"` },
    }),
    status: 200,
  },
];

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest({
    sql: `
      create table public.canary (at timestamptz default now());
      create function public.pwn() returns text language sql security definer as $$
        insert into public.canary default values returning at::text $$;
      create function public.say(what text) returns text language sql immutable as 'select what';
      create function public.say_rows() returns setof public.people language sql stable as 'select * from public.people';
      create function public.setting(name text) returns json language sql stable as
        $$ select to_json(current_setting(name, true)) $$;
      do $$ begin
        execute format('alter role authenticator in database %I set pgrst.db_plan_enabled to true', current_database());
      end $$`,
  });
});
afterAll(() => rest?.stop());

async function send({ path, ...init }: Asked) {
  const response = await rest.fetch(path, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : undefined };
}

const canaries = async () =>
  (await rest.query<{ count: number }>('select count(*)::int from public.canary'))[0]?.count;

test('the payload works if it is executed', async () => {
  expect((await send(post('/rpc/pwn', '{}'))).status).toBe(200);
  expect(await canaries()).toBe(1);
  await rest.run('truncate public.canary');
});

describe.each(places)('$place', ({ ask, status, body }) => {
  test('gets the same response as other unusual text', async () => {
    const response = await send(ask(MAIN));
    expect(response).toMatchObject({ status, ...(body === undefined ? {} : { body }) });
  });

  test('doesn’t execute SQL', async () => {
    for (const payload of PAYLOADS) {
      const response = await send(ask(payload));
      expect(response.status, payload).toBeLessThan(500);
      // A syntax error would mean that text escaped from its position.
      expect(response.body?.code, payload).not.toBe('42601');
    }
    expect(await canaries()).toBe(0);
  });
});

describe('values that are used as settings arrive unchanged', () => {
  const setting = async (name: string, headers: Record<string, string>, path = '') =>
    (await send({ path: `/rpc/setting${path}?name=${name}`, headers })).body as string;

  test.each(PAYLOADS)('%s', async (payload) => {
    expect(JSON.parse(await setting('request.headers', { 'x-any': payload }))['x-any']).toBe(payload);
    const cookie = payload.replaceAll(';', '');
    expect(JSON.parse(await setting('request.cookies', { cookie: `a=${cookie}` })).a).toBe(cookie.trim());
    const token = rest.userToken(payload, { [payload]: payload });
    const claims = JSON.parse(await setting('request.jwt.claims', { authorization: `Bearer ${token}` }));
    expect(claims).toMatchObject({ sub: payload, [payload]: payload, role: 'authenticated' });
    expect(await canaries()).toBe(0);
  });

  test.each([...PAYLOADS, 'none', 'NONE', '', 'public', 'current_user', 'postgres"', 'anon, postgres'])(
    'the role %s does not exist',
    async (role) => {
      const token = rest.userToken('x', { role });
      const response = await send({ path: '/rpc/whoami', headers: { authorization: `Bearer ${token}` } });
      expect(response).toMatchObject({
        status: 401,
        body: { code: '22023', message: `role "${role}" does not exist` },
      });
    },
  );

  test.each(['postgres', 'supabase_admin', 'authenticator', 'pg_read_server_files'])(
    'the role %s can’t be used by a token',
    async (role) => {
      const token = rest.userToken('x', { role });
      const response = await send({
        path: '/rpc/setting?name=role',
        headers: { authorization: `Bearer ${token}` },
      });
      if (role === 'authenticator') expect(response.status).toBeLessThan(500);
      else expect(response).toMatchObject({ status: 403, body: { code: '42501' } });
    },
  );
});
