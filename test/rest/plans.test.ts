/** Tests which reads use PostgreSQL's generic plans, by PostgreSQL's counters for prepared statements. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRequestPath } from '../../src/platform/database/path/index.ts';
import { createTestDatabase, testTarget } from '../../src/platform/database/testing.ts';
import { type RestHarness, serveRest } from './harness.ts';

const authSql = new URL('../../src/services/auth/sql/', import.meta.url);

const alice = '00000000-0000-4000-8000-00000000000a';
const rooms = 50;
const messages = 20_000;
/** PostgreSQL plans a statement five times with its values before it considers a generic plan. */
const repetitions = 12;

const SCHEMA = `
  create table public.rooms (id int primary key, name text not null);
  create table public.messages (id int primary key, owner uuid not null, room_id int not null references public.rooms,
    kind text not null, tenant int not null, sent_at timestamptz not null);
  insert into public.rooms select i, 'room ' || i from generate_series(1, ${rooms}) i;
  insert into public.messages
    select i, '${alice}', 1 + i % ${rooms}, case when i % 500 = 0 then 'rare' else 'usual' end,
      case when i % 2 = 0 then 0 else i % 1000 end,
      timestamptz '2026-01-01' + i * interval '1 minute'
    from generate_series(1, ${messages}) i;
  create index on public.messages (room_id);
  create index on public.messages (kind);
  create index on public.messages (tenant);
  create index on public.messages (sent_at);
  alter table public.messages enable row level security;
  create policy own on public.messages for select using (owner = (select auth.uid()));
  create view public.plans as
    select coalesce(sum(generic_plans), 0)::int as generic, coalesce(sum(custom_plans), 0)::int as custom
    from pg_prepared_statements where statement like '%"public"."messages"%';
  grant select on public.messages, public.rooms, public.plans to authenticated;`;

let rest: RestHarness;
beforeAll(async () => {
  const test = await createTestDatabase('rest-plans', async (template) => {
    await template.migrate([{ module: 'auth', dir: authSql }]);
    await template.pool('postgres').exec(SCHEMA);
    await template.pool('supabase_admin').exec('analyze public.messages, public.rooms');
  });
  const { database, drop } = test;
  // With a single shared connection, the view of the prepared statements shows those of all fast reads.
  const requestPath = createRequestPath({
    connectOptions: () => testTarget(test, 'authenticator'),
    sharedConnections: 1,
  });
  rest = await serveRest({ ...database, requestPath }, async () => {
    await requestPath.stop();
    await drop();
  });
  for (let index = 0; index < 5; index++) await plans();
});
afterAll(() => rest?.stop());

interface Plans {
  readonly generic: number;
  readonly custom: number;
}

async function read<T>(path: string): Promise<T> {
  const headers = { authorization: `Bearer ${rest.userToken(alice)}` };
  const response = await rest.fetch(path, { headers });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as T;
}

async function plans(): Promise<Plans> {
  const [row] = await read<Plans[]>('/plans');
  return row as Plans;
}

/** Sends the reads in turn. Returns how many of them ran on the shared connection with each kind of plan. */
async function plansOf(path: (index: number) => string): Promise<Plans> {
  const before = await plans();
  for (let index = 0; index < repetitions; index++) {
    const rows = await read<unknown[]>(`/messages?${path(index)}`);
    expect(rows.length).toBeGreaterThan(0);
  }
  const after = await plans();
  return { generic: after.generic - before.generic, custom: after.custom - before.custom };
}

describe('a generic plan is used for', () => {
  test.each<[string, (index: number) => string]>([
    ['a list', () => 'select=id&order=sent_at.desc&limit=20'],
    ['its second page', () => 'select=id&order=sent_at.desc&limit=20&offset=20'],
    ['a list with an embedded row', () => 'select=id,rooms(name)&order=sent_at.desc&limit=21'],
    [
      'a list filtered by a column with even values',
      (index) => `select=id&room_id=eq.${1 + (index % rooms)}&order=id&limit=20`,
    ],
    [
      'a list filtered by several such values',
      (index) =>
        `select=id&room_id=in.(${1 + (index % rooms)},2,3,5,7,11,13,17,19,23,29,31)&order=id&limit=20`,
    ],
    [
      'a list filtered by a column with a few values, whose plan depends on the value',
      (index) => `select=id&kind=eq.${index % 2 ? 'rare' : 'usual'}&order=sent_at&limit=20`,
    ],
    ['such a list without a limit', (index) => `select=id,kind&kind=eq.${index % 2 ? 'rare' : 'usual'}`],
    ['a page after a row', (index) => `select=id&id=gt.${index * 100}&order=id&limit=20`],
    ['a row by its key with a limit', (index) => `select=id&id=eq.${1 + index}&limit=1`],
  ])('%s', async (_name, path) => {
    // A shape first runs on other connections, until it is known to be fast, and its statistics are read meanwhile.
    await expect.poll(async () => (await plansOf(path)).generic).toBe(repetitions);
  });
});

let newLimit = 30;

describe('each request is planned with its values for', () => {
  test.each<[string, (index: number) => string]>([
    [
      'a column with many values, one of which is frequent',
      (index) => `select=id&tenant=eq.${index % 2 ? index : 0}&order=sent_at&limit=20`,
    ],
    ['a range', (index) => `select=id&sent_at=gt.2026-01-0${1 + (index % 9)}&order=id&limit=20`],
    ['ranges that differ each time', () => `select=id&order=sent_at.desc&limit=${newLimit++}`],
  ])('%s', async (_name, path) => {
    await expect.poll(async () => (await plansOf(path)).custom).toBe(repetitions);
    expect((await plansOf(path)).generic).toBe(0);
  });
});
