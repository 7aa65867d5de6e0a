/** Tests that the access check can explain helper functions and subselects without changing or revealing data. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, operator, startBackend } from './harness.ts';

const ada = '11111111-1111-4111-8111-111111111111';
const eve = '22222222-2222-4222-8222-222222222222';
let backend: Backend;
let owner: Awaited<ReturnType<typeof operator>>;
beforeAll(async () => {
  backend = await startBackend();
  owner = await operator(backend);
  await backend.operators.createOperator('looker', 'read-only');
  await backend.database.pool('postgres').exec(`
    create schema app; grant usage on schema app to anon, authenticated;
    create table app.members (org_id int, user_id uuid, role text);
    insert into app.members values (1, '${ada}', 'admin'), (2, '${ada}', 'viewer'), (1, '${eve}', 'viewer');
    create function app.has_role(org int, wanted text default 'viewer') returns boolean language sql stable
      as $$ select exists (select 1 from app.members m where m.org_id = org and m.user_id = auth.uid() and m.role = wanted) $$;
    create function app.is_member(org_id int) returns boolean language sql stable security definer set search_path = ''
      as $$ select app.has_role(org_id) or app.has_role($1, 'admin') $$;
    create function app.my_orgs() returns setof int language sql stable security definer set search_path = ''
      begin atomic select m.org_id from app.members m where m.user_id = auth.uid(); end;
    create function app.by_code(wanted text) returns boolean language plpgsql stable
      as $$ begin return wanted = 'open'; end $$;
    create function app.key_is(given text) returns boolean language sql stable security definer set search_path = ''
      as $$ select (select encrypted_password from auth.users u where u.email = 'victim@example.com') = given $$;
    create function app.writes() returns boolean language sql volatile security definer
      as $$ with w as (insert into app.members values (9, null, 'x') returning 1) select true from w $$;
    create table public.orgs (id int primary key, code text);
    insert into public.orgs values (1, 'open'), (2, 'closed'), (3, 'none');
    alter table public.orgs enable row level security;
    create policy member on public.orgs for select to authenticated using (app.is_member(id));
    create table public.mine (id int primary key, org int);
    insert into public.mine values (1, 1), (2, 3);
    alter table public.mine enable row level security;
    create policy mine on public.mine for select to authenticated using (org in (select app.my_orgs()));
    create table public.coded (id int primary key, code text);
    insert into public.coded values (1, 'shut');
    alter table public.coded enable row level security;
    create policy coded on public.coded for select to authenticated using (app.by_code(code) or app.key_is(code));
    create table public.shy (id int, who uuid);
    insert into public.shy values (1, '${ada}'), (1, '${eve}');
    alter table public.shy enable row level security;
    create table public.rooms (id int primary key);
    insert into public.rooms values (1);
    alter table public.rooms enable row level security;
    create policy shy on public.rooms for select to authenticated
      using (exists (select 1 from public.shy s where s.id = rooms.id and s.who = auth.uid()));
    create table public.written (id int primary key);
    insert into public.written values (1);
    alter table public.written enable row level security;
    create policy written on public.written for update to authenticated using (true) with check (app.writes());
    create policy seen on public.written for select to authenticated using (true);`);
});
afterAll(() => backend?.stop());

const claims = (sub: string): string =>
  `claims:${Buffer.from(JSON.stringify({ role: 'authenticated', sub })).toString('base64url')}`;

async function leafOf(table: string, id: number, sub: string, as = owner) {
  const { status, body } = await as.call('POST', '/why', {
    schema: 'public',
    table,
    as: claims(sub),
    operation: 'select',
    key: { id: String(id) },
    values: {},
    returned: [],
  });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.gates[0].policies[0].tree;
}

test('a SECURITY DEFINER function is explained with its arguments and the rows that it reads', async () => {
  const leaf = await leafOf('orgs', 3, ada);
  expect(leaf).toMatchObject({ kind: 'test', text: 'app.is_member(id)', value: false });
  const [call] = leaf.calls;
  expect(call).toMatchObject({
    name: 'app.is_member(integer)',
    value: 'false',
    role: 'postgres',
    securityDefiner: true,
    arguments: [{ name: 'org_id', text: 'id', value: '3' }],
    body: "select app.has_role(3) or app.has_role(3, 'admin')",
    note: null,
    tree: { kind: 'or', value: false },
  });
  const [viewer, admin] = call.tree.parts;
  expect(viewer.calls[0]).toMatchObject({
    role: 'postgres',
    arguments: [
      { name: 'org', value: '3' },
      { name: 'wanted', value: 'viewer' },
    ],
  });
  expect(admin.calls[0].body).toContain("m.org_id = 3 and m.user_id = auth.uid() and m.role = 'admin'");
  expect(admin.calls[0].tree.rows).toMatchObject([
    {
      from: 'app.members m',
      total: 3,
      matched: 0,
      conditions: [
        { text: 'm.org_id = 3', matched: 0 },
        { text: 'm.user_id = auth.uid()', matched: 2, operands: [{ text: 'auth.uid()', value: ada }] },
        { text: "m.role = 'admin'", matched: 1 },
      ],
      rows: [],
    },
  ]);
  const allowed = await leafOf('orgs', 1, ada);
  expect(allowed.calls[0].tree.parts[1].calls[0].tree.rows[0].rows).toEqual([
    { org_id: 1, user_id: ada, role: 'admin' },
  ]);
});

test('a function that returns rows is explained, even if its body is in BEGIN ATOMIC', async () => {
  const leaf = await leafOf('mine', 2, ada);
  expect(leaf).toMatchObject({ value: false, operands: [{ text: 'org', value: '3' }] });
  expect(leaf.calls[0]).toMatchObject({ value: '[1, 2]', tree: null, rows: [{ total: 3, matched: 2 }] });
});

test('a PL/pgSQL function shows its source, its arguments and its result', async () => {
  const leaf = await leafOf('coded', 1, ada);
  expect(leaf.parts[0].calls[0]).toMatchObject({
    language: 'plpgsql',
    note: 'language',
    value: 'false',
    arguments: [{ name: 'wanted', text: 'code', value: 'shut' }],
    body: "begin return wanted = 'open'; end",
  });
});

test('a subselect shows rows that row-level security hides from the persona', async () => {
  const leaf = await leafOf('rooms', 1, ada);
  expect(leaf.rows).toMatchObject([{ from: 'public.shy s', total: 0, matched: 0, hidden: 1, rows: [] }]);
});

test('values inside of SECURITY DEFINER functions are hidden from operators who can’t read secrets', async () => {
  await owner.call('POST', '/users', {
    email: 'victim@example.com',
    password: 'a-Good-password-1',
    confirmed: true,
  });
  const [victim] = await backend.database
    .pool('postgres')
    .query<{ hash: string }>(sql`select encrypted_password as hash from auth.users`);
  const mine = JSON.stringify(await leafOf('coded', 1, ada));
  expect(mine).toContain(JSON.stringify(victim?.hash).slice(1, -1));
  const looker = await operator(backend, 'looker');
  const theirs = await leafOf('coded', 1, ada, looker);
  expect(JSON.stringify(theirs)).not.toContain(JSON.stringify(victim?.hash).slice(1, 12));
  expect(theirs.parts[1].calls[0]).toMatchObject({ value: 'false', arguments: [{ value: 'shut' }] });
  expect(JSON.stringify(await leafOf('orgs', 1, ada, looker))).not.toContain('"user_id":');
});

test('the value of a function that can return a secret is hidden from operators who can’t read secrets', async () => {
  await backend.database.pool('postgres').exec(`
    create function app.the_key() returns text language sql stable security definer set search_path = ''
      as $$ select 'hush-' || count(*) from auth.users $$;
    create function app.same(a text, b text) returns boolean language sql stable as $$ select a = b $$;
    create table public.keyed (id int primary key, code text);
    insert into public.keyed values (1, 'shut');
    alter table public.keyed enable row level security;
    create policy keyed on public.keyed for select to authenticated
      using (code = app.the_key() or app.same(code, app.the_key()) or code = (select upper(app.the_key())));`);
  const mine = await leafOf('keyed', 1, ada);
  expect(mine.parts[0].operands).toContainEqual({
    text: 'app.the_key()',
    value: expect.stringMatching(/^hush-\d/),
  });
  const theirs = await leafOf('keyed', 1, ada, await operator(backend, 'looker'));
  expect(JSON.stringify(theirs)).not.toMatch(/hush-\d/i);
  expect(theirs.parts[0]).toMatchObject({
    value: false,
    operands: [{ text: 'code', value: 'shut' }],
    calls: [{ name: 'app.the_key()', value: null, isHidden: true }],
  });
  expect(theirs.parts[1].calls[0]).toMatchObject({
    name: 'app.same(text, text)',
    value: 'false',
    arguments: [],
  });
});

test('explaining a function never changes data, even if the function writes', async () => {
  const { status, body } = await owner.call('POST', '/why', {
    schema: 'public',
    table: 'written',
    as: claims(ada),
    operation: 'update',
    key: { id: '1' },
    values: { id: '2' },
    returned: [],
  });
  expect([status, body.truth?.verdict]).toEqual([200, 'allowed']);
  const [row] = await backend.database
    .pool('postgres')
    .query<{ n: number }>(sql`select count(*)::int as n from app.members`);
  expect(row?.n).toBe(3);
});

test('only a few explanations run concurrently, so the other pages have connections', async () => {
  await backend.database.pool('postgres').exec(`
    create table public.slow (id int primary key); insert into public.slow values (1);
    alter table public.slow enable row level security;
    create policy slow on public.slow using (pg_sleep(0.5) is not null);
    grant select on public.slow to authenticated;`);
  const ask = async () =>
    owner.call('POST', '/why', {
      schema: 'public',
      table: 'slow',
      as: claims(ada),
      operation: 'select',
      key: { id: '1' },
      values: {},
      returned: [],
    });
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(ask));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429, 429]);
  expect((await ask()).status).toBe(200);
});
