/** Tests the reports of `plinth inspect` on a database with a blocked statement, a duplicate index and deleted rows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { inspect, type ReportName, reports } from '../../src/platform/database/index.ts';

type Backend = Awaited<ReturnType<typeof createTestBackend>>;

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({
    sql: `
      create table public.orders (id int primary key, buyer int, note text);
      create index orders_buyer on public.orders (buyer);
      create index orders_buyer_again on public.orders (buyer);
      insert into public.orders select n, n % 10, repeat('x', 200) from generate_series(1, 2000) n;
      delete from public.orders where id > 1000;
      analyze public.orders;
    `,
  });
});
afterAll(() => backend?.stop());

async function rowsOf(name: ReportName) {
  const report = await inspect(backend.database.pool('postgres'), name);
  if (report === undefined) throw new Error('the extension is missing');
  return report.rows;
}

test.each(Object.keys(reports) as ReportName[])(
  'the report %s returns the fields that it declares',
  async (name) => {
    const fields = reports[name].columns.map(({ field }) => field);
    for (const row of await rowsOf(name)) expect(Object.keys(row)).toEqual(fields);
  },
);

test('the report calls contains a frequent statement with its role', async () => {
  const db = backend.database.pool('postgres');
  for (let n = 0; n < 300; n++)
    await db.query(sql`select count(*) from public.orders where note <> ${'inspected'}`);
  const own = (await rowsOf('calls')).find(({ query }) =>
    String(query).includes('public.orders where note <>'),
  );
  expect(own).toMatchObject({ calls: 300, rows: 300, role: 'postgres' });
});

test('the report locks shows the waiting and the blocking session, and the report running contains both', async () => {
  const pool = backend.database.pool('postgres');
  const holder = await pool.connect();
  const waiter = await pool.connect();
  try {
    await holder.exec('begin; lock table public.orders in access exclusive mode');
    const blocked = waiter.query(sql`select 'waits' from public.orders`);
    await expect.poll(async () => (await rowsOf('locks')).length).toBe(1);
    expect(await rowsOf('locks')).toMatchObject([
      {
        object: 'public.orders',
        mode: 'AccessShareLock',
        waiting_query: `select 'waits' from public.orders`,
        holding_state: 'idle in transaction',
      },
    ]);
    const running = await rowsOf('running');
    expect(running.map(({ state }) => state)).toEqual(['idle in transaction', 'active']);
    await holder.exec('commit');
    await blocked;
  } finally {
    holder.destroy();
    waiter.destroy();
  }
});

test('the report indexes contains a duplicate and an unused index, but not a primary key', async () => {
  const rows = await rowsOf('indexes');
  const own = rows.filter(({ table }) => String(table).endsWith('orders'));
  expect(Object.fromEntries(own.map(({ index, finding }) => [index, finding]))).toEqual({
    'public.orders_buyer': 'unused since the statistics were reset',
    'public.orders_buyer_again': 'duplicate',
  });
});

test('the reports sizes and bloat contain the table', async () => {
  const size = (await rowsOf('sizes')).find(({ table }) => table === 'public.orders');
  expect(size).toMatchObject({ rows: 1000 });
  expect(Number(size?.table_bytes)).toBeGreaterThan(400_000);
  expect(Number(size?.total_bytes)).toBeGreaterThanOrEqual(
    Number(size?.table_bytes) + Number(size?.index_bytes) + Number(size?.toast_bytes),
  );
  const bloat = (await rowsOf('bloat')).find(({ table }) => table === 'public.orders');
  expect(Number(bloat?.bloat)).toBeGreaterThan(0.3);
  expect(Number(bloat?.bloat)).toBeLessThan(0.6);
});

test('the report connections adds up to the server’s number of sessions', async () => {
  const rows = await rowsOf('connections');
  const [{ sessions } = { sessions: 0 }] = await backend.database
    .pool('supabase_admin')
    .query<{ sessions: number }>(sql`
    select count(*)::int as sessions from pg_stat_activity where backend_type in ('client backend', 'walsender')`);
  expect(rows.reduce((sum, { total }) => sum + Number(total), 0)).toBeGreaterThan(0);
  expect(Math.abs(rows.reduce((sum, { total }) => sum + Number(total), 0) - sessions)).toBeLessThanOrEqual(2);
});

test('a project’s SQL operator isn’t used, even if it matches better than PostgreSQL’s', async () => {
  const db = backend.database.pool('postgres');
  await db.exec(`
    create function public.divide(float8, int) returns float8 language plpgsql as
      $$ begin raise exception 'the project ran as %', current_user; end $$;
    create operator public./ (leftarg = float8, rightarg = int, function = public.divide);`);
  try {
    expect((await rowsOf('connections')).length).toBeGreaterThan(0);
  } finally {
    await db.exec('drop operator public./ (float8, int); drop function public.divide');
  }
});
