/**
 * Tests a whole backend on an external server whose account isn't a superuser: its limits, its readiness and the output
 * of `doctor`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { plinth } from '../cli/run-plinth.ts';
import { operator } from '../console/harness.ts';
import { availableServers, type ExternalServer, startExternalServer } from './external-server.ts';
import { temporaryFolder } from './helpers.ts';

// The timeouts are long, because the tests create a cluster and run all of Plinth's migrations in it.
const folder = temporaryFolder();
const projectDir = join(folder.path, 'project');
let server: ExternalServer;
let backend: Backend;
let admin: Client;
let databaseUrl: string;

beforeAll(async () => {
  const [newest] = availableServers();
  server = await startExternalServer(newest?.bin as string, folder.path);
  admin = await Client.connect(parseConnectionString(server.url('admin')));
  await admin.exec("create role app login createrole bypassrls password 'secret'");
  await admin.exec('create database app owner app');
  mkdirSync(join(projectDir, 'supabase'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "external"\n');
  const { port } = parseConnectionString(server.url('app'));
  databaseUrl = `host=127.0.0.1 port=${port} user=app password=secret dbname=app`;
  const ports = { port: 0, consolePort: 0, mailPort: 0 };
  backend = await createBackend({ projectDir, dataDir: join(projectDir, '.plinth'), databaseUrl, ...ports });
  await backend.start();
});
afterAll(async () => {
  await backend?.stop();
  await admin?.connection.close();
  await server?.stop();
  folder.remove();
});

async function health(path = '/health/ready') {
  const response = await backend.fetch(path);
  const { status, checks } = (await response.json()) as {
    status: string;
    checks?: Record<string, { status: string; message?: string }>;
  };
  return { code: response.status, status, database: checks?.database };
}

test('limits are shown in the readiness report and in the Console', async () => {
  const { code, status, database } = await health();
  expect([code, status, database?.status]).toEqual([200, 'degraded', 'degraded']);
  expect(database?.message).toMatch(
    /checks of the database server failed: (.+, )?realtime, event_triggers, extensions\./,
  );
  const owner = await operator(backend);
  const { body } = await owner.call('GET', '/home');
  expect(body.database.url).toMatch(/^postgresql:\/\/app:YOUR-PASSWORD@127\.0\.0\.1:\d+\/app$/);
  expect(body.limits).toContainEqual({
    message: expect.stringContaining("Realtime can't deliver database changes"),
    statements: ['alter role "supabase_replication_admin" replication;'],
  });
});

test('doctor prints the findings and the statements that fix them', async () => {
  const { stdout, status } = await plinth(['doctor', '--database-url', databaseUrl, '--json'], {
    cwd: projectDir,
  });
  const findings = JSON.parse(stdout) as { check?: string; status: string; statements?: string[] }[];
  expect(findings.find(({ check }) => check === 'realtime')).toMatchObject({ status: 'degraded' });
  // Only the port checks can fail, because other programs may use these ports.
  expect(findings.filter((finding) => finding.check !== undefined && finding.status === 'failing')).toEqual(
    [],
  );
  expect(status).toBe(findings.some((finding) => finding.status === 'failing') ? 1 : 0);
  const text = await plinth(['doctor'], { cwd: projectDir, env: { PLINTH_DATABASE_URL: databaseUrl } });
  expect(text.stdout).toContain(
    'WARN Realtime can\'t deliver database changes because supabase_replication_admin or the account app can\'t replicate.\n       alter role "supabase_replication_admin" replication;',
  );
  const gone = await plinth(['doctor', '--database-url', 'postgresql://app@127.0.0.1:1/app'], {
    cwd: projectDir,
  });
  expect(gone.stdout).toContain('BAD  Failed to connect to the database at 127.0.0.1 as app');
  expect(gone.status).toBe(1);
});

test('if a role’s password changes, the backend is live but not ready, and ready again after the password is restored', async () => {
  const [role] = await admin.query<{ verifier: string }>(
    sql`select rolpassword as verifier from pg_authid where rolname = 'authenticator'`,
  );
  await admin.exec("alter role authenticator password 'changed'");
  // Open connections still work. As soon as opening a connection fails, the next check signs in.
  await admin.exec("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'");
  await expect.poll(async () => (await health()).code, { timeout: 10_000 }).toBe(503);
  expect((await health('/health/live')).code).toBe(200);
  await admin.exec(`alter role authenticator password '${role?.verifier}'`);
  await expect.poll(async () => (await health()).code, { timeout: 10_000 }).toBe(200);
});

test('a limit can be removed without a restart, and realtime clients are notified', async () => {
  await backend.database.pool('postgres').exec(`
    create table public.tasks (id int primary key);
    grant select on public.tasks to anon;
    alter publication supabase_realtime add table public.tasks`);
  const client = createClient(backend.url, backend.keys.publishableKey, { auth: { persistSession: false } });
  const statuses: string[] = [];
  const messages: Record<string, unknown>[] = [];
  client
    .channel('tasks')
    .on('system', {}, (message) => {
      statuses.push(message.status);
      messages.push(message);
    })
    .on('postgres_changes', { event: '*', schema: 'public', table: 'tasks' }, () => undefined)
    .subscribe();
  await expect.poll(() => statuses, { timeout: 20_000 }).toEqual(['error']);
  expect(messages[0]).toMatchObject({
    extension: 'postgres_changes',
    channel: 'tasks',
    message: 'Realtime was unable to connect to the project database',
  });
  await admin.exec('alter role supabase_replication_admin replication');
  await expect
    .poll(async () => (await health()).database?.message, { timeout: 20_000, interval: 1000 })
    .not.toContain('realtime');
  await expect.poll(() => statuses, { timeout: 20_000 }).toEqual(['error', 'ok']);
  await client.removeAllChannels();
});
