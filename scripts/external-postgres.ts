/**
 * Starts Plinth with an external PostgreSQL server in situations that used to fail. If a start must not change
 * anything, compares the PostgreSQL server's catalogs before and after the start. Prints one line per case and exits
 * with 1 if a case fails.
 *
 * node scripts/external-postgres.ts [--bin /usr/lib/postgresql/15/bin] [--pgbouncer /usr/sbin/pgbouncer]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '@supabase/supabase-js';
import { sql } from '../src/base/kernel/sql.ts';
import { type Backend, createBackend } from '../src/entry/main.ts';
import { examineExternal } from '../src/platform/database/index.ts';
import { Client, parseConnectionString } from '../src/platform/database/wire/index.ts';
import { availableServers, startExternalServer } from '../test/database/external-server.ts';

const { values } = parseArgs({ options: { bin: { type: 'string' }, pgbouncer: { type: 'string' } } });
const bin = values.bin ?? (availableServers()[0]?.bin as string);
const folder = mkdtempSync(join(tmpdir(), 'plinth-external-'));
chmodSync(folder, 0o755);
const server = await startExternalServer(bin, folder);
let failures = 0;

async function query(url: string, text: string): Promise<void> {
  const client = await Client.connect(parseConnectionString(url));
  await client.exec(text).finally(() => client.connection.close());
}

const admin = (text: string, database = 'postgres') => query(server.url('admin', database), text);

async function catalogs(database: string): Promise<string> {
  const client = await Client.connect(parseConnectionString(server.url('admin', database)));
  const tables = ['pg_class', 'pg_proc', 'pg_namespace', 'pg_authid', 'pg_auth_members', 'pg_database'];
  const shared = ['pg_shdescription', 'pg_db_role_setting', 'pg_default_acl', 'pg_extension'];
  const hashes: unknown[] = [];
  for (const table of [...tables, ...shared]) {
    const hash = sql`select md5(string_agg(t::text, ';' order by t::text)) as hash from ${sql.raw(table)} t`;
    hashes.push(...(await client.query(hash)));
  }
  await client.connection.close();
  return JSON.stringify(hashes);
}

let count = 0;
const migration = `create table public.notes (id bigint primary key, body text);
alter table public.notes enable row level security;
create policy everyone on public.notes for select using (true);
insert into public.notes values (1, 'from the migration');
alter publication supabase_realtime add table public.notes;
`;

async function start(databaseUrl: string): Promise<Backend> {
  const projectDir = join(folder, `project-${++count}`);
  mkdirSync(join(projectDir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'migrations', '20260101000000_notes.sql'), migration);
  const dataDir = join(projectDir, '.plinth');
  const ports = { port: 0, consolePort: 0, mailPort: 0 };
  const backend = await createBackend({ projectDir, dataDir, ...ports, databaseUrl });
  await backend.start();
  return backend;
}

/** Sends the backend the requests that an app sends, and returns the failures. */
async function use({ url, keys, database }: Backend): Promise<string[]> {
  const anon = createClient(url, keys.publishableKey);
  const service = createClient(url, keys.secretKey);
  const problems: string[] = [];
  const check = (what: string, works: boolean) => works || problems.push(what);
  check('anon reads', ((await anon.from('notes').select()).data ?? []).length === 1);
  check('service_role writes', (await service.from('notes').insert({ id: 2, body: 'x' })).error === null);
  const user = await service.auth.admin.createUser({ email: 'a@example.com', password: 'password1' });
  check('users', user.error === null);
  check('buckets', (await service.storage.createBucket('files')).error === null);
  const upload = await service.storage.from('files').upload('a.txt', 'text');
  check('uploads', upload.error === null);
  const arrived = Promise.withResolvers<boolean>();
  const channel = anon.channel('notes');
  channel.on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, () =>
    arrived.resolve(true),
  );
  channel.on('system', {}, ({ message }: { message: string }) => {
    if (message.startsWith('Subscribed'))
      void service
        .from('notes')
        .insert({ id: 3 })
        .then(() => {});
  });
  channel.subscribe();
  check('realtime changes', await Promise.race([arrived.promise, sleep(8000, false)]));
  await anon.removeAllChannels();
  const limits = (await database.findings()).filter(({ status }) => status !== 'ok');
  return [...problems, `limited: ${limits.map(({ check: name }) => name).join(' ') || 'nothing'}`];
}

async function works(name: string, databaseUrl: string, expected: readonly string[] = []): Promise<void> {
  let result: string;
  let isRight = false;
  try {
    const backend = await start(databaseUrl);
    const problems = await use(backend);
    await backend.stop();
    isRight = problems.slice(0, -1).join() === expected.join();
    result = `works; without: ${problems.slice(0, -1).join(', ') || 'nothing'}; ${problems.at(-1)}`;
  } catch (error) {
    result = String(error);
  }
  print(isRight, name, result);
}

/** Returns the statements that an administrator can run to solve the problems. */
async function rejected(name: string, databaseUrl: string, database: string): Promise<string> {
  const before = await catalogs(database);
  const error = await start(databaseUrl).then(
    async (backend) => backend.stop().then(() => undefined),
    (reason: unknown) => reason as Error & { details?: { statements?: string } },
  );
  const isSame = (await catalogs(database)) === before;
  print(error !== undefined && isSame, name, `${error}; catalogs ${isSame ? 'unchanged' : 'CHANGED'}`);
  return error?.details?.statements ?? '';
}

function print(isRight: boolean, name: string, result: string): void {
  if (!isRight) failures++;
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${name}: ${result}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}

async function behindPooler(
  { file, mode, ignored }: { file: string; mode: string; ignored: string },
  work: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const target = parseConnectionString(server.url('admin'));
  const settings = join(folder, `${mode}.ini`);
  writeFileSync(join(folder, 'users.txt'), '"admin" "secret"\n', { mode: 0o644 });
  writeFileSync(
    settings,
    `[databases]\n* = host=127.0.0.1 port=${target.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `ignore_startup_parameters = ${ignored}\nauth_type = plain\nauth_file = ${folder}/users.txt\npool_mode = ${mode}\nunix_socket_dir =\n`,
    { mode: 0o644 },
  );
  const child: ChildProcess = spawn(file, ['-u', 'nobody', settings], { stdio: 'ignore' });
  try {
    await sleep(1000);
    await work(`postgresql://admin:secret@127.0.0.1:${port}`);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

try {
  for (const name of ['first', 'same', 'other', 'pooled']) {
    await admin(`create database ${name}`);
  }
  const { port } = parseConnectionString(server.url('admin'));
  await works('a superuser', server.url('admin', 'first'));
  await works('the same login, another database', server.url('admin', 'same'));
  await admin("create role second superuser login password 'other'");
  await rejected('another superuser, another database', server.url('second', 'other', 'other'), 'other');
  await works('keywords', `host=127.0.0.1 port=${port} user=admin password=secret dbname=other`);
  await admin('drop database other with (force)');
  await admin('create database other');
  await works(
    'several hosts',
    `postgresql://admin:secret@127.0.0.1:1,127.0.0.1:${port}/other?target_session_attrs=read-write`,
  );
  if (values.pgbouncer !== undefined) {
    const file = values.pgbouncer;
    const ignored = 'search_path,default_transaction_read_only,IntervalStyle,extra_float_digits';
    await behindPooler({ file, mode: 'session', ignored: 'extra_float_digits' }, async (url) => {
      await rejected('PgBouncer', `${url}/pooled`, 'pooled');
    });
    await behindPooler({ file, mode: 'transaction', ignored }, async (url) => {
      await rejected('PgBouncer in transaction mode that ignores parameters', `${url}/pooled`, 'pooled');
    });
    await behindPooler({ file, mode: 'session', ignored }, async (url) => {
      await rejected('PgBouncer in session mode that ignores parameters', `${url}/pooled`, 'pooled');
    });
  }
} finally {
  await server.stop();
}

/**
 * The first server already has the roles, so PostgreSQL accounts without superuser privileges are tested on a new
 * server.
 */
const fresh = mkdtempSync(join(tmpdir(), 'plinth-external-'));
chmodSync(fresh, 0o755);
Object.assign(server, await startExternalServer(bin, fresh));
try {
  await admin("create role postgres superuser login password 'unknown'");
  await admin("create role app login createrole createdb password 'secret'");
  await admin('create database owned owner app');
  const url = server.url('app', 'owned');
  const statements = await rejected('CREATEROLE and CREATEDB', url, 'owned');
  await admin(statements);
  await works('the same after the statements', url, ['realtime changes']);
  const findings = await examineExternal({ direct: url }, { sharedPassword: false, environment: {} });
  const realtime = findings.find(({ check }) => check === 'realtime')?.statements ?? [];
  await admin(realtime.join('\n'));
  await admin('drop database owned with (force)');
  await admin('create database owned owner app');
  await works('the same after the statements for realtime', url);
} finally {
  await server.stop();
  for (const path of [folder, fresh]) rmSync(path, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
