/**
 * Compares the CPU time that Plinth and other servers use to read a row by ID with row-level security. The other
 * servers are PostGraphile 5 and a handwritten Fastify server, which uses pg and runs each read in a transaction of
 * four round trips. The Fastify server is measured once with the statements from pg's manual and once with prepared
 * statements. All servers use the same rows, PostgreSQL server and tokens, have 32 connections each, and are measured
 * in turns. The result is the median of all rounds. The result is the total CPU time of the server and PostgreSQL.
 *
 *   node bench/rest-peers.ts [--rounds 3] [--seconds 3] [--connections 32]
 *
 * On first use, the other servers are installed from npm into a separate folder inside the system's temporary folder.
 * Exits with 1 if a ratio is below its limit. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LoadRequest } from './load/client.ts';
import { cpuOf, cpuOfTree, nextMessage, runLoad, startChild } from './load/processes.ts';
import { restById, someRows, wireText } from './load/requests.ts';
import type { ServerFacts } from './load/server.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const REQUESTS = 1000;
const WARM_SECONDS = 2;
const VERSIONS = { fastify: '5.12.8', pg: '8.23.1', postgraphile: '5.1.5', graphql: '16' };

interface Target {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly requests: readonly LoadRequest[];
  /** The minimum ratio of the other server's CPU time to Plinth's. */
  readonly bar: number | undefined;
  /** The CPU time per request in each round, in microseconds. */
  readonly measured: { server: number; postgres: number; perSecond: number }[];
}

function installPeers(): string {
  const dir = join(tmpdir(), `plinth-bench-peers-${Object.values(VERSIONS).join('-')}`);
  if (!existsSync(join(dir, 'installed'))) {
    console.log(`installing ${Object.keys(VERSIONS).join(', ')} into ${dir}`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }));
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: dir,
      stdio: 'inherit',
    });
    writeFileSync(join(dir, 'installed'), '');
  }
  for (const file of ['fastify-pg.mjs', 'postgraphile.mjs', 'token.mjs']) {
    copyFileSync(fileURLToPath(new URL(`peers/${file}`, import.meta.url)), join(dir, file));
  }
  return dir;
}

const GRAPHQL = 'query Item($id: Int!) { itemByRowId(rowId: $id) { rowId owner title done createdAt } }';

function graphqlRequests(facts: ServerFacts): LoadRequest[] {
  return someRows(facts, REQUESTS).map(({ id, owner, token }) => {
    const body = JSON.stringify({ query: GRAPHQL, variables: { id } });
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    return { text: wireText('POST', '/graphql', headers, body), owner, rows: 1 };
  });
}

const fastifyRequests = (facts: ServerFacts): LoadRequest[] =>
  someRows(facts, REQUESTS).map(({ id, owner, token }) => ({
    text: wireText('GET', `/items/${id}`, {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'x-client-info': 'supabase-js-node/2',
    }),
    owner,
    rows: 1,
  }));

const dir = installPeers();
const server = startChild(fileURLToPath(new URL('load/server.ts', import.meta.url)));
const facts = await nextMessage<ServerFacts>(server);
const env = {
  DB_HOST: facts.database.host,
  DB_PORT: String(facts.database.port),
  DB_NAME: facts.database.name,
  JWT_SECRET: facts.jwtSecret,
  GRAPHILE_ENV: 'production',
};
const children = [server];
const targets: Target[] = [];

async function addPeer(
  name: string,
  file: string,
  requests: readonly LoadRequest[],
  bar: number | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = startChild(join(dir, file), { ...env, ...more });
  children.push(child);
  const { port } = await nextMessage<{ port: number }>(child);
  targets.push({ name, pid: child.pid as number, port, requests, bar, measured: [] });
}

async function measure({ name, pid, port, requests, measured }: Target, isWarmUp: boolean): Promise<void> {
  const before = { server: cpuOf(pid), postgres: cpuOfTree(facts.postmasterPid) };
  const job = { port, requests, connections, dropEvery: 0, seconds: isWarmUp ? WARM_SECONDS : seconds };
  const result = await runLoad(job);
  if (result.errors + result.wrong > 0) {
    throw new Error(`${name}: ${result.errors} errors, ${result.wrong} wrong rows:\n${result.samples[0]}`);
  }
  if (isWarmUp) return;
  measured.push({
    server: (cpuOf(pid) - before.server) / result.requests,
    postgres: (cpuOfTree(facts.postmasterPid) - before.postgres) / result.requests,
    perSecond: result.requests / result.seconds,
  });
}

const sum = ({ server: own, postgres }: { server: number; postgres: number }) => own + postgres;

try {
  const port = Number(new URL(facts.url).port);
  const ours = { name: 'Plinth', pid: server.pid as number, port, requests: restById(facts, REQUESTS) };
  targets.push({ ...ours, bar: undefined, measured: [] });
  await addPeer('Fastify + pg', 'fastify-pg.mjs', fastifyRequests(facts), undefined);
  await addPeer('  prepared', 'fastify-pg.mjs', fastifyRequests(facts), 3, { PREPARED: '1' });
  await addPeer('PostGraphile 5', 'postgraphile.mjs', graphqlRequests(facts), 5);
  for (const target of targets) await measure(target, true);
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      await measure(target, false);
      await sleep(200);
    }
  }
  console.log(
    `read by id, ${connections} connections, ${rounds} rounds of ${seconds} s, the median; CPU microseconds per request`,
  );
  let reference: number | undefined;
  for (const { name, bar, measured } of targets) {
    const median = measured.toSorted((a, b) => sum(a) - sum(b))[Math.floor(measured.length / 2)];
    if (median === undefined) continue;
    reference ??= sum(median);
    const ratio = sum(median) / reference;
    const comparison = bar === undefined ? '' : `  (bar ${bar}: ${ratio >= bar ? 'met' : 'missed'})`;
    if (bar !== undefined && ratio < bar) process.exitCode = 1;
    console.log(
      `${name.padEnd(16)} server ${median.server.toFixed(0).padStart(5)}  postgres ${median.postgres.toFixed(0).padStart(5)}  ` +
        `sum ${sum(median).toFixed(0).padStart(5)}  ratio ${ratio.toFixed(2)}  ${median.perSecond.toFixed(0).padStart(6)}/s${comparison}`,
    );
  }
} finally {
  for (const child of children.slice(1)) child.kill();
  server.send('stop');
}
