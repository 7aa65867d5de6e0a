/** The API page's requests: in somebody's name, to REST alone; and the types of the live schema. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSql } from '../../src/testing.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend();
  for (const statement of [
    'create table public.mine (id int, owner uuid)',
    'alter table public.mine enable row level security',
    'grant all on public.mine to anon, authenticated, service_role',
    'create policy own on public.mine to authenticated using (owner = auth.uid())',
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
  ['nobody', 'anon', 0],
  ['one who owns a row', claims('00000000-0000-4000-8000-000000000001'), 1],
])('%s sees what the policies let them', async (_who, as, rows) => {
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

test.each(['../auth/v1/admin/users', '%2e%2e/auth/v1/admin/users', 'rpc/../../auth', '//evil.example', ''])(
  'a path out of REST is refused: %j',
  async (path) => {
    expect((await owner.call('POST', '/reference/try', { method: 'GET', path })).status).toBe(400);
  },
);

test('no credential is in the answer, and each try is in the audit log', async () => {
  const { body } = await owner.call('POST', '/reference/try', { method: 'GET', path: 'tasks?limit=1' });
  expect(JSON.stringify(body)).not.toContain(backend.keys.serviceRoleKey);
  const { entries } = (await owner.call('GET', '/audit?action=api.try')).body;
  expect(entries[0]).toMatchObject({ target: 'tasks', detail: { method: 'GET', as: 'operator' } });
});

test('types are those of the live schema', async () => {
  const { status, body, headers } = await owner.call('GET', '/reference/types');
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toContain('database.types.ts');
  expect(body).toContain('export type Database');
  expect(body).toContain('keyless:');
});
