/** Tests the REST service with a primary and a streaming standby, which is reached through a proxy that can freeze. */
import { mkdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database, examineExternal } from '../../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { type RestHarness, serveRest } from './harness.ts';

const folder = temporaryFolder();
let primary: ExternalServer;
let standby: ExternalServer;
let proxy: Proxy;
let database: Database;
let rest: RestHarness;

interface Proxy {
  readonly port: number;
  freeze(isFrozen: boolean): void;
  stop(): void;
}

/** Starts a proxy that can stop forwarding bytes without closing connections, as a network failure does. */
async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server: Server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      if (isFrozen) one.pause();
      one.on('data', (bytes) => other.write(bytes));
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    freeze(frozen) {
      isFrozen = frozen;
      for (const socket of sockets) frozen ? socket.pause() : socket.resume();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

beforeAll(async () => {
  const bin = availableServers()[0]?.bin as string;
  primary = await startExternalServer(bin, folder.path, { wal_keep_size: '256MB' });
  const copy = join(folder.path, 'standby');
  mkdirSync(copy, { mode: 0o755 });
  standby = await primary.standby(copy);
  proxy = await startProxy(Number(new URL(standby.url('admin')).port));
  database = await createDatabase({
    dataDir: '/nowhere',
    databaseUrl: primary.url('admin'),
    replicaUrls: `postgresql://127.0.0.1:${proxy.port}`,
    replicaMaxLagMs: 3000,
  });
  await database.pool('supabase_admin').exec(`
    create view public.server as select pg_is_in_recovery() as replica;
    create function public.on_replica() returns boolean language sql stable as 'select pg_is_in_recovery()';
    create function public.on_primary() returns boolean language sql volatile as 'select not pg_is_in_recovery()';
    create function public.notify_stably() returns void language sql stable as $$ select pg_notify('c', '') $$;
    create function public.slow() returns boolean language sql stable as
      'select pg_is_in_recovery() from pg_sleep(1)';
    create table public.notes (id int generated always as identity primary key, owner text not null, body text);
    create function public.write_stably() returns void language sql stable as $$ select nextval('public.notes_id_seq') $$;
    alter table public.notes enable row level security;
    create policy own on public.notes
      using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
    create table public.events (n int);
    grant all on public.notes, public.events, public.server to anon, authenticated;
    grant all on all sequences in schema public to anon, authenticated`);
  rest = await serveRest(database, () => database.stop());
});
afterAll(async () => {
  await rest?.stop();
  proxy?.stop();
  await standby?.stop();
  await primary?.stop();
  folder.remove();
});

const as = (user: string | undefined, more: Record<string, string> = {}) => ({
  ...(user === undefined ? {} : { authorization: `Bearer ${rest.userToken(user)}` }),
  'content-type': 'application/json',
  ...more,
});
async function ask(path: string, init?: RequestInit) {
  const response = await rest.fetch(path, init);
  const text = await response.text();
  const { status } = response;
  return {
    status,
    lsn: response.headers.get('plinth-lsn'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}
const readsReplica = async (headers = as(undefined)): Promise<boolean> => {
  const { status, body } = await ask('/server', { headers });
  expect(status).toBe(200);
  return body[0].replica;
};
const write = (user: string | undefined, body = 'x') =>
  ask('/notes', { method: 'POST', headers: as(user), body: JSON.stringify({ owner: user ?? '', body }) });
const status = () => database.replicas()[0]?.status;
const untilReplica = () => expect.poll(() => readsReplica(), { timeout: 20_000, interval: 50 }).toBe(true);

async function onStandby(text: string): Promise<void> {
  const client = await Client.connect(parseConnectionString(standby.url('admin')));
  await client.exec(text);
  await client.connection.close();
}

test('reads and functions that are not volatile use the replica, and everything else uses the primary', async () => {
  await untilReplica();
  const post = { method: 'POST', body: '{}', headers: as(undefined) };
  expect((await ask('/rpc/on_replica')).body).toBe(true);
  expect((await ask('/rpc/on_replica', post)).body).toBe(true);
  expect((await ask('/rpc/on_primary', post)).body).toBe(true);
  const response = await rest.fetch('/events', { ...post, body: '{"n":1}' });
  expect(response.status).toBe(201);
  expect(response.headers.get('plinth-lsn')).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
  expect(response.headers.get('access-control-expose-headers')).toContain('plinth-lsn');
});

test('a read with an allowed tx preference uses the primary', async () => {
  const setTxEnd = (change: string) =>
    database.pool('supabase_admin').exec(`alter role authenticator ${change}; notify pgrst, 'reload config'`);
  await setTxEnd(`set pgrst.db_tx_end = 'commit-allow-override'`);
  // This user has written nothing.
  const reads = async () => [
    await readsReplica(as('reader')),
    await readsReplica(as('reader', { prefer: 'tx=commit' })),
    await readsReplica(as('reader', { prefer: 'tx=rollback' })),
  ];
  await expect.poll(reads, { timeout: 10_000 }).toEqual([true, false, false]);
  await setTxEnd('reset pgrst.db_tx_end');
  await expect.poll(reads, { timeout: 10_000 }).toEqual([true, true, true]);
});

test('what a standby cannot execute uses the primary', async () => {
  await untilReplica();
  expect((await ask('/rpc/notify_stably')).status).toBe(204);
  expect(await ask('/rpc/write_stably')).toMatchObject({ status: 405, body: { code: '25006' } });
});

test('policies on the replica see the claims of each request', async () => {
  await untilReplica();
  const users = Array.from({ length: 6 }, (_, at) => `user${at}`);
  await Promise.all(users.map((user) => write(user, user)));
  await expect
    .poll(() => Promise.all(users.map((user) => readsReplica(as(user)))), { timeout: 10_000 })
    .toEqual(users.map(() => true));
  for (let round = 0; round < 15; round++) {
    await Promise.all(
      [...users, ...users, undefined].map(async (user) => {
        const { body } = await ask('/notes?select=owner', { headers: as(user) });
        expect(body).toEqual(user === undefined ? [] : [{ owner: user }]);
      }),
    );
  }
});

test('the report shows whether a replica can be used', async () => {
  await untilReplica();
  const report = async (url: string) => {
    const findings = await examineExternal(
      { direct: primary.url('admin') },
      { sharedPassword: false, environment: {}, replicas: { urls: url, maxLagMs: 500 } },
    );
    return findings.find(({ check }) => check === 'replicas');
  };
  const address = `postgresql://127.0.0.1:${proxy.port}`;
  expect(await report(address)).toMatchObject({ status: 'ok', message: 'Reads use 1 of 1 replicas.' });
  expect((await report(primary.url('admin')))?.message).toContain(`isn't a standby`);
  expect((await report('postgresql://127.0.0.1:1'))?.message).toContain('127.0.0.1:1 is unreachable');
  await onStandby('select pg_wal_replay_pause()');
  await write('reporter');
  expect(await report(address)).toMatchObject({ status: 'degraded' });
  await onStandby('select pg_wal_replay_resume()');
  await expect(report('postgresql://a,b/postgres')).rejects.toThrow('single host');
});

test('a client reads its own writes while the replica does not replay', async () => {
  await untilReplica();
  await onStandby('select pg_wal_replay_pause()');
  try {
    const { lsn } = await write('writer', 'new');
    expect((await ask('/notes?select=body', { headers: as('writer') })).body).toEqual([{ body: 'new' }]);
    // Another node doesn't know the writer, but receives the header.
    expect(await readsReplica(as('other'))).toBe(true);
    expect(await readsReplica(as('other', { 'plinth-lsn': lsn ?? '' }))).toBe(false);
    expect(await readsReplica(as('other', { 'plinth-lsn': "'; nonsense" }))).toBe(true);
    // The replica is left out when its lag is too long.
    await expect.poll(status, { timeout: 10_000 }).toBe('lagging');
    expect(await readsReplica(as('other'))).toBe(false);
    const findings = await database.findings();
    expect(findings.find(({ check }) => check === 'replicas')).toMatchObject({ status: 'degraded' });
  } finally {
    await onStandby('select pg_wal_replay_resume()');
  }
  await untilReplica();
  expect(await readsReplica(as('writer'))).toBe(true);
});

test('a new table can be read before the replica has replayed it', async () => {
  await untilReplica();
  await onStandby('select pg_wal_replay_pause()');
  await rest.run(
    `create table public.fresh (n int); grant all on public.fresh to anon; notify pgrst, 'reload schema'`,
  );
  await expect.poll(async () => (await ask('/fresh')).status, { timeout: 10_000 }).toBe(200);
  await onStandby('select pg_wal_replay_resume()');
});

test('no request fails when the replica is killed or freezes, and it is used again', async () => {
  await untilReplica();
  const failures: unknown[] = [];
  let isDone = false;
  let count = 0;
  const load = async () => {
    while (!isDone) {
      const { status: code, body } = await ask('/server');
      count++;
      if (code !== 200) failures.push(body);
    }
  };
  const slow = () => ask('/rpc/slow').then(({ status: code, body }) => [code, body]);
  const workers = Array.from({ length: 8 }, load);
  try {
    await sleep(300);
    const interrupted = slow();
    await sleep(200);
    await standby.crash();
    await sleep(700);
    expect(status()).toBe('unreachable');
    await standby.start('standby');
    await untilReplica();
    const frozen = slow();
    await sleep(200);
    proxy.freeze(true);
    await expect.poll(status, { timeout: 10_000 }).toBe('unreachable');
    expect([await interrupted, await frozen]).toEqual([
      [200, false],
      [200, false],
    ]);
    proxy.freeze(false);
    await untilReplica();
  } finally {
    isDone = true;
    await Promise.all(workers);
  }
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(100);
});

test('a replica that was promoted is not used', async () => {
  await untilReplica();
  await onStandby('select pg_promote()');
  await expect.poll(status, { timeout: 10_000 }).toBe('not a standby');
  expect(await readsReplica()).toBe(false);
  expect((await write('writer')).status).toBe(201);
});
