/**
 * Tests several servers that share only the URL of an external database and a secret. Each server has a separate
 * project folder and data folder, as on separate machines.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type Backend, type BackendOptions, createBackend } from '../../src/entry/main.ts';
import { workersOf } from '../../src/entry/testing.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { plinth } from '../cli/run-plinth.ts';
import { type Operator, operator } from '../console/harness.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

// The timeouts are long, because the tests create a cluster and run all of Plinth's migrations in several databases.
const secret = 'the secret that all of these servers have';
const folder = temporaryFolder();
let server: ExternalServer;
let admin: Client;
beforeAll(async () => {
  ({ server, admin } = await startServer('server'));
  vi.stubEnv('PLINTH_SECRET', secret);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await admin?.connection.close();
  await server?.stop();
  folder.remove();
});

async function startServer(name: string): Promise<{ server: ExternalServer; admin: Client }> {
  const [newest] = availableServers();
  const dir = join(folder.path, name);
  mkdirSync(dir, { mode: 0o755 });
  const started = await startExternalServer(newest?.bin as string, dir);
  const client = await Client.connect(parseConnectionString(started.url('admin')));
  await client.exec("create role app login createrole bypassrls password 'secret'");
  return { server: started, admin: client };
}

type Node = Backend & { readonly dataDir: string };
type Nodes = readonly [Node, Node, Node];

let databases = 0;
/** Creates an empty database and returns its URL. */
async function emptyDatabase(): Promise<string> {
  const name = `nodes${++databases}`;
  await admin.exec(`create database ${name}`);
  return server.url('admin', name);
}

const running: Backend[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((backend) => backend.stop()));
});

let projects = 0;
const newProject = (): string => {
  const dir = join(folder.path, `project${++projects}`);
  mkdirSync(join(dir, 'supabase'), { recursive: true });
  writeFileSync(join(dir, 'supabase', 'config.toml'), 'project_id = "nodes"\n');
  return dir;
};

async function start(
  databaseUrl: string | undefined,
  { projectDir = newProject(), ...options }: Partial<BackendOptions> = {},
): Promise<Node> {
  const dataDir = join(projectDir, '.plinth');
  const backend = await createBackend({
    projectDir,
    dataDir,
    mode: 'production',
    exclude: ['storage'],
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...{ port: 0, consolePort: 0, mailPort: 0 },
    ...options,
  });
  running.push(backend);
  await backend.start();
  return Object.assign(backend, { dataDir });
}

/** Changes are known to all nodes within two seconds, which `npm run drill:cluster` measures. Tests run on busy machines. */
const soon = { timeout: 15_000, interval: 50 };

/** Returns the role with which a REST request runs, or the status of a rejected request. */
async function roleOf({ url }: Backend, apikey: string, token = apikey): Promise<string> {
  const headers = { apikey, ...(token === apikey ? {} : { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}/rest/v1/rpc/who`, { headers });
  return response.ok ? String(await response.json()) : String(response.status);
}

/** Creates an access token, and returns a function that calls a node's Management API. */
async function managementOf(backend: Backend, name: string) {
  await backend.consoleLink();
  const { token } = await backend.operators.tokens.create(name, 'owner', 3600);
  const authorization = `Bearer ${token}`;
  const list = await backend.console.fetch('/v1/projects', { headers: { authorization } });
  const [project] = (await list.json()) as [{ ref: string }];
  return async (node: Backend, method: string, path: string, body: unknown) => {
    const sent = body instanceof FormData ? body : JSON.stringify(body);
    const headers = new Headers({ authorization });
    if (!(body instanceof FormData)) headers.set('content-type', 'application/json');
    const response = await node.console.fetch(`/v1/projects/${project.ref}${path}`, {
      method,
      headers,
      body: sent,
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
    const parsed: any = await response.json().catch(() => undefined);
    return { status: response.status, body: parsed };
  };
}

/** Returns the status of a request that only the service role may make. */
const usersWith = async ({ url }: Backend, apikey: string): Promise<number> =>
  (await fetch(`${url}/auth/v1/admin/users`, { headers: { apikey } })).status;

const withRoleFunction = (backend: Backend): Promise<void> =>
  backend.database.pool('postgres').exec(`
    create or replace function public.who() returns text language sql as 'select current_user::text';
    notify pgrst, 'reload schema'`);

const signUp = async ({ url, keys }: Backend, email: string): Promise<string> => {
  const client = createClient(url, keys.publishableKey, { auth: { persistSession: false } });
  const { data, error } = await client.auth.signUp({ email, password: 'correct horse battery' });
  expect(error).toBeNull();
  return data.session?.access_token ?? '';
};

describe.each(['admin', 'app'] as const)('three nodes that start at the same time as %s', (user) => {
  let nodes: Nodes;
  let owner: Operator;
  let own: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    // Roles belong to the whole server, so an account without privileges needs a server without Plinth's roles.
    own = await startServer(`server-${user}`);
    await own.admin.exec(`create database nodes owner ${user}`);
    const url = own.server.url(user, 'nodes');
    nodes = await Promise.all([start(url), start(url), start(url)]);
    running.splice(0);
    await withRoleFunction(nodes[0]);
    owner = await operator(nodes[0]);
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((backend) => backend.stop()));
    await own?.admin.connection.close();
    await own?.server.stop();
  });

  test('have the same keys and accept each other’s tokens', async () => {
    const [one, two, three] = nodes;
    for (const other of [two, three])
      expect([other.keys.secretKey, other.keys.publishableKey, other.keys.jwtSecret, other.keys.s3]).toEqual([
        one.keys.secretKey,
        one.keys.publishableKey,
        one.keys.jwtSecret,
        one.keys.s3,
      ]);
    const token = await signUp(one, 'first@example.com');
    for (const node of nodes) {
      await expect.poll(() => roleOf(node, one.keys.secretKey)).toBe('service_role');
      expect(await roleOf(node, one.keys.publishableKey, token)).toBe('authenticated');
    }
  });

  test('accept and reject keys that were changed on one of them', async () => {
    const [one, two, three] = nodes;
    const made = await owner.call('POST', '/keys/api', { kind: 'secret', name: 'CI' });
    const { key, entry } = made.body;
    for (const node of [two, three]) await expect.poll(() => usersWith(node, key), soon).toBe(200);
    expect((await owner.call('DELETE', `/keys/api/${entry.id}`)).status).toBe(204);
    expect(await usersWith(one, key)).toBe(401);
    for (const node of [two, three]) await expect.poll(() => usersWith(node, key), soon).toBe(401);

    const old = one.keys.secretKey;
    const rotated = (await owner.call('POST', '/keys/default/rotate', { kind: 'secret' })).body;
    for (const node of [two, three]) await expect.poll(() => node.keys.secretKey, soon).toBe(rotated.key);
    for (const node of nodes) expect(await usersWith(node, old)).toBe(200);
    const other = await operator(two);
    await other.call('DELETE', `/keys/api/${rotated.previous.id}`);
    for (const node of nodes) await expect.poll(() => usersWith(node, old), soon).toBe(401);
  });

  test('sign with a key that was rotated on one of them', async () => {
    const [one, two, three] = nodes;
    const before = await signUp(two, 'before@example.com');
    const { body } = await owner.call('POST', '/keys/signing', { algorithm: 'ES256' });
    const standby = body.signing.find(({ state }: { state: string }) => state === 'standby').kid;
    await owner.call('POST', '/keys/signing/rotate', { kid: standby });
    const kidOf = (token: string): string =>
      JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    await expect
      .poll(async () => kidOf(await signUp(three, `${Math.random()}@example.com`)), soon)
      .toBe(standby);
    const after = await signUp(three, 'after@example.com');
    for (const node of nodes)
      for (const token of [before, after])
        expect(await roleOf(node, one.keys.publishableKey, token)).toBe('authenticated');
    const revoked = await owner.call('DELETE', `/keys/signing/${kidOf(before)}`);
    expect(revoked.status).toBe(200);
    for (const node of nodes)
      await expect.poll(() => roleOf(node, one.keys.publishableKey, before), soon).toBe('401');
  });

  test('deliver broadcasts to each other', async () => {
    const [one, two] = nodes;
    const receiver = createClient(one.url, one.keys.publishableKey);
    const sender = createClient(two.url, two.keys.publishableKey);
    const received: unknown[] = [];
    try {
      await new Promise<void>((resolve) => {
        receiver
          .channel('room')
          .on('broadcast', { event: 'said' }, ({ payload }) => void received.push(payload))
          .subscribe((status) => status === 'SUBSCRIBED' && resolve());
      });
      const channel = sender.channel('room');
      await new Promise<void>((resolve) => {
        channel.subscribe((status) => status === 'SUBSCRIBED' && resolve());
      });
      await expect
        .poll(async () => {
          await channel.send({ type: 'broadcast', event: 'said', payload: { text: 'hello' } });
          return received.length;
        })
        .toBeGreaterThan(0);
      expect(received[0]).toMatchObject({ text: 'hello' });
    } finally {
      await Promise.all([receiver.realtime.disconnect(), sender.realtime.disconnect()]);
    }
  });

  test('serve functions and secrets that were set on one of them', async () => {
    const [one, two, three] = nodes;
    const call = await managementOf(one, `deploy ${user}`);
    const source = (text: string): string =>
      `Deno.serve(() => new Response('${text} ' + Deno.env.get('GREETING')));`;
    const made = await call(one, 'POST', '/functions', { slug: 'hello', name: 'hello', body: source('v1') });
    expect(made.status).toBe(201);
    expect((await call(two, 'POST', '/secrets', [{ name: 'GREETING', value: 'good day' }])).status).toBe(201);
    for (const node of nodes) await expect.poll(() => node.functions.list(), soon).toEqual(['hello']);
    const answer = async (node: Backend): Promise<string> => {
      const headers = { apikey: node.keys.secretKey };
      return await (await fetch(`${node.url}/functions/v1/hello`, { headers })).text();
    };
    for (const node of nodes) await expect.poll(() => answer(node), { timeout: 30_000 }).toBe('v1 good day');
    const changed = await call(three, 'PATCH', '/functions/hello', { body: source('v2') });
    expect(changed.status).toBe(200);
    for (const node of nodes) await expect.poll(() => answer(node), { timeout: 30_000 }).toBe('v2 good day');
    // The upstream CLI uploads several functions and then activates them together, each with a request that a load
    // balancer can send to any node.
    const form = new FormData();
    form.set('metadata', JSON.stringify({ entrypoint_path: 'index.ts', name: 'hello' }));
    form.append('file', new Blob([source('v3')]), 'index.ts');
    const staged = await call(one, 'POST', '/functions/deploy?slug=hello&bundleOnly=true', form);
    expect(staged.status).toBe(201);
    expect(await answer(two)).toBe('v2 good day');
    const activated = await call(two, 'PUT', '/functions', [staged.body]);
    expect(activated).toMatchObject({ status: 200, body: { functions: [{ version: 3 }] } });
    for (const node of nodes) await expect.poll(() => answer(node), { timeout: 30_000 }).toBe('v3 good day');
    expect((await call(one, 'DELETE', '/functions/hello', {})).status).toBe(200);
    for (const node of nodes) await expect.poll(() => node.functions.list(), soon).toEqual([]);
  });

  test('verify an operator’s second factor that was set up on one of them', async () => {
    const [one, two] = nodes;
    await one.operators.createOperator('careful', 'developer');
    const person = await operator(one, 'careful');
    const { secret } = (await person.call('POST', '/factor')).body;
    const step = Math.floor(Date.now() / 30_000);
    const confirmed = await person.call('POST', '/factor/confirm', { code: totpCode(secret, step) });
    expect(confirmed.status).toBe(200);
    const entering = await operator(two, 'careful');
    const proven = await entering.call('POST', '/factor/prove', { code: totpCode(secret, step + 1) });
    expect([proven.status, proven.body.factor]).toEqual([200, 'proven']);
  });
});

test('the API workers of a node reject a key that another node has revoked', async () => {
  const url = await emptyDatabase();
  const one = await start(url);
  const two = await start(url, { workers: workersOf({ count: 2 }) });
  await withRoleFunction(one);
  const owner = await operator(one);
  const { key, entry } = (await owner.call('POST', '/keys/api', { kind: 'secret', name: 'CI' })).body;
  /** Sends requests over new connections, which go to the workers in turn. */
  const roles = async (): Promise<string[]> => {
    const headers = { apikey: key, connection: 'close' };
    const all = await Promise.all(
      Array.from({ length: 6 }, async () => (await fetch(`${two.url}/rest/v1/rpc/who`, { headers })).json()),
    );
    return [...new Set(all.map(String))];
  };
  await expect.poll(roles, { timeout: 20_000 }).toEqual(['service_role']);
  expect((await owner.call('DELETE', `/keys/api/${entry.id}`)).status).toBe(204);
  await expect.poll(roles, soon).toEqual(['anon']);
});

test('a command on one node changes the keys of all nodes', async () => {
  const url = await emptyDatabase();
  const projectDir = newProject();
  const [one, two] = [await start(url, { projectDir }), await start(url)];
  expect((await plinth(['keys', 'standby'], { cwd: projectDir })).status).toBe(0);
  expect((await plinth(['keys', 'rotate'], { cwd: projectDir })).status).toBe(0);
  const { signingKeys } = JSON.parse(readFileSync(join(one.dataDir, 'secrets.json'), 'utf8'));
  const { kid } = signingKeys[0];
  expect(signingKeys).toHaveLength(2);
  // The key that signs is the first one.
  const signer = (node: Backend): unknown => node.keys.publicJwks().keys[0]?.kid;
  await expect.poll(() => [signer(one), signer(two)], soon).toEqual([kid, kid]);
  expect(two.keys.verify(one.keys.sign({ role: 'anon' })).ok).toBe(true);
});

test('a change waits for another node’s change, and is rejected if that takes too long', async () => {
  const url = await emptyDatabase();
  const [one, two] = [await start(url), await start(url)];
  const owner = await operator(one);
  const call = await managementOf(two, 'busy');
  const locking = await Client.connect(parseConnectionString(url));
  await locking.exec('begin; select from _plinth.group_identity for update');
  try {
    const [key, secrets] = await Promise.all([
      owner.call('POST', '/keys/api', { kind: 'secret', name: 'busy' }),
      call(two, 'POST', '/secrets', [{ name: 'BUSY', value: 'x' }]),
    ]);
    const message = expect.stringContaining('another node or a command is making a change');
    expect(key).toMatchObject({ status: 409, body: { code: 'refused', message } });
    expect(secrets).toEqual({ status: 409, body: { message } });
  } finally {
    await locking.connection.close();
  }
  expect((await owner.call('GET', '/keys')).body.apiKeys).toEqual([]);
  expect((await call(two, 'POST', '/secrets', [{ name: 'BUSY', value: 'x' }])).status).toBe(201);
});

test('plinth serve explains a missing or short secret', async () => {
  const url = await emptyDatabase();
  await start(url);
  const attempt = (given: string) =>
    plinth(['serve', '--port', '0'], {
      cwd: newProject(),
      env: { PLINTH_SECRET: given, PLINTH_DATABASE_URL: url },
    });
  const missing = await attempt('');
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('this node has no secret')]);
  expect(missing.stderr).toContain(
    'Set PLINTH_SECRET to the secret of the other nodes or of the earlier start.',
  );
  const short = await attempt('a short secret');
  expect([short.status, short.stderr]).toEqual([1, expect.stringContaining('at least 32 characters')]);
  expect(short.stderr).not.toContain('a short secret');
});

test('a node with another secret is rejected before anything is changed', async () => {
  const url = await emptyDatabase();
  await start(url);
  const projectDir = newProject();
  vi.stubEnv('PLINTH_SECRET', 'a secret that the other servers do not have');
  try {
    await expect(start(url, { projectDir })).rejects.toThrow('with a different secret');
    expect(existsSync(join(projectDir, '.plinth', 'secrets.json'))).toBe(false);
  } finally {
    vi.stubEnv('PLINTH_SECRET', secret);
  }
});

test('the data folder of an earlier version is taken over', async () => {
  const url = await emptyDatabase();
  const projectDir = newProject();
  // A server of an earlier version created the folder without storing anything in the database.
  const before = await start(url, { projectDir });
  const { secretKey } = before.keys;
  await before.stop();
  const database = await Client.connect(parseConnectionString(url));
  await database.exec('truncate _plinth.group_state, _plinth.group_identity, _plinth.group_nodes');
  await database.connection.close();
  rmSync(join(before.dataDir, 'group.json'));
  const [one, two] = [await start(url, { projectDir }), await start(url)];
  expect([one.keys.secretKey, two.keys.secretKey]).toEqual([secretKey, secretKey]);
});

test('a server with an embedded database doesn’t share its state', async () => {
  const backend = await start(undefined, {
    ...{ durable: false, dbPort: 0 },
    exclude: ['storage', 'realtime', 'functions'],
  });
  const rows = await backend.database
    .pool('supabase_admin')
    .query(sql`select from _plinth.group_state union all select from _plinth.group_identity`);
  expect(rows).toEqual([]);
  expect(existsSync(join(backend.dataDir, 'group.json'))).toBe(false);
});

describe('uploaded files in the data folder', () => {
  test('are rejected on a second node, unless both see the same folder', async () => {
    const url = await emptyDatabase();
    const one = await start(url, { exclude: [] });
    const alone = newProject();
    await expect(start(url, { projectDir: alone, exclude: [] })).rejects.toThrow(
      'stores uploaded files in a folder of its machine',
    );
    const sharing = newProject();
    mkdirSync(join(sharing, '.plinth', 'storage'), { recursive: true });
    const id = readFileSync(join(one.dataDir, 'storage', 'folder-id'));
    writeFileSync(join(sharing, '.plinth', 'storage', 'folder-id'), id);
    await start(url, { projectDir: sharing, exclude: [] });
    await one.stop();
  });
});

test('a change is rejected while the database is unreachable', async () => {
  const url = await emptyDatabase();
  const one = await start(url);
  await withRoleFunction(one);
  const owner = await operator(one);
  const made = await owner.call('POST', '/keys/api', { kind: 'secret', name: 'before' });
  const keysBefore = readFileSync(join(one.dataDir, 'api-keys.json'), 'utf8');
  await server.crash();
  try {
    const failed = await owner.call('POST', '/keys/api', { kind: 'secret', name: 'during' });
    expect(failed.status).toBeGreaterThanOrEqual(422);
    expect(readFileSync(join(one.dataDir, 'api-keys.json'), 'utf8')).toBe(keysBefore);
    // The keys are read from files, so tokens are still verified.
    expect(one.keys.verify(one.keys.sign({ role: 'anon' })).ok).toBe(true);
  } finally {
    await server.start();
    admin = await Client.connect(parseConnectionString(server.url('admin')));
  }
  await expect.poll(() => roleOf(one, made.body.key), { timeout: 30_000 }).toBe('service_role');
});
