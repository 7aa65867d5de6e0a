/** Tests policies in the Console: how they are listed and written, and injection attempts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let looker: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  looker = await operator(backend, 'looker');
});
afterAll(() => backend?.stop());

const own = {
  name: 'own "rows"',
  command: 'select',
  permissive: true,
  roles: ['authenticated'],
  using: 'priority = 1',
  check: null,
};
const change = (table: string, kind: object, who = owner) =>
  who.call('POST', '/policies', { schema: 'public', table, change: kind });
// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
const tableOf = (body: any, name: string) => body.tables.find((each: { name: string }) => each.name === name);

test('row-level security can be enabled, and a policy can be created, changed and dropped, all with audit entries', async () => {
  const on = await change('tasks', { kind: 'security', enabled: true, forced: false });
  expect(tableOf(on.body, 'tasks')).toMatchObject({ rls: true, forced: false, policies: [] });
  const made = await change('tasks', { kind: 'create', policy: own });
  expect(tableOf(made.body, 'tasks').policies).toEqual([{ ...own, using: '(priority = 1)' }]);
  const replaced = await change('tasks', {
    kind: 'replace',
    previous: own.name,
    policy: {
      ...own,
      name: 'new',
      command: 'all',
      permissive: false,
      roles: ['public'],
      using: 'true -- all',
      check: 'done',
    },
  });
  expect(tableOf(replaced.body, 'tasks').policies).toMatchObject([
    { name: 'new', command: 'all', permissive: false, roles: ['public'], using: 'true', check: 'done' },
  ]);
  const dropped = await change('tasks', { kind: 'drop', name: 'new' });
  expect(tableOf(dropped.body, 'tasks').policies).toEqual([]);
  const entries = await backend.database
    .pool('supabase_admin')
    .query<{ action: string; target: string }>(
      sql`select action, target from _plinth.audit_log where action ~ '^(policy|table)' order by id`,
    );
  expect(entries.map(({ action }) => action)).toEqual([
    'table.security',
    'policy.create',
    'policy.replace',
    'policy.drop',
  ]);
  expect(new Set(entries.map(({ target }) => target))).toEqual(new Set(['public.tasks']));
});

test('a policy is turned off, on again with the same definition, and forgotten', async () => {
  const policy = {
    ...own,
    command: 'all',
    permissive: false,
    roles: ['anon', 'authenticated'],
    check: 'done',
  };
  await change('tasks', { kind: 'create', policy });
  const off = await change('tasks', { kind: 'off', name: own.name });
  const definition = { ...policy, using: '(priority = 1)' };
  expect(tableOf(off.body, 'tasks')).toMatchObject({ policies: [], turnedOff: [definition] });
  expect((await change('tasks', { kind: 'off', name: own.name })).status).toBe(404);
  const shown = await looker.call('POST', '/policies/preview', {
    schema: 'public',
    table: 'tasks',
    change: { kind: 'on', name: own.name },
  });
  expect(shown.body.sql).toContain('as restrictive');
  expect((await change('tasks', { kind: 'on', name: own.name }, looker)).status).toBe(403);
  const on = await change('tasks', { kind: 'on', name: own.name });
  expect(tableOf(on.body, 'tasks')).toMatchObject({ policies: [definition], turnedOff: [] });
  expect((await change('tasks', { kind: 'on', name: own.name })).status).toBe(404);

  // If a turned-off policy is created again with SQL, it is no longer listed as turned off.
  await change('tasks', { kind: 'off', name: own.name });
  await backend.database
    .pool('postgres')
    .query(sql`create policy "own ""rows""" on public.tasks using (true)`);
  const { body } = await looker.call('GET', '/policies');
  expect(tableOf(body, 'tasks')).toMatchObject({ policies: [{ using: 'true' }], turnedOff: [] });
  const replaced = await change('tasks', { kind: 'off', name: own.name });
  expect(tableOf(replaced.body, 'tasks').turnedOff).toMatchObject([{ using: 'true', command: 'all' }]);
  const gone = { schema: 'public', table: 'tasks', name: own.name };
  expect((await looker.call('POST', '/policies/forget', gone)).status).toBe(403);
  const forgotten = await owner.call('POST', '/policies/forget', gone);
  expect(tableOf(forgotten.body, 'tasks').turnedOff).toEqual([]);
  expect((await owner.call('POST', '/policies/forget', gone)).status).toBe(404);
});

test('a policy that is changed while it is turned off keeps the change', async () => {
  await change('tasks', { kind: 'create', policy: own });
  const session = await backend.database.pool('postgres').connect();
  try {
    await session.exec('begin; alter policy "own ""rows""" on public.tasks using (priority = 2)');
    const off = change('tasks', { kind: 'off', name: own.name });
    const waiting = sql`select from pg_locks where not granted and relation = 'public.tasks'::regclass`;
    await expect.poll(() => session.query(waiting)).toHaveLength(1);
    await session.exec('commit');
    expect(tableOf((await off).body, 'tasks').turnedOff).toMatchObject([{ using: '(priority = 2)' }]);
  } finally {
    session.release();
  }
  await owner.call('POST', '/policies/forget', { schema: 'public', table: 'tasks', name: own.name });
});

test('a policy that is turned off belongs to its table, not to the table’s name', async () => {
  const pool = backend.database.pool('postgres');
  const turnedOff = async (table: string) =>
    tableOf((await looker.call('GET', '/policies')).body, table).turnedOff;
  await pool.query(sql`create table public.notes (id int)`);
  const policy = { ...own, using: 'id = 1' };
  await change('notes', { kind: 'create', policy });
  await change('notes', { kind: 'off', name: own.name });
  await pool.query(sql`alter table public.notes rename to memos`);
  expect(await turnedOff('memos')).toMatchObject([{ name: own.name }]);
  await pool.query(sql`create table public.notes (id int)`);
  expect(await turnedOff('notes')).toEqual([]);
  await pool.query(sql`drop table public.memos`);
  await pool.query(sql`alter table public.notes rename to memos`);
  expect(await turnedOff('memos')).toEqual([]);
  expect((await change('memos', { kind: 'on', name: own.name })).status).toBe(404);
  const kept = await backend.database.pool('supabase_admin').query(sql`select from _plinth.policies_off`);
  expect(kept).toEqual([]);
});

test('views and other relations that API roles can read are listed with the commands that they support', async () => {
  await backend.database.pool('postgres').exec(`
    create view public.every_task as select id, title from public.tasks;
    create view public.own_tasks with (security_invoker = on) as select id, title from public.tasks;
    create view public.task_count as select count(*) from public.tasks;
    create view public.handled as select count(*) as n from public.tasks;
    create trigger handled instead of insert on public.handled for each row execute function public.keep();
    create materialized view public.task_copy as select id from public.tasks;
    create table public.extension_owned (id int)`);
  await backend.database
    .pool('supabase_admin')
    .exec('alter table public.extension_owned owner to supabase_admin');
  const { body } = await looker.call('GET', '/policies');
  const anonOf = (name: string) => {
    const { kind, invoker, owner, triggers, grants } = tableOf({ tables: body.others }, name);
    const grant = grants.find(({ role }: { role: string }) => role === 'anon');
    const allowed = ['select', 'insert', 'update', 'delete'].filter((command) => grant[command]);
    return [kind, invoker, owner, triggers, allowed];
  };
  const all = ['select', 'insert', 'update', 'delete'];
  expect(anonOf('every_task')).toEqual(['view', false, 'postgres', [], all]);
  expect(anonOf('own_tasks')).toEqual(['view', true, 'postgres', [], all]);
  expect(anonOf('task_count')).toEqual(['view', false, 'postgres', [], ['select']]);
  expect(anonOf('handled')).toEqual(['view', false, 'postgres', ['insert'], ['select', 'insert']]);
  expect(anonOf('task_copy')).toEqual(['materialized view', false, 'postgres', [], ['select']]);
  expect(anonOf('extension_owned')).toEqual(['table', false, 'supabase_admin', [], all]);
  expect(tableOf(body, 'every_task')).toBeUndefined();
  // A view can't have policies.
  expect((await change('every_task', { kind: 'create', policy: own })).status).toBe(404);
});

test('a statement is shown before it runs', async () => {
  const { body } = await looker.call('POST', '/policies/preview', {
    schema: 'public',
    table: 'tasks',
    change: { kind: 'create', policy: { ...own, permissive: false, check: 'true' } },
  });
  expect(body.sql).toBe(
    `create policy "own ""rows""" on "public"."tasks"\n  as restrictive\n  for select\n  to "authenticated"\n  using (priority = 1)\n  with check (true);`,
  );
});

test('a PostgreSQL error keeps its original message, and nothing is partially applied', async () => {
  await change('frozen', { kind: 'create', policy: { ...own, name: 'kept', using: 'true' } });
  const refused = await change('frozen', {
    kind: 'replace',
    previous: 'kept',
    policy: { ...own, using: 'nonsense = 1' },
  });
  expect([refused.status, refused.body.sqlstate]).toEqual([422, '42703']);
  const { body } = await owner.call('GET', '/policies');
  expect(tableOf(body, 'frozen').policies).toMatchObject([{ name: 'kept' }]);
});

test('the API roles’ grants are listed with the policies', async () => {
  await backend.database.pool('postgres').exec('revoke insert on public.keyless from anon');
  const { body } = await looker.call('GET', '/policies');
  const anon = tableOf(body, 'keyless').grants.find(({ role }: { role: string }) => role === 'anon');
  expect(anon).toMatchObject({ select: true, insert: false, bypasses: false });
  expect(body.roles).toEqual(expect.arrayContaining(['anon', 'authenticated', 'service_role']));
  expect(JSON.stringify(body)).not.toContain('_plinth');
});

test.each([
  ['true); drop table public.tasks; --'],
  ['true) with check (true'],
  ['true; drop table public.tasks'],
  ['true /*'],
  [`'open`],
  ['(true'],
  [''],
  ['-- nothing'],
  ['$$ open'],
])('a condition stays within its parentheses: %s', async (using) => {
  const { status } = await change('tasks', { kind: 'create', policy: { ...own, name: 'attack', using } });
  expect(status).toBe(400);
  expect((await owner.call('GET', '/tables/public/tasks')).status).toBe(200);
});

test('a name that PostgreSQL would truncate is rejected', async () => {
  const refused = await change('keyless', { kind: 'create', policy: { ...own, name: 'é'.repeat(32) } });
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'change.policy.name: is longer than 63 bytes',
  ]);
});

test('SQL in names is treated as part of the name', async () => {
  const name = `x" on public.tasks; drop table public.tasks; --`;
  const made = await change('keyless', { kind: 'create', policy: { ...own, name, using: 'true' } });
  expect(tableOf(made.body, 'keyless').policies).toMatchObject([{ name }]);
  expect((await change('keyless', { kind: 'drop', name })).status).toBe(200);
  expect((await change(`tasks" disable row level security; --`, { kind: 'drop', name })).status).toBe(404);
  expect(
    (await change('keyless', { kind: 'create', policy: { ...own, roles: ['public; drop'] } })).body.sqlstate,
  ).toBe('42704');
});

test('only operators with write permission can change policies', async () => {
  expect((await change('tasks', { kind: 'security', enabled: false, forced: false }, looker)).status).toBe(
    403,
  );
  expect((await change('tasks', { kind: 'create', policy: own }, looker)).status).toBe(403);
});

test('the tables of Plinth and of the vault aren’t listed', async () => {
  for (const [schema, table] of [
    ['_plinth', 'operators'],
    ['vault', 'secrets'],
    ['pg_catalog', 'pg_class'],
  ])
    expect(
      (await owner.call('POST', '/policies', { schema, table, change: { kind: 'drop', name: 'x' } })).status,
    ).toBe(404);
});

test('templates offer suitable columns, tables and functions, but not those of the server', async () => {
  await backend.database.pool('postgres').exec(`
    create table public.teams (id int primary key, title text, creator uuid references auth.users);
    create table public.team_members (team int references public.teams, person uuid references auth.users);
    create function public.in_team(team int) returns boolean language sql stable as 'select true'`);
  const { status, body } = await looker.call('GET', '/policies/public/teams/choices');
  expect(status).toBe(200);
  expect(body.columns).toMatchObject([
    { name: 'id', isKey: true, isUser: false },
    { name: 'title', isUser: false },
    { name: 'creator', isUser: true, references: 'auth.users' },
  ]);
  expect(body.memberTables[0]).toEqual({
    schema: 'public',
    name: 'team_members',
    rls: false,
    users: ['person'],
    groups: [{ name: 'team', references: 'public.teams' }],
  });
  expect(body.memberFunctions).toContainEqual({ schema: 'public', name: 'in_team', argument: 'integer' });
  expect(JSON.stringify(body)).not.toContain('"auth"');
});

test('a change is saved as a migration file unless it fails', async () => {
  const create = { kind: 'create', policy: { ...own, using: 'true' } };
  const call = (body: object) =>
    owner.call('POST', '/policies', { schema: 'public', table: 'teams', migration: 'team_policy', ...body });
  const bad = await call({ change: { ...create, policy: { ...own, using: 'no_such_column' } } });
  expect(bad.status).toBe(422);
  const { status, body } = await call({ change: create });
  expect([status, body.file]).toEqual([
    200,
    expect.stringMatching(/^supabase\/migrations\/\d{14}_team_policy\.sql$/),
  ]);
  const rows = await backend.database
    .pool('supabase_admin')
    .query<{ statements: string[] }>(
      sql`select statements from supabase_migrations.schema_migrations where name = 'team_policy'`,
    );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.statements.join()).toContain('create policy');
  expect((await call({ change: create, migration: '../x' })).status).toBe(400);
  expect(
    (
      await looker.call('POST', '/policies', {
        schema: 'public',
        table: 'teams',
        change: create,
        migration: 'x',
      })
    ).status,
  ).toBe(403);
});
