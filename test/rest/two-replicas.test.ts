/**
 * Tests the REST service with two standbys and, if PgBouncer is installed, a pooler in front of the primary. At the end,
 * the primary fails.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDatabase, type Database, poolerUsers } from '../../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { freePort } from '../support/free-port.ts';
import { type RestHarness, serveRest } from './harness.ts';

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(existsSync);

const folder = temporaryFolder();
let primary: ExternalServer;
let standbys: ExternalServer[];

beforeAll(async () => {
  const bin = availableServers()[0]?.bin as string;
  primary = await startExternalServer(bin, folder.path, { wal_keep_size: '256MB' });
  standbys = [];
  for (const name of ['one', 'two']) {
    const copy = join(folder.path, name);
    mkdirSync(copy, { mode: 0o755 });
    standbys.push(await primary.standby(copy));
  }
});
afterAll(async () => {
  for (const server of [...(standbys ?? []), primary]) await server?.stop();
  folder.remove();
});

interface Running {
  readonly database: Database;
  readonly rest: RestHarness;
}

async function start(urls: {
  readonly databaseUrl: string;
  readonly databaseDirectUrl?: string;
}): Promise<Running> {
  const database = await createDatabase({
    dataDir: '/nowhere',
    ...urls,
    replicaUrls: standbys.map(({ port }) => `postgresql://127.0.0.1:${port}`).join(' '),
    replicaMaxLagMs: 3000,
  });
  await database.pool('supabase_admin').exec(`
    create or replace view public.server as select pg_is_in_recovery() as replica, current_setting('port') as port;
    create table if not exists public.notes (id int generated always as identity primary key, owner text not null);
    alter table public.notes enable row level security;
    drop policy if exists own on public.notes;
    create policy own on public.notes using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
    grant all on public.notes, public.server to anon, authenticated`);
  return { database, rest: await serveRest(database, () => database.stop()) };
}

const headersOf = ({ rest }: Running, user: string) => ({
  authorization: `Bearer ${rest.userToken(user)}`,
  'content-type': 'application/json',
});

async function servers({ rest }: Running, count: number): Promise<Set<string>> {
  const bodies = await Promise.all(
    Array.from({ length: count }, async () => (await rest.fetch('/server')).json()),
  );
  return new Set(bodies.map(([row]) => (row.replica ? row.port : 'primary')));
}

const write = (running: Running, user: string): Promise<Response> =>
  running.rest.fetch('/notes', {
    method: 'POST',
    headers: headersOf(running, user),
    body: JSON.stringify({ owner: user }),
  });

async function notesOf(running: Running, user: string): Promise<number> {
  const response = await running.rest.fetch('/notes', { headers: headersOf(running, user) });
  expect(response.status).toBe(200);
  return ((await response.json()) as unknown[]).length;
}

const accepts = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject).on('connect', () => {
      socket.destroy();
      resolve();
    });
  });

async function onStandby(standby: ExternalServer | undefined, text: string): Promise<void> {
  const client = await Client.connect(parseConnectionString(standby?.url('admin') as string));
  await client.exec(text);
  await client.connection.close();
}

describe('two replicas', () => {
  let running: Running;
  const ports = () => new Set(standbys.map(({ port }) => String(port)));
  beforeAll(async () => {
    running = await start({ databaseUrl: primary.url('admin') });
  });
  afterAll(() => running?.rest.stop());

  test('concurrent reads use both', async () => {
    await expect.poll(() => servers(running, 20), { timeout: 20_000 }).toEqual(ports());
  });

  test('reads use the replica that has replayed the client’s change', async () => {
    await onStandby(standbys[0], 'select pg_wal_replay_pause()');
    try {
      expect((await write(running, 'ada')).status).toBe(201);
      for (let count = 0; count < 20; count++) expect(await notesOf(running, 'ada')).toBe(1);
    } finally {
      await onStandby(standbys[0], 'select pg_wal_replay_resume()');
    }
  });

  test('if one fails, the other serves the reads', async () => {
    await standbys[0]?.crash();
    expect(
      (await Promise.all(Array.from({ length: 20 }, () => running.rest.fetch('/server')))).map(
        (response) => response.status,
      ),
    ).toEqual(Array(20).fill(200));
    await expect
      .poll(() => servers(running, 10), { timeout: 20_000 })
      .toEqual(new Set([String(standbys[1]?.port)]));
    await standbys[0]?.start('standby');
    await expect.poll(() => servers(running, 20), { timeout: 20_000 }).toEqual(ports());
  });
});

describe.skipIf(pgbouncer === undefined)('PgBouncer and replicas', () => {
  let pooler: ChildProcess;
  let running: Running;
  beforeAll(async () => {
    const port = await freePort();
    const direct = primary.url('admin');
    const users = join(folder.path, 'userlist.txt');
    writeFileSync(users, await poolerUsers(direct, { sharedPassword: false, environment: {} }), {
      mode: 0o644,
    });
    const settings = join(folder.path, 'pgbouncer.ini');
    writeFileSync(
      settings,
      `[databases]\n* = host=127.0.0.1 port=${primary.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
        `listen_port = ${port}\nauth_type = scram-sha-256\nauth_file = ${users}\npool_mode = transaction\n` +
        'unix_socket_dir =\n',
      { mode: 0o644 },
    );
    const asUser = process.getuid?.() === 0 ? ['-u', 'daemon'] : [];
    pooler = spawn(pgbouncer as string, [...asUser, settings], { stdio: 'ignore' });
    await vi.waitFor(() => accepts(port), 10_000);
    running = await start({
      databaseUrl: `postgresql://admin:secret@127.0.0.1:${port}/postgres`,
      databaseDirectUrl: direct,
    });
  });
  afterAll(async () => {
    await running?.rest.stop();
    pooler?.kill('SIGTERM');
  });

  test('reads use the replicas, writes use the pooler, and users read their own changes', async () => {
    await expect
      .poll(async () => (await servers(running, 10)).has('primary'), { timeout: 20_000 })
      .toBe(false);
    for (let count = 1; count <= 5; count++) {
      expect((await write(running, 'grace')).status).toBe(201);
      expect(await notesOf(running, 'grace')).toBe(count);
    }
  });
});

test('while the primary is away, changes are rejected with 503, and reads on replicas work', async () => {
  const running = await start({ databaseUrl: primary.url('admin') });
  try {
    await expect
      .poll(async () => (await servers(running, 10)).has('primary'), { timeout: 20_000 })
      .toBe(false);
    await primary.crash();
    const response = await write(running, 'ada');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'PGRST000', message: expect.any(String) });
    expect((await running.rest.fetch('/server')).status).toBe(200);
    await primary.start();
    await expect.poll(async () => (await write(running, 'ada')).status, { timeout: 20_000 }).toBe(201);
  } finally {
    await running.rest.stop();
  }
});
