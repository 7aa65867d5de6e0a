/**
 * Measures the CPU time of a primary and its replica for the same reads, with and without the replica. Linux only, because
 * the CPU time is read from /proc.
 *
 *   node bench/replicas.ts [--rounds 3] [--requests 20000] [--clients 32]
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatabase, type Database } from '../src/platform/database/index.ts';
import {
  availableServers,
  type ExternalServer,
  startExternalServer,
} from '../test/database/external-server.ts';
import { temporaryFolder } from '../test/database/helpers.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '20000' },
    clients: { type: 'string', default: '32' },
  },
});
const [rounds, requests, clients] = [Number(values.rounds), Number(values.requests), Number(values.clients)];
/** The unit of the CPU times in /proc, in microseconds. */
const TICK = 10_000;

/** Returns the CPU time of a server in microseconds, including that of sessions that have ended. */
function cpuOf(server: ExternalServer): number {
  const root = String(server.pid());
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const [own, ended] = [Number(fields[11]) + Number(fields[12]), Number(fields[13]) + Number(fields[14])];
      if (pid === root) ticks += own + ended;
      else if (fields[1] === root) ticks += own;
    } catch {
      // The process has ended.
    }
  }
  return ticks * TICK;
}

async function run(database: Database): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < requests) {
      const id = 1 + ((next++ * 7919) % 99_999);
      await database.requestPath.execute({
        role: 'anon',
        settings: [
          ['role', 'anon'],
          ['search_path', 'public'],
          ['request.jwt.claims', '{"role":"anon"}'],
        ],
        statement: {
          key: 'list',
          text: 'select row_to_json(t)::text from items t where id > $1 order by id limit 20',
        },
        params: [String(id)],
        access: 'read only',
        lane: 'shared',
        replica: {},
      });
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
}

const folder = temporaryFolder();
const primary = await startExternalServer(availableServers()[0]?.bin as string, folder.path);
const copy = join(folder.path, 'standby');
mkdirSync(copy);
const standby = await primary.standby(copy);
const open = (replicaUrls?: string) =>
  createDatabase({ dataDir: '/nowhere', databaseUrl: primary.url('admin'), replicaUrls });
const alone = await open();
await alone.pool('supabase_admin').exec(`
  create table public.items (id int primary key, owner text not null, title text not null);
  insert into public.items select i, 'user' || i % 100, 'Item number ' || i from generate_series(1, 100000) i;
  grant select on public.items to anon`);
await alone.pool('supabase_admin').exec('vacuum analyze public.items');
const routed = await open(`postgresql://127.0.0.1:${standby.port}`);
while (routed.replicas()[0]?.status !== 'ready') await new Promise((resolve) => setTimeout(resolve, 100));

console.log(`Lists of 20 rows, ${requests} requests, ${clients} clients; CPU microseconds per request`);
for (let round = 0; round <= rounds; round++) {
  for (const [name, database] of [
    ['primary only', alone],
    ['with a replica', routed],
  ] as const) {
    const before = [cpuOf(primary), cpuOf(standby), process.cpuUsage()] as const;
    const startedAt = performance.now();
    await run(database);
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(before[2]);
    const each = [user + system, cpuOf(primary) - before[0], cpuOf(standby) - before[1]].map((one) =>
      (one / requests).toFixed(1).padStart(6),
    );
    // The first round warms up.
    if (round > 0)
      console.log(
        `  ${name.padEnd(15)} node ${each[0]}  primary ${each[1]}  replica ${each[2]}  ${(requests / seconds).toFixed(0)}/s`,
      );
  }
}
await Promise.all([alone.stop(), routed.stop()]);
await standby.stop();
await primary.stop();
folder.remove();
