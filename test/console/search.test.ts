/** Tests the command palette's search: the results of each group, the roles that can see them, and the limits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Backend, type Operator, operator, startWithUser } from './harness.ts';

let backend: Backend;
let owner: Operator;
let looker: Operator;
let ada: string;
const id = '7b1f0a52-8c1e-4f0e-9a6d-2f7a3c1d9e10';

beforeAll(async () => {
  ({ backend, owner, userId: ada } = await startWithUser('ada_lovelace@example.com'));
  looker = await operator(backend, 'looker');
  const admin = backend.database.pool('supabase_admin');
  await backend.database.pool('postgres').exec(`
    create table public.orders (id uuid primary key, total_amount numeric);
    insert into public.orders values ('${id}', 12);
    create table public.small (id smallint primary key);
    insert into public.small values (7);
    create table public.parts (id int primary key) partition by range (id);
    create table public.parts_one partition of public.parts for values from (0) to (100);
    insert into public.parts values (7);
    create function public.count_orders() returns int language sql as 'select 1';
    create extension if not exists pg_cron;
    select cron.schedule('nightly-cleanup', '0 3 * * *', $$select 'hidden_key'$$);
  `);
  await admin.exec(`
    insert into storage.buckets (id, name) values ('invoices', 'invoices');
    insert into storage.objects (bucket_id, name) values
      ('invoices', '2026/january-report.pdf'), ('invoices', '100%_done.txt');
  `);
});
afterAll(() => backend?.stop());

interface Line {
  readonly group: string;
  readonly isPartial: boolean;
  readonly hits: readonly {
    title: string;
    detail: string;
    target: { to: string; params?: object; search?: object };
  }[];
}

async function found(search: string, who = owner): Promise<Record<string, Line['hits']>> {
  const { status, body } = await who.call('GET', `/search?search=${encodeURIComponent(search)}`);
  expect([search, status]).toEqual([search, 200]);
  const lines = (body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines.filter(({ isPartial }) => isPartial)).toEqual([]);
  return Object.fromEntries(lines.map(({ group, hits }) => [group, hits]));
}

const titles = (hits: Line['hits'] | undefined): string[] => hits?.map(({ title }) => title) ?? [];

test('users are found by email, name and ID', async () => {
  for (const search of ['ada_love', 'LOVELACE', ada, ada.slice(0, 13)]) {
    const { users } = await found(search);
    expect([search, users?.[0]?.target]).toEqual([search, { to: '/users', search: { id: ada } }]);
  }
});

describe('rows', () => {
  test('are found by the UUID or number in their primary key, regardless of the number’s size', async () => {
    expect((await found(id)).rows).toMatchObject([
      { title: 'orders', target: { params: { schema: 'public', table: 'orders' }, search: { row: { id } } } },
    ]);
    expect(titles((await found(id.toUpperCase())).rows)).toEqual(['orders']);
    expect(titles((await found('07')).rows)).toEqual(['parts', 'small', 'tasks']);
    expect(titles((await found('999999999999999999')).rows)).toEqual([]);
    expect(titles((await found('seven')).rows)).toEqual([]);
  });

  test('are read with the operator’s database role and only with indexes', async () => {
    await backend.database.pool('postgres').exec(`
      create schema closed;
      create table closed.secret (id int primary key);
      insert into closed.secret values (7);
      revoke all on schema closed from supabase_read_only_user;`);
    const { rows } = await found('07', looker);
    expect(titles(rows)).toContain('tasks');
    await backend.database.pool('postgres').exec('drop schema closed cascade');
  });

  test('of a locked table are skipped, and the other results are returned', async () => {
    const session = await backend.database.pool('postgres').connect();
    try {
      await session.exec('begin; lock table public.small in access exclusive mode');
      const { body } = await owner.call('GET', `/search?search=${id}`);
      const lines = (body as string)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      expect(titles(lines.find(({ group }) => group === 'rows')?.hits)).toEqual(['orders']);
      const locked = await owner.call('GET', '/search?search=07');
      const partial = (locked.body as string)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      expect(partial.filter(({ isPartial }) => isPartial).map(({ group }) => group)).toEqual(['rows']);
    } finally {
      await session.exec('rollback');
      session.release();
    }
  });
});

test('columns, functions, jobs and settings are found, with the best match first', async () => {
  expect((await found('total_am')).columns).toMatchObject([
    { title: 'total_amount', detail: 'public.orders · numeric' },
  ]);
  expect((await found('count_orders')).functions).toMatchObject([
    { title: 'count_orders', target: { to: '/reference', search: { schema: 'public', fn: 'count_orders' } } },
  ]);
  expect((await found('nightly')).jobs).toMatchObject([{ title: 'nightly-cleanup' }]);
  expect((await found('jwt_expiry')).settings?.[0]).toMatchObject({
    target: { to: '/settings', search: { setting: 'auth.jwt_expiry' } },
  });
  expect((await found('2fa')).settings?.length).toBeGreaterThan(0);
});

test('files and buckets are found, and wildcards in a search are ordinary characters', async () => {
  expect((await found('invo')).files?.[0]).toMatchObject({
    title: 'invoices',
    target: { search: { bucket: 'invoices' } },
  });
  expect((await found('january')).files).toMatchObject([
    {
      title: 'january-report.pdf',
      target: { search: { bucket: 'invoices', folder: '2026/', file: '2026/january-report.pdf' } },
    },
  ]);
  expect(titles((await found('100%_')).files)).toEqual(['100%_done.txt']);
  for (const search of ['%%', '__', `\\\\`, `';--`, '$1 $2'])
    expect(
      Object.values(await found(search))
        .flat()
        .filter(({ title }) => !title.includes(search)),
    ).toEqual([]);
});

test('a request is found by its ID', async () => {
  await backend.fetch('/rest/v1/tasks?select=id', { headers: { 'x-request-id': 'find-this-request-1' } });
  await expect
    .poll(async () => (await found('find-this-request-1')).requests)
    .toMatchObject([{ target: { to: '/logs', search: { open: 'find-this-request-1' } } }]);
});

test('read-only operators can’t find text in commands or the migration history', async () => {
  expect(titles((await found('hidden_key')).jobs)).toEqual(['nightly-cleanup']);
  expect(titles((await found('hidden_key', looker)).jobs)).toEqual([]);
  expect((await found('create', looker)).migrations).toEqual([]);
  const response = await backend.console.fetch('/console/api/search?search=ada');
  expect(response.status).toBe(401);
  expect((await owner.call('GET', '/search?search=a')).status).toBe(400);
});

test('a search that is canceled doesn’t affect the next ones', async () => {
  await Promise.all(
    Array.from({ length: 15 }, async () => {
      const controller = new AbortController();
      const search = backend.console
        .fetch('/console/api/search?search=task', {
          headers: { cookie: owner.cookie },
          signal: controller.signal,
        })
        .then((response) => response.text())
        .catch(() => undefined);
      controller.abort();
      await search;
    }),
  );
  await expect.poll(async () => (await owner.call('GET', '/search?search=total')).status).toBe(200);
});
