/**
 * Measures postgres_changes for many users who can see only their own rows. Starts the whole product with an empty
 * project. Each subscriber is a user with a separate socket. Each row is inserted in a separate transaction and is
 * delivered to one user.
 *
 * node bench/realtime-changes.ts [--users 500] [--rate 640] [--seconds 10] [--policy uid|claims|members] [--sockets
 * 2000]
 *
 * The policy `uid` is `owner = (select auth.uid())`, `claims` reads the setting that contains the JWT claims, and
 * `members` queries a table of members. Prints the rate, and the latency until the client receives the change, measured
 * both from the write and from the commit. Also prints the CPU time of the server and PostgreSQL, in total and for
 * realtime alone. Also measures the memory of an idle socket, changes that all subscribers receive, and broadcasts
 * (`realtime/fan-out.ts`). Runs only on Linux, because CPU time is read from /proc.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { WebSocket } from 'ws';
import { broadcast, idle, recipients } from './realtime/fan-out.ts';
import {
  type Cpu,
  cpuNow,
  type Server,
  startServer,
  stopServer,
  tokenOf,
  userId,
} from './realtime/server.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '500' },
    rate: { type: 'string', default: '640' },
    seconds: { type: 'string', default: '10' },
    policy: { type: 'string', default: 'uid' },
    sockets: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const users = Number(values.users);
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const bar = { rate: 640, p95Ms: 100, cores: 0.5 };
/**
 * The duration of the warm-up, during which the server prepares statements and Node compiles the code. The warm-up
 * isn't counted.
 */
const warmUpSeconds = 2;
const writers = 4;

const policies: Record<string, string> = {
  uid: 'owner = (select auth.uid())',
  claims: `owner = (current_setting('request.jwt.claims', true)::json ->> 'sub')::uuid`,
  members:
    'exists (select from public.bench_members m where m.room = owner and m.member = (select auth.uid()))',
};
const policy = policies[values.policy];
if (policy === undefined) throw new Error(`Unknown policy ${values.policy}.`);

/** The row numbers that a user has received. */
interface Received {
  readonly seen: Set<number>;
  repeated: number;
  foreign: number;
}

const sentAt = new Float64Array((rate * (seconds + warmUpSeconds) + 1) | 0);
const sinceSent: number[] = [];
const sinceCommit: number[] = [];
let firstCounted = 0;

async function subscribe({ status }: Server, user: number): Promise<Received & { socket: WebSocket }> {
  const url = `${status.API_URL.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${status.ANON_KEY}`;
  const socket = new WebSocket(url);
  const received = { seen: new Set<number>(), repeated: 0, foreign: 0, socket };
  const live = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => {
      const changes = [{ event: 'INSERT', schema: 'public', table: 'bench_rows' }];
      const payload = {
        config: { postgres_changes: changes },
        access_token: tokenOf(status.JWT_SECRET, user),
      };
      socket.send(JSON.stringify(['1', '1', `realtime:bench-${user}`, 'phx_join', payload]));
    });
    socket.on('message', (frame: Buffer) => {
      const [, , , event, payload] = JSON.parse(frame.toString());
      if (event === 'system' && payload.status === 'ok') resolve();
      else if (event === 'system') reject(new Error(payload.message));
      else if (event === 'postgres_changes') receive(received, user, payload.data);
    });
  });
  await live;
  return received;
}

function receive(
  received: Received,
  user: number,
  data: { record: { id: number; owner: string }; commit_timestamp: string },
): void {
  const { id, owner } = data.record;
  if (owner !== userId(user)) received.foreign++;
  if (received.seen.has(id)) received.repeated++;
  received.seen.add(id);
  if (id < firstCounted) return;
  sinceSent.push(performance.now() - (sentAt[id] ?? 0));
  sinceCommit.push(Date.now() - Date.parse(data.commit_timestamp));
}

/** Writes rows at the requested rate, from row `from` to row `to`, each in a separate transaction. */
async function write(clients: readonly pg.Client[], from: number, to: number): Promise<void> {
  const startedAt = performance.now();
  const running: Promise<unknown>[] = [];
  for (let next = from; next < to; ) {
    const due = Math.min(to, from + Math.floor(((performance.now() - startedAt) / 1000) * rate) + 1);
    for (; next < due; next++) {
      sentAt[next] = performance.now();
      const client = clients[next % clients.length] as pg.Client;
      running.push(
        client.query({
          name: 'write',
          text: 'insert into public.bench_rows (id, owner) values ($1, $2)',
          values: [next, userId(next % users)],
        }),
      );
    }
    await sleep(1);
  }
  await Promise.all(running);
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

const latency = (label: string, numbers: number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(sorted, part)) as [number, number, number];
  console.log(
    `${label.padEnd(26)} p50 ${p50.toFixed(0)}  p95 ${p95.toFixed(0)}  p99 ${p99.toFixed(0)}  max ${(sorted.at(-1) ?? Number.NaN).toFixed(0)} ms`,
  );
  return p95;
};

const server = await startServer();
try {
  // The idle sockets are measured first, because the process later has free memory that idle sockets could use without
  // making the process grow.
  await idle(server, Number(values.sockets), report);
  // Writes are pipelined, so each row is sent on time, without waiting for PostgreSQL's previous response.
  const options = { connectionString: server.status.DB_URL, pipeline: true };
  const clients = Array.from({ length: writers }, () => new pg.Client(options));
  for (const client of clients) await client.connect();
  const [first] = clients as [pg.Client];
  await first.query(`
    create table public.bench_rows (id bigint primary key, owner uuid not null, note text default 'x');
    create table public.bench_members (room uuid, member uuid, primary key (room, member));
    insert into public.bench_members
    select id, id from (select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid as id from generate_series(0, ${users}) n) ids;
    alter table public.bench_rows enable row level security;
    create policy own on public.bench_rows for select to authenticated using (${policy});
    alter publication supabase_realtime add table public.bench_rows`);
  const subscribers = await Promise.all(Array.from({ length: users }, (_, user) => subscribe(server, user)));
  firstCounted = rate * warmUpSeconds;
  const total = firstCounted + rate * seconds;
  await write(clients, 0, firstCounted);
  await sleep(500);
  const before = await cpuNow(server, first);
  const own = process.cpuUsage();
  const startedAt = performance.now();
  await write(clients, firstCounted, total);
  const tookSeconds = (performance.now() - startedAt) / 1000;
  const got = (): number => subscribers.reduce((sum, { seen }) => sum + seen.size, 0);
  for (let waited = 0; got() < total && waited < 5000; waited += 20) await sleep(20);
  const after = await cpuNow(server, first);
  const generator = process.cpuUsage(own);

  const cores = (key: keyof Cpu): number => (after[key] - before[key]) / tookSeconds;
  const perChange = (key: keyof Cpu): number => ((after[key] - before[key]) * 1e6) / (rate * seconds);
  const cost = (key: keyof Cpu): string =>
    `${cores(key).toFixed(2)} cores (${perChange(key).toFixed(0)} us a change)`;
  const count = (key: 'repeated' | 'foreign'): number => subscribers.reduce((sum, one) => sum + one[key], 0);
  const perSecond = (rate * seconds) / tookSeconds;
  console.log(`${users} subscribers of ${users} users, policy ${policy}`);
  console.log(
    `${'changes'.padEnd(26)} ${perSecond.toFixed(0)}/s for ${tookSeconds.toFixed(1)} s; lost ${total - got()}, repeated ${count('repeated')}, of others ${count('foreign')}`,
  );
  const p95 = latency('from commit to receipt', sinceCommit);
  latency('from the writer to receipt', sinceSent);
  const shown = `${users} subscribers, one recipient per change`;
  report.add({ name: `${shown}: changes`, unit: '/s', value: perSecond, limit: { least: bar.rate } });
  report.add({ name: `${shown}: 95% received within`, unit: 'ms', value: p95, limit: { most: bar.p95Ms } });
  report.add({
    name: `${shown}: CPU time of the server and realtime's queries per change`,
    unit: 'µs',
    value: perChange('server') + perChange('realtime'),
    postgres: perChange('realtime'),
    limit: { most: (bar.cores * 1e6) / bar.rate },
  });
  console.log(`${'CPU, server'.padEnd(26)} ${cost('server')}`);
  console.log(`${'CPU, PostgreSQL'.padEnd(26)} ${cost('postgres')}, of which realtime: ${cost('realtime')}`);
  console.log(
    `${'CPU, this generator'.padEnd(26)} ${((generator.user + generator.system) / 1e6 / tookSeconds).toFixed(2)} cores`,
  );
  console.log(
    `relative to the limits: rate ${(perSecond / bar.rate).toFixed(2)} (${bar.rate}/s), p95 ${(p95 / bar.p95Ms).toFixed(2)} (${bar.p95Ms} ms), ` +
      `CPU of server and realtime ${((cores('server') + cores('realtime')) / bar.cores).toFixed(2)} (${bar.cores} cores)`,
  );
  for (const { socket } of subscribers) socket.terminate();
  const fanOut = { count: users, seconds: Math.min(seconds, 5), report };
  await recipients(server, first, fanOut);
  await broadcast(server, first, fanOut);
  for (const client of clients) await client.end();
} finally {
  await stopServer(server);
}
