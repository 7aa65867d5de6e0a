/**
 * Measures upstream's documented retrieval example through the stock client: a table of documents with embeddings, and
 * the function `match_documents` with a filter, as a signed-in user under row-level security. Compares each search with
 * the same statement in SQL, without the client and the server. Prints the response times of the exact search and of
 * searches with an HNSW index, the time in which the index is built, and how many of the nearest documents the index
 * finds.
 *
 *   node bench/vector.ts [--rows 100000] [--dimensions 384] [--queries 100] [--plans] [--mode production]
 *
 * The documents belong to groups, because random vectors without groups have no neighbors, unlike embeddings of texts.
 * With --plans, also prints the plan of each search. The server has the settings of `plinth serve`, and its files are on
 * disk. With `--mode development`, it has those of `plinth start`, whose `shared_buffers` (64 MB) are smaller than the
 * index, so searches copy its pages from the cache of the operating system.
 *
 * The CPU time of PostgreSQL per search depends less on other programs than the response times. It is read from /proc, so
 * the benchmark needs Linux.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '@supabase/supabase-js';
import { sql } from '../src/base/kernel/sql.ts';
import { createBackend } from '../src/entry/main.ts';
import type { Transaction } from '../src/platform/database/types.ts';
import { cpuOfTree } from './load/processes.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    dimensions: { type: 'string', default: '384' },
    queries: { type: 'string', default: '100' },
    plans: { type: 'boolean', default: false },
    mode: { type: 'string', default: 'production' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const rows = Number(values.rows);
const dimensions = Number(values.dimensions);
const queries = Number(values.queries);
/** The number of results of a search. */
const wanted = 10;
const groups = 200;
/** The share of documents that all users can read. The others can be read only by their owners. */
const publishedOf = 10;
/** The filter on the metadata selects one of this many documents. */
const topics = 20;
const owners = 100;
const limits = { exactMs: 300, indexMs: 20 };

const user = '00000000-0000-4000-8000-000000000001';
const type = `extensions.vector(${dimensions})`;

/** Upstream's function, as its guides to retrieval with LangChain show it. */
const matchFunction = (name: string, options: string): string => `
  create function public.${name} (query_embedding ${type}, match_count int default null, filter jsonb default '{}')
  returns table (id bigint, content text, metadata jsonb, similarity float) language plpgsql ${options} as $$
  #variable_conflict use_column
  begin
    return query
    select id, content, metadata, 1 - (documents.embedding <=> query_embedding) as similarity
    from documents where metadata @> filter
    order by documents.embedding <=> query_embedding limit match_count;
  end $$;`;

const schema = `
  create extension vector with schema extensions;
  create table public.documents (
    id bigint generated always as identity primary key,
    owner_id uuid not null default auth.uid(),
    is_published boolean not null,
    content text not null,
    metadata jsonb not null,
    embedding ${type} not null
  );
  create table public.queries (id int primary key, embedding ${type} not null);
  create function pg_temp.noise(seed bigint) returns ${type} language sql volatile as
    'select l2_normalize(array_agg(random_normal() + 0 * seed)::real[]::vector) from generate_series(1, ${dimensions})';
  create temp table centers as select n as center, pg_temp.noise(n) as v from generate_series(0, ${groups - 1}) n;
  insert into public.documents (owner_id, is_published, content, metadata, embedding)
    select ('00000000-0000-4000-8000-' || lpad((n % ${owners})::text, 12, '0'))::uuid, n % ${publishedOf} <> 0,
      'Document ' || n, jsonb_build_object('topic', n / ${owners} % ${topics}),
      extensions.l2_normalize(c.v operator(extensions.+) pg_temp.noise(n))
    from generate_series(1, ${rows}::bigint) n join pg_temp.centers c on c.center = (hashint8extended(n, 0) & 65535) % ${groups};
  insert into public.queries select n, extensions.l2_normalize(c.v operator(extensions.+) pg_temp.noise(n))
    from generate_series(1, ${queries}::bigint) n join pg_temp.centers c on c.center = (hashint8extended(n, 1) & 65535) % ${groups};
  create index on public.documents (owner_id);
  ${matchFunction('match_documents', '')}
  ${matchFunction('match_documents_iteratively', 'set hnsw.iterative_scan = strict_order set hnsw.ef_search = 100')}
  alter table public.documents enable row level security;
  create policy readers on public.documents for select to authenticated
    using (is_published or owner_id = (select auth.uid()));
  grant select on public.documents to authenticated;`;

interface Search {
  readonly function: string;
  readonly filter: object;
}
const everything: Search = { function: 'match_documents', filter: {} };
const oneTopic: Search = { function: 'match_documents', filter: { topic: 7 } };
const oneTopicIteratively: Search = { ...oneTopic, function: 'match_documents_iteratively' };

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-bench-vector-'));
mkdirSync(join(projectDir, 'supabase'));
writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "bench"\n');
const backend = await createBackend({
  projectDir,
  dataDir: join(projectDir, '.plinth'),
  mode: values.mode === 'development' ? 'development' : 'production',
  onProgress: (message) => console.log(message),
  ...{ port: 0, dbPort: 0, consolePort: 0, mailPort: 0 },
});

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/** Runs statements as the user, without HTTP and the client. */
const asUser = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  backend.database.asRequest(
    {
      role: 'authenticated',
      settings: [
        ['request.jwt.claims', JSON.stringify({ sub: user, role: 'authenticated' })],
        ['search_path', 'public, extensions'],
      ],
    },
    work,
  );

interface Outcome {
  readonly clientMs: readonly number[];
  readonly sqlMs: readonly number[];
  readonly ids: readonly (readonly number[])[];
  /** The CPU time of PostgreSQL per search. */
  readonly cpuMs: number;
}

try {
  await backend.start();
  const admin = backend.database.pool('postgres');
  console.log(`load average before: ${loadavg()[0]?.toFixed(2)}`);
  const [postmaster] = await backend.database
    .pool('supabase_admin')
    .query<{ pid: number }>(sql`select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`);
  const fillSeconds = await seconds(() => admin.exec(schema));
  await admin.exec('vacuum analyze public.documents');
  await backend.database.announceSchema();
  console.log(`${rows} rows of ${dimensions} dimensions: inserted in ${fillSeconds.toFixed(0)} s`);
  const embeddings = (
    await admin.query<{ text: string }>(sql`select embedding::text as text from public.queries order by id`)
  ).map(({ text }) => text);
  const token = backend.keys.sign({ role: 'authenticated', sub: user, exp: 4_000_000_000 });
  const client = createClient(backend.url, backend.keys.publishableKey, {
    accessToken: async () => token,
  });

  const statement = ({ function: name, filter }: Search, embedding: string) => sql`
    select id, content, similarity from ${sql.raw(`public.${name}`)}(
      query_embedding => ${embedding}::text::${sql.raw(type)}, match_count => ${wanted}, filter => ${JSON.stringify(filter)}::text::jsonb)`;

  async function searchBySql(search: Search, embedding: string): Promise<number> {
    const startedAt = performance.now();
    await asUser((tx) => tx.query(statement(search, embedding)));
    return performance.now() - startedAt;
  }

  async function searchByClient(search: Search, embedding: string): Promise<{ ms: number; ids: number[] }> {
    const startedAt = performance.now();
    const { data, error } = await client
      .rpc(search.function, { query_embedding: embedding, match_count: wanted, filter: search.filter })
      .select('id, content, similarity');
    const ms = performance.now() - startedAt;
    if (error) throw new Error(error.message);
    return { ms, ids: (data as { id: number }[]).map(({ id }) => id) };
  }

  /** The two ways take turns, because the second search for an embedding finds its pages in the cache. */
  async function run(search: Search): Promise<Outcome> {
    const [clientMs, sqlMs, ids] = [[] as number[], [] as number[], [] as number[][]];
    for (const embedding of embeddings.slice(0, 20)) {
      await searchBySql(search, embedding);
      await searchByClient(search, embedding);
    }
    const before = cpuOfTree(postmaster?.pid ?? 0);
    for (const [index, embedding] of embeddings.entries()) {
      const bySql = async () => sqlMs.push(await searchBySql(search, embedding));
      if (index % 2 === 0) await bySql();
      const found = await searchByClient(search, embedding);
      clientMs.push(found.ms);
      ids.push(found.ids);
      if (index % 2 === 1) await bySql();
    }
    const cpuMs = (cpuOfTree(postmaster?.pid ?? 0) - before) / 1000 / (2 * embeddings.length);
    return { clientMs, sqlMs, ids, cpuMs };
  }

  function print(title: string, outcome: Outcome, most: number, exact?: Outcome): void {
    for (const [way, times] of [
      ['supabase-js', outcome.clientMs],
      ['SQL', outcome.sqlMs],
    ] as const) {
      const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
      console.log(
        `${title.padEnd(44)} ${way.padEnd(11)} p50 ${p50.toFixed(1).padStart(6)} ms  p95 ${p95.toFixed(1).padStart(6)} ms` +
          (way === 'SQL' ? '' : `   limit ${most} ms${p95 > most ? '   OVER' : ''}`),
      );
      const limit = way === 'SQL' ? {} : { limit: { most } };
      report.add({ name: `${title}, ${way}: median`, unit: 'ms', value: p50, ...limit });
      report.add({ name: `${title}, ${way}: 95% within`, unit: 'ms', value: p95, ...limit });
    }
    console.log(`${title.padEnd(44)} PostgreSQL  CPU ${outcome.cpuMs.toFixed(1).padStart(6)} ms`);
    report.add({ name: `${title}: CPU time of PostgreSQL`, unit: 'ms', value: outcome.cpuMs });
    if (exact === undefined) return;
    const pairs = outcome.ids.map((found, index) => [new Set(found), exact.ids[index] ?? []] as const);
    const all = pairs.reduce((sum, [, expected]) => sum + expected.length, 0);
    const hits = pairs.reduce(
      (sum, [found, expected]) => sum + expected.filter((id) => found.has(id)).length,
      0,
    );
    const returned = outcome.ids.reduce((sum, found) => sum + found.length, 0) / outcome.ids.length;
    console.log(
      `${title.padEnd(44)} recall ${((hits / all) * 100).toFixed(1)}%, ${returned.toFixed(1)} rows of ${wanted}`,
    );
    report.add({ name: `${title}: recall`, unit: '%', value: (hits / all) * 100 });
  }

  async function printPlan({ filter, function: name }: Search): Promise<void> {
    if (!values.plans) return;
    const plan = await asUser(async (tx) => {
      if (name === oneTopicIteratively.function)
        await tx.exec('set local hnsw.iterative_scan = strict_order');
      return tx.query<{ 'QUERY PLAN': string }>(sql`explain (analyze, buffers, costs)
        select id, content, metadata, 1 - (documents.embedding operator(extensions.<=>) ${embeddings[0]}::text::${sql.raw(type)})
        from public.documents where metadata @> ${JSON.stringify(filter)}::text::jsonb
        order by documents.embedding operator(extensions.<=>) ${embeddings[0]}::text::${sql.raw(type)} limit ${wanted}`);
    });
    for (const row of plan)
      console.log(`    ${row['QUERY PLAN'].replaceAll(/'?\[[^\]]{40,}\]'?/g, '[…]').slice(0, 160)}`);
  }

  const exact = await run(everything);
  print('Exact search', exact, limits.exactMs);
  await printPlan(everything);
  const exactTopic = await run(oneTopic);
  print('Exact search, filter (1 of 20)', exactTopic, limits.exactMs);
  await printPlan(oneTopic);

  for (const memory of ['default', '512MB'] as const) {
    const session = await admin.connect();
    if (memory !== 'default') await session.exec(`set maintenance_work_mem = '${memory}'`);
    await session.exec('drop index if exists public.nearest');
    const buildSeconds = await seconds(() =>
      session.exec(
        'create index nearest on public.documents using hnsw (embedding extensions.vector_cosine_ops)',
      ),
    );
    session.destroy();
    const title = memory === 'default' ? 'default memory' : `maintenance_work_mem = ${memory}`;
    console.log(`HNSW index built in ${buildSeconds.toFixed(1)} s (${title})`);
    report.add({ name: `Building the HNSW index, ${title}`, unit: 's', value: buildSeconds });
  }
  const [size] = await admin.query<{ size: string }>(
    sql`select pg_size_pretty(pg_relation_size('public.nearest')) as size`,
  );
  console.log(`HNSW index: ${size?.size}`);

  for (const [title, search, expected] of [
    ['HNSW index', everything, exact],
    ['HNSW index, filter (1 of 20)', oneTopic, exactTopic],
    ['HNSW index, filter (1 of 20), iterative', oneTopicIteratively, exactTopic],
  ] as const) {
    print(title, await run(search), limits.indexMs, expected);
    await printPlan(search);
  }

  // Each user can now read only one document of 100.
  await admin.exec(`alter policy readers on public.documents using (owner_id = (select auth.uid()))`);
  const own = await run(everything);
  await printPlan(everything);
  await admin.exec('drop index public.nearest');
  print('Own documents (1 of 100)', own, limits.indexMs, await run(everything));
  console.log(`load average after: ${loadavg()[0]?.toFixed(2)}`);
} finally {
  await backend.stop();
  rmSync(projectDir, { recursive: true, force: true });
}
