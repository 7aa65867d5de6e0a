/**
 * Measures the CPU time that Plinth uses per REST request. For comparison, in alternating rounds, the same process also
 * reads the same rows with the `pg` package in four round trips (BEGIN, set_config, the statement, COMMIT). Prints
 * microseconds and ratios, but doesn't compare them with limits.
 *
 *   node bench/path.ts [--rounds 3] [--clients 32] [--pgbouncer /usr/sbin/pgbouncer]
 *
 * With `--pgbouncer`, also measures the request path through PgBouncer, whose CPU time is part of PostgreSQL's.
 *
 * PostgreSQL's CPU time is read from /proc. On systems other than Linux, the benchmark shows only the CPU time of Node.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { sql } from '../src/base/kernel/sql.ts';
import { createRequestPath } from '../src/platform/database/path/index.ts';
import { createTestDatabase, testTarget } from '../src/platform/database/testing.ts';
import type { RequestPath, Setting } from '../src/platform/database/types.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '32' },
    pgbouncer: { type: 'string' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const ROUNDS = Number(values.rounds);
const CLIENTS = Number(values.clients);
const ROWS = 100_000;
const USERS = 100;
const APPLICATION = 'bench path';

const SHAPES = [
  { name: 'Read by ID', text: 'select row_to_json(t)::text from items t where id = $1', requests: 6000 },
  {
    name: 'List of 20 rows',
    text: 'select row_to_json(t)::text from items t where id > $1 order by id limit 20',
    requests: 3000,
  },
  {
    name: '1,000 rows',
    text: 'select row_to_json(t)::text from items t where id > $1 order by id limit 1000',
    requests: 300,
  },
] as const;

const test = await createTestDatabase('bench-path');
const { database, drop } = test;
await database.pool('postgres').exec(`
  create table items (id int primary key, owner text not null, title text not null, done boolean not null);
  insert into items select i, 'user' || i % ${USERS}, 'Item number ' || i, i % 2 = 0 from generate_series(1, ${ROWS}) i;
  create index on items (owner, id);
  alter table items enable row level security;
  create policy own on items using (owner = (select current_setting('request.jwt.claim.sub', true)));
  grant select on items to authenticated;
`);
await database.pool('supabase_admin').exec('vacuum analyze public.items');

const target = testTarget(test, 'authenticator');
const path = createRequestPath({
  connectOptions: () => ({ ...target, applicationName: APPLICATION }),
});
const pooler = values.pgbouncer === undefined ? undefined : await startPgBouncer(values.pgbouncer, target);
const pooledPath =
  pooler && createRequestPath({ connectOptions: () => ({ ...pooler.target, applicationName: APPLICATION }) });
const { host, port, user, password } = target;
const pool = new pg.Pool({
  host,
  port,
  user,
  password,
  database: target.database,
  max: 10,
  application_name: APPLICATION,
});

type Runner = (text: string, id: number) => Promise<Buffer>;

function settingsOf(id: number): Setting[] {
  const sub = `user${id % USERS}`;
  return [
    ['role', 'authenticated'],
    ['search_path', 'public'],
    ['request.jwt.claims', `{"role":"authenticated","sub":"${sub}"}`],
    ['request.jwt.claim.sub', sub],
    ['request.method', 'GET'],
    ['request.path', '/items'],
  ];
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',\n');
const CLOSE = Buffer.from(']');

const runnerOf =
  (requestPath: RequestPath): Runner =>
  async (text, id) => {
    const { rows } = await requestPath.execute({
      role: 'authenticated',
      settings: settingsOf(id),
      statement: { key: text, text },
      params: [String(id)],
      access: 'read only',
      lane: 'shared',
    });
    const parts: Buffer[] = [OPEN];
    rows.forEach(([cell], index) => {
      if (index > 0) parts.push(COMMA);
      if (cell) parts.push(cell);
    });
    parts.push(CLOSE);
    return Buffer.concat(parts);
  };

const throughPath = runnerOf(path);

const throughPg: Runner = async (text, id) => {
  const client = await pool.connect();
  try {
    await client.query('begin read only');
    const settings = settingsOf(id);
    const calls = settings.map((_, index) => `set_config($${index * 2 + 1}, $${index * 2 + 2}, true)`);
    await client.query({ name: 'settings', text: `select ${calls.join(', ')}`, values: settings.flat() });
    const { rows } = await client.query({
      name: `items ${text.length}`,
      text,
      values: [id],
      rowMode: 'array',
    });
    await client.query('commit');
    return Buffer.from(`[${rows.map(([cell]) => cell).join(',\n')}]`);
  } finally {
    client.release();
  }
};

/**
 * Returns the total CPU microseconds of this benchmark's database processes, or undefined if they can't be measured.
 */
async function backendCpu(): Promise<number | undefined> {
  const rows = await database
    .pool('supabase_admin')
    .query<{ pid: number }>(sql`select pid from pg_stat_activity where application_name = ${APPLICATION}`);
  try {
    const pids = [...rows.map(({ pid }) => pid), ...(pooler === undefined ? [] : [pooler.pid])];
    const files = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/schedstat`, 'utf8')));
    return files.reduce((sum, file) => sum + Number(file.split(' ')[0]) / 1000, 0);
  } catch {
    return undefined;
  }
}

interface Measured {
  readonly node: number;
  readonly postgres: number | undefined;
  readonly perSecond: number;
}

async function measure(run: Runner, text: string, requests: number): Promise<Measured> {
  const postgresBefore = await backendCpu();
  const nodeBefore = process.cpuUsage();
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < requests) {
      const id = 1 + ((next++ * 7919) % (ROWS - 1));
      await run(text, id);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const node = process.cpuUsage(nodeBefore);
  const postgresAfter = await backendCpu();
  const known = postgresBefore !== undefined && postgresAfter !== undefined;
  return {
    node: (node.user + node.system) / requests,
    postgres: known ? (postgresAfter - postgresBefore) / requests : undefined,
    perSecond: requests / seconds,
  };
}

const total = ({ node, postgres }: Measured): number => node + (postgres ?? 0);

const medianOf = (measured: readonly Measured[]): Measured =>
  measured.toSorted((a, b) => total(a) - total(b))[Math.floor(measured.length / 2)] as Measured;

const RUNNERS = {
  'pg, 4 round trips': throughPg,
  'request path': throughPath,
  ...(pooledPath === undefined ? {} : { 'through PgBouncer': runnerOf(pooledPath) }),
};

console.log(`${CLIENTS} clients, ${ROUNDS} rounds, the median; CPU microseconds per request\n`);
for (const { name: shape, text, requests } of SHAPES) {
  const [one, other] = await Promise.all([throughPath(text, 1234), throughPg(text, 1234)]);
  if (!one.equals(other) || one.length < 20) throw new Error(`The two answers to "${shape}" differ.`);
  const results = new Map<string, Measured[]>();
  for (const run of Object.values(RUNNERS)) await measure(run, text, Math.ceil(requests / 5));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [label, run] of Object.entries(RUNNERS)) {
      results.set(label, [...(results.get(label) ?? []), await measure(run, text, requests)]);
    }
  }
  console.log(
    shape +
      (pooler === undefined ? '' : ` (statements are ${pooler.target.namedStatements ? '' : 'not '}tracked)`),
  );
  const [others, own] = [...results.values()].map((measured) => medianOf(measured));
  if (others !== undefined && own !== undefined)
    report.add({
      name: shape,
      unit: 'µs',
      value: total(own),
      peers: [{ peer: 'pg, four round trips', value: total(others) }],
    });
  let reference: number | undefined;
  for (const [label, measured] of results) {
    const median = medianOf(measured);
    reference ??= total(median);
    const postgres = median.postgres === undefined ? 'not known' : median.postgres.toFixed(0);
    console.log(
      `  ${label.padEnd(18)} node ${median.node.toFixed(0).padStart(5)}  postgres ${postgres.padStart(5)}  ` +
        `sum ${total(median).toFixed(0).padStart(5)}  ratio ${(total(median) / reference).toFixed(2)}  ` +
        `${median.perSecond.toFixed(0).padStart(6)}/s`,
    );
  }
}

await Promise.all([path.stop(), pool.end(), pooledPath?.stop()]);
pooler?.stop();
await drop();
