/**
 * What a login and a refresh cost: CPU of the server and of PostgreSQL together, over many requests to the whole product,
 * started on an empty project.
 *
 *     npm run bench:auth -- [--rounds 3] [--refreshes 3000] [--logins 400]
 *
 * A login is measured with accounts whose hash is of the lowest cost, so that what it does beyond hashing is not lost in
 * the noise of some 50 ms; the hashes of both costs are measured alone. Linux only, since CPU comes from /proc.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hash, verify } from '@node-rs/bcrypt';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    refreshes: { type: 'string', default: '3000' },
    logins: { type: 'string', default: '400' },
  },
});
/** A login beyond its hash, as part of the hash; a refresh in microseconds. */
const bars = { loginShare: 0.1, refreshMicros: 400 };
const accounts = 20;
const clients = 4;
const password = 'a password for the bench';
const lowestCost = 4;
const usualCost = 10;

interface Server {
  readonly child: ChildProcess;
  readonly dir: string;
  readonly status: Record<'API_URL' | 'ANON_KEY' | 'SERVICE_ROLE_KEY', string>;
}

async function startServer(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));
  mkdirSync(join(dir, 'supabase'));
  writeFileSync(join(dir, 'supabase', 'config.toml'), 'project_id = "bench"\n');
  const args = [join(root, 'bin', 'plinth.mjs'), 'start', '--workdir', dir, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout as NonNullable<ChildProcess['stdout']>) {
    output += chunk;
    if (output.includes('\n')) return { child, dir, status: JSON.parse(output) };
  }
  throw new Error('the server did not start');
}

async function stopServer({ child, dir }: Server): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await gone;
  rmSync(dir, { recursive: true, force: true });
}

/** Microseconds; threads that ended are not seen. */
function cpuOf(pid: number): number {
  const nanos = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanos.reduce((sum, each) => sum + each, 0) / 1000;
}

function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendants(child)]);
}

interface Cpu {
  readonly server: number;
  readonly postgres: number;
}

function cpuNow({ child }: Server): Cpu {
  const server = child.pid as number;
  let postgres = 0;
  for (const pid of descendants(server)) {
    try {
      postgres += cpuOf(pid);
    } catch {
      // It ended meanwhile.
    }
  }
  return { server: cpuOf(server), postgres };
}

/** CPU microseconds a call. */
async function measure(
  server: Server,
  count: number,
  call: (client: number) => Promise<void>,
): Promise<Cpu & { readonly sum: number }> {
  const before = cpuNow(server);
  let left = count;
  const work = async (client: number) => {
    while (left-- > 0) await call(client);
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  const after = cpuNow(server);
  const each = {
    server: (after.server - before.server) / count,
    postgres: (after.postgres - before.postgres) / count,
  };
  return { ...each, sum: each.server + each.postgres };
}

async function hashMicros(cost: number): Promise<number> {
  const stored = await hash(password, cost);
  const count = cost === usualCost ? 20 : 200;
  await verify(password, stored);
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) await verify(password, stored);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

interface SessionJson {
  readonly refresh_token: string;
}

async function post(server: Server, path: string, key: string, body: object): Promise<SessionJson> {
  const answer = await fetch(`${server.status.API_URL}/auth/v1${path}`, {
    method: 'POST',
    headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as SessionJson;
}

const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;
const micros = (value: number): string => value.toFixed(0).padStart(6);

const server = await startServer();
try {
  const { ANON_KEY, SERVICE_ROLE_KEY } = server.status;
  const passwordHash = await hash(password, lowestCost);
  const emails = Array.from({ length: accounts }, (_, number) => `bench${number}@example.com`);
  for (const email of emails) {
    const account = { email, password_hash: passwordHash, email_confirm: true };
    await post(server, '/admin/users', SERVICE_ROLE_KEY, account);
  }
  let turn = 0;
  const login = async () => {
    const email = emails[turn++ % accounts];
    await post(server, '/token?grant_type=password', ANON_KEY, { email, password });
  };
  // A session a client, since refreshes of one session wait for each other.
  const tokens = await Promise.all(
    emails
      .slice(0, clients)
      .map((email) => post(server, '/token?grant_type=password', ANON_KEY, { email, password })),
  );
  const refresh = async (client: number) => {
    const token = { refresh_token: tokens[client]?.refresh_token };
    tokens[client] = await post(server, '/token?grant_type=refresh_token', ANON_KEY, token);
  };
  // Code is compiled, statements are prepared.
  await measure(server, 200, login);
  await measure(server, 1000, refresh);

  const rounds = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const [lowest, usual] = [await hashMicros(lowestCost), await hashMicros(usualCost)];
    const logins = await measure(server, Number(values.logins), login);
    const refreshes = await measure(server, Number(values.refreshes), refresh);
    const beyond = logins.sum - lowest;
    rounds.push({ beyond, share: beyond / usual, refresh: refreshes.sum });
    console.log(
      `round ${round + 1}: hash ${micros(usual)}  login beyond it ${micros(beyond)} (${((100 * beyond) / usual).toFixed(1)} %)  ` +
        `refresh ${micros(refreshes.sum)} (server ${micros(refreshes.server)}, postgres ${micros(refreshes.postgres)}) us`,
    );
  }
  const share = median(rounds.map((round) => round.share));
  const refreshMicros = median(rounds.map((round) => round.refresh));
  console.log(
    `login beyond its hash  ${(100 * share).toFixed(1)} %   ${(share / bars.loginShare).toFixed(2)} of the bar`,
  );
  console.log(
    `refresh                ${refreshMicros.toFixed(0)} us   ${(refreshMicros / bars.refreshMicros).toFixed(2)} of the bar`,
  );
} finally {
  await stopServer(server);
}
