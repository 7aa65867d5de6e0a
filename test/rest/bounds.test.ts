/**
 * Tests that input that is nested too deeply, too long, too large, or not text gets an error in the service's format.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest({
    sql: `
      create table public.drawers (id int primary key, content text unique, codes int[]);
      create function public.endless(n int) returns int language plpgsql as
        'begin return public.endless(n + 1); end'`,
  });
});
afterAll(() => rest?.stop());

async function ask(path: string, init?: RequestInit) {
  const response = await rest.fetch(path, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
const post = (body: string | Uint8Array<ArrayBuffer>, type = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});
const list = (count: number, one: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => one(index)).join(separator);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('depth limits', () => {
  test.each([
    ['embeds', `/people?select=${'teams('.repeat(500)}`, 'PGRST100', /fewer than 100 nested levels/],
    ['logic trees', `/people?or=(${'and('.repeat(500)}`, 'PGRST100', /fewer than 100 nested levels/],
    ['array dimensions', `/drawers?codes=cs.${'{'.repeat(20)}1${'}'.repeat(20)}`, '54000', /^$/],
  ])('for %s', async (_what, path, code, details) => {
    const { status, body } = await ask(path);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(body.details ?? '').toMatch(details);
  });

  test('allow a logic tree of ninety levels', async () => {
    const { body } = await ask(`/people?select=id&or=(${'and('.repeat(90)}id.eq.1${')'.repeat(90)})`);
    expect(body).toEqual([{ id: 1 }]);
  });

  test('allow nested bodies unless they exceed PostgreSQL’s stack', async () => {
    const row = (depth: number) => `{"name": "deep", "data": ${nested(depth)}}`;
    expect((await ask('/people', post(row(5000)))).status).toBe(201);
    for (const path of ['/people', '/people?columns=name,data']) {
      expect(await ask(path, post(row(200_000)))).toMatchObject({
        status: 400,
        body: { code: 'PGRST102', message: 'The body is nested too deeply', details: null, hint: null },
      });
    }
  });

  test('turn endless recursion in a function into a server error', async () => {
    expect(await ask('/rpc/endless', post('{"n": 1}'))).toMatchObject({
      status: 500,
      body: { code: '54001' },
    });
  });
});

describe('limits on the number of items', () => {
  test('allow as many columns as PostgreSQL does', async () => {
    const select = (count: number) => `/people?id=eq.1&select=${list(count, (index) => `a${index}:id`)}`;
    expect(Object.keys((await ask(select(1600))).body[0])).toHaveLength(1600);
    expect(await ask(select(1700))).toMatchObject({
      status: 400,
      body: { code: 'PGRST100', details: expect.stringMatching(/expecting at most 1664 items$/) },
    });
    expect(await ask(`/people?order=${list(15_000, () => 'x')}`)).toMatchObject({
      status: 400,
      body: { code: 'PGRST100', details: expect.stringMatching(/expecting at most 1664 items$/) },
    });
  });

  test('apply to filters, values and conditions', async () => {
    expect(
      (await ask(`/people?select=id&id=eq.1&${list(1500, (index) => `id=gt.-${index}`, '&')}`)).body,
    ).toEqual([{ id: 1 }]);
    expect((await ask(`/people?select=id&id=lt.4&id=in.(${list(4000, String)})`)).body).toHaveLength(3);
    expect(
      (await ask(`/people?select=id&id=lt.3&or=(${list(1500, (index) => `id.eq.${index}`)})`)).body,
    ).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('apply to rows, keys and arguments in a body', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index }));
    expect((await ask('/drawers', post(JSON.stringify(rows)))).status).toBe(201);
    const wide = JSON.stringify(Object.fromEntries(rows.slice(0, 3000).map(({ id }) => [`k${id}`, id])));
    expect(await ask('/drawers', post(wide))).toMatchObject({ status: 400, body: { code: 'PGRST204' } });
    expect(await ask('/rpc/add', post(wide))).toMatchObject({ status: 404, body: { code: 'PGRST202' } });
    const csv = `${list(3000, (index) => `c${index}`)}\n${list(3000, String)}\n`;
    expect(await ask('/drawers', post(csv, 'text/csv'))).toMatchObject({
      status: 400,
      body: { code: 'PGRST204' },
    });
  });
});

describe('size limits', () => {
  test.each([
    ['limit', '/people?select=id&limit=99999999999999999999999', 200],
    ['the largest limit of PostgreSQL', '/people?select=id&limit=9223372036854775807', 200],
    [`limit of 400 digits`, `/people?select=id&limit=${'9'.repeat(400)}`, 200],
    ['the largest offset', '/people?select=id&offset=9223372036854775807', 200],
    ['a larger offset', '/people?select=id&offset=9223372036854775808', '22003'],
    ['offset of 400 digits', `/people?select=id&offset=${'9'.repeat(400)}`, '22003'],
    ['a negative limit', `/people?limit=-${'9'.repeat(400)}`, 'PGRST103'],
    ['an integer', '/people?id=eq.99999999999999999999', '22003'],
    ['an index', '/people?select=data->99999999999999999999', '22003'],
    ['a name', `/people?select=${'a'.repeat(5000)}`, '42703'],
    ['an expression', `/people?name=match.${encodeURIComponent('(x{1,255}){1,255}')}`, '2201B'],
  ])('for %s', async (_what, path, expected) => {
    const { status, body } = await ask(path);
    if (expected === 200) expect({ status, body }).toMatchObject({ status: 200, body: expect.any(Array) });
    else
      expect({ code: body.code, isRefused: status >= 400 && status < 500 }).toEqual({
        code: expected,
        isRefused: true,
      });
  });

  test('apply to a Range header', async () => {
    const range = (text: string) => ask('/people?select=id', { headers: { range: text } });
    expect((await range(`0-${'9'.repeat(300)}`)).body.length).toBeGreaterThan(2);
    expect(await range(`${'9'.repeat(300)}-`)).toMatchObject({ status: 400, body: { code: '22003' } });
    expect(await range(`9-${'9'.repeat(300)}`)).toMatchObject({ status: 200 });
  });

  test('apply to a value that is too large for an index', async () => {
    const content = Array.from({ length: 40_000 }, (_, index) => (index * 7919) % 9973).join('');
    expect(await ask('/drawers', post(JSON.stringify({ id: -1, content })))).toMatchObject({
      status: 400,
      body: { code: '54000' },
    });
  });

  test('allow a max-affected of 400 digits', async () => {
    const headers = { prefer: `handling=strict, max-affected=${'9'.repeat(400)}` };
    const response = await ask('/people?id=eq.1', {
      ...post('{"name": "Ada"}'),
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(204);
  });

  test.each([
    [
      'an address',
      414,
      'uri_too_long',
      `GET /rest/v1/people?id=in.(${'1,'.repeat(20_000)}) HTTP/1.1\r\nhost: x\r\n\r\n`,
    ],
    [
      'headers',
      431,
      'headers_too_large',
      `GET /rest/v1/people HTTP/1.1\r\nhost: x\r\nprefer: ${'x'.repeat(40_000)}\r\n\r\n`,
    ],
  ])('for %s', async (_what, status, code, text) => {
    const response = await raw(text);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code });
  });
});

describe('invalid text', () => {
  const nul = {
    status: 400,
    body: {
      code: '22021',
      message: 'invalid byte sequence for encoding "UTF8": 0x00',
      details: null,
      hint: null,
    },
  };

  test.each([
    '/people?id=eq.1%00',
    '/people?id=eq.%251%%00',
    '/people?id=in.(2,%001)',
    '/people?id=in.(%221%00%22)',
    '/people?name=like.%00*',
    '/people?name=fts(%00english).a',
    '/people?or=(id.eq.1%00,id.eq.2)',
    '/people?and=(id.in.(1%00))',
    '/people?i%00d=eq.1',
    '/people?select=na%00me',
    '/people?select=n%00:name',
    '/people?select=data-%3E%3Ea%00',
    '/people?order=na%00me',
    '/people?limit=1%00',
    '/rpc/add?a=1%00&b=2',
    '/rpc/add?%00a=1&b=2',
  ])('with NUL in the query string is rejected: %s', async (path) => {
    expect(await ask(path)).toMatchObject(nul);
  });

  test('with NUL in the query string of a write or in a form changes nothing', async () => {
    const ids = async () => (await ask('/people?select=id&order=id')).body;
    const before = await ids();
    expect(before).toContainEqual({ id: 1 });
    expect(await ask('/people?id=eq.1%00', { method: 'DELETE' })).toMatchObject(nul);
    expect(await ask('/people?id=in.(%001)', { ...post('{"name": "x"}'), method: 'PATCH' })).toMatchObject(
      nul,
    );
    expect(await ask('/people?columns=na%00me', post('{"name": "x"}'))).toMatchObject(nul);
    const form = 'application/x-www-form-urlencoded';
    for (const body of ['name=a%00b', 'na%00me=ab', 'name=a\0b'])
      expect(await ask('/people', post(body, form))).toMatchObject(nul);
    expect(await ask('/rpc/add', post('a=1%00&b=2', form))).toMatchObject(nul);
    expect(await ids()).toEqual(before);
  });

  test.each([
    ['NUL in a column', '/people?%22a%00%22=eq.b', 400, '22021'],
    ['NUL in a table', '/peo%00ple', 404, 'PGRST205'],
    ['NUL in a function', '/rpc/ad%00d', 404, 'PGRST202'],
    ['broken UTF-8 in a value', '/people?name=eq.%ff%fe', 200, undefined],
    ['an overlong sequence', '/people?name=eq.%c0%af', 200, undefined],
    ['a lone surrogate', '/people?name=eq.%ed%a0%80', 200, undefined],
    ['a stray percent sign in the path', '/people%zz', 404, 'PGRST125'],
    ['broken UTF-8 in the path', '/people%ff', 404, 'PGRST125'],
    ['a stray percent sign', '/people?name=eq.%zz%', 200, undefined],
  ])('with %s gets the expected response', async (_what, path, status, code) => {
    const response = await ask(path);
    expect({ status: response.status, code: response.body.code }).toEqual({ status, code });
  });

  test.each([
    ['an escaped NUL', '{"name": "a\\u0000b"}', '22P05'],
    ['an escaped NUL in a key', '{"na\\u0000me": "b"}', 'PGRST204'],
    ['an escaped NUL in nested JSON', '{"name": "x", "data": {"a": "\\u0000"}}', '22P05'],
    ['a lone surrogate', '{"name": "\\ud800"}', '22P02'],
    ['a lone surrogate in a key', '{"\\ud800": "x"}', 'PGRST204'],
    ['bytes that aren’t UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'PGRST102'],
    ['a NUL', new Uint8Array([0x7b, 0x22, 0x00, 0x22, 0x3a, 0x31, 0x7d]), 'PGRST102'],
  ])('in a body is rejected: %s', async (_what, body, code) => {
    expect(await ask('/people', post(body))).toMatchObject({ status: 400, body: { code } });
  });

  test('in a body that is passed to PostgreSQL without parsing is rejected', async () => {
    for (const byte of [0x00, 0xff]) {
      const body = new Uint8Array([0x7b, 0x22, byte, 0x22, 0x3a, 0x31, 0x7d]);
      expect(await ask('/people?columns=name', post(body))).toMatchObject({
        status: 400,
        body: { code: '22021' },
      });
    }
  });

  test('in claims is rejected', async () => {
    const odd: [string, Record<string, string>][] = [
      ['x\0', {}],
      ['x', { role: 'x\0' }],
      ['x', { x: '\ud800' }],
    ];
    for (const [sub, others] of odd) {
      const response = await ask('/people', {
        headers: { authorization: `Bearer ${rest.userToken(sub, others)}` },
      });
      expect(response.status).toBeLessThan(500);
    }
  });
});

test.each(['PURGE', 'REPORT', 'TRACE', 'PROPFIND'])(
  'the method %s is rejected in the service’s error format',
  async (method) => {
    const response = await raw(`${method} /rest/v1/people HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1.1 405 /);
    expect(response).toContain(
      `"code":"PGRST117","details":null,"hint":null,"message":"Unsupported HTTP method: ${method}"`,
    );
  },
);

test('a prefix with a different spelling isn’t routed to the service', async () => {
  const response = await raw('GET /%72est/v1/people HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(response).toMatch(/^HTTP\/1.1 404 /);
});

/** Sends raw bytes and resolves with the complete response. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(rest.url);
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(response));
  });
}
