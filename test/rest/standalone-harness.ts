/** Runs `plinth rest` as a separate process with a database that Plinth didn't set up. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';

const launcher = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

const fixture = `
  create role rest_login login noinherit password 'p';
  create role rest_anon;
  create role rest_user;
  grant rest_anon, rest_user to rest_login;
  create schema api;
  grant usage on schema api to rest_anon, rest_user;
  create table api.items (id int primary key, name text);
  insert into api.items select n, 'item ' || n from generate_series(1, 5) n;
  grant select on api.items to rest_anon, rest_user;
  create table api.secrets (id int primary key);
  create function api.whoami() returns json stable language sql as
    $$ select json_build_object('role', current_user, 'setting', current_setting('app.settings.x', true),
         'sub', nullif(current_setting('request.jwt.claim.sub', true), '')) $$;
  create function api.prepared() returns int language sql as
    $$ select count(*)::int from pg_catalog.pg_prepared_statements $$;
  create function api.hold() returns text language sql as
    $$ select 'held' from pg_advisory_xact_lock_shared(4711) $$;
  create function api.bad_header() returns void language sql as
    $$ select set_config('response.headers', 'not JSON', true) $$;
  create function api.nap(seconds float8) returns text language sql as $$ select 'slept' from pg_sleep(seconds) $$;
  create schema config;
  grant usage on schema config to rest_login;
  create function config.settings() returns void language sql as
    $$ select set_config('pgrst.db_max_rows', '3', true), set_config('pgrst.server_timing_enabled', 'true', true) $$;
`;

export interface StandaloneDatabase {
  /** The connection URL of the login role, which connects over TCP. */
  readonly uri: string;
  run(text: string): Promise<void>;
  query<R extends object>(text: string): Promise<R[]>;
  /** Acquires the lock that `api.hold()` waits for. */
  hold(): Promise<{ release(): Promise<void> }>;
  /** Repeats a query until the column `done` of the returned row is true. */
  until(text: string): Promise<void>;
  drop(): Promise<void>;
}

export async function startDatabase(): Promise<StandaloneDatabase> {
  const { database, drop } = await createTestDatabase('rest-standalone', (template) =>
    template.pool('supabase_admin').exec(fixture),
  );
  const url = new URL(database.info.url);
  url.username = 'rest_login';
  url.password = 'p';
  const pool = database.pool('supabase_admin');
  const query = <R extends object>(text: string): Promise<R[]> => pool.query<R>(sql`${sql.raw(text)}`);
  return {
    uri: url.toString(),
    run: (text) => pool.exec(text),
    query,
    async hold() {
      const session = await pool.connect();
      await session.exec('select pg_advisory_lock(4711)');
      return {
        async release() {
          await session.exec('select pg_advisory_unlock(4711)');
          session.release();
        },
      };
    },
    async until(text) {
      for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(20)) {
        const [row] = await query<{ done: boolean }>(text);
        if (row?.done === true) return;
        if (Date.now() > deadline) throw new Error(`still not: ${text}`);
      }
    },
    drop,
  };
}

export interface RestProcess {
  /** The URLs of the public server and, if enabled, the admin server. */
  readonly url: string;
  readonly adminUrl: string;
  readonly out: () => string;
  readonly err: () => string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves as soon as the output on stderr or stdout, from the offset `from`, matches the pattern. */
  said(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

const folders: string[] = [];

/** Creates a folder for the test. {@link removeFolders} deletes it. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-rest-test-'));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

const DEADLINE_MS = 20_000;

/** Starts the process without waiting for it. */
export function spawnRest(environment: Record<string, string>, args: readonly string[] = []): RestProcess {
  const child = spawn(process.execPath, [launcher, 'rest', ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PGRST_SERVER_HOST: '127.0.0.1',
      PGRST_SERVER_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
    tell();
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      resolve(code);
      tell();
    });
  });
  const address = (which: string) => new RegExp(`${which} server listening on (\\S+)`).exec(err)?.[1];
  const process_: RestProcess = {
    get url() {
      return `http://${address('API')}`;
    },
    get adminUrl() {
      return `http://${address('Admin')}`;
    },
    out: () => out,
    err: () => err,
    fetch: (path, init) => fetch(`${process_.url}${path}`, init),
    said: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(err.slice(from)) ?? pattern.exec(out);
          if (found !== null) finish(() => resolve(found));
          else if (child.exitCode !== null)
            finish(() => reject(new Error(`ended without ${pattern}:\n${err}${out}`)));
        };
        const finish = (settle: () => void) => {
          watchers.delete(look);
          clearTimeout(timer);
          settle();
        };
        const timer = setTimeout(
          () => finish(() => reject(new Error(`not said: ${pattern}\n${err}${out}`))),
          DEADLINE_MS,
        );
        watchers.add(look);
        look();
      }),
    signal: (signal) => void child.kill(signal),
    exited,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
  return process_;
}

/** Starts the process and waits until it listens. */
export async function startRestProcess(
  environment: Record<string, string>,
  args: readonly string[] = [],
): Promise<RestProcess> {
  const started = spawnRest(environment, args);
  try {
    await started.said(/API server listening on/);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return started;
}
