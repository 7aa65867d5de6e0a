/** Tests `createBackend` and `createTestBackend` as library functions: startup, failures and shutdown. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from '@supabase/supabase-js';
import { afterEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { configFrom, type PartialConfig } from '../../src/platform/config/index.ts';
import { createKeys } from '../../src/platform/keys/index.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function projectDir(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-main-'));
  undo.push(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({ 'config.toml': '', ...files })) {
    mkdirSync(join(dir, 'supabase', path, '..'), { recursive: true });
    writeFileSync(join(dir, 'supabase', path), text);
  }
  return dir;
}

const anyPorts = { port: 0, dbPort: 0, mailPort: 0, consolePort: 0 };

/** Creates a backend that is stopped after the test. */
async function backendOf(dir: string, options: Parameters<typeof createBackend>[0] = {}): Promise<Backend> {
  const backend = await createBackend({ projectDir: dir, ...anyPorts, ...options });
  undo.push(() => backend.stop());
  return backend;
}

/** Sends a request with a different Host header, which `fetch` can't do. Returns the status. */
async function statusUnder(host: string, port: number, path: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  return Number((await text(socket)).split(' ')[1]);
}

/** Returns the process ID from PostgreSQL's PID file, which exists only while PostgreSQL runs. */
const postmasterOf = (dir: string): number | undefined => {
  const file = join(dir, '.plinth', 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : undefined;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie isn't alive. The process remains a zombie until its parent has read the exit status.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a project’s whole life cycle in one folder', () => {
  it('starts, responds to requests, rejects a second process, fails cleanly and starts again', async () => {
    const dir = projectDir({
      'migrations/20260101000000_first.sql': 'create table public.things (id int primary key);',
    });
    const first = await backendOf(dir);

    // A second backend in the same folder reports the ID of the process that uses the folder.
    await expect(createBackend({ projectDir: dir, ...anyPorts })).rejects.toThrow(
      new RegExp(`\\b${process.pid}\\b`),
    );

    await first.start();
    await expect(first.start()).rejects.toThrow(/already started/);
    // The server accepts requests while the REST service is still loading its schema cache.
    await expect.poll(async () => (await first.fetch('/health')).status).toBe(200);
    const status = first.status();
    expect(status).toMatchObject({
      API_URL: first.url,
      REST_URL: `${first.url}/rest/v1`,
      GRAPHQL_URL: `${first.url}/graphql/v1`,
      FUNCTIONS_URL: `${first.url}/functions/v1`,
      STORAGE_S3_URL: `${first.url}/storage/v1/s3`,
      STUDIO_URL: first.console.url,
      DB_URL: expect.stringMatching(/^postgresql:\/\/postgres:postgres@127\.0\.0\.1:\d+\/postgres$/),
      PUBLISHABLE_KEY: first.keys.publishableKey,
      SECRET_KEY: first.keys.secretKey,
      ANON_KEY: first.keys.anonKey,
      SERVICE_ROLE_KEY: first.keys.serviceRoleKey,
      JWT_SECRET: first.keys.jwtSecret,
      S3_PROTOCOL_REGION: 'local',
    });
    expect(status.MAILPIT_URL).toBe(status.INBUCKET_URL);
    expect((await fetch(`${status.MAILPIT_URL}/livez`)).status).toBe(200);
    expect(Object.values(first.health())).toEqual(Object.keys(first.health()).map(() => undefined));
    const { error } = await createClient(first.url, first.keys.secretKey).from('things').insert({ id: 1 });
    expect(error).toBeNull();

    // Both calls wait for the same shutdown.
    const postmaster = postmasterOf(dir) ?? 0;
    expect(isAlive(postmaster)).toBe(true);
    await Promise.all([first.stop(), first.stop()]);
    await expect(first.fetch('/health')).rejects.toThrow();
    await expect(first.start()).rejects.toThrow(/already stopped/);
    expect(isAlive(postmaster)).toBe(false);

    // If the port is in use, the error is a single sentence, and no process is left running.
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => holder.once('listening', resolve));
    undo.push(() => holder.close());
    const { port } = holder.address() as { port: number };
    const blocked = await createBackend({ projectDir: dir, ...anyPorts, port });
    const postmasterOfBlocked = postmasterOf(dir) ?? 0;
    await expect(blocked.start()).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use by another program.`);
    expect(isAlive(postmasterOfBlocked)).toBe(false);

    const last = await backendOf(dir);
    await last.start();
    expect((await createClient(last.url, last.keys.secretKey).from('things').select()).data).toEqual([
      { id: 1 },
    ]);
  });

  it('stops everything after a broken migration, and starts again after it is fixed', async () => {
    const dir = projectDir({
      'migrations/20260101000000_first.sql':
        'create table public.things (id int primary key);\nselect nonsense;',
    });
    const broken = await createBackend({ projectDir: dir, ...anyPorts });
    const postmaster = postmasterOf(dir) ?? 0;
    await expect(broken.start()).rejects.toThrow(/20260101000000_first\.sql/);
    expect(isAlive(postmaster)).toBe(false);
    writeFileSync(
      join(dir, 'supabase/migrations/20260101000000_first.sql'),
      'create table public.things (id int primary key);',
    );
    const mended = await backendOf(dir);
    await mended.start();
    expect((await createClient(mended.url, mended.keys.secretKey).from('things').select()).data).toEqual([]);
  });

  it('lets its process exit without leaving other processes behind', async () => {
    const dir = projectDir();
    const script = `
      import { createBackend } from ${JSON.stringify(fileURLToPath(new URL('../../src/entry/main.ts', import.meta.url)))};
      const backend = await createBackend({ projectDir: ${JSON.stringify(dir)}, port: 0, dbPort: 0, mailPort: 0, consolePort: 0 });
      await backend.start();
      const socket = new WebSocket(backend.url.replace('http', 'ws') + '/realtime/v1/websocket?apikey=' + backend.keys.anonKey);
      await new Promise((resolve) => { socket.onopen = resolve; });
      await (await backend.fetch('/rest/v1/', { headers: { apikey: backend.keys.anonKey } })).text();
      await backend.stop();
      console.log('stopped');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect([code, output.trim()]).toEqual([0, 'stopped']);
    expect(postmasterOf(dir)).toBeUndefined();
  });
});

describe('settings', () => {
  const start = async (config: PartialConfig, exclude?: readonly string[]): Promise<Backend> => {
    const backend = await createTestBackend({ config, ...(exclude === undefined ? {} : { exclude }) });
    undo.push(() => backend.stop());
    return backend;
  };

  it('can exclude a service, which removes only its routes and its health', async () => {
    const backend = await start({}, ['storage', 'realtime', 'functions']);
    expect(Object.keys(backend.health()).toSorted()).toEqual([
      'account',
      'auth',
      'console',
      'graphql',
      'jobs',
      'mail',
      'rest',
    ]);
    for (const path of ['/storage/v1/bucket', '/realtime/v1/api/ping', '/functions/v1/x']) {
      expect([path, (await backend.fetch(path)).status]).toEqual([path, 404]);
    }
    expect((await backend.fetch('/auth/v1/health')).status).toBe(200);
  });

  it('can disable a service, which isn’t started and has no status fields', async () => {
    const backend = await start({
      storage: { enabled: false },
      studio: { enabled: false },
      local_smtp: { enabled: false },
    });
    for (const name of ['STORAGE_S3_URL', 'S3_PROTOCOL_REGION', 'STUDIO_URL', 'MAILPIT_URL']) {
      expect([name, backend.status()[name]]).toEqual([name, undefined]);
    }
    expect((await backend.fetch('/storage/v1/bucket')).status).toBe(404);
  });

  it('for production create separate keys and disable the public inbox', async () => {
    const dir = projectDir();
    const backend = await createBackend({ projectDir: dir, mode: 'production', port: 0, dbPort: 0 });
    undo.push(() => backend.stop());
    await backend.start();
    expect(backend.status().MAILPIT_URL).toBeUndefined();
    expect(backend.status().DB_URL).not.toContain('postgres:postgres@');
    const { hostname, port } = new URL(backend.console.url);
    expect(hostname).toBe('127.0.0.1');
    expect(await statusUnder('evil.example', Number(port), '/console/')).toBe(421);
    const wellKnown = createKeys({
      mode: 'development',
      config: configFrom({}),
      supabaseDir: dir,
      dataDir: dir,
    });
    for (const key of [wellKnown.secretKey, wellKnown.serviceRoleKey]) {
      const { status } = await backend.fetch('/auth/v1/admin/users', { headers: { apikey: key } });
      expect(status).toBe(401);
    }
  });

  it('for development listen only on this machine', async () => {
    const dir = projectDir();
    const config = configFrom({ plinth: { server: { host: '0.0.0.0' } } }, join(dir, 'supabase'));
    await expect(createBackend({ projectDir: dir, config, ...anyPorts })).rejects.toThrow('0.0.0.0');
    expect(postmasterOf(dir)).toBeUndefined();
  });
});

describe('createTestBackend', () => {
  it('gives each backend a separate database and files, even concurrently, and removes them', async () => {
    const options = { sql: 'create table public.notes (id int primary key);', exclude: ['functions'] };
    const [one, two] = await Promise.all([createTestBackend(options), createTestBackend(options)]);
    const admin = one.database.pool('supabase_admin');
    try {
      await createClient(one.url, one.keys.secretKey).from('notes').insert({ id: 1 });
      expect((await createClient(two.url, two.keys.secretKey).from('notes').select()).data).toEqual([]);
      const { data } = await createClient(one.url, one.keys.anonKey).auth.signUp({
        email: 'a@example.com',
        password: 'secret-123',
      });
      expect(data.user).not.toBeNull();
      const other = await createClient(two.url, two.keys.anonKey).auth.signInWithPassword({
        email: 'a@example.com',
        password: 'secret-123',
      });
      expect(other.error?.code).toBe('invalid_credentials');
      const name = new URL(two.status().DB_URL ?? '').pathname.slice(1);
      const named = () => admin.query(sql`select 1 from pg_database where datname = ${name}`);
      expect(await named()).toHaveLength(1);
      await two.stop();
      expect(await named()).toEqual([]);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });

  it('doesn’t leave a database behind if it fails to start', async () => {
    const holder = await createTestBackend({ exclude: ['functions'] });
    const admin = holder.database.pool('supabase_admin');
    const databases = async () =>
      (await admin.query(sql`select datname from pg_database where datname like 'test%'`)).length;
    const count = await databases();
    try {
      await expect(createTestBackend({ sql: 'select nonsense;' })).rejects.toThrow(/nonsense/);
      expect(await databases()).toBe(count);
    } finally {
      await holder.stop();
    }
  });
});
