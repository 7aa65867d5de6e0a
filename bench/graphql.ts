/**
 * Measures the CPU time of a GraphQL request and of the REST request that reads the same rows: 20 rows with one nested
 * collection each, with row-level security, as a signed-in user. The requests are measured in turns. Fails if GraphQL
 * needs more than 1.3 times the CPU time of REST.
 *
 *   node bench/graphql.ts [--rounds 5] [--seconds 3] [--connections 16]
 *
 * The CPU times are read from /proc, so the benchmark needs Linux.
 */
import { parseArgs } from 'node:util';
import { sql } from '../src/base/kernel/sql.ts';
import { createTestBackend, stopTestCluster } from '../src/entry/testing.ts';
import type { LoadRequest } from './load/client.ts';
import { cpuOf, cpuOfTree, runLoad } from './load/processes.ts';
import { wireText } from './load/requests.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const users = 100;
const limit = 1.3;

const backend = await createTestBackend();
const pool = backend.database.pool('postgres');
await pool.exec(`
  create extension pg_graphql;
  create table public.project (id int primary key, owner text not null, name text not null);
  create table public.task (id int primary key, project_id int not null references public.project, title text not null);
  create index on public.project (owner, id);
  create index on public.task (project_id);
  insert into public.project
    select n, '00000000-0000-4000-8000-' || lpad((n % ${users})::text, 12, '0'), 'Project ' || n
    from generate_series(1, 10000) n;
  insert into public.task select n, 1 + n % 10000, 'Task ' || n from generate_series(1, 30000) n;
  alter table public.project enable row level security;
  alter table public.task enable row level security;
  create policy own on public.project to authenticated using (owner = (select auth.uid()::text));
  create policy "of own" on public.task to authenticated using (true);
  grant select on public.project, public.task to authenticated`);
await backend.database.pool('supabase_admin').exec('analyze public.project, public.task');
await backend.database.announceSchema();

const query = `query($first: Int!) {
  projectCollection(first: $first, orderBy: [{id: AscNullsLast}]) {
    edges { node { id owner name taskCollection(first: 30) { edges { node { id title } } } } }
  }
}`;
const subOf = (user: number): string => `00000000-0000-4000-8000-${String(user).padStart(12, '0')}`;

function requestsOf(make: (headers: Record<string, string>) => string): LoadRequest[] {
  return Array.from({ length: users }, (_, user) => {
    const owner = subOf(user);
    const token = backend.keys.sign({ role: 'authenticated', sub: owner, exp: 4_000_000_000 });
    const headers = { apikey: backend.keys.anonKey, authorization: `Bearer ${token}` };
    return { text: make(headers), owner, rows: 20 };
  });
}

const restPath = '/rest/v1/project?select=id,owner,name,task(id,title)&order=id&limit=20&task.limit=30';
const body = JSON.stringify({ query, variables: { first: 20 } });
const kinds = {
  REST: requestsOf((headers) => wireText('GET', restPath, headers)),
  GraphQL: requestsOf((headers) =>
    wireText(
      'POST',
      '/graphql/v1',
      { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
      body,
    ),
  ),
} as const;
type Kind = keyof typeof kinds;

const [postmaster] = await backend.database
  .pool('supabase_admin')
  .query<{ pid: number }>(sql`select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`);
const port = Number(new URL(backend.url).port);
const spent = () => ({ server: cpuOf(process.pid), postgres: cpuOfTree(postmaster?.pid ?? 0) });

interface Cost {
  readonly server: number;
  readonly postgres: number;
}

async function measure(kind: Kind, forSeconds: number): Promise<Cost> {
  const before = spent();
  const result = await runLoad({
    port,
    requests: kinds[kind],
    connections,
    seconds: forSeconds,
    dropEvery: 0,
  });
  if (result.errors + result.wrong > 0)
    throw new Error(`${kind}: wrong responses, such as ${result.samples[0]}`);
  const after = spent();
  return {
    server: (after.server - before.server) / result.requests,
    postgres: (after.postgres - before.postgres) / result.requests,
  };
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const costs: Record<Kind, Cost[]> = { REST: [], GraphQL: [] };
try {
  for (const kind of ['REST', 'GraphQL'] as const) await measure(kind, 2);
  for (let round = 0; round < rounds; round++) {
    for (const kind of ['REST', 'GraphQL'] as const) costs[kind].push(await measure(kind, seconds));
  }
} finally {
  await backend.stop();
  await stopTestCluster();
}

for (const kind of ['REST', 'GraphQL'] as const) {
  const server = median(costs[kind].map((cost) => cost.server));
  const postgres = median(costs[kind].map((cost) => cost.postgres));
  console.log(
    `${kind.padEnd(8)} Plinth ${server.toFixed(0).padStart(5)} µs, PostgreSQL ${postgres.toFixed(0).padStart(5)} µs`,
  );
  report.add({
    name: `${kind}: 20 rows with a nested collection`,
    unit: 'µs',
    value: server + postgres,
    postgres,
  });
}
const total = ({ server, postgres }: Cost): number => server + postgres;
const ratio = median(costs.GraphQL.map((cost, round) => total(cost) / total(costs.REST[round] as Cost)));
console.log(`GraphQL needs ${ratio.toFixed(2)} times the CPU time of REST (limit: ${limit})`);
report.add({ name: 'GraphQL compared with REST', unit: 'times', value: ratio, limit: { most: limit } });
process.exitCode = ratio <= limit ? 0 : 1;
