/**
 * Tests API workers on an external PostgreSQL server: with a superuser account, with an ordinary account, and with a
 * password that changes. A worker receives only the connection settings of `authenticator`.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { workersOf } from '../../src/entry/testing.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

// The timeouts are long, because a test creates a cluster and runs all of Plinth's migrations in it.
let server: ExternalServer;
let admin: Client;

async function start(folder: string, databaseUrl: string) {
  const projectDir = join(folder, 'project');
  mkdirSync(join(projectDir, 'supabase'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "external"\n');
  const processes: ChildProcess[] = [];
  const backend = await createBackend({
    projectDir,
    dataDir: join(projectDir, '.plinth'),
    databaseUrl,
    ...{ port: 0, consolePort: 0, mailPort: 0 },
    workers: workersOf({ count: 2, onWorker: (worker) => void processes.push(worker) }),
  });
  await backend.start();
  return { backend, processes };
}

/** Sends requests over new connections, which go to the workers in turn. Returns the statuses. */
const statusesOf = (backend: Backend, path: string): Promise<number[]> =>
  Promise.all(
    Array.from({ length: 6 }, async () => {
      const headers = { apikey: backend.keys.publishableKey, connection: 'close' };
      const response = await fetch(`${backend.url}${path}`, { headers });
      await response.arrayBuffer();
      return response.status;
    }),
  );
const all = (status: number): number[] => Array<number>(6).fill(status);

describe.each([
  ['a superuser', 'admin', 'postgres'],
  ["an account that isn't a superuser", 'app', 'app'],
])('%s', (_title, user, database) => {
  let backend: Backend;
  let processes: readonly ChildProcess[];
  const folder = temporaryFolder();
  beforeAll(async () => {
    const [newest] = availableServers();
    server = await startExternalServer(newest?.bin as string, folder.path);
    admin = await Client.connect(parseConnectionString(server.url('admin')));
    await admin.exec("create role app login createrole bypassrls password 'secret'");
    await admin.exec('create database app owner app');
    ({ backend, processes } = await start(folder.path, server.url(user, database)));
    await backend.database.pool('postgres').exec(`
      create table public.notes (id int primary key, owner uuid default auth.uid());
      alter table public.notes enable row level security;
      create policy own on public.notes using (owner = auth.uid()) with check (owner = auth.uid());
      grant select, insert on public.notes to anon, authenticated;
      -- Only a superuser can create the event trigger that notifies.
      notify pgrst, 'reload schema'`);
  });
  afterAll(async () => {
    await backend?.stop();
    await admin?.connection.close();
    await server?.stop();
    folder.remove();
  });

  test('the workers process requests with the client’s role', async () => {
    await expect.poll(() => statusesOf(backend, '/rest/v1/notes'), { timeout: 20_000 }).toEqual(all(200));
    const client = createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
    const { data } = await client.auth.signUp({ email: `${user}@example.com`, password: 'correct horse' });
    expect((await client.from('notes').insert({ id: 1 })).error).toBeNull();
    const { data: rows } = await client.from('notes').select('owner');
    expect(rows).toEqual([{ owner: data.user?.id }]);
    const stranger = createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false },
    });
    expect((await stranger.from('notes').select()).data).toEqual([]);
    expect(processes.map(({ exitCode }) => exitCode)).toEqual([null, null]);
  });

  test('they reconnect after the server was restarted', async () => {
    await server.crash();
    const statuses = await statusesOf(backend, '/rest/v1/notes');
    expect(statuses.filter((status) => status !== 503 && status !== 504)).toEqual([]);
    await server.start();
    await expect.poll(() => statusesOf(backend, '/rest/v1/notes'), { timeout: 30_000 }).toEqual(all(200));
    admin = await Client.connect(parseConnectionString(server.url('admin')));
    expect(processes.map(({ exitCode }) => exitCode)).toEqual([null, null]);
  });

  test('they are not ready while the password of authenticator is wrong, and recover', async () => {
    const [role] = await admin.query<{ verifier: string }>(
      sql`select rolpassword as verifier from pg_authid where rolname = 'authenticator'`,
    );
    const ready = async () => (await fetch(`${backend.url}/health/ready`)).status;
    await admin.exec("alter role authenticator password 'changed'");
    await expect.poll(ready, { timeout: 20_000 }).toBe(503);
    await admin.exec(`alter role authenticator password '${role?.verifier}'`);
    await expect.poll(ready, { timeout: 20_000 }).toBe(200);
    expect(await statusesOf(backend, '/rest/v1/notes')).toEqual(all(200));
  });
});
