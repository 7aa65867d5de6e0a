/**
 * Tests that values that functions set in responses, and that clients send in headers, never break the structure of an
 * HTTP message.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest({
    sql: `
      create function public.reason(msg text, state text) returns int language plpgsql as $$ begin
        raise exception using errcode = state, message = msg; end $$;
      create function public.answer(message text, detail text) returns int language plpgsql as $$ begin
        raise sqlstate 'PGRST' using message = message, detail = detail; end $$;
      create function public.headers(list text, status text default '') returns text language plpgsql as $$ begin
        perform set_config('response.headers', list, true), set_config('response.status', status, true);
        return 'body'; end $$;
      create function public.sent(name text) returns json language sql stable as
        $$ select current_setting(name, true)::json $$;
      create table public.texts (id text primary key);
      grant all on public.texts to anon;
      create table public."line
feed" (id int primary key);
      grant all on public."line
feed" to anon;
      create schema "تست";
      create table "تست".things (id int primary key);
      insert into "تست".things values (7);
      grant usage on schema "تست" to anon;
      grant all on "تست".things to anon`,
    settings: { api: { schemas: ['public', 'تست'] } },
  });
});
afterAll(() => rest?.stop());

/** Returns the raw response up to the end of the connection. */
function raw(path: string, body: object, headers: readonly string[] = []): Promise<string> {
  const text = JSON.stringify(body);
  const head = [
    `POST /rest/v1${path} HTTP/1.1`,
    'host: x',
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  const { hostname, port } = new URL(rest.url);
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${text}`));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(response));
  });
}

/** Parses a valid message: the status line, headers by name, and a body of the declared length. */
async function parsed(path: string, body: object, headers: readonly string[] = []) {
  const response = await raw(path, body, headers);
  const [head = '', ...rest] = response.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const text = rest.join('\r\n\r\n');
  const named = fields.map((field) => field.slice(0, field.indexOf(':')).toLowerCase());
  expect(fields.filter((field) => /^content-length:/i.test(field))).toEqual([
    `Content-Length: ${text.length}`,
  ]);
  expect(named).not.toContain('transfer-encoding');
  expect(named).not.toContain('x-evil');
  const of = (name: string) =>
    fields.find((field) => field.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2);
  return {
    line,
    of,
    body: (text === '' ? undefined : JSON.parse(Buffer.from(text, 'latin1').toString())) as unknown,
  };
}

const evil = 'a\r\nX-Evil: 1\r\n\r\nHTTP/1.1 200 OK';

describe('a function', () => {
  test('can set the reason phrase, which is limited to one line', async () => {
    const { line, body } = await parsed('/rpc/reason', { msg: evil, state: 'PT418' });
    expect(line).toBe('HTTP/1.1 418 a  X-Evil: 1    HTTP/1.1 200 OK');
    expect(body).toMatchObject({ code: 'PT418', message: evil });
  });

  test.each([
    ['PT100', 500],
    ['PT101', 500],
    ['PT199', 500],
    ['PT000', 500],
    ['PT299', 299],
  ])(
    'with SQLSTATE %s never sends an interim status, for which clients would keep waiting',
    async (state, status) => {
      expect((await parsed('/rpc/reason', { msg: 'x', state })).line).toMatch(
        new RegExp(`^HTTP/1.1 ${status} `),
      );
    },
  );

  test('can set the code in Proxy-Status, which is limited to one line', async () => {
    const message = JSON.stringify({ code: evil, message: 'm' });
    const { line, of, body } = await parsed('/rpc/answer', {
      message,
      detail: '{"status": 400, "headers": {}}',
    });
    expect([line, body]).toMatchObject(['HTTP/1.1 400 Bad Request', { code: evil }]);
    expect(of('proxy-status')).toBe('PostgREST; error=a%0D%0AX-Evil: 1%0D%0A%0D%0AHTTP/1.1 200 OK');
  });

  const raised = (detail: unknown) =>
    parsed('/rpc/answer', { message: '{"code": "1", "message": "m"}', detail: JSON.stringify(detail) });

  test.each([
    [{ status: 400, headers: { 'X y': '1' } }],
    [{ status: 400, headers: { 'X-Y': evil } }],
    [{ status: 400, headers: { 'X-Y': 1 } }],
    [{ status: 400, headers: [] }],
    [{ status: 101, headers: {} }],
    [{ status: 99_999, headers: {} }],
    [{ status: 400.5, headers: {} }],
    [{ status: '400', headers: {} }],
  ])('can’t raise %j', async (detail) => {
    expect(await raised(detail)).toMatchObject({
      line: 'HTTP/1.1 500 Internal Server Error',
      body: { code: 'PGRST121' },
    });
  });

  test('can raise an error with headers and a reason, except for headers that determine the message’s length', async () => {
    const headers = {
      'X-Snow': '☃',
      'Content-Length': '3',
      'Transfer-Encoding': 'chunked',
      Connection: 'keep-alive',
    };
    const { line, of } = await raised({ status: 400, status_text: evil, headers });
    expect(line).toBe('HTTP/1.1 400 a  X-Evil: 1    HTTP/1.1 200 OK');
    expect([of('x-snow'), of('connection')]).toEqual([Buffer.from('☃').toString('latin1'), 'close']);
  });

  test('can set headers, except for those that determine the message’s length', async () => {
    const list = JSON.stringify([
      { 'content-length': '1' },
      { 'TRANSFER-ENCODING': 'chunked' },
      { 'X-Own': 'yes' },
    ]);
    const { line, of, body } = await parsed('/rpc/headers', { list });
    expect([line, of('x-own'), body]).toEqual(['HTTP/1.1 200 OK', 'yes', 'body']);
  });

  test.each([
    ['PGRST111', [{ 'X-Y': evil }], ''],
    ['PGRST111', [{ 'X-Y\r\nX-Evil': '1' }], ''],
    ['PGRST111', [{ 'X-Y': '1', 'X-Z': '2' }], ''],
    ['PGRST111', [null], ''],
    ['PGRST112', [], '100'],
    ['PGRST112', [], '101'],
    ['PGRST112', [], '1000'],
    ['PGRST112', [], 'x'],
  ])('gets %s for headers %j and status %j', async (code, list, status) => {
    expect(await parsed('/rpc/headers', { list: JSON.stringify(list), status })).toMatchObject({
      line: 'HTTP/1.1 500 Internal Server Error',
      body: { code },
    });
  });
});

describe('a client’s name or value', () => {
  test('is encoded in Location', async () => {
    const { line, of } = await parsed('/texts', { id: `${evil} ☃` }, ['prefer: return=headers-only']);
    expect(line).toBe('HTTP/1.1 201 Created');
    expect(of('location')).toBe(`/texts?id=eq.${encodeURIComponent(`${evil} ☃`)}`);
  });

  test('is also encoded if the table’s name contains a line feed', async () => {
    const { of } = await parsed('/line%0Afeed', { id: 1 }, ['prefer: return=headers-only']);
    expect(of('location')).toBe('/line%0Afeed?id=eq.1');
    const read = await rest.fetch('/line%0Afeed');
    expect([read.status, read.headers.get('content-location')]).toEqual([200, '/line%0Afeed']);
  });

  test('in a header is decoded as UTF-8, also for the database', async () => {
    const bytes = Buffer.from('☃').toString('latin1');
    const sent = async (name: string, headers: Record<string, string>) =>
      (await rest.fetch(`/rpc/sent?name=${name}`, { headers })).json();
    expect(await sent('request.headers', { 'x-any': bytes })).toMatchObject({ 'x-any': '☃' });
    expect(await sent('request.headers', { 'x-any': '\xff"' })).toMatchObject({ 'x-any': '\ufffd"' });
    expect(await sent('request.cookies', { cookie: `a=${bytes}` })).toEqual({ a: '☃' });
  });

  test('can name a schema in any script', async () => {
    const profile = Buffer.from('تست').toString('latin1');
    const response = await rest.fetch('/things', { headers: { 'accept-profile': profile } });
    expect([response.status, await response.json(), response.headers.get('content-profile')]).toEqual([
      200,
      [{ id: 7 }],
      profile,
    ]);
    const other = await rest.fetch('/things', { headers: { 'accept-profile': '\xff' } });
    expect(other.status).toBe(406);
  });
});
