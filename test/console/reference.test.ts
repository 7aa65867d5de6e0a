/**
 * Tests the API page's requests, which are sent as a chosen user and only to REST. Also tests the types of the live
 * schema.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSql } from '../../src/entry/testing.ts';
import { configFrom } from '../../src/platform/config/index.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend({ config: configFrom({ api: { schemas: ['public', 'inner_rooms'] } }) });
  for (const statement of [
    'create table public.mine (id int, owner uuid)',
    'alter table public.mine enable row level security',
    'grant all on public.mine to anon, authenticated, service_role',
    'create policy own on public.mine to authenticated using (owner = auth.uid())',
    'create function public.add_mine(id int, note text default null) returns public.mine language sql as $$ insert into public.mine values (id, auth.uid()) returning * $$',
    'create function public.unnamed(int) returns int language sql as $$ select 1 $$',
    'create schema inner_rooms',
    'create table inner_rooms.beds (id int primary key)',
    'create function inner_rooms.sleep_well() returns trigger language plpgsql as $$ begin return new; end $$',
    'grant usage on schema inner_rooms to anon, authenticated, service_role',
    'grant all on inner_rooms.beds to anon, authenticated, service_role',
    "insert into public.mine values (1, '00000000-0000-4000-8000-000000000001'), (2, null)",
  ])
    await runSql(backend, statement);
  owner = await operator(backend);
});
afterAll(() => backend?.stop());

const claims = (sub: string): string =>
  `claims:${Buffer.from(JSON.stringify({ role: 'authenticated', sub })).toString('base64url')}`;

test.each([
  ['the operator', undefined, 2],
  ['an anonymous caller', 'anon', 0],
  ['the owner of a row', claims('00000000-0000-4000-8000-000000000001'), 1],
])('%s sees the rows that the policies allow', async (_who, as, rows) => {
  await expect
    .poll(async () => {
      const { body } = await owner.call('POST', '/reference/try', {
        as,
        method: 'GET',
        path: 'mine?select=id',
      });
      return body.status === 200 ? JSON.parse(body.body).length : body.status;
    })
    .toBe(rows);
});

const ada = '00000000-0000-4000-8000-000000000001';
const send = async (trial: object, by = owner) => (await by.call('POST', '/reference/try', trial)).body;
const count = async (): Promise<number> =>
  JSON.parse((await send({ method: 'GET', path: 'mine?select=id' })).body).length;

test('the response contains the exposed schemas and the functions that a request can call', async () => {
  const { body } = await owner.call('GET', '/reference');
  expect(body.schemas).toEqual(['public', 'inner_rooms']);
  const names = body.functions.map((each: { schema: string; name: string }) => `${each.schema}.${each.name}`);
  expect(names).toContain('public.add_mine');
  expect(names.filter((name: string) => /unnamed|sleep_well|keep$/.test(name))).toEqual([]);
  expect(body.functions.find(({ name }: { name: string }) => name === 'add_mine')).toEqual({
    schema: 'public',
    name: 'add_mine',
    arguments: [
      { name: 'id', type: 'integer', required: true },
      { name: 'note', type: 'text', required: false },
    ],
    returns: 'mine',
    volatile: true,
    comment: null,
  });
});

test.each([
  ['an insert', { method: 'POST', path: 'mine', body: JSON.stringify({ id: 7, owner: ada }) }, 201],
  ['an update', { method: 'PATCH', path: 'mine?id=eq.1', body: JSON.stringify({ id: 70 }) }, 200],
  ['a delete', { method: 'DELETE', path: 'mine?id=eq.1' }, 200],
  ['a call that writes', { method: 'POST', path: 'rpc/add_mine', body: JSON.stringify({ id: 8 }) }, 200],
])('%s gets the same response as an app, and is rolled back', async (_what, trial, status) => {
  const before = await send({ method: 'GET', path: 'mine?select=*&order=id' });
  const response = await send({ ...trial, as: claims(ada) });
  expect([response.status, response.body]).toEqual([status, expect.stringContaining(ada)]);
  expect(await send({ method: 'GET', path: 'mine?select=*&order=id' })).toEqual(before);
});

test('the changes of a committed request are kept, and the audit log shows whether a request was committed', async () => {
  const before = await count();
  const insert = { method: 'POST', path: 'mine', body: JSON.stringify({ id: 9, owner: ada }) };
  await send({ ...insert, rollsBack: false, as: claims(ada) });
  expect(await count()).toBe(before + 1);
  await send({ method: 'DELETE', path: 'mine?id=eq.9', rollsBack: false });
  expect(await count()).toBe(before);
  const { entries } = (await owner.call('GET', '/audit?action=api.try')).body;
  const writes = entries.filter(({ detail }: { detail: { method: string } }) => detail.method !== 'GET');
  expect(writes.slice(0, 2).map(({ detail }: { detail: object }) => detail)).toEqual([
    { method: 'DELETE', as: 'operator' },
    { method: 'POST', as: 'claims' },
  ]);
  expect(writes[2].detail.rollsBack).toBe(true);
});

test('another exposed schema can be selected, a schema that isn’t exposed can’t, and policies are enforced', async () => {
  const beds = { method: 'POST', path: 'beds', schema: 'inner_rooms', body: '{"id":1}' };
  expect((await send(beds)).status).toBe(201);
  expect((await send({ method: 'GET', path: 'beds', schema: 'inner_rooms' })).body).toBe('[]');
  expect(await send({ method: 'GET', path: 'users', schema: 'auth' })).toMatchObject({
    status: 406,
    body: expect.stringContaining('PGRST106'),
  });
  const foreign = { method: 'POST', path: 'mine', body: '{"id":1,"owner":null}', as: claims(ada) };
  expect(await send(foreign)).toMatchObject({ status: 403, body: expect.stringContaining('42501') });
});

test('a read-only operator can’t run examples', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const looker = await operator(backend, 'looker');
  expect((await looker.call('GET', '/reference')).status).toBe(200);
  const trial = { method: 'GET', path: 'mine' };
  expect((await looker.call('POST', '/reference/try', trial)).status).toBe(403);
});

test.each(['../auth/v1/admin/users', '%2e%2e/auth/v1/admin/users', 'rpc/../../auth', '//evil.example', ''])(
  'a path outside REST is rejected: %j',
  async (path) => {
    expect((await owner.call('POST', '/reference/try', { method: 'GET', path })).status).toBe(400);
  },
);

test('the response doesn’t contain credentials, and each request is in the audit log', async () => {
  const { body } = await owner.call('POST', '/reference/try', { method: 'GET', path: 'tasks?limit=1' });
  expect(JSON.stringify(body)).not.toContain(backend.keys.serviceRoleKey);
  const { entries } = (await owner.call('GET', '/audit?action=api.try')).body;
  expect(entries[0]).toMatchObject({
    target: 'tasks',
    detail: { method: 'GET', as: 'operator', rollsBack: true },
  });
});

test('the types match the live schema', async () => {
  const { status, body, headers } = await owner.call('GET', '/reference/types');
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toContain('database.types.ts');
  expect(body).toContain('export type Database');
  expect(body).toContain('keyless:');
});
