/**
 * Measures the schema cache of a large database: its load time, the delay of requests while it is loaded, its memory
 * use, and the OpenAPI document. By default, the database has 5,000 tables with keys, 1,000 views and 1,000 functions.
 *
 *   node --expose-gc bench/rest-schema.ts [--tables 5000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Logger, silentLogger } from '../src/base/kernel/log.ts';
import { configFrom, createLiveConfig } from '../src/platform/config/index.ts';
import { createTestDatabase, stopTestCluster } from '../src/platform/database/testing.ts';
import { createKeys } from '../src/platform/keys/index.ts';
import { createGateway } from '../src/server/gateway/index.ts';
import { createRest } from '../src/services/rest/index.ts';

const { values } = parseArgs({ options: { tables: { type: 'string', default: '5000' } } });
const TABLES = Number(values.tables);
const PER_SCRIPT = 100;
const RELOADS = 3;

function scriptOf(first: number, last: number): string {
  const lines: string[] = [];
  for (let n = first; n <= last; n++) {
    const parent = n > 1 ? `references public.table_${Math.floor(n / 2)}` : '';
    // All other tables reference one table, as is usual in real schemas.
    const hub = n > 1 ? 'references public.table_1' : '';
    lines.push(`create table public.table_${n} (
      id bigint generated always as identity primary key, parent bigint ${parent}, hub bigint ${hub}, name text not null unique,
      kind text not null default 'plain', amount numeric(12, 2) not null default 0, done boolean not null default false,
      created_at timestamptz not null default now(), data jsonb, tags text[], code varchar(20) check (code <> ''));
      comment on table public.table_${n} is 'Table number ${n}';
      alter table public.table_${n} enable row level security;
      grant all on public.table_${n} to anon, authenticated, service_role;`);
    if (n % 5 !== 0) continue;
    lines.push(`create view public.view_${n} as
      select t.id, t.name, t.parent, p.name as parent_name from public.table_${n} t
      left join public.table_${Math.floor(n / 2)} p on p.id = t.parent;
      grant select on public.view_${n} to anon, authenticated, service_role;
      create function public.function_${n}(a int, b text default '') returns setof public.table_${n} language sql stable
      as 'select * from public.table_${n} where id = a';`);
  }
  return lines.join('\n');
}

const { database, drop } = await createTestDatabase('bench-schema');
const admin = database.pool('postgres');
for (let first = 1; first <= TABLES; first += PER_SCRIPT) {
  await admin.exec(scriptOf(first, Math.min(first + PER_SCRIPT - 1, TABLES)));
}
await database.pool('supabase_admin').exec('vacuum analyze');

let loaded = Promise.withResolvers<void>();
const log: Logger = {
  ...silentLogger,
  debug: (_fields, message) => message === 'schema cache loaded' && loaded.resolve(),
  warn: (fields, message) => console.warn(message, fields.error),
};
const config = configFrom({ api: { schemas: ['public'] } }, '/nowhere');
const keys = createKeys({ mode: 'development', config, supabaseDir: '/nowhere', dataDir: '/nowhere' });
const dataDir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));
const rest = createRest({
  database,
  keys,
  config: createLiveConfig(config),
  dataDir,
  log,
  permissionHints: 'off',
});
const gateway = createGateway({ services: [rest], keys, log: silentLogger, home: '/' });
const url = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}/rest/v1`;

const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
const settle = async () => {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.();
    await sleep(50);
  }
};

/**
 * Returns a function that reports the maximum CPU time that this thread used between two checks. Unlike the delay of a
 * timer, CPU time doesn't include the work of other processes.
 */
function watchTurns(): () => number {
  let last = cpuMs();
  let longest = 0;
  const timer = setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Runs `work` while a client sends requests one after another. Prints how long each request had to wait. */
async function watched(what: string, work: () => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let done = false;
  let slowest = 0;
  let requests = 0;
  const client = async () => {
    while (!done) {
      const startedAt = performance.now();
      await (await fetch(`${url}/table_7?id=eq.1`)).arrayBuffer();
      slowest = Math.max(slowest, performance.now() - startedAt);
      requests++;
    }
  };
  const clients = requestsAre ? [client()] : [];
  delay.enable();
  const longestTurn = watchTurns();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  done = true;
  await Promise.all(clients);
  delay.disable();
  console.log(
    `${what.padEnd(28)} ${ms.toFixed(0).padStart(6)} ms, longest stall ${(delay.max / 1e6).toFixed(1).padStart(6)} ms ` +
      `(own CPU ${longestTurn().toFixed(1).padStart(5)} ms), ` +
      `CPU of Node ${((user + system) / 1000).toFixed(0).padStart(5)} ms` +
      (requests > 0 ? `, slowest of ${requests} requests ${slowest.toFixed(0)} ms` : ''),
  );
}

async function reload(): Promise<void> {
  loaded = Promise.withResolvers<void>();
  await admin.exec(`notify pgrst, 'reload schema'`);
  await loaded.promise;
}

let requestsAre = false;
await settle();
const before = process.memoryUsage();
await watched('first load', async () => {
  await rest.start?.();
  await loaded.promise;
});
await settle();
const after = process.memoryUsage();
console.log(
  `${TABLES} tables: heap ${mib(after.heapUsed - before.heapUsed)} MiB more, RSS ${mib(after.rss)} MiB (${mib(before.rss)} before)`,
);
await sleep(200);
requestsAre = true;
await watched('nothing, for comparison', () => sleep(1000));
for (let turn = 0; turn < RELOADS; turn++) await watched('reload, nothing changed', reload);
await watched('reload, a column more', async () => {
  await admin.exec('alter table public.table_9 add column more int');
  await reload();
});
for (let turn = 0; turn < 2; turn++) {
  await watched('OpenAPI root', async () => {
    const response = await fetch(`${url}/`, { headers: { authorization: `Bearer ${keys.serviceRoleKey}` } });
    const bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok) throw new Error(`The root returned status ${response.status}.`);
    console.log(`the OpenAPI document has ${mib(bytes)} MiB`);
  });
}
await settle();
console.log(
  `at the end: heap ${mib(process.memoryUsage().heapUsed)} MiB, RSS ${mib(process.memoryUsage().rss)} MiB`,
);

await gateway.close(0);
await rest.stop?.();
await drop();
await stopTestCluster();
rmSync(dataDir, { recursive: true });
