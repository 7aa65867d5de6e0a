/**
 * Runs a whole backend in a separate process for benchmarks. The process is forked with IPC and uses a disposable
 * database that contains `items`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend, stopTestCluster } from '../../src/entry/testing.ts';
import { ROWS, subOf, USERS } from './rows.ts';

const SCHEMA = `
  create table public.items (id int primary key, owner uuid not null, title text not null, done boolean not null,
    created_at timestamptz not null);
  insert into public.items
    select i, ('00000000-0000-4000-8000-' || lpad((i % ${USERS})::text, 12, '0'))::uuid, 'Item number ' || i, i % 3 = 0,
      timestamptz '2026-01-01' + i * interval '1 minute'
    from generate_series(1, ${ROWS}) i;
  create index on public.items (owner, id);
  alter table public.items enable row level security;
  create policy own on public.items to authenticated using (owner = (select auth.uid()));
  grant select on public.items to authenticated;
  create function public.sleep(seconds float8) returns void language sql stable as 'select pg_sleep(seconds)';`;

/** The first message that this process sends to the parent process. */
export interface ServerFacts {
  readonly url: string;
  /** One token per user. */
  readonly tokens: readonly string[];
  readonly jwtSecret: string;
  /**
   * The database for the servers that Plinth is compared with. These servers connect as the role `peer`, with the
   * password `postgres` and the privileges of `authenticator`.
   */
  readonly database: { readonly host: string; readonly port: number; readonly name: string };
  readonly postmasterPid: number;
}

/** The response to a `stats` message. The counters are reset after each `stats` message. */
export interface ServerStats {
  readonly rssBytes: number;
  readonly loopDelayMaxMs: number;
  readonly loopDelayP99Ms: number;
  /**
   * The number of connections that the backend has to the database. `busyConnections` is the number of connections that
   * aren't idle.
   */
  readonly connections: number;
  readonly busyConnections: number;
}

async function serve(send: (message: ServerFacts | ServerStats) => void): Promise<void> {
  const backend = await createTestBackend({ sql: SCHEMA, passwordCost: 'production' });
  const { database, keys } = backend;
  const admin = database.pool('supabase_admin');
  await admin.exec('vacuum analyze public.items');
  await admin.exec(`create role peer login noinherit password 'postgres';
    grant anon, authenticated, service_role to peer`);
  const [place] = await admin.query<{ host: string; port: number; name: string; dir: string }>(sql`
    select trim(both '"' from split_part(current_setting('unix_socket_directories'), ',', 1)) as host, current_setting('port')::int as port,
      current_database() as name, current_setting('data_directory') as dir`);
  if (place === undefined) throw new Error('The location of the database is unknown.');
  const pidFile = await admin.query<{ pid: number }>(
    sql`select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  const exp = Math.floor(Date.now() / 1000) + 24 * 3600;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on('message', async (message) => {
    if (message === 'stop') {
      await backend.stop();
      await stopTestCluster();
      process.exit(0);
    }
    const [row] = await admin.query<{ connections: number; busy: number }>(sql`
      select count(*) as connections, count(*) filter (where state <> 'idle') as busy from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
        and usename = 'authenticator'`);
    const loop = { loopDelayMaxMs: delay.max / 1e6, loopDelayP99Ms: delay.percentile(99) / 1e6 };
    delay.reset();
    const { connections = 0, busy = 0 } = row ?? {};
    send({ rssBytes: process.memoryUsage.rss(), ...loop, connections, busyConnections: busy });
  });
  send({
    url: backend.url,
    tokens: Array.from({ length: USERS }, (_, user) =>
      keys.signWithSecret({ sub: subOf(user), role: 'authenticated', aud: 'authenticated', exp }),
    ),
    jwtSecret: keys.jwtSecret,
    database: { host: place.host, port: place.port, name: place.name },
    postmasterPid: pidFile[0]?.pid ?? 0,
  });
}

await serve((message) => void process.send?.(message));
