/**
 * Tests that a start ends soon after it is aborted, whatever it waits for, and that its sessions don't keep waiting in
 * PostgreSQL.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Logger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { createBackend } from '../../src/entry/main.ts';
import { lockExclusively } from '../../src/platform/database/exclusive-lock.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { plinth, spawnPlinth } from '../cli/run-plinth.ts';
import { availableServers, type ExternalServer, startExternalServer } from './external-server.ts';
import { temporaryFolder } from './helpers.ts';

// The timeouts are long, because the tests create a cluster and run all of Plinth's migrations in it.
/** A wait that isn't aborted lasts until the test ends, so this limit only has to cover a busy machine. */
const soonMs = 5000;

const reason = 'the test aborts the start';
const secret = 'the secret of all nodes in these tests';

const folder = temporaryFolder();
let server: ExternalServer;
let admin: Client;

beforeAll(async () => {
  vi.stubEnv('PLINTH_SECRET', secret);
  const [newest] = availableServers();
  server = await startExternalServer(newest?.bin as string, folder.path);
  admin = await Client.connect(parseConnectionString(server.url('admin')));
  await admin.exec('create database prepared');
  const backend = await createBackend({ ...newProject(), databaseUrl: server.url('admin', 'prepared') });
  await backend.stop();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await admin?.connection.close();
  await server?.stop();
  folder.remove();
});

let projects = 0;
function newProject(migration?: string) {
  const projectDir = join(folder.path, `project${++projects}`);
  mkdirSync(join(projectDir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "aborted"\n');
  if (migration !== undefined)
    writeFileSync(join(projectDir, 'supabase', 'migrations', '1_first.sql'), migration);
  const ports = { port: 0, consolePort: 0, mailPort: 0 };
  return { projectDir, dataDir: join(projectDir, '.plinth'), mode: 'production' as const, ...ports };
}

/** Returns a session on a new copy of the prepared database. */
async function copyOfPrepared(): Promise<{ readonly session: Client; readonly name: string }> {
  const name = `copy${++projects}`;
  await admin.exec(`create database ${name} template prepared`);
  // A copy doesn't have the privileges of its template.
  await admin.exec(`grant create on database ${name} to postgres`);
  const session = await Client.connect(parseConnectionString(server.url('admin', name)));
  return { session, name };
}

interface Activity {
  readonly sessions: number;
  readonly waiting: number;
}

/** Returns the number of sessions in a database, without the one that holds a lock, and how many wait for a lock. */
async function activityIn(name: string, holder: Client): Promise<Activity> {
  const [row] = await admin.query<Activity>(sql`
    select count(*)::int as sessions, count(*) filter (where wait_event_type = 'Lock')::int as waiting
    from pg_stat_activity where datname = ${name} and pid <> ${holder.processId}`);
  return row as Activity;
}

const isAboutWait = (message: string): boolean => message.startsWith('Waiting for another process');

function collecting(messages: string[]): Logger {
  const add = (_fields: unknown, message: string) => void messages.push(message);
  const log: Logger = { debug() {}, info: add, warn: add, error: add, child: () => log };
  return log;
}

const migration = 'alter table public.held add column added int';

const waits: [string, hold: (session: Client) => Promise<unknown>, migration?: string][] = [
  ['another process that prepares the database', (session) => lockExclusively(session, 'preparation')],
  ["Plinth's tables", (session) => session.exec('begin; lock table _plinth.migrations')],
  ['the state that nodes share', (session) => session.exec('begin; lock table _plinth.group_identity')],
  ['another process that changes the project', (session) => lockExclusively(session, 'project')],
  [
    'a table that a migration changes',
    async (session) => {
      await session.exec('create table public.held (); alter table public.held owner to postgres');
      await session.exec('begin; lock table public.held');
    },
    migration,
  ],
];

test.each(waits)('a start that waits for %s ends when it is aborted', async (_, hold, file) => {
  const { session, name } = await copyOfPrepared();
  try {
    await hold(session);
    const stopping = new AbortController();
    const messages: string[] = [];
    const start = async () => {
      const backend = await createBackend({
        ...newProject(file),
        databaseUrl: server.url('admin', name),
        log: collecting(messages),
        onProgress: (message) => messages.push(message),
        signal: stopping.signal,
      });
      await backend.start();
    };
    const outcome = start().then(
      () => 'started',
      (error: Error) => error.message,
    );
    await expect
      .poll(async () => (await activityIn(name, session)).waiting + messages.filter(isAboutWait).length, {
        timeout: 20_000,
      })
      .toBe(1);
    const at = performance.now();
    stopping.abort(new Error(reason));
    expect(await outcome).toBe(reason);
    expect(performance.now() - at).toBeLessThan(soonMs);
    await expect.poll(() => activityIn(name, session)).toEqual({ sessions: 0, waiting: 0 });
    if (file === undefined) return;
    await session.exec('rollback');
    const columns = await session.query(
      sql`select attname from pg_attribute where attrelid = 'public.held'::regclass and attnum > 0`,
    );
    expect(columns).toEqual([]);
  } finally {
    session.connection.destroy();
  }
});

test("a start that waits for a server that doesn't respond ends when it is aborted", async () => {
  const connected = Promise.withResolvers<void>();
  const silent = createServer(() => connected.resolve());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const stopping = new AbortController();
  const starting = createBackend({
    ...newProject(),
    databaseUrl: `postgresql://app:secret@127.0.0.1:${port}/app`,
    signal: stopping.signal,
  });
  const outcome = starting.catch(() => 'aborted');
  await connected.promise;
  const at = performance.now();
  stopping.abort(new Error('stopped'));
  expect(await outcome).toBe('aborted');
  expect(performance.now() - at).toBeLessThan(soonMs);
  silent.close();
});

test('SIGTERM ends a node that waits for another node, and the next start works', async () => {
  const { session, name } = await copyOfPrepared();
  const isConnected = async () => (await activityIn(name, session)).sessions > 0;
  try {
    const unlock = await lockExclusively(session, 'preparation');
    const { projectDir } = newProject();
    const options = { cwd: projectDir, env: { PLINTH_SECRET: secret } };
    const args = ['serve', '--port', '0', '--database-url', server.url('admin', name)];
    const child = spawnPlinth(args, options);
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    await expect.poll(() => isConnected(), { timeout: 30_000 }).toBe(true);
    const at = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - at).toBeLessThan(soonMs);
    await expect.poll(() => isConnected()).toBe(false);
    await unlock();
    const next = spawnPlinth([...args, '--json'], options);
    await new Promise<void>((resolve) => next.stdout?.on('data', () => resolve()));
    expect((await plinth(['stop'], { cwd: projectDir })).status).toBe(0);
  } finally {
    session.connection.destroy();
  }
});
