/**
 * Tests responses and request bodies that are too large for memory: the results, the memory use, and that no files are
 * left behind.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

const MIB = 1024 * 1024;
const ANSWER_LIMIT = 210 * MIB;
const TOTAL_LIMIT = 500 * MIB;
const BODIES_LIMIT = 8 * MIB;

/** Creates rows of about 1 KiB each. */
const SCHEMA = `
  create table public.source (id int primary key, text text not null);
  insert into public.source select i, repeat(chr(97 + i % 26), 1000) from generate_series(1, 2000) i;
  create view public.pages as
    select p as page, id, text from generate_series(1, 100) p, public.source;
  create view public.broken as
    select p as page, id, case when p = 20 and id = 2000 then (1 / (p - 20))::text else text end as text
    from generate_series(1, 20) p, public.source;
  create function public.pages_until(last int) returns setof public.pages language sql stable
    as $$ select * from public.pages where page <= last $$;
  create function public.blob(size int) returns bytea language sql stable
    as $$ select decode(repeat('0123456789abcdef', size / 8), 'hex') $$;
  create domain public."application/octet-stream" as bytea;
  create function public.file(size int) returns public."application/octet-stream" language sql stable
    as $$ select decode(repeat('0123456789abcdef', size / 8), 'hex') $$;
  create table public.sink (id int generated always as identity primary key, page int, text text not null);
  create function public.copy_pages(last int) returns setof public.sink language sql volatile
    as $$ insert into public.sink (page, text) select page, text from public.pages where page <= last returning * $$;
  -- A role without a statement timeout, since this machine may be busy.
  do $$ begin
    if to_regrole('bulk') is null then
      create role bulk nologin;
      grant bulk to authenticator;
      alter role bulk set statement_timeout = '5min';
    end if;
  end $$;
  grant usage on schema public to bulk;
  grant all on all tables in schema public to bulk;
`;

let rest: RestHarness;
let authorization: string;
const ask = (path: string, init: RequestInit = {}) =>
  rest.fetch(path, { ...init, headers: { authorization, ...init.headers } });
beforeAll(async () => {
  rest = await startRest({
    sql: SCHEMA,
    settings: {
      api: { max_rows: 1_000_000_000 },
      plinth: {
        rest: {
          max_answer_size: ANSWER_LIMIT,
          max_waiting_answers: TOTAL_LIMIT,
          max_request_bodies: BODIES_LIMIT,
        },
      },
    },
  });
  authorization = `Bearer ${rest.userToken('11111111-1111-4111-8111-111111111111', { role: 'bulk' })}`;
});
afterAll(() => rest?.stop());
afterEach(async () => {
  await vi.waitFor(() => expect(openAnswers()).toEqual([]), { timeout: 20_000 });
  await vi.waitFor(async () => expect(await busyBackends()).toBe(0), { timeout: 20_000 });
});

/**
 * Returns the open files that contain responses. The names of these files have already been removed from the folder.
 */
function openAnswers(): string[] {
  const folder = join(rest.dataDir, 'answers');
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

async function busyBackends(): Promise<number> {
  const [row] = await rest.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity
     where usename = 'authenticator' and state <> 'idle' and datname = current_database()`,
  );
  return row?.count ?? 0;
}

const residentBytes = () =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

/** Returns the maximum memory growth of the process while `work` runs. */
async function growthOf(work: () => Promise<void>): Promise<number> {
  const before = residentBytes();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes());
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

/** Opens a response without reading its body. */
function open(path: string, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${rest.url}/rest/v1${path}`,
      { headers: { authorization, ...headers }, agent: false },
      (response) => {
        response.on('error', () => {});
        resolve(response);
      },
    );
    call.on('error', reject);
    call.end();
  });
}

async function digestOf(response: IncomingMessage): Promise<{ size: number; hash: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of response) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, hash: hash.digest('hex') };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const bodyOf = async (response: IncomingMessage) => JSON.parse(await textOf(response));

describe('a large response', () => {
  test('is complete, with rows, length and range', async () => {
    const response = await open('/pages?page=lte.10');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-range']).toBe('0-19999/*');
    const length = Number(response.headers['content-length']);
    const text = await textOf(response);
    expect(text.length).toBe(length);
    const rows = JSON.parse(text);
    expect(rows).toHaveLength(20_000);
    expect(rows.at(-1)).toEqual({ page: 10, id: 2000, text: 'y'.repeat(1000) });
    expect(text.startsWith('[{"page":1,"id":1,')).toBe(true);
    expect(text.slice(text.indexOf('}') + 1, text.indexOf('}') + 6)).toBe(', \n {');
  });

  test('uses little memory, whether it is read quickly, slowly or by several clients', async () => {
    const read = async () => expect((await digestOf(await open('/pages'))).size).toBeGreaterThan(190 * MIB);
    await digestOf(await open('/pages?page=lte.20'));
    expect(await growthOf(read)).toBeLessThan(64 * MIB);
    const slowly = async () => {
      const response = await open('/pages?page=lte.50');
      let size = 0;
      for await (const chunk of response) {
        if (Math.floor(size / MIB) < Math.floor((size + chunk.length) / MIB)) await sleep(2);
        size += chunk.length;
      }
      expect(size).toBe(Number(response.headers['content-length']));
    };
    expect(await growthOf(async () => void (await Promise.all([slowly(), slowly()])))).toBeLessThan(64 * MIB);
  });

  test('doesn’t occupy a connection while a client reads slowly', async () => {
    const stalled = await Promise.all(Array.from({ length: 12 }, () => open('/pages?page=lte.10')));
    expect(stalled.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200));
    await expect.poll(busyBackends).toBe(0);
    expect((await ask('/source?id=eq.1&select=id')).status).toBe(200);
    const digests = new Set<string>();
    for (const response of stalled) digests.add((await digestOf(response)).hash);
    expect(digests.size).toBe(1);
  });

  test('with an error in its last row is replaced completely by the error', async () => {
    const response = await open('/broken');
    expect(response.statusCode).toBe(400);
    expect(await bodyOf(response)).toMatchObject({ code: '22012', message: 'division by zero' });
  });

  test.each([
    ['counted', '/pages?page=lte.10', { prefer: 'count=exact' }, '0-19999/20000'],
    ['of a function', '/rpc/pages_until?last=10', {}, '0-19999/*'],
  ])('works with %s', async (_what, path, headers, range) => {
    const response = await open(path, headers);
    expect(response.headers['content-range']).toBe(range);
    const rows = await bodyOf(response);
    expect(rows).toHaveLength(20_000);
    expect(rows[7]).toEqual({ page: 1, id: 8, text: 'i'.repeat(1000) });
  });

  test('works as CSV', async () => {
    const response = await open('/pages?page=lte.10', { accept: 'text/csv' });
    const lines = (await textOf(response)).split('\n');
    expect(lines).toHaveLength(20_001);
    expect(lines[0]).toBe('page,id,text');
    expect(lines.at(-1)).toBe(`10,2000,${'y'.repeat(1000)}`);
  });

  test('works as bytes of a custom media type', async () => {
    const response = await open(`/rpc/file?size=${8 * MIB + 8}`, { accept: 'application/octet-stream' });
    expect(response.headers['content-type']).toBe('application/octet-stream');
    expect(response.headers['content-length']).toBe(String(8 * MIB + 8));
    const { hash } = await digestOf(response);
    const expected = Buffer.alloc(8 * MIB + 8, Buffer.from('0123456789abcdef', 'hex'));
    expect(hash).toBe(createHash('sha256').update(expected).digest('hex'));
  });

  test('works for one object', async () => {
    const accept = 'application/vnd.pgrst.object+json';
    const response = await open(`/rpc/blob?size=${6 * MIB}`, { accept });
    const text = await textOf(response);
    expect(text.length).toBe(Number(response.headers['content-length']));
    expect(JSON.parse(text)).toHaveLength(12 * MIB + 2);
    const several = await open('/pages?page=lte.10', { accept });
    expect(several.statusCode).toBe(406);
    expect(await bodyOf(several)).toMatchObject({ details: 'The result contains 20000 rows' });
  });

  test('works for a request within the process', async () => {
    const response = await ask('/pages?page=lte.5&select=id');
    expect(await response.json()).toHaveLength(10_000);
  });
});

describe('abandoned responses', () => {
  test('are canceled, and their disk space is released', async () => {
    const begun = performance.now();
    const call = request(`${rest.url}/rest/v1/pages`, { agent: false, headers: { authorization } });
    call.on('error', () => {});
    call.end();
    await expect.poll(openAnswers, { interval: 5, timeout: 10_000 }).not.toEqual([]);
    call.destroy();
    await expect.poll(openAnswers, { interval: 5, timeout: 10_000 }).toEqual([]);
    await expect.poll(busyBackends).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('release their disk space if the client disconnects in the middle of the body', async () => {
    const answers = await Promise.all([open('/pages?page=lte.10'), open('/pages?page=lte.10')]);
    for (const response of answers) response.destroy();
    await expect.poll(openAnswers).toEqual([]);
  });
});

describe('limits', () => {
  test('reject a response that is too large, and the next request succeeds', async () => {
    const refused = await open('/pages?select=page,id,text,again:text');
    expect(refused.statusCode).toBe(400);
    expect(await bodyOf(refused)).toMatchObject({
      code: 'PGRSTX01',
      details: `It is larger than ${ANSWER_LIMIT} bytes.`,
    });
    expect((await ask('/source?id=eq.1')).status).toBe(200);
  });

  test('apply to all responses together', async () => {
    const first = await open('/pages');
    const second = await open('/pages');
    const third = await open('/pages');
    expect([first, second, third].map(({ statusCode }) => statusCode)).toEqual([200, 200, 503]);
    expect(third.headers['retry-after']).toBe('1');
    expect(await bodyOf(third)).toMatchObject({ code: 'PGRSTX02' });
    first.destroy();
    second.destroy();
    await expect.poll(openAnswers).toEqual([]);
    const later = await open('/pages?page=lte.10');
    expect((await digestOf(later)).size).toBe(Number(later.headers['content-length']));
  });

  test('roll back a write whose response is rejected', async () => {
    const call = await ask('/rpc/copy_pages?select=text,b:text,c:text,d:text,e:text,f:text', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"last":20}',
    });
    expect([call.status, await call.json()]).toMatchObject([400, { code: 'PGRSTX01' }]);
    expect(await rest.query('select count(*) as count from public.sink')).toEqual([{ count: 0 }]);
  });

  test('allow a write with a large representation, which is committed', async () => {
    const response = await ask('/source?id=gt.0', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', prefer: 'return=representation' },
      body: JSON.stringify({ text: 'z'.repeat(5000) }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveLength(2000);
    expect(await rest.query('select count(*) as count from public.source where length(text) = 5000')).toEqual(
      [{ count: 2000 }],
    );
  });

  test('temporarily reject request bodies that together exceed the limit', async () => {
    const post = (bytes: number) =>
      ask('/rpc/add', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"a":1,"b":2${' '.repeat(bytes)}}`,
      });
    const refused = await post(BODIES_LIMIT);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'PGRSTX03' });
    for (let turn = 0; turn < 3; turn++) expect(await (await post(BODIES_LIMIT / 2)).json()).toBe(3);
  });
});
