/**
 * Measures the CPU time that the server and PostgreSQL together use for a login and for a refresh. Starts the whole
 * product with an empty project and sends many requests to the server.
 *
 *     npm run bench:auth -- [--rounds 3] [--refreshes 2000] [--logins 400]
 *
 * Logins use accounts with the lowest bcrypt cost, because the normal hashing time of about 50 ms varies so much that
 * it would hide the other work of a login. Hashing with the lowest and with the normal bcrypt cost is measured
 * separately. Concurrent refreshes share a transaction, so refreshes are measured with one client and with several. For
 * comparison, also measures the CPU time that PostgreSQL uses if a refresh consists only of its writes to upstream's
 * tables. In this comparison, each transaction contains as many refreshes as there are clients. Runs only on Linux,
 * because CPU time is read from /proc.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hash, verify } from '@node-rs/bcrypt';
import { type Sql, sql } from '../src/base/kernel/sql.ts';
import { Client, parseConnectionString } from '../src/platform/database/wire/index.ts';
import { createReport } from './report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    refreshes: { type: 'string', default: '2000' },
    logins: { type: 'string', default: '400' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
/**
 * The limits. `loginShare` is the CPU time of a login, excluding password hashing, as a fraction of the CPU time of
 * hashing. `refreshMicros` is the CPU time of a refresh in microseconds, measured with the maximum number of clients.
 */
const bars = { loginShare: 0.1, refreshMicros: 400 };
const accounts = 20;
const clientCounts = [1, 4, 16];
const maxClients = Math.max(...clientCounts);
const password = 'a password for the bench';
const lowestCost = 4;
const usualCost = 10;

interface Server {
  readonly child: ChildProcess;
  readonly dir: string;
  readonly status: Record<'API_URL' | 'DB_URL' | 'ANON_KEY' | 'SERVICE_ROLE_KEY', string>;
}

async function startServer(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));
  mkdirSync(join(dir, 'supabase'));
  writeFileSync(join(dir, 'supabase', 'config.toml'), 'project_id = "bench"\n');
  // The comparison signs in as the role that owns upstream's tables.
  writeFileSync(join(dir, 'supabase', 'plinth.toml'), '[database]\nshared_password = true\n');
  const args = [join(root, 'bin', 'plinth.mjs'), 'start', '--workdir', dir, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout as NonNullable<ChildProcess['stdout']>) {
    output += chunk;
    if (output.includes('\n')) return { child, dir, status: JSON.parse(output) };
  }
  throw new Error('The server did not start.');
}

async function stopServer({ child, dir }: Server): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await gone;
  rmSync(dir, { recursive: true, force: true });
}

/** Returns the CPU time of a process in microseconds. Threads that have ended aren't counted. */
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

/** Returns the CPU time in microseconds of the server and of each PostgreSQL process. */
function cpuByProcess({ child }: Server): Map<number, number> {
  const server = child.pid as number;
  const spent = new Map<number, number>();
  for (const pid of [server, ...descendants(server)]) {
    try {
      spent.set(pid, cpuOf(pid));
    } catch {
      // The process exited before its CPU time was read.
    }
  }
  return spent;
}

/**
 * Returns the CPU time that the server and PostgreSQL have used since `before`. The processes of connections that have
 * been closed since then aren't counted.
 */
function cpuSince(server: Server, before: ReadonlyMap<number, number>): Cpu {
  const spent = { server: 0, postgres: 0 };
  for (const [pid, micros] of cpuByProcess(server)) {
    spent[pid === server.child.pid ? 'server' : 'postgres'] += micros - (before.get(pid) ?? 0);
  }
  return spent;
}

/** Makes calls with several concurrent clients. Returns the CPU time per call in microseconds. */
async function measure(
  server: Server,
  count: number,
  clients: number,
  call: (client: number) => Promise<void>,
): Promise<Cpu & { readonly sum: number }> {
  const before = cpuByProcess(server);
  let left = count;
  const work = async (client: number) => {
    while (left-- > 0) await call(client);
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  const spent = cpuSince(server, before);
  return {
    server: spent.server / count,
    postgres: spent.postgres / count,
    sum: (spent.server + spent.postgres) / count,
  };
}

/** Returns the statements that write one refresh of this session. */
function writesOf(userId: string, sessionId: string, parent: string, child: string): Sql[] {
  const instance = '00000000-0000-0000-0000-000000000000';
  const entry = (action: string) => ({
    action,
    actor_id: userId,
    actor_username: 'bench@example.com',
    actor_via_sso: false,
    log_type: 'token',
  });
  return [
    sql`insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        values (${instance}, ${randomUUID()}, ${entry('token_refreshed')}, now(), ''),
               (${instance}, ${randomUUID()}, ${entry('token_revoked')}, now(), '')`,
    sql`update auth.refresh_tokens set revoked = true, updated_at = now() where token = ${parent}`,
    sql`insert into auth.refresh_tokens
          (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        values (${instance}, ${child}, ${userId}, false, now(), now(), ${parent}, ${sessionId})`,
    sql`update auth.users set updated_at = now() where id = ${userId}`,
    sql`update auth.sessions set refreshed_at = now(), updated_at = now(), user_agent = 'bench' where id = ${sessionId}`,
  ];
}

/**
 * Returns PostgreSQL's CPU time in microseconds for the writes of a refresh. Each transaction contains `together`
 * refreshes.
 */
async function writesMicros(server: Server, together: number, count: number): Promise<number> {
  const url = new URL(server.status.DB_URL);
  // The connection uses the role that owns the tables.
  url.username = 'supabase_auth_admin';
  const client = await Client.connect(parseConnectionString(url.href));
  const sessions = await client.query<{ id: string; user_id: string; token: string }>(sql`
    select distinct on (s.user_id) s.id, s.user_id, t.token
    from auth.sessions s join auth.refresh_tokens t on t.session_id = s.id and not t.revoked
    limit ${together}`);
  const tokens = sessions.map(({ token }) => token);
  const transaction = () =>
    client.batch([
      sql.raw('begin'),
      ...sessions.flatMap(({ id, user_id }, index) => {
        const [parent = '', child] = [tokens[index], randomUUID()];
        tokens[index] = child;
        return writesOf(user_id, id, parent, child);
      }),
      sql.raw('commit'),
    ]);
  for (let warm = 0; warm < 20; warm++) await transaction();
  const before = cpuByProcess(server);
  for (let done = 0; done < count; done += together) await transaction();
  const spent = cpuSince(server, before).postgres;
  await client.connection.close();
  return spent / (Math.ceil(count / together) * together);
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
  const response = await fetch(`${server.status.API_URL}/auth/v1${path}`, {
    method: 'POST',
    headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
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
  // Each client has a separate session, because refreshes of the same session wait for each other.
  const tokens = await Promise.all(
    emails
      .slice(0, maxClients)
      .map((email) => post(server, '/token?grant_type=password', ANON_KEY, { email, password })),
  );
  const refresh = async (client: number) => {
    const token = { refresh_token: tokens[client]?.refresh_token };
    tokens[client] = await post(server, '/token?grant_type=refresh_token', ANON_KEY, token);
  };
  // These calls are a warm-up: Node compiles the code, and the server prepares its statements.
  await measure(server, 200, 4, login);
  await measure(server, 1000, maxClients, refresh);

  const shares = [];
  const logins: { readonly sum: number; readonly postgres: number }[] = [];
  const refreshes: number[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    const [lowest, usual] = [await hashMicros(lowestCost), await hashMicros(usualCost)];
    const { sum, postgres } = await measure(server, Number(values.logins), 4, login);
    const beyond = sum - lowest;
    shares.push(beyond / usual);
    logins.push({ sum: usual + beyond, postgres });
    console.log(
      `round ${round}: hash ${micros(usual)}  login beyond it ${micros(beyond)} (${((100 * beyond) / usual).toFixed(1)}%)`,
    );
    for (const clients of clientCounts) {
      const cost = await measure(server, Number(values.refreshes), clients, refresh);
      if (clients === maxClients) refreshes.push(cost.sum);
      console.log(
        `  refresh, ${String(clients).padStart(2)} clients ${micros(cost.sum)} ` +
          `(server ${micros(cost.server)}, postgres ${micros(cost.postgres)}) us`,
      );
    }
  }
  // This measurement runs last because it replaces the refresh tokens that the clients use.
  for (const together of clientCounts) {
    const alone = await writesMicros(server, together, Number(values.refreshes));
    console.log(
      `writes of a refresh alone, ${String(together).padStart(2)} in a transaction: ${micros(alone)} us of PostgreSQL`,
    );
  }
  const share = median(shares);
  const refreshMicros = median(refreshes);
  const middle = logins.toSorted((a, b) => a.sum - b.sum)[logins.length >> 1];
  if (middle !== undefined)
    report.add({ name: 'Login: CPU time', unit: 'µs', value: middle.sum, postgres: middle.postgres });
  report.add({
    name: 'Login: CPU time in addition to the password hash, relative to the hash',
    unit: '%',
    value: 100 * share,
    limit: { most: 100 * bars.loginShare },
  });
  report.add({
    name: `Session refresh, ${maxClients} clients: CPU time`,
    unit: 'µs',
    value: refreshMicros,
    limit: { most: bars.refreshMicros },
  });
  console.log(
    `login beyond its hash  ${(100 * share).toFixed(1)}%   ${(share / bars.loginShare).toFixed(2)} of the limit`,
  );
  console.log(
    `refresh, ${maxClients} clients    ${refreshMicros.toFixed(0)} us   ${(refreshMicros / bars.refreshMicros).toFixed(2)} of the limit`,
  );
} finally {
  await stopServer(server);
}
