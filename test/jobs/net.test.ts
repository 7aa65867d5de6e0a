/** Tests pg_net and database webhooks. Committed requests are sent once, and their responses are stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { createLiveConfig } from '../../src/platform/config/index.ts';
import type { Pool } from '../../src/platform/database/index.ts';
import { createJobs } from '../../src/services/jobs/index.ts';
import { openTarget, type Target } from './target.ts';

let backend: Backend;
let postgres: Pool;
let target: Target;
beforeAll(async () => {
  target = await openTarget();
  backend = await createTestBackend();
  postgres = backend.database.pool('postgres');
});
afterAll(async () => {
  await backend?.stop();
  await target?.close();
});
beforeEach(() => {
  target.arrived.length = 0;
  target.answer((_request, response) =>
    response.setHeader('content-type', 'application/json').end('{"ok":true}'),
  );
});

interface Stored {
  status: number | null;
  content_type: string | null;
  headers: Record<string, string> | null;
  content: string | null;
  timed_out: boolean;
  error_msg: string | null;
}

const queue = async (call: string): Promise<number> => {
  const [row] = await postgres.query<{ id: number }>(sql`select ${sql.raw(call)} as id`);
  return row?.id as number;
};

async function exchange(id: number): Promise<Stored> {
  for (;;) {
    const [row] = await postgres.query<Stored>(sql`
      select status_code as status, content_type, headers, content, timed_out, error_msg
      from net._http_response where id = ${id}`);
    if (row !== undefined) return row;
    await sleep(10);
  }
}

const ask = async (call: string): Promise<Stored> => exchange(await queue(call));

describe('sent requests', () => {
  test('use GET with parameters and headers', async () => {
    const response = await ask(
      `net.http_get('${target.url}/a?x=1', params => '{"q":"ü &"}', headers => '{"X-Api":"k"}')`,
    );
    expect(response).toMatchObject({
      status: 200,
      content_type: 'application/json',
      content: '{"ok":true}',
      timed_out: false,
      error_msg: null,
    });
    expect(response.headers).toMatchObject({ 'content-type': 'application/json' });
    const [request] = target.arrived;
    expect(request).toMatchObject({ method: 'GET', url: '/a?x=1&q=%C3%BC%20%26', body: '' });
    expect(request?.headers).toMatchObject({
      'x-api': 'k',
      'user-agent': 'pg_net/0.19.5',
      host: new URL(target.url).host,
    });
    expect(request?.headers['transfer-encoding']).toBeUndefined();
  });

  test('use POST with JSON', async () => {
    await ask(`net.http_post('${target.url}/b', '{"a":"ü"}', headers => '{"Authorization":"Bearer t"}')`);
    const [request] = target.arrived;
    expect(request).toMatchObject({ method: 'POST', url: '/b', body: '{"a": "ü"}' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '11',
      authorization: 'Bearer t',
    });
  });

  test('use DELETE with and without a body', async () => {
    await ask(`net.http_delete('${target.url}/c')`);
    await ask(`net.http_delete('${target.url}/c', body => '[1]')`);
    expect(target.arrived.map(({ method, body }) => [method, body])).toEqual([
      ['DELETE', ''],
      ['DELETE', '[1]'],
    ]);
  });

  test('are only those that were committed', async () => {
    await expect(
      postgres.transaction(async (tx) => {
        await tx.query(sql`select net.http_get(${`${target.url}/undone`})`);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await ask(`net.http_get('${target.url}/done')`);
    expect(target.arrived.map(({ url }) => url)).toEqual(['/done']);
  });

  test('include a row that was inserted into the queue manually, after net.wake()', async () => {
    await postgres.exec(`insert into net.http_request_queue (method, url, headers, timeout_milliseconds)
      values ('GET', '${target.url}/by-hand', null, 1000); select net.wake()`);
    await expect.poll(() => target.arrived.map(({ url }) => url)).toEqual(['/by-hand']);
  });

  test('follow a redirect without passing credentials to another origin', async () => {
    const other = await openTarget();
    target.answer((_request, response) => response.writeHead(302, { location: `${other.url}/next` }).end());
    const response = await ask(
      `net.http_post('${target.url}/first', '{}', headers => '{"Authorization":"Bearer t","X-Other":"kept"}')`,
    );
    expect(response).toMatchObject({ status: 200 });
    expect(other.arrived).toMatchObject([{ method: 'GET', url: '/next', headers: { 'x-other': 'kept' } }]);
    expect(other.arrived[0]?.headers.authorization).toBeUndefined();
    await other.close();
  });

  test('send headers as UTF-8', async () => {
    const response = await ask(
      `net.http_get('${target.url}/', headers => '{"X-Latin":"é","X-Above":"日本🦊","X-Quotes":"a\\"b"}')`,
    );
    expect(response).toMatchObject({ status: 200 });
    const text = (name: string) => Buffer.from(String(target.arrived[0]?.headers[name]), 'latin1').toString();
    expect([text('x-latin'), text('x-above'), text('x-quotes')]).toEqual(['é', '日本🦊', 'a"b']);
  });

  test('follow a redirect whose URL isn’t encoded', async () => {
    target.answer((request, response) =>
      request.url === '/first'
        ? response.writeHead(302, { location: Buffer.from('/日本?é').toString('latin1') }).end()
        : response.end('there'),
    );
    expect(await ask(`net.http_get('${target.url}/first')`)).toMatchObject({ content: 'there' });
    expect(target.arrived.at(-1)?.url).toBe(encodeURI('/日本?é'));
  });

  test('don’t wait for a slow request', async () => {
    let finish = (): void => undefined;
    target.answer((request, response) => {
      if (request.url === '/slow') finish = () => void response.end('slow');
      else response.end('quick');
    });
    const slow = await queue(`net.http_get('${target.url}/slow', timeout_milliseconds => 30000)`);
    await expect.poll(() => target.arrived.length).toBe(1);
    const quick = await ask(`net.http_get('${target.url}/quick')`);
    expect(quick.content).toBe('quick');
    finish();
    expect((await exchange(slow)).content).toBe('slow');
  });
});

test('the length of a body can’t be changed with a header', async () => {
  const headers = `'{"Content-Type":"application/json","Content-Length":"3","Transfer-Encoding":"chunked"}'`;
  await ask(`net.http_post('${target.url}', body => '{"a":1}', headers => ${headers})`);
  expect(target.arrived).toMatchObject([{ body: '{"a": 1}', headers: { 'content-length': '8' } }]);
  expect(target.arrived[0]?.headers).not.toHaveProperty('transfer-encoding');
});

describe('a failed request is stored after', () => {
  test('an expired timeout', async () => {
    target.answer(() => undefined);
    const response = await ask(`net.http_get('${target.url}/never', timeout_milliseconds => 50)`);
    expect(response).toMatchObject({ status: null, timed_out: true });
    expect(response.error_msg).toMatch(/^Timeout of 50 ms reached\. Total time: \d+ ms$/);
  });

  test.each([
    ['a closed port', 'http://127.0.0.1:1/', "Couldn't connect to server"],
    ['an unknown host name', 'http://unknown.invalid/', "Couldn't resolve host name"],
    ['an invalid URL', 'nonsense', 'the URL is malformed'],
    ['another protocol', 'file:///etc/passwd', 'the protocol "file" is not http or https'],
  ])('%s', async (_what, url, message) => {
    expect(await ask(`net.http_get('${url}')`)).toMatchObject({
      status: null,
      timed_out: false,
      error_msg: message,
    });
  });

  test('a switch to another protocol', async () => {
    target.answer((_request, response) =>
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    const response = await ask(`net.http_get('${target.url}')`);
    expect(response).toMatchObject({ status: null, error_msg: 'the server switched to another protocol' });
  });

  test('a header with a line break', async () => {
    const response = await ask(`net.http_get('${target.url}', headers => '{"X-A":"b\\r\\nX-Evil: 1"}')`);
    expect(response.error_msg).toMatch(/header/);
    expect(target.arrived).toEqual([]);
  });

  test.each([0, -1, 600_001])('a timeout of %i ms', async (timeoutMs) => {
    const response = await ask(`net.http_get('${target.url}', timeout_milliseconds => ${timeoutMs})`);
    expect(response.error_msg).toMatch(/^timeout_milliseconds must be between 1 and 600000/);
  });

  test('an endless response', async () => {
    target.answer((_request, response) => {
      const chunk = Buffer.alloc(65_536, 'a');
      const more = (): void => {
        while (response.write(chunk)) if (response.destroyed) return;
        response.once('drain', more);
      };
      response.on('error', () => undefined);
      more();
    });
    const response = await ask(`net.http_get('${target.url}/endless', timeout_milliseconds => 20000)`);
    expect(response.error_msg).toBe('the response is larger than 4194304 bytes');
  });

  test('endless redirects', async () => {
    target.answer((_request, response) => response.writeHead(302, { location: '/again' }).end());
    const response = await ask(`net.http_get('${target.url}/again')`);
    expect(response.error_msg).toBe('Number of redirects hit maximum amount');
  });

  test('bytes that aren’t text are kept if possible', async () => {
    target.answer((_request, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0x62])));
    expect((await ask(`net.http_get('${target.url}')`)).content).toBe('a\uFFFD\uFFFDb');
  });
});

test('sent requests are counted in /metrics', async () => {
  await ask(`net.http_get('${target.url}')`);
  await ask(`net.http_get('http://127.0.0.1:1/')`);
  const response = await backend.fetch('/metrics', { headers: { apikey: backend.keys.secretKey } });
  const text = await response.text();
  expect(text).toMatch(/^plinth_jobs_total\{kind="pg_net",outcome="answered"\} [1-9]\d*$/m);
  expect(text).toMatch(/^plinth_jobs_total\{kind="pg_net",outcome="failed"\} [1-9]\d*$/m);
});

test('net.http_collect_response returns the response as a value', async () => {
  const id = await queue(`net.http_get('${target.url}')`);
  await exchange(id);
  const [row] = await postgres.query(sql`
    select status::text, message, (response).status_code, (response).body from net.http_collect_response(${id})`);
  expect(row).toEqual({ status: 'SUCCESS', message: 'ok', status_code: 200, body: '{"ok":true}' });
});

describe('URLs that projects for the local stack contain', () => {
  test.each(['http://kong:8000', 'http://supabase_kong_my-app:8000', 'http://host.docker.internal:54321'])(
    '%s refers to this server',
    async (origin) => {
      const response = await ask(`net.http_get('${origin}/auth/v1/health')`);
      expect(response.status).toBe(200);
      expect(response.content).toContain('GoTrue');
    },
  );

  test('host.docker.internal refers to this machine', async () => {
    const { port } = new URL(target.url);
    expect((await ask(`net.http_get('http://host.docker.internal:${port}/x')`)).status).toBe(200);
    expect(target.arrived[0]).toMatchObject({
      url: '/x',
      headers: { host: `host.docker.internal:${port}` },
    });
  });
});

test('responses are kept for pg_net.ttl, which postgres can set', async () => {
  await postgres.exec(`insert into net._http_response (id, created) values
    (-1, now() - interval '7 hours'), (-2, now() - interval '5 hours'), (-3, now())`);
  const left = async (): Promise<unknown> => {
    await postgres.query(sql`select net.worker_restart()`);
    return (await postgres.query(sql`select id from net._http_response where id < 0 order by id desc`)).map(
      ({ id }) => id,
    );
  };
  await expect.poll(left).toEqual([-2, -3]);
  const [{ name } = { name: '' }] = await postgres.query<{ name: string }>(
    sql`select current_database()::text as name`,
  );
  await postgres.exec(`alter database "${name}" set pg_net.ttl = '1 hour'`);
  await expect.poll(left).toEqual([-3]);
  await postgres.exec(`alter database "${name}" set pg_net.ttl = 'nonsense'`);
  expect((await ask(`net.http_get('${target.url}')`)).status).toBe(200);
  await postgres.exec(`alter database "${name}" reset pg_net.ttl`);
});

test('several workers share the queue, each request is sent once, and the number of concurrent requests is limited', async () => {
  const second = createJobs({
    database: backend.database,
    config: createLiveConfig(backend.config),
    mode: 'development',
    apiUrl: () => backend.url,
    localUrl: Promise.resolve(backend.url),
    log: silentLogger,
  });
  await second.start?.();
  target.answer((_request, response) => void setTimeout(() => response.end('x'), 5));
  await postgres.exec(`select net.http_get('${target.url}/' || n) from generate_series(1, 600) n`);
  const waiting = sql`select count(*)::int as n from net.http_request_queue`;
  await expect.poll(async () => (await postgres.query(waiting))[0], { timeout: 30_000 }).toEqual({ n: 0 });
  await second.stop?.();
  const urls = target.arrived.map(({ url }) => url);
  expect(urls).toHaveLength(600);
  expect(new Set(urls).size).toBe(600);
  expect(target.most()).toBeLessThanOrEqual(128);
  expect(target.most()).toBeGreaterThan(16);
});

test('if a worker’s session ends, requests without a recorded result are sent again', async () => {
  target.answer((_request, response) => void setTimeout(() => response.end('x'), 20));
  const before = await postgres.query<{ n: number }>(
    sql`select coalesce(max(id), 0)::int as n from net._http_response`,
  );
  await postgres.exec(`select net.http_get('${target.url}/' || n) from generate_series(1, 300) n`);
  for (const enough of [60, 150]) {
    await expect.poll(() => target.arrived.length, { timeout: 30_000 }).toBeGreaterThan(enough);
    await backend.database.pool('supabase_admin').query(sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and classid = ${0x706e6574}
        and database = (select oid from pg_database where datname = current_database())`);
  }
  const recorded = sql`select count(distinct id)::int as n from net._http_response where id > ${before[0]?.n ?? 0}`;
  await expect.poll(async () => (await postgres.query(recorded))[0], { timeout: 30_000 }).toEqual({ n: 300 });
  expect(new Set(target.arrived.map(({ url }) => url)).size).toBe(300);
});

describe('database webhooks', () => {
  test('send the row to the trigger’s URL', async () => {
    await postgres.exec(`create table public.orders (id int primary key, note text);
      create trigger on_order after insert or delete on public.orders for each row
        execute function supabase_functions.http_request(
          '${target.url}/hook', 'POST', '{"Content-Type":"application/json","X-Secret":"s"}', '{}', '2000');
      insert into public.orders values (1, 'a'); delete from public.orders`);
    await expect.poll(() => target.arrived.length).toBe(2);
    expect(target.arrived[0]?.headers).toMatchObject({ 'x-secret': 's' });
    expect(target.arrived.map(({ body }) => JSON.parse(body))).toEqual(
      expect.arrayContaining([
        { type: 'INSERT', table: 'orders', schema: 'public', record: { id: 1, note: 'a' }, old_record: null },
        { type: 'DELETE', table: 'orders', schema: 'public', record: null, old_record: { id: 1, note: 'a' } },
      ]),
    );
    const [hooks] = await postgres.query(
      sql`select count(*)::int as n from supabase_functions.hooks where hook_name = 'on_order'`,
    );
    expect(hooks).toEqual({ n: 2 });
  });

  test('don’t expose the queue in the API', async () => {
    for (const path of ['/rest/v1/http_request_queue', '/rest/v1/rpc/http_get?url=x']) {
      const response = await backend.fetch(path, {
        headers: {
          apikey: backend.keys.publishableKey,
          'accept-profile': 'net',
          'content-profile': 'net',
        },
      });
      expect(response.status).toBe(406);
    }
  });
});
