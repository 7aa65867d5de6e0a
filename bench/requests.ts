/**
 * Measures the CPU time per request of the requests that every app sends often: a read of a row by its ID, the auth
 * service's key set and health check, a user's own account, and a refresh of a session.
 *
 *   npm run bench:requests -- [--rounds 5] [--seconds 2] [--connections 32] [--only health,user]
 *     [--baseline DIR] [--gotrue FILE]
 *
 * `--baseline` is the folder of another checkout, with which this checkout is compared. `--gotrue` is the executable of
 * GoTrue, which is otherwise built with Git and Go when it is first needed. If it can't be built, it is skipped. GoTrue uses the same database, users and tokens as this checkout, and serves its requests without a gateway.
 * All servers are measured in turns, and the result is the median of all rounds. Linux only, because CPU time is read
 * from /proc.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LoadRequest } from './load/client.ts';
import { buildGotrue, gotrueVersion } from './load/gotrue.ts';
import { cpuOf, cpuOfTree, nextMessage, runLoad, startChild } from './load/processes.ts';
import { restById, wireText } from './load/requests.ts';
import type { ServerFacts } from './load/server.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string' },
    baseline: { type: 'string' },
    gotrue: { type: 'string' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const warmUpSeconds = 2;
const refreshClients = 16;
const accounts = 20;

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly postmasterPid: number;
  readonly url: string;
  /** The path below which the server's auth routes are. */
  readonly auth: string;
  readonly facts: ServerFacts;
  readonly sessions: readonly Session[];
  /** The sessions that are refreshed. Each refresh replaces one of them. */
  readonly refreshed: Session[];
}

interface Cost {
  readonly server: number;
  readonly postgres: number;
}

const total = ({ server, postgres }: Cost): number => server + postgres;

async function post(url: string, body: object): Promise<Session> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text) as Session;
}

/** Creates users in an auth service. @param url The URL of the auth service */
const signUp = (url: string, name: string): Promise<Session[]> =>
  Promise.all(
    Array.from({ length: accounts }, (_, number) =>
      post(`${url}/signup`, { email: `${name}${number}@example.com`, password: 'a password for the bench' }),
    ),
  );

async function startPlinth(name: string, dir: string): Promise<Server & { readonly child: ChildProcess }> {
  const child = startChild(join(dir, 'bench', 'load', 'server.ts'));
  const facts = await nextMessage<ServerFacts>(child);
  const { url, postmasterPid } = facts;
  const sessions = await signUp(`${url}/auth/v1`, 'user');
  const refreshed = await signUp(`${url}/auth/v1`, 'refreshed');
  const pid = child.pid as number;
  return { name, child, pid, postmasterPid, url, auth: '/auth/v1', facts, sessions, refreshed };
}

/** Returns a key that signs tokens, so that GoTrue signs and publishes keys of the same kind as Plinth. */
function jwtKeys(): object[] {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const own = { kid: 'bench', alg: 'ES256', use: 'sig', key_ops: ['sign', 'verify'] };
  return [{ ...privateKey.export({ format: 'jwk' }), ...own }];
}

/** Signs the token's claims with the secret that all servers accept. */
function withSecret({ access_token }: Session, secret: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');
  const signed = `${header}.${access_token.split('.')[1]}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts GoTrue with the database of a Plinth server, whose users and sessions it uses. */
async function startGotrue(file: string, plinth: Server): Promise<Server & { readonly child: ChildProcess }> {
  const { facts, postmasterPid, sessions } = plinth;
  const { host, port: databasePort, name: database } = facts.database;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const place = new URLSearchParams({ host, port: String(databasePort), search_path: 'auth' });
  const child = spawn(file, ['serve'], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      GOTRUE_JWT_SECRET: facts.jwtSecret,
      GOTRUE_JWT_AUD: 'authenticated',
      GOTRUE_JWT_DEFAULT_GROUP_NAME: 'authenticated',
      GOTRUE_JWT_KEYS: JSON.stringify(jwtKeys()),
      GOTRUE_JWT_VALID_METHODS: 'HS256,ES256',
      GOTRUE_DB_MAX_POOL_SIZE: '10',
      GOTRUE_DB_MAX_IDLE_POOL_SIZE: '10',
      GOTRUE_DB_DRIVER: 'postgres',
      GOTRUE_RATE_LIMIT_TOKEN_REFRESH: '1000000',
      GOTRUE_SITE_URL: url,
      GOTRUE_MAILER_AUTOCONFIRM: 'true',
      GOTRUE_API_HOST: '127.0.0.1',
      API_EXTERNAL_URL: url,
      DB_NAMESPACE: 'auth',
      DATABASE_URL: `postgres://auth_peer:postgres@/${database}?${place}`,
      PORT: String(port),
    },
  });
  for (let attempt = 0; ; attempt++) {
    const isUp = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (attempt > 100) throw new Error('GoTrue did not start.');
    await sleep(100);
  }
  const refreshed = await signUp(url, 'gotrue');
  const pid = child.pid as number;
  return { name: 'GoTrue', child, pid, postmasterPid, url, auth: '', facts, sessions, refreshed };
}

const apiKeyOf = ({ facts }: Server): string => facts.tokens[0] ?? '';

const get = (server: Server, path: string, token: string): LoadRequest => ({
  text: wireText('GET', `${server.auth}${path}`, {
    apikey: apiKeyOf(server),
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'x-client-info': 'supabase-js-node/2',
  }),
  owner: '',
  rows: 0,
});

/** Returns the requests of a kind, or undefined if the server doesn't serve them. */
type Requests = (server: Server) => readonly LoadRequest[] | undefined;

const kinds: Readonly<Record<string, Requests | 'refresh'>> = {
  'by id': ({ auth, facts }) => (auth === '' ? undefined : restById(facts, 1000)),
  jwks: (server) => [get(server, '/.well-known/jwks.json', apiKeyOf(server))],
  health: (server) => [get(server, '/health', apiKeyOf(server))],
  settings: (server) => [get(server, '/settings', apiKeyOf(server))],
  user: (server) =>
    server.sessions.map((session) => get(server, '/user', withSecret(session, server.facts.jwtSecret))),
  refresh: 'refresh',
};

/** The names of the kinds in the report. */
const titles: Readonly<Record<string, string>> = {
  'by id': 'Read of a row by ID',
  jwks: 'Key set',
  health: 'Health check',
  settings: 'Settings',
  user: 'Own account',
  refresh: 'Session refresh',
};

async function load(server: Server, requests: readonly LoadRequest[], duration: number): Promise<number> {
  const port = Number(new URL(server.url).port);
  const result = await runLoad({ port, requests, connections, seconds: duration, dropEvery: 0 });
  if (result.errors + result.wrong > 0)
    throw new Error(`${server.name}: ${result.errors + result.wrong} failed requests:\n${result.samples[0]}`);
  return result.requests;
}

/** Refreshes sessions, each of which has a separate client. Returns the number of refreshes. */
async function refresh({ url, auth, refreshed }: Server, duration: number): Promise<number> {
  const end = performance.now() + duration * 1000;
  let count = 0;
  const work = async (client: number): Promise<void> => {
    for (; performance.now() < end; count++)
      refreshed[client] = await post(`${url}${auth}/token?grant_type=refresh_token`, {
        refresh_token: refreshed[client]?.refresh_token,
      });
  };
  await Promise.all(Array.from({ length: refreshClients }, (_, client) => work(client)));
  return count;
}

/** Returns the CPU time per request in microseconds. */
async function measure(server: Server, run: () => Promise<number>): Promise<Cost> {
  const before = { server: cpuOf(server.pid), postgres: cpuOfTree(server.postmasterPid) };
  const count = await run();
  return {
    server: (cpuOf(server.pid) - before.server) / count,
    postgres: (cpuOfTree(server.postmasterPid) - before.postgres) / count,
  };
}

const median = (costs: readonly Cost[]): Cost => {
  const middle = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
  return {
    server: middle(costs.map(({ server }) => server)),
    postgres: middle(costs.map(({ postgres }) => postgres)),
  };
};

const micros = (value: number): string => value.toFixed(1).padStart(7);

const started: { readonly child: ChildProcess; readonly pid: number }[] = [];
try {
  const servers: Server[] = [];
  const add = (server: Server & { readonly child: ChildProcess }): void => {
    started.push(server);
    servers.push(server);
  };
  const own = await startPlinth('Plinth', fileURLToPath(new URL('..', import.meta.url)));
  add(own);
  if (values.baseline !== undefined) add(await startPlinth('baseline', values.baseline));
  const gotrue = values.gotrue ?? buildGotrue();
  if (gotrue === undefined) report.absent('GoTrue', "GoTrue couldn't be built");
  else {
    report.version('GoTrue', gotrueVersion);
    add(await startGotrue(gotrue, own));
  }
  console.log(
    `${connections} connections (${refreshClients} for refreshes), ${rounds} rounds of ${seconds} s, the median; CPU microseconds per request`,
  );
  const chosen = values.only?.split(',');
  for (const [name, kind] of Object.entries(kinds)) {
    if (chosen !== undefined && !chosen.includes(name)) continue;
    const runs = servers.flatMap((server) => {
      if (kind === 'refresh')
        return [{ server, run: (duration: number) => refresh(server, duration), costs: [] as Cost[] }];
      const requests = kind(server);
      return requests === undefined
        ? []
        : [{ server, run: (duration: number) => load(server, requests, duration), costs: [] as Cost[] }];
    });
    for (const { run } of runs) await run(warmUpSeconds);
    for (let round = 0; round < rounds; round++)
      for (const { server, run, costs } of runs) costs.push(await measure(server, () => run(seconds)));
    const reference = median(runs[0]?.costs ?? []);
    report.add({
      name: titles[name] ?? name,
      unit: 'µs',
      value: total(reference),
      postgres: reference.postgres,
      peers: runs.slice(1).map(({ server, costs }) => ({ peer: server.name, value: total(median(costs)) })),
    });
    for (const { server, costs } of runs) {
      const cost = median(costs);
      console.log(
        `${name.padEnd(9)} ${server.name.padEnd(9)} server ${micros(cost.server)}  postgres ${micros(cost.postgres)}  ` +
          `sum ${micros(total(cost))}  server ratio ${(cost.server / reference.server).toFixed(2)}  sum ratio ${(total(cost) / total(reference)).toFixed(2)}`,
      );
    }
  }
} finally {
  for (const { child } of started.toReversed())
    if (child.connected) child.send('stop');
    else child.kill();
}
