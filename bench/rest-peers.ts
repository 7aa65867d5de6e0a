/**
 * Compares the CPU time that Plinth and other servers use for REST requests with row-level security: reads, lists, and
 * changes. The other servers are a handwritten Fastify server, which uses pg and runs each request in a transaction of
 * four round trips, and, for reads by ID, PostGraphile 5. The Fastify server is measured once with the statements from
 * pg's manual and once with prepared statements. All servers use the same rows, PostgreSQL server and tokens, have 32
 * connections each, and are measured in turns. The result is the median of all rounds.
 *
 *   node bench/rest-peers.ts [--rounds 3] [--seconds 3] [--connections 32] [--only insert,update]
 *
 * `eff` is the CPU time that PostgreSQL needs for the bare statement in a transaction, divided by the CPU time of the
 * server and PostgreSQL for the request.
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
import { runLimit } from './load/limit.ts';
import { cpuOf, cpuOfTree, nextMessage, runLoad, startChild } from './load/processes.ts';
import { SCENARIOS, type Scenario } from './load/scenarios.ts';
import type { ServerFacts } from './load/server.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
/** More connections would only add waiting, because the transactions have no pauses. */
const LIMIT_CONNECTIONS = 8;
const WARM_SECONDS = 2;
const VERSIONS = { fastify: '5.12.8', pg: '8.23.1', postgraphile: '5.1.5', graphql: '16' };
const POSTGRAPHILE_BAR = 5;

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly requests: (scenario: Scenario) => Scenario['plinth'] | undefined;
  /** The minimum ratio of this server's CPU time to Plinth's. */
  readonly bar: (scenario: Scenario) => number | undefined;
}

interface Measured {
  readonly server: number;
  readonly postgres: number;
  readonly perSecond: number;
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

/** Returns undefined if the packages can't be downloaded. Plinth is then measured alone. */
function tryInstallPeers(): string | undefined {
  try {
    return installPeers();
  } catch (error) {
    for (const peer of ['Fastify + pg', 'PostGraphile 5'])
      report.absent(peer, "the packages couldn't be installed from npm");
    console.error(error);
    return undefined;
  }
}

const dir = tryInstallPeers();
const server = startChild(fileURLToPath(new URL('load/server.ts', import.meta.url)));
const facts = await nextMessage<ServerFacts>(server);
if (dir !== undefined) {
  report.version('Fastify', VERSIONS.fastify);
  report.version('pg', VERSIONS.pg);
  report.version('PostGraphile', VERSIONS.postgraphile);
}
const env = {
  DB_HOST: facts.database.host,
  DB_PORT: String(facts.database.port),
  DB_NAME: facts.database.name,
  JWT_SECRET: facts.jwtSecret,
  GRAPHILE_ENV: 'production',
};
const children = [server];
let turn = 0;

async function startPeer(folder: string, file: string, more: Readonly<Record<string, string>> = {}) {
  const child = startChild(join(folder, file), { ...env, ...more });
  children.push(child);
  const { port } = await nextMessage<{ port: number }>(child);
  return { pid: child.pid as number, port };
}

/** Returns the CPU time per request in microseconds. */
async function measure(
  { name, pid, port }: Server,
  requests: readonly LoadRequest[],
  duration: number,
): Promise<Measured> {
  const before = { server: cpuOf(pid), postgres: cpuOfTree(facts.postmasterPid) };
  const result = await runLoad({ port, requests, connections, dropEvery: 0, seconds: duration });
  if (result.errors + result.wrong > 0) {
    throw new Error(`${name}: ${result.errors} errors, ${result.wrong} wrong rows:\n${result.samples[0]}`);
  }
  return {
    server: (cpuOf(pid) - before.server) / result.requests,
    postgres: (cpuOfTree(facts.postmasterPid) - before.postgres) / result.requests,
    perSecond: result.requests / result.seconds,
  };
}

/** Returns PostgreSQL's CPU time per transaction with the bare statement, in microseconds. */
async function measureLimit({ limit }: Scenario): Promise<number> {
  const number = turn++;
  const before = cpuOfTree(facts.postmasterPid);
  const options = { connections: LIMIT_CONNECTIONS, seconds };
  const transactions = await runLimit(facts, (index) => limit(index, number), options);
  return (cpuOfTree(facts.postmasterPid) - before) / transactions;
}

const sum = ({ server: own, postgres }: Measured) => own + postgres;
const median = <T>(list: readonly T[], of: (one: T) => number): T =>
  list.toSorted((a, b) => of(a) - of(b))[Math.floor(list.length / 2)] as T;

function verdict(value: number, bar: number | undefined): string {
  if (bar === undefined) return '';
  if (value < bar) process.exitCode = 1;
  return ` (bar ${bar}: ${value >= bar ? 'met' : 'missed'})`;
}

async function compare(name: string, scenario: Scenario, servers: readonly Server[]): Promise<void> {
  const used = servers.flatMap((one) => {
    const requests = one.requests(scenario);
    return requests === undefined ? [] : [{ one, requests, measured: [] as Measured[] }];
  });
  const limits: number[] = [];
  for (const { one, requests } of used) await measure(one, requests(facts, turn++), WARM_SECONDS);
  for (let round = 0; round < rounds; round++) {
    limits.push(await measureLimit(scenario));
    for (const { one, requests, measured } of used) {
      measured.push(await measure(one, requests(facts, turn++), seconds));
      await sleep(200);
    }
  }
  const limit = median(limits, (one) => one);
  addFigures(name, scenario, limit, used);
  console.log(`\n${name}; the bare statement takes ${limit.toFixed(0)} of PostgreSQL`);
  let own: number | undefined;
  for (const { one, measured } of used) {
    const middle = median(measured, sum);
    own ??= sum(middle);
    const ratio = sum(middle) / own;
    const isOwn = one === servers[0];
    const comparison = isOwn
      ? `eff ${(limit / own).toFixed(2)}${verdict(limit / own, scenario.effBar)}`
      : `ratio ${ratio.toFixed(2)}${verdict(ratio, one.bar(scenario))}`;
    console.log(
      `  ${one.name.padEnd(33)} server ${middle.server.toFixed(0).padStart(5)}  postgres ${middle.postgres.toFixed(0).padStart(5)}  ` +
        `sum ${sum(middle).toFixed(0).padStart(5)}  ${middle.perSecond.toFixed(0).padStart(6)}/s  ${comparison}`,
    );
  }
}

async function startPeers(folder: string): Promise<Server[]> {
  const none = () => undefined;
  return [
    {
      name: 'Fastify + pg',
      ...(await startPeer(folder, 'fastify-pg.mjs')),
      requests: ({ fastify }) => fastify,
      bar: none,
    },
    {
      name: 'Fastify + pg, prepared statements',
      ...(await startPeer(folder, 'fastify-pg.mjs', { PREPARED: '1' })),
      requests: ({ fastify }) => fastify,
      bar: ({ bar }) => bar,
    },
    {
      name: 'PostGraphile 5',
      ...(await startPeer(folder, 'postgraphile.mjs')),
      requests: ({ postgraphile }) => postgraphile,
      bar: () => POSTGRAPHILE_BAR,
    },
  ];
}

function addFigures(
  name: string,
  { effBar }: Scenario,
  limit: number,
  used: readonly { readonly one: Server; readonly measured: readonly Measured[] }[],
): void {
  const [own, ...others] = used.map(({ one, measured }) => ({ one, middle: median(measured, sum) }));
  if (own === undefined) return;
  const value = sum(own.middle);
  const peers = others.map(({ one, middle }) => ({ peer: one.name.trim(), value: sum(middle) }));
  report.add({ name: sentence(name), unit: 'µs', value, postgres: own.middle.postgres, peers });
  report.add({
    name: `${sentence(name)}: share of the bare statement`,
    unit: '%',
    value: (100 * limit) / value,
    ...(effBar !== undefined && { limit: { least: 100 * effBar } }),
  });
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

try {
  const port = Number(new URL(facts.url).port);
  const none = () => undefined;
  const own: Server = {
    name: 'Plinth',
    pid: server.pid as number,
    port,
    requests: ({ plinth }) => plinth,
    bar: none,
  };
  const servers = dir === undefined ? [own] : [own, ...(await startPeers(dir))];
  console.log(
    `${connections} connections, ${rounds} rounds of ${seconds} s, the median; CPU microseconds per request`,
  );
  const only = values.only?.split(',');
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (only === undefined || only.some((part) => name.includes(part)))
      await compare(name, scenario, servers);
  }
} finally {
  for (const child of children.slice(1)) child.kill();
  server.send('stop');
}
