/** Tests the http extension, which sends a request and returns its response in one statement. */
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Pool, Row } from '../../src/platform/database/index.ts';
import { openTarget, type Target } from './target.ts';

let backend: Backend;
let postgres: Pool;
let target: Target;
beforeAll(async () => {
  target = await openTarget();
  backend = await createTestBackend();
  postgres = backend.database.pool('postgres');
  await postgres.exec('create extension http with schema extensions');
});
afterAll(async () => {
  await backend?.stop();
  await target?.close();
});
beforeEach(() => {
  target.arrived.length = 0;
  target.answer((request, response) =>
    response
      .setHeader('content-type', 'application/json')
      .setHeader('x-seen', request.method ?? '')
      .end('{"ok":"ü"}'),
  );
});

const rows = (text: string): Promise<Row[]> => postgres.query(sql.raw(text));
const first = async (text: string): Promise<Row> => (await rows(text))[0] as Row;

describe('requests', () => {
  test('can use GET, with the response as a row', async () => {
    expect(
      await first(
        `select status, content_type, content::json ->> 'ok' as ok from http_get('${target.url}/a?b=c')`,
      ),
    ).toEqual({
      status: 200,
      content_type: 'application/json',
      ok: 'ü',
    });
    expect(target.arrived).toMatchObject([{ method: 'GET', url: '/a?b=c', body: '' }]);
    expect(
      await rows(
        `select field, value from (select (unnest(headers)).* from http_get('${target.url}')) h where field = 'x-seen'`,
      ),
    ).toEqual([{ field: 'x-seen', value: 'GET' }]);
  });

  test('can send data in the URL or as a form', async () => {
    await first(`select status from http_get('${target.url}/g', jsonb_build_object('a', 'x y', 'ü', 1))`);
    await first(`select status from http_post('${target.url}/p', '{"myvar": "my val & more"}'::jsonb)`);
    expect(target.arrived).toMatchObject([
      { method: 'GET', url: '/g?a=x+y&%C3%BC=1' },
      {
        method: 'POST',
        body: 'myvar=my+val+%26+more',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]);
  });

  test('can use POST, PUT, PATCH, DELETE and HEAD', async () => {
    await first(`select http_post('${target.url}', 'payload', 'text/plain')`);
    await first(`select http_put('${target.url}', 'some text', 'text/plain')`);
    await first(`select http_patch('${target.url}', '{"this":"that"}', 'application/json')`);
    await first(`select http_delete('${target.url}')`);
    await first(`select http_delete('${target.url}', 'x', 'text/plain')`);
    expect(await first(`select status, content from http_head('${target.url}')`)).toEqual({
      status: 200,
      content: '',
    });
    expect(target.arrived.map(({ method, body }) => [method, body])).toEqual([
      ['POST', 'payload'],
      ['PUT', 'some text'],
      ['PATCH', '{"this":"that"}'],
      ['DELETE', ''],
      ['DELETE', 'x'],
      ['HEAD', ''],
    ]);
  });

  test('can have custom headers', async () => {
    await first(`select status from http((
      'GET', '${target.url}', array[http_header('Authorization', 'Bearer t')], null, null)::http_request)`);
    await first(
      `select status from http(('POST', '${target.url}', http_headers('X-A', '1', 'X-B', '2'), 'application/json', '{}')::http_request)`,
    );
    expect(target.arrived[0]?.headers).toMatchObject({ authorization: 'Bearer t' });
    expect(target.arrived[1]).toMatchObject({ body: '{}', headers: { 'x-a': '1', 'x-b': '2' } });
  });

  test('follow redirects, except HEAD', async () => {
    target.answer((request, response) =>
      request.url === '/start' ? response.writeHead(302, { location: '/next' }).end() : response.end('there'),
    );
    expect(await first(`select content from http_get('${target.url}/start')`)).toEqual({ content: 'there' });
    expect(await first(`select status from http_head('${target.url}/start')`)).toEqual({ status: 302 });
  });

  test('can reach this server by its name in the local stack', async () => {
    expect(await first(`select status from http_get('http://kong:8000/auth/v1/health')`)).toEqual({
      status: 200,
    });
  });
});

test('urlencode encodes text and bytea', async () => {
  expect(
    await first(`select urlencode('my special string''s & things?') as a, urlencode('a-b_c.d~'::bytea) as b`),
  ).toEqual({
    a: 'my+special+string%27s+%26+things%3F',
    b: 'a-b_c.d~',
  });
});

describe('options', () => {
  test('belong to the session and can be listed and reset', async () => {
    const session = await postgres.connect();
    const ask = async (text: string): Promise<Row[]> => session.query(sql.raw(text));
    await ask(
      `select http_set_curlopt('CURLOPT_USERAGENT', 'mine'), http_set_curlopt('CURLOPT_USERPWD', 'a:b')`,
    );
    await ask(`select http_get('${target.url}')`);
    expect(target.arrived[0]?.headers).toMatchObject({ 'user-agent': 'mine', authorization: 'Basic YTpi' });
    expect(await ask('select * from http_list_curlopt()')).toEqual([
      { curlopt: 'CURLOPT_USERAGENT', value: 'mine' },
      { curlopt: 'CURLOPT_USERPWD', value: 'a:b' },
    ]);
    expect(await ask('select http_reset_curlopt() as done')).toEqual([{ done: true }]);
    expect(await ask('select * from http_list_curlopt()')).toEqual([]);
    session.release();
  });

  test('include a timeout', async () => {
    target.answer(() => undefined);
    const session = await postgres.connect();
    await session.exec(`select http_set_curlopt('CURLOPT_TIMEOUT_MS', '80')`);
    await expect(session.exec(`select http_get('${target.url}')`)).rejects.toThrow(
      /^Timeout of 80 ms reached/,
    );
    await session.exec(`select http_reset_curlopt(); set http.timeout_msec = 70`);
    await expect(session.exec(`select http_get('${target.url}')`)).rejects.toThrow(
      /^Timeout of 70 ms reached/,
    );
    session.destroy();
  });

  test('that aren’t supported cause an error', async () => {
    await expect(rows(`select http_set_curlopt('CURLOPT_PROXY', 'x')`)).rejects.toThrow(
      `curl option 'CURLOPT_PROXY' is not available for run-time configuration`,
    );
  });
});

describe('errors', () => {
  test.each([
    [`http_get('http://127.0.0.1:1/')`, "Couldn't connect to server"],
    [`http_get('http://unknown.invalid/')`, "Couldn't resolve host name"],
    [`http_get('file:///etc/passwd')`, 'is not http or https'],
    [`http_get(null)`, 'http_request.uri is NULL'],
    [`http(row(null, 'http://x', null, null, null)::http_request)`, 'http_request.method is NULL'],
    [`http(row(E'GET / HTTP/1.1\\r\\nX: y', 'http://x', null, null, null)::http_request)`, 'is no method'],
    [`http(row('POST', 'http://x', null, null, 'y')::http_request)`, 'http_request.content_type is NULL'],
    [
      `http(row('GET', 'http://127.0.0.1:1', array[http_header('X', E'a\\r\\nY: b')], null, null)::http_request)`,
      'header',
    ],
  ])('%s', async (call, message) => {
    await expect(rows(`select ${call}`)).rejects.toThrow(message);
  });

  test('can be caught, and the transaction continues', async () => {
    expect(await first(`select * from (values (1)) v (n)`)).toEqual({ n: 1 });
    await postgres.exec(
      `do $$ begin perform http_get('http://127.0.0.1:1/'); exception when others then null; end $$`,
    );
  });

  test('canceling a statement cancels its request', async () => {
    let gone = false;
    target.answer((_request, response) => {
      response.once('close', () => {
        gone = true;
      });
    });
    const session = await postgres.connect();
    await session.exec(`set statement_timeout = 200`);
    await expect(session.exec(`select http_get('${target.url}')`)).rejects.toMatchObject({ code: '57014' });
    session.destroy();
    await expect.poll(() => gone).toBe(true);
  });
});

test('many concurrent requests work', async () => {
  target.answer((_request, response) => void setTimeout(() => response.end('x'.repeat(200_000)), 20));
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      first(`select status, length(content) as size from http_get('${target.url}')`),
    ),
  );
  expect(answers).toEqual(Array(20).fill({ status: 200, size: 200_000 }));
});

describe('permissions', () => {
  test('allow functions that API roles call to use it, as upstream does', async () => {
    const [row] = await backend.database.asRequest({ role: 'anon', settings: [] }, (tx) =>
      tx.query(sql`select status from extensions.http_get(${target.url})`),
    );
    expect(row).toEqual({ status: 200 });
  });

  test('don’t expose the extension in the API', async () => {
    const response = await backend.fetch('/rest/v1/rpc/http_get', {
      method: 'POST',
      headers: { apikey: backend.keys.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ uri: target.url }),
    });
    expect(response.status).toBe(404);
  });

  test('don’t let users reach dblink through the extension', async () => {
    await expect(
      postgres.exec(`select * from extensions._http_dblink('host=/tmp', 'select 1') as t (x text)`),
    ).rejects.toMatchObject({ code: '42501' });
    // If a user creates the dblink extension, it can't connect to the socket without a password either.
    await postgres.exec('create extension dblink with schema extensions');
    const dir = backend.database.info.socketDir;
    await expect(
      postgres.exec(`select * from dblink('host=''${dir}/bridge'' port=1 user=x', 'select 1') as t (x text)`),
    ).rejects.toThrow(/password/i);
  });

  /** The start of a connection string without a random name. dblink first looks for an object with this name. */
  const oldName = async (): Promise<string> => {
    const { port } = await first(
      `select ('x' || substr(md5(current_database()), 1, 4))::bit(16)::int | 1 as port`,
    );
    const text = `host='${backend.database.info.socketDir}/bridge' port=${port} user=plinth dbname=plinth gssencmode=disable`;
    return text.slice(0, 63).replaceAll("'", "''");
  };
  const status = async (): Promise<Row> => first(`select status from http_get('${target.url}')`);

  test.each(['postgres_fdw', 'dblink_fdw'])(
    'don’t let a server of %s receive the request',
    async (wrapper) => {
      let connections = 0;
      const listener = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
      const { port } = listener.address() as AddressInfo;
      const server = `"${(await oldName()).replaceAll("''", "'")}"`;
      await postgres.exec(`
      create extension if not exists dblink with schema extensions;
      create extension if not exists postgres_fdw with schema extensions;
      create server ${server} foreign data wrapper ${wrapper} options (host '127.0.0.1', port '${port}', dbname 'x');
      create user mapping for public server ${server} options (user 'x', password 'x')`);
      try {
        const answer = await status().catch((error: Error) => error.message);
        expect({ answer, connections }).toEqual({ answer: { status: 200 }, connections: 0 });
      } finally {
        await postgres.exec(`drop server ${server} cascade`);
        listener.close();
      }
    },
  );

  test('don’t let a named connection receive the request', async () => {
    await postgres.exec('create extension if not exists dblink with schema extensions');
    const { hostname, port, password } = new URL(backend.database.info.url);
    const name = await oldName();
    await postgres.transaction(async (tx) => {
      await tx.exec(`select dblink_connect('${name}',
        'host=${hostname} port=${port} user=postgres dbname=postgres password=${decodeURIComponent(password)}')`);
      expect(await tx.query(sql.raw(`select status from http_get('${target.url}')`))).toEqual([
        { status: 200 },
      ]);
      await tx.exec(`select dblink_disconnect('${name}')`);
    });
  });
});
