/** Tests branches over the Management API: their data, their keys, what they must not do, and who may use them. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { startProject, type TestProject } from './project.ts';

const migration = `
create table public.notes (id bigint primary key, body text not null, email text);
alter table public.notes enable row level security;
create policy everyone on public.notes for select using (true);
insert into public.notes values (1, 'first', 'ann@corp.example'), (2, 'second', null);
`;

/** Fails every change of a user, as a trigger that sends requests would if its server can't be reached. */
const trigger = `
create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
create trigger refuse_updates before update on auth.users for each row execute function public.refuse();
`;

/** A branch would use this slot of another server, and write to the tables of that server. */
const connections = `
create subscription orders connection 'host=127.0.0.1 port=9 password=live' publication orders
  with (connect = false, slot_name = orders);
create extension postgres_fdw;
create server warehouse foreign data wrapper postgres_fdw options (host '127.0.0.1', port '9');
create user mapping for public server warehouse options (user 'ann', password 'live');
create user mapping for postgres server warehouse options (user 'ann', password 'live');
alter database postgres set "app.settings.jwt_secret" = 'live';
alter role anon set "app.settings.jwt_secret" = 'live'`;
const withoutConnections = `
alter subscription orders set (slot_name = none);
drop subscription orders;
drop extension postgres_fdw cascade;
alter database postgres reset "app.settings.jwt_secret";
alter role anon reset "app.settings.jwt_secret"`;

let project: TestProject;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  project = await startProject({
    'config.toml': 'project_id = "branches"\n[auth]\nenable_confirmations = false\n',
    'plinth.toml': '[branches.mask.columns]\n"public.notes.email" = "email"\n',
    'migrations/20260101000000_notes.sql': migration,
    'functions/.env': 'STRIPE_KEY=live\n',
    'functions/hello/index.ts': 'Deno.serve(() => new Response(Deno.env.get("STRIPE_KEY") ?? "none"));\n',
  });
  for (const role of ['owner', 'developer', 'read-only'] as const) tokens[role] = await project.token(role);
  const pool = project.backend.database.pool('postgres');
  await pool.query(sql`select vault.create_secret('payment key', 'payments')`);
  await signUp(project.backend.url, project.backend.keys.publishableKey, 'ann@corp.example');
  await fetch(`${project.backend.url}/storage/v1/bucket`, {
    method: 'POST',
    headers: { ...keyed(project.backend.keys.secretKey), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'files', public: true }),
  });
  await fetch(`${project.backend.url}/storage/v1/object/files/hello.txt`, {
    method: 'POST',
    headers: { ...keyed(project.backend.keys.secretKey), 'content-type': 'text/plain' },
    body: 'hello',
  });
});
afterAll(() => project?.stop());

const keyed = (key: string): Record<string, string> => ({ apikey: key });

async function signUp(url: string, key: string, email: string) {
  const response = await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { ...keyed(key), 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse battery' }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function call(
  method: string,
  path: string,
  { as = 'owner', json }: { as?: string; json?: unknown } = {},
) {
  const response = await project.backend.console.fetch(`/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens[as]}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as any };
}

const branches = (): string => `/projects/${project.ref}/branches`;

/** Creates a branch and waits until it is ready, which can take longer than the request on a busy machine. */
async function started(name: string, more: object) {
  const { status, body } = await call('POST', branches(), { json: { branch_name: name, ...more } });
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
  return await vi.waitFor(
    async () => {
      const found = (await call('GET', `${branches()}/${name}`)).body;
      expect(found.status).not.toBe('CREATING_PROJECT');
      return found;
    },
    { timeout: 120_000, interval: 200 },
  );
}

/** Creates a branch and returns it with its keys. */
async function create(name: string, more: object = { with_data: true }) {
  const body = await started(name, more);
  expect(body.problem).toBeUndefined();
  const { environment } = (await call('GET', `/branches/${body.id}`)).body;
  return { ...body, env: environment as Record<string, string> };
}

const query = async (ref: string, text: string, as = 'owner') =>
  await call('POST', `/projects/${ref}/database/query`, { as, json: { query: text } });

describe('a branch with data', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the response of the API
  let branch: any;
  beforeAll(async () => {
    const pool = project.backend.database.pool('postgres');
    await pool.exec(connections);
    branch = await create('try');
    for (const statement of withoutConnections.split(';')) await pool.exec(statement);
  });

  test("has upstream's fields and its own addresses", () => {
    expect(branch).toMatchObject({
      name: 'try',
      parent_project_ref: project.ref,
      is_default: false,
      persistent: false,
      status: 'FUNCTIONS_DEPLOYED',
      with_data: true,
    });
    expect(branch.project_ref).toMatch(/^[a-z]{20}$/);
    expect(branch.api_url).not.toBe(project.backend.url);
    expect(branch.env.API_URL).toBe(branch.api_url);
  });

  test('serves the rows and objects of the project on its own URL', async () => {
    const rows = await fetch(`${branch.api_url}/rest/v1/notes?select=id,body&order=id`, {
      headers: keyed(branch.env.PUBLISHABLE_KEY),
    });
    expect(await rows.json()).toEqual([
      { id: 1, body: 'first' },
      { id: 2, body: 'second' },
    ]);
    const object = await fetch(`${branch.api_url}/storage/v1/object/public/files/hello.txt`);
    expect(await object.text()).toBe('hello');
  });

  test("changes don't reach the project, and objects are independent", async () => {
    await query(branch.project_ref, "insert into public.notes values (3, 'only here', null)");
    const { body } = await query(project.ref, 'select count(*)::int from public.notes');
    expect(body).toEqual([{ count: 2 }]);
    const removed = await fetch(`${branch.api_url}/storage/v1/object/files/hello.txt`, {
      method: 'DELETE',
      headers: keyed(branch.env.SECRET_KEY),
    });
    expect(removed.status).toBe(200);
    const object = await fetch(`${project.backend.url}/storage/v1/object/public/files/hello.txt`);
    expect(await object.text()).toBe('hello');
  });

  test('has no keys in common with the project', async () => {
    const main = project.backend.status();
    for (const name of ['ANON_KEY', 'SERVICE_ROLE_KEY', 'PUBLISHABLE_KEY', 'SECRET_KEY', 'JWT_SECRET'])
      expect(branch.env[name], name).not.toBe(main[name]);
    const foreign = async (url: string, key: string) =>
      (await fetch(`${url}/rest/v1/notes`, { headers: { ...keyed(key), authorization: `Bearer ${key}` } }))
        .status;
    expect(await foreign(project.backend.url, branch.env.SERVICE_ROLE_KEY)).toBe(401);
    expect(await foreign(branch.api_url, main.SERVICE_ROLE_KEY as string)).toBe(401);
    const mine = await signUp(branch.api_url, branch.env.PUBLISHABLE_KEY, 'branch@corp.example');
    const other = await fetch(`${project.backend.url}/auth/v1/user`, {
      headers: {
        ...keyed(project.backend.keys.publishableKey),
        authorization: `Bearer ${mine.body.access_token}`,
      },
    });
    expect(other.status).toBe(403);
  });

  test('has another database password', () => {
    expect(new URL(branch.env.DB_URL).password).not.toBe(new URL(project.backend.database.info.url).password);
  });

  test('has no sessions, tokens, operators or vault secrets of the project', async () => {
    const { body } = await query(
      branch.project_ref,
      `select (select count(*) from auth.sessions s join auth.users u on u.id = s.user_id where u.email = 'ann@corp.example')::int as sessions,
        (select count(*) from vault.secrets)::int as secrets`,
    );
    expect(body).toEqual([{ sessions: 0, secrets: 0 }]);
    const users = await query(branch.project_ref, "select email from auth.users where email like 'ann%'");
    expect(users.body).toEqual([{ email: 'ann@corp.example' }]);
    const response = await fetch(`${branch.console_url}/v1/projects`, {
      headers: { authorization: `Bearer ${tokens.owner}` },
    });
    expect(response.status).toBe(401);
  });

  test("has no setting with the project's JWT secret", async () => {
    const { body } = await query(
      branch.project_ref,
      "select count(*)::int from pg_db_role_setting where setconfig::text like '%jwt_secret%'",
    );
    expect(body).toEqual([{ count: 0 }]);
  });

  test('has no logins of other servers, and its subscriptions receive nothing', async () => {
    const { body } = await query(
      branch.project_ref,
      `select (select count(*) from pg_user_mappings)::int as mappings,
        (select count(*) from pg_foreign_server)::int as servers,
        (select json_agg(json_build_object('enabled', subenabled, 'slot', subslotname)) from pg_subscription) as subscriptions`,
    );
    expect(body).toEqual([{ mappings: 0, servers: 1, subscriptions: [{ enabled: false, slot: null }] }]);
    const enabled = await query(branch.project_ref, 'alter subscription orders enable');
    expect(enabled.status).toBe(400);
    const workers = await query(branch.project_ref, 'show max_logical_replication_workers');
    expect(workers.body).toEqual([{ max_logical_replication_workers: '0' }]);
    expect((await query(branch.project_ref, 'drop subscription orders')).status).toBe(201);
  });

  test("captures emails, runs no jobs and gives functions none of the project's secrets", async () => {
    const recovered = await fetch(`${branch.api_url}/auth/v1/recover`, {
      method: 'POST',
      headers: { ...keyed(branch.env.PUBLISHABLE_KEY), 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ann@corp.example' }),
    });
    expect(recovered.status).toBe(200);
    const identity = join(project.dir, '.plinth', 'branches', branch.project_ref);
    expect(existsSync(join(identity, 'project', 'supabase', 'functions', '.env'))).toBe(false);
    expect(existsSync(join(identity, 'project', 'supabase', 'functions', 'hello', 'index.ts'))).toBe(true);
    const { body } = await query(
      branch.project_ref,
      'select net.http_get($$http://127.0.0.1:9/$$) is not null as queued',
    );
    expect(body).toEqual([{ queued: true }]);
    const waiting = await query(branch.project_ref, 'select count(*)::int from net.http_request_queue');
    expect(waiting.body).toEqual([{ count: 1 }]);
  });
});

test("masked data has replaced emails, and triggers of the project don't run", async () => {
  const pool = project.backend.database.pool('postgres');
  await pool.exec(`drop function if exists public.refuse cascade; ${trigger}`);
  const branch = await create(`masked-${crypto.randomUUID()}`, { with_data: true, mask: true });
  await pool.exec('drop function public.refuse cascade');
  const { body } = await query(
    branch.project_ref,
    `select u.email, n.email as note, i.email as identity, u.encrypted_password as password
     from auth.users u, auth.identities i, public.notes n where i.user_id = u.id and n.id = 1`,
  );
  expect(body[0].email).toMatch(/^user-[0-9a-f]{12}@example\.com$/);
  expect(body).toEqual([
    { email: body[0].email, note: body[0].email, identity: body[0].email, password: '' },
  ]);
  expect((await query(branch.project_ref, 'select email from public.notes where id = 2')).body).toEqual([
    { email: null },
  ]);
  await call('DELETE', `/branches/${branch.id}`);
});

describe('a branch without data', () => {
  test('has the migrations, is compared, and is merged after it was rebased', async () => {
    // A retry of the test gets another branch and other columns.
    const attempt = crypto.randomUUID().slice(0, 8);
    const [name, color, size] = [`feature-${attempt}`, `color_${attempt}`, `size_${attempt}`];
    const branch = await create(name, { git_branch: 'feature/colors' });
    const rows = await query(branch.project_ref, 'select count(*)::int from auth.users');
    expect(rows.body).toEqual([{ count: 0 }]);
    const add = { name: color, query: `alter table public.notes add column ${color} text` };
    const applied = await call('POST', `/projects/${branch.project_ref}/database/migrations`, { json: add });
    expect(applied.status).toBe(200);
    const diff = await call('GET', `/branches/${branch.id}/diff`);
    expect(diff.body).toMatch(new RegExp(`ADD COLUMN "?${color}"? text`, 'i'));
    const plan = await call('GET', `/branches/${branch.id}/merge`);
    expect(plan.body).toMatchObject({ migrations: [{ name: color }], functions: [] });
    // The project has moved on, so the branch must be rebased.
    const moved = { name: size, query: `alter table public.notes add column ${size} int` };
    await call('POST', `/projects/${project.ref}/database/migrations`, { json: moved });
    const early = await call('POST', `/branches/${branch.id}/merge`, { json: {} });
    expect({ status: early.status, message: early.body.message }).toMatchObject({
      status: 409,
      message: /Rebase/,
    });
    const rebased = await call('POST', `/branches/${branch.id}/push`, { json: {} });
    expect(rebased.body).toMatchObject({ message: 'ok', migrations: [{ name: size }] });
    const merged = await call('POST', `/branches/${branch.id}/merge`, { json: {} });
    expect(merged).toMatchObject({ status: 201, body: { message: 'ok', migrations: [{ name: color }] } });
    const columns = await query(project.ref, `select ${color}, ${size} from public.notes where id = 1`);
    expect(columns.body).toEqual([{ [color]: null, [size]: null }]);
    const files = readdirSync(join(project.dir, 'supabase', 'migrations'));
    const file = files.find((name) => name.endsWith(`_${color}.sql`)) ?? '';
    expect(readFileSync(join(project.dir, 'supabase', 'migrations', file), 'utf8')).toContain(
      `add column ${color}`,
    );
    expect((await call('GET', `/branches/${branch.id}/diff`)).body).toBe('');
    const data = await call('GET', `/branches/${branch.id}/diff/data`);
    expect(data.body).toEqual({ tables: [] });
    await query(
      branch.project_ref,
      "update public.notes set body = 'changed' where id = 1; insert into public.notes values (9, 'new')",
    );
    expect((await call('GET', `/branches/${branch.id}/diff/data`)).body).toEqual({
      tables: [{ table: 'public.notes', added: 1, removed: 0, changed: 1, skipped: null }],
    });
    const reset = await call('POST', `/branches/${branch.id}/reset`, { json: {} });
    expect(reset.status).toBe(201);
    await expect
      .poll(async () => (await call('GET', `${branches()}/${name}`)).body.status, { timeout: 120_000 })
      .toBe('FUNCTIONS_DEPLOYED');
    expect((await query(branch.project_ref, 'select id from public.notes order by 1')).body).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    expect((await call('DELETE', `/branches/${branch.id}`)).body).toEqual({ message: 'ok' });
    expect(existsSync(join(project.dir, '.plinth', 'branches', branch.project_ref))).toBe(false);
  });

  test("keeps a broken migration's error, and can be deleted", async () => {
    const file = join(project.dir, 'supabase', 'migrations', '29990101000000_broken.sql');
    writeFileSync(file, 'alter table public.absent add column a int;');
    const body = await started(`broken-${crypto.randomUUID()}`, {});
    rmSync(file);
    expect(body.status).toBe('MIGRATIONS_FAILED');
    expect(body.problem).toContain('public.absent');
    const used = await query(body.project_ref, 'select 1');
    expect(used.status).toBe(409);
    expect((await call('DELETE', `/branches/${body.id}`)).status).toBe(200);
  });
});

describe('permissions', () => {
  test("a read-only operator sees branches, but can't change them or see their secrets", async () => {
    const list = await call('GET', branches(), { as: 'read-only' });
    expect(list.status).toBe(200);
    const [main, branch] = list.body;
    expect(main).toMatchObject({ name: 'main', is_default: true, project_ref: project.ref });
    for (const [method, path, json] of [
      ['POST', branches(), { branch_name: 'mine' }],
      ['GET', `/branches/${branch.id}`],
      ['PATCH', `/branches/${branch.id}`, { persistent: true }],
      ['DELETE', `/branches/${branch.id}`],
      ['POST', `/branches/${branch.id}/merge`, {}],
      ['POST', `/branches/${branch.id}/reset`, {}],
      ['POST', `/branches/${branch.id}/push`, {}],
    ] as const)
      expect((await call(method, path, { as: 'read-only', json })).status, `${method} ${path}`).toBe(403);
    const write = await query(branch.project_ref, 'delete from public.notes', 'read-only');
    expect(write.status).toBe(400);
    const read = await query(
      branch.project_ref,
      'select count(*) > 0 as found from public.notes',
      'read-only',
    );
    expect(read.body).toEqual([{ found: true }]);
    const secrets = await query(branch.project_ref, 'select email from auth.users', 'read-only');
    expect(secrets.status).toBe(400);
  });

  test("a developer can't reveal the keys of a branch", async () => {
    const [, branch] = (await call('GET', branches())).body;
    const keys = await call('GET', `/projects/${branch.project_ref}/api-keys?reveal=true`, {
      as: 'developer',
    });
    expect(keys.body.find(({ name }: { name: string }) => name === 'service_role').api_key).toBeNull();
  });

  test('every change of a branch is in the audit log of the project', async () => {
    const rows = await project.backend.database
      .pool('supabase_admin')
      .query<{ action: string }>(
        sql`select distinct action from _plinth.audit_log where action like 'branch.%' order by 1`,
      );
    expect(rows.map(({ action }) => action)).toEqual([
      'branch.call',
      'branch.create',
      'branch.delete',
      'branch.merge',
      'branch.rebase',
      'branch.reset',
      'branch.reveal',
    ]);
  });
});

describe('refused branches', () => {
  test.each([
    [{ branch_name: 'try' }, 409, /already exists/],
    [{ branch_name: 'main' }, 400, /reserved/],
    [{ branch_name: '../../etc' }, 400, /name of a branch/],
    [{ branch_name: 'past', with_data: true, from_time: '2026-01-01T00:00:00Z' }, 400, /No backup target/],
  ])('%j', async (json, status, message) => {
    const response = await call('POST', branches(), { json });
    expect(response.status).toBe(status);
    expect(response.body.message).toMatch(message);
  });

  test('unknown branches and refs', async () => {
    expect((await call('GET', '/branches/nothing')).status).toBe(404);
    expect((await query('aaaaaaaaaaaaaaaaaaaa', 'select 1')).status).toBe(404);
  });
});
