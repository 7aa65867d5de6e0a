/**
 * Tests that a role that can sign in to the database, but has no privileges, can't stop starts and migrations with
 * advisory locks, which every role can take.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createBackend } from '../../src/entry/main.ts';
import { lockExclusively } from '../../src/platform/database/exclusive-lock.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

// The timeouts are long, because the tests create a cluster and run all of Plinth's migrations in it.
const folder = temporaryFolder();
let server: ExternalServer;
let admin: Client;
let guest: Client;
beforeAll(async () => {
  const [newest] = availableServers();
  server = await startExternalServer(newest?.bin as string, folder.path);
  admin = await Client.connect(parseConnectionString(server.url('admin')));
  await admin.exec("create role guest login password 'secret'");
  await admin.exec('create database app');
  guest = await Client.connect(parseConnectionString(server.url('guest', 'app')));
});
afterAll(async () => {
  await guest?.connection.close();
  await admin?.connection.close();
  await server?.stop();
  folder.remove();
});

/** The keys that processes have ever used, as one number or as the first of two numbers. */
const plinth = 0x706c696e7468;
const [plin, proj] = [0x706c696e, 0x70726f6a];

test('a server starts and applies migrations while a role without privileges holds the locks', async () => {
  const projectDir = join(folder.path, 'project');
  mkdirSync(join(projectDir, 'supabase/migrations'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase/config.toml'), 'project_id = "locks"\n');
  writeFileSync(join(projectDir, 'supabase/migrations/1_notes.sql'), 'create table public.notes (id int);');
  await guest.query(sql`
    select pg_advisory_lock(${plinth}::bigint), pg_advisory_lock(${proj}::bigint),
      pg_advisory_lock(${plin}::int, key), pg_advisory_lock(${proj}::int, key) from generate_series(1, 100) as key`);
  const backend = await createBackend({
    projectDir,
    dataDir: join(projectDir, '.plinth'),
    databaseUrl: server.url('admin', 'app'),
    ...{ port: 0, consolePort: 0, mailPort: 0 },
  });
  try {
    await backend.start();
    const [row] = await backend.database
      .pool('postgres')
      .query(sql`select pg_catalog.to_regclass('public.notes') is not null as "isApplied"`);
    expect(row).toEqual({ isApplied: true });
  } finally {
    await backend.stop();
  }
});

test('processes with the same account exclude each other, for each kind of work and in each database', async () => {
  await admin.exec("create role app login password 'secret'");
  await admin.exec('create database other owner app');
  const sessions: Client[] = [];
  const open = async (database = 'other'): Promise<Client> => {
    const session = await Client.connect(parseConnectionString(server.url('app', database)));
    sessions.push(session);
    return session;
  };
  const work = async (session: Client, onWait?: () => void) =>
    lockExclusively(session, 'project', { onWait });
  try {
    const unlock = await work(await open());
    await (await lockExclusively(await open(), 'preparation'))();
    await (await work(await open('app')))();
    const order: string[] = [];
    const waits = Promise.withResolvers<void>();
    const second = work(await open(), waits.resolve).then((release) => {
      order.push('second');
      return release;
    });
    await waits.promise;
    order.push('first');
    await unlock();
    await (await second)();
    expect(order).toEqual(['first', 'second']);
    // A session that ends without unlocking doesn't block others.
    const ended = await open();
    await work(ended);
    await ended.connection.close();
    await (await work(await open()))();
    let running = 0;
    let most = 0;
    const takeTurn = async (session: Client) => {
      const release = await work(session);
      most = Math.max(most, ++running);
      await session.exec('select pg_sleep(0.02)');
      running--;
      await release();
    };
    const contenders = await Promise.all(Array.from({ length: 5 }, () => open()));
    await Promise.all(contenders.map(takeTurn));
    expect(most).toBe(1);
  } finally {
    for (const session of sessions) session.connection.destroy();
  }
});
