/** Tests what clients receive while PostgreSQL is unavailable or rejects connections, and how the service recovers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type Database } from '../../src/platform/database/index.ts';
import { createRequestPath } from '../../src/platform/database/path/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { type RestHarness, serveRest } from './harness.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
let folder: ReturnType<typeof temporaryFolder>;
let server: ExternalServer;
let database: Database;
let rest: RestHarness;

beforeAll(async () => {
  folder = temporaryFolder();
  const [newest] = availableServers();
  server = await startExternalServer(newest?.bin as string, folder.path);
  database = await createDatabase({ dataDir: '/nowhere', databaseUrl: server.url('admin') });
  await database.pool('supabase_admin').exec(`
    create table public.events (n int not null, at timestamptz default now());
    create function public.sleep(seconds float) returns void language sql as 'select pg_sleep(seconds)';
    grant all on public.events to anon`);
  rest = await serveRest(database, () => database.stop());
});
afterAll(async () => {
  await rest?.stop();
  await server?.stop();
  folder?.remove();
});

const ask = async (path: string, init?: RequestInit) => {
  const response = await rest.fetch(path, init);
  const text = await response.text();
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: text === '' ? undefined : JSON.parse(text),
  };
};
const read = () => ask('/events?limit=1');
const write = (n: number) =>
  ask('/events', {
    method: 'POST',
    body: JSON.stringify({ n }),
    headers: { 'content-type': 'application/json' },
  });

async function asAdmin<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = await Client.connect(parseConnectionString(server.url('admin')));
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}

/** Terminates the service's connections, so that new ones must be opened. */
const terminate = () =>
  asAdmin((client) =>
    client.exec(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'`),
  );

const unavailable = { status: 503, retryAfter: '1', body: { code: expect.stringMatching(/^PGRST00[01]$/) } };

test('while PostgreSQL is unavailable, requests get 503, and the service then recovers', async () => {
  const ready = async () => (await fetch(`${rest.url}/rest-admin/v1/ready`)).status;
  expect((await read()).status).toBe(200);
  expect(await ready()).toBe(200);
  await server.crash();
  for (let turn = 0; turn < 5; turn++) expect(await read()).toMatchObject(unavailable);
  expect(await write(0)).toMatchObject({
    status: 503,
    body: { code: 'PGRST000', message: 'Database connection error.' },
  });
  await expect.poll(ready).toBe(503);
  expect((await fetch(`${rest.url}/rest-admin/v1/live`)).status).toBe(200);
  await server.start();
  expect((await read()).status).toBe(200);
  expect((await write(0)).status).toBe(201);
  await expect.poll(ready).toBe(200);
  await server.stop();
  expect(await read()).toMatchObject(unavailable);
  await server.start();
  expect((await read()).status).toBe(200);
});

test('after a crash during writes, every acknowledged object exists exactly once', async () => {
  await asAdmin((client) => client.exec('truncate public.events'));
  const acknowledged = new Set<number>();
  let next = 1;
  let over = false;
  const writer = async () => {
    while (!over) {
      const n = next++;
      const { status, body } = await write(n);
      if (status === 201) acknowledged.add(n);
      else {
        expect({ n, status, body }).toMatchObject({ status: 503 });
        await sleep(20);
      }
    }
  };
  const writers = Array.from({ length: 12 }, writer);
  for (const end of ['crash', 'stop', 'terminate', 'crash'] as const) {
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(before + 50);
    if (end === 'terminate') {
      await terminate();
    } else {
      await server[end]();
      await server.start();
    }
  }
  over = true;
  await Promise.all(writers);
  await asAdmin(async (client) => {
    const { rows } = await client.queryText(sql`select n::text from public.events`);
    const stored = rows.map(([n]) => Number(n));
    const kept = new Set(stored);
    expect(stored.length).toBe(kept.size);
    expect([...acknowledged].filter((n) => !kept.has(n))).toEqual([]);
  });
});

describe('if PostgreSQL rejects connections because of', () => {
  test.each([
    ['too many connections', 'connection limit 0', 'connection limit -1', 'too many connections for role'],
    ['a changed password', `password 'other'`, undefined, 'password authentication failed'],
    ['a missing LOGIN privilege', 'nologin', 'login', 'is not permitted to log in'],
  ])('%s', async (_what, refuse, allow, details) => {
    const [before] = await asAdmin((client) =>
      client.query<{ verifier: string }>(
        sql`select rolpassword as verifier from pg_authid where rolname = 'authenticator'`,
      ),
    );
    await asAdmin((client) => client.exec(`alter role authenticator ${refuse}`));
    await terminate();
    try {
      expect(await read()).toMatchObject({
        status: 503,
        retryAfter: '1',
        body: {
          code: 'PGRST000',
          message: 'Database connection error.',
          details: expect.stringContaining(details),
        },
      });
    } finally {
      await asAdmin((client) =>
        client.exec(`alter role authenticator ${allow ?? `password '${before?.verifier}'`}`),
      );
    }
    expect((await read()).status).toBe(200);
  });

  test('a standby allows reads, rejects writes, and allows writes after it is promoted', async () => {
    await server.stop();
    await server.start('standby');
    expect((await read()).status).toBe(200);
    expect(await write(1)).toMatchObject({ status: 405, body: { code: '25006' } });
    await server.stop();
    await server.start();
    expect((await write(1)).status).toBe(201);
  });
});

async function isActive(client: Client, role: string): Promise<boolean> {
  const rows = await client.query(sql`
    select from pg_stat_activity where usename = ${role} and state = 'active' and query like '%sleep%'`);
  return rows.length > 0;
}

test('a request that waits too long for a connection gets 504', async () => {
  await asAdmin((client) =>
    client.exec(
      `drop role if exists crowded; create role crowded login noinherit password 'secret' in role anon, service_role`,
    ),
  );
  const requestPath = createRequestPath({
    connectOptions: () => parseConnectionString(server.url('crowded')),
    aloneConnections: 1,
    acquireTimeoutMs: 200,
  });
  const crowded = await serveRest({ ...database, requestPath }, () => requestPath.stop());
  try {
    // Opening the connection can take longer than the limit.
    await expect.poll(async () => (await crowded.fetch('/rpc/sleep?seconds=0')).status).toBe(204);
    const blocker = crowded.fetch('/rpc/sleep?seconds=2');
    await expect.poll(() => asAdmin((client) => isActive(client, 'crowded'))).toBe(true);
    const response = await crowded.fetch('/rpc/sleep?seconds=0');
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({
      code: 'PGRST003',
      details: null,
      hint: null,
      message: 'Timed out acquiring connection from connection pool.',
    });
    expect((await blocker).status).toBe(204);
    expect((await crowded.fetch('/rpc/sleep?seconds=0')).status).toBe(204);
  } finally {
    await crowded.stop();
  }
});

test('the server can stop without a database', async () => {
  const own = temporaryFolder();
  try {
    const [newest] = availableServers();
    const other = await startExternalServer(newest?.bin as string, own.path);
    const theirs = await createDatabase({ dataDir: '/nowhere', databaseUrl: other.url('admin') });
    const stopped = await serveRest(theirs, () => theirs.stop());
    expect((await stopped.fetch('/')).status).toBe(200);
    await other.crash();
    expect((await stopped.fetch('/')).status).toBe(503);
    await stopped.stop();
  } finally {
    own.remove();
  }
});

test('if a client disconnects, its statement is canceled', async () => {
  const sleeping = () =>
    asAdmin(async (client) => {
      const rows = await client.query(sql`
        select from pg_stat_activity where usename = 'authenticator' and state = 'active' and query like '%sleep%'`);
      return rows.length;
    });
  const leaving = new AbortController();
  const abandoned = rest.fetch('/rpc/sleep?seconds=50', { signal: leaving.signal });
  await expect.poll(sleeping).toBe(1);
  leaving.abort();
  await expect(abandoned).rejects.toThrow();
  await expect.poll(sleeping).toBe(0);
});
