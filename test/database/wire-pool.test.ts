/** Tests pools with a real server: transactions, savepoints, sessions, queues, recovery, shutdown and notifications. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Sql, sql } from '../../src/base/kernel/sql.ts';
import { createListenHub, createPools, type Pools } from '../../src/platform/database/pool/index.ts';
import type { RolePool } from '../../src/platform/database/pool/role-pool.ts';
import { createTestDatabase, type TestDatabase, testTarget } from '../../src/platform/database/testing.ts';
import type { LoginRole } from '../../src/platform/database/types.ts';

let db: TestDatabase;
const opened: Pools[] = [];

beforeAll(async () => {
  db = await createTestDatabase('wire');
  await db.database.pool('postgres').exec('create table public.things (id int primary key)');
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((pools) => pools.end()));
});

afterAll(async () => {
  await db?.drop();
});

function open(
  options: { max?: number; acquireTimeoutMs?: number; idleTimeoutMs?: number; maxWaiting?: number } = {},
): RolePool {
  const connectOptions = (role: LoginRole) => ({
    ...testTarget(db, role),
    applicationName: 'pool test',
  });
  const pools = createPools({ connectOptions, ...options });
  opened.push(pools);
  return pools.pool('postgres');
}

async function backends(): Promise<number> {
  const [row] = await db.database.pool('supabase_admin').query<{ count: number }>(sql`
    select count(*) from pg_stat_activity where application_name = 'pool test' and datname = current_database()`);
  return row?.count ?? 0;
}

async function terminateAll(): Promise<void> {
  await db.database.pool('supabase_admin').query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'pool test' and datname = current_database()`);
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('It never came true.');
}

test('a pool doesn’t open connections before its first use, and never opens more than max', async () => {
  const pool = open({ max: 2 });
  expect(await backends()).toBe(0);
  await Promise.all(Array.from({ length: 10 }, () => pool.query(sql`select pg_sleep(0.005)`)));
  expect(await backends()).toBe(2);
});

test('idle connections are closed', async () => {
  const pool = open({ idleTimeoutMs: 20 });
  await pool.query(sql`select 1`);
  await eventually(async () => (await backends()) === 0);
  expect(await pool.query(sql`select 1 as a`)).toEqual([{ a: 1 }]);
});

test('a caller that waits too long gets an error with a code', async () => {
  const pool = open({ max: 1, acquireTimeoutMs: 400 });
  const session = await pool.connect();
  await expect(pool.query(sql`select 1`)).rejects.toMatchObject({ code: 'pool_timeout' });
  session.release();
  expect(await pool.query(sql`select 1 as a`)).toEqual([{ a: 1 }]);
});

test('clients take turns, no client can occupy all connections, and a full queue rejects requests immediately', async () => {
  const pool = open({ max: 2, maxWaiting: 3 });
  const client = (key: string) => pool.of({ key, isAnonymous: false });
  const held = await client('a').connect();
  const order: string[] = [];
  const run = async (key: string, name: string) => {
    await client(key).query(sql`select 1`);
    order.push(name);
  };
  const waiting = [run('a', 'a1'), run('a', 'a2')];
  // The client `a` can't use the second connection, so the query of the client `b` runs immediately.
  await run('b', 'b');
  waiting.push(run('a', 'a3'));
  await expect(run('a', 'a4')).rejects.toMatchObject({ code: 'pool_full', retryAfterSeconds: 1 });
  held.release();
  await Promise.all(waiting);
  expect(order).toEqual(['b', 'a1', 'a2', 'a3']);
});

test('settings are applied with BEGIN and end with the transaction', async () => {
  const pool = open({ max: 1 });
  const read = sql`select current_user as role, current_setting('request.x', true) as x,
    current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as read_only`;
  const inside = await pool.transaction((tx) => tx.query(read), {
    settings: [
      ['role', 'anon'],
      ['request.x', 'y'],
    ],
    isolation: 'repeatable read',
    readOnly: true,
  });
  expect(inside).toEqual([{ role: 'anon', x: 'y', isolation: 'repeatable read', read_only: 'on' }]);
  const after = await pool.query(read);
  expect(after).toEqual([{ role: 'postgres', x: '', isolation: 'read committed', read_only: 'off' }]);
});

test('a transaction doesn’t begin if one of its settings is rejected', async () => {
  const pool = open({ max: 1 });
  let ran = false;
  const work = async () => {
    ran = true;
  };
  const refused = pool.transaction(work, { settings: [['role', 'unknown role']] });
  await expect(refused).rejects.toMatchObject({ code: '22023' });
  expect(ran).toBe(false);
  expect(await pool.query(sql`select current_user as role`)).toEqual([{ role: 'postgres' }]);
});

test('an error rolls the transaction back, a savepoint rolls back to itself, and `end: rollback` discards everything', async () => {
  const pool = open({ max: 1 });
  const failing = pool.transaction(async (tx) => {
    await tx.query(sql`insert into things values (1)`);
    throw new Error('mine');
  });
  await expect(failing).rejects.toThrow('mine');
  await pool.transaction(async (tx) => {
    await tx.query(sql`insert into things values (2)`);
    const twice = tx.savepoint(async (inner) => {
      await inner.query(sql`insert into things values (3)`);
      await inner.savepoint((innermost) => innermost.query(sql`insert into things values (4)`));
      await inner.query(sql`insert into things values (2)`);
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    await tx.savepoint((inner) => inner.query(sql`insert into things values (5)`));
  });
  await pool.transaction((tx) => tx.query(sql`insert into things values (6)`), { end: 'rollback' });
  expect(await pool.query(sql`select array_agg(id order by id) as ids from things`)).toEqual([
    { ids: [2, 5] },
  ]);
});

test('a commit of a failed transaction is an error', async () => {
  const pool = open();
  const swallowing = pool.transaction(async (tx) => {
    await tx.query(sql`insert into things values (7)`);
    await tx.query(sql`select 1 / 0`).catch(() => {});
  });
  await expect(swallowing).rejects.toMatchObject({ code: '25P02' });
  expect(await pool.query(sql`select from things where id = 7`)).toEqual([]);
});

test('a statement after the end of its transaction is rejected', async () => {
  const pool = open();
  const kept = await pool.transaction(async (tx) => ({ tx }));
  expect(() => kept.tx.query(sql`select 1`)).toThrow(/already ended/);
});

test('an aborted transaction is canceled and its connection stays usable', async () => {
  const pool = open({ max: 1 });
  const controller = new AbortController();
  const sleeping = pool.transaction(
    async (tx) => {
      setTimeout(() => controller.abort(), 10);
      await tx.query(sql`select pg_sleep(60)`);
    },
    { signal: controller.signal },
  );
  await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
  expect(await pool.query(sql`select 1 as a`)).toEqual([{ a: 1 }]);
});

test('a session doesn’t leave any state behind', async () => {
  const pool = open({ max: 1 });
  const session = await pool.connect();
  await session.exec(
    `set statement_timeout = '7s'; create temp table left_over (a int); select pg_advisory_lock(1)`,
  );
  await session.exec('begin');
  session.release();
  const [row] = await pool.query(sql`
    select current_setting('statement_timeout') as timeout, to_regclass('left_over') as left_over,
      (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
      pg_backend_pid() as pid`);
  expect(row).toEqual({ timeout: '0', left_over: null, locks: 0, pid: session.processId });
});

test('broken connections are replaced without an effect on clients', async () => {
  const pool = open({ max: 3 });
  await Promise.all(Array.from({ length: 3 }, () => pool.query(sql`select pg_sleep(0.01)`)));
  await terminateAll();
  const answers = await Promise.all([
    pool.query(sql`select 1 as a`),
    pool.query(sql`select 1 as a`),
    pool.transaction((tx) => tx.query(sql`select 1 as a`)),
  ]);
  expect(answers).toEqual([[{ a: 1 }], [{ a: 1 }], [{ a: 1 }]]);
});

test('a statement that was running when its connection died isn’t repeated', async () => {
  const pool = open();
  const running = pool.query(sql`select pg_sleep(60)`);
  const refused = expect(running).rejects.toMatchObject({ code: '57P01', untouched: false });
  const asleep = sql`select from pg_stat_activity where application_name = 'pool test'
    and datname = current_database() and wait_event = 'PgSleep'`;
  await eventually(async () => (await db.database.pool('supabase_admin').query(asleep)).length === 1);
  await terminateAll();
  await refused;
  expect(await pool.query(sql`select 1 as a`)).toEqual([{ a: 1 }]);
});

test('`end` waits for pending work and rejects new work', async () => {
  const pool = open();
  await pool.query(sql`select 1`);
  const last = pool.query(sql`select pg_sleep(0.02)::text, 1 as a`);
  await opened.at(-1)?.end();
  expect(await last).toMatchObject([{ a: 1 }]);
  await expect(pool.query(sql`select 1`)).rejects.toMatchObject({ code: 'pool_ended' });
  await eventually(async () => (await backends()) === 0);
});

test('listeners receive notifications, continue after a lost connection, and can be stopped', async () => {
  const connectOptions = () => ({ ...testTarget(db), applicationName: 'pool test' });
  const hub = createListenHub({ connectOptions });
  const heard: string[] = [];
  const undo = await hub.listen(
    'news',
    (payload) => heard.push(payload),
    () => heard.push('reconnected'),
  );
  const other = await hub.listen('other', () => {});
  const notify = (payload: string) =>
    db.database.pool('postgres').query(sql`select pg_notify('news', ${payload})`);
  await notify('one');
  await eventually(async () => heard.length === 1);
  await terminateAll();
  await eventually(async () => heard.length === 2);
  await notify('two');
  await eventually(async () => heard.length === 3);
  await undo();
  await notify('three');
  await other();
  await hub.end();
  expect(heard).toEqual(['one', 'reconnected', 'two']);
});

test('the first statements are sent with BEGIN, and the last ones with COMMIT', async () => {
  const pool = open({ max: 1 });
  await pool.exec('truncate public.things');
  const seen = await pool.transaction(
    async (tx, rows) => {
      await tx.finish([
        sql`insert into public.things values (${1})`,
        sql`insert into public.things select max(id) + 1 from public.things`,
      ]);
      expect(() => tx.query(sql`select 1`)).toThrow('The transaction has already ended');
      return rows;
    },
    {
      first: [sql`select current_setting('my.setting') as setting`, sql`select 1 as n where false`],
      settings: [['my.setting', 'here']],
    },
  );
  expect(seen).toEqual([[{ setting: 'here' }], []]);
  expect(await pool.query(sql`select id from public.things order by id`)).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await backends()).toBe(1);
});

test('an error in the first statement, the last one or COMMIT rolls back everything, and the connection remains usable', async () => {
  const pool = open({ max: 1 });
  await pool.exec(`
    truncate public.things;
    create table if not exists public.parts (
      thing int references public.things (id) deferrable initially deferred)`);
  const insert = (id: number) => sql`insert into public.things values (${id})`;
  let begun = false;
  const withBadFirst = pool.transaction(
    async () => {
      begun = true;
    },
    { first: [sql`select 1 / 0`] },
  );
  await expect(withBadFirst).rejects.toMatchObject({ code: '22012' });
  expect(begun).toBe(false);
  const twice = pool.transaction((tx) => tx.finish([insert(1), insert(2), insert(1)]));
  await expect(twice).rejects.toMatchObject({ code: '23505' });
  const orphan = pool.transaction((tx) => tx.finish([insert(3), sql`insert into public.parts values (99)`]));
  await expect(orphan).rejects.toMatchObject({ code: '23503' });
  const hidden = pool.transaction(async (tx) => {
    await tx.query(sql`select 1 / 0`).catch(() => undefined);
    await tx.finish([]);
  });
  await expect(hidden).rejects.toMatchObject({ code: '25P02' });
  await pool.transaction((tx) => tx.finish([insert(4)]), { end: 'rollback' });
  expect(await pool.query(sql`select id from public.things`)).toEqual([]);
  expect(await backends()).toBe(1);
});

test('a batch of statements runs in a separate transaction, in one round trip', async () => {
  const pool = open({ max: 1 });
  await pool.exec('create table public.alone (id int primary key deferrable initially deferred)');
  const insert = (id: number) => sql`insert into public.alone values (${id}) returning id`;
  const count = async () =>
    (await pool.query<{ count: number }>(sql`select count(*) from public.alone`))[0]?.count;
  const settings = [['plinth.mark', 'here']] as const;
  const mark = sql`select current_setting('plinth.mark', true) as mark`;
  expect(await pool.statements([insert(1), mark], { settings })).toEqual([[{ id: 1 }], [{ mark: 'here' }]]);
  expect(await pool.query(mark)).not.toEqual([{ mark: 'here' }]);
  await pool.statements([insert(2)], { end: 'rollback' });
  await expect(pool.statements([insert(3), sql`select 1/0`])).rejects.toMatchObject({ code: '22012' });
  await expect(pool.statements([insert(4), insert(4)])).rejects.toMatchObject({ code: '23505' });
  await expect(pool.statements([insert(5)], { readOnly: true })).rejects.toMatchObject({ code: '25006' });
  expect(await count()).toBe(1);
  await pool.exec('drop table public.alone');
});

test('a request’s statement with an array is prepared with the role of the request', async () => {
  await db.database.pool('postgres').exec(`
    create schema hidden; grant usage on schema hidden to service_role;
    create table hidden.items (id int primary key); grant all on hidden.items to service_role`);
  const request = (role: string) => ({ role, settings: [['plinth.mark', 'here']] as const });
  const run = (role: string, statements: readonly Sql[]) =>
    db.database.statementsAsRequest(request(role), statements);
  const insert = (ids: readonly number[]) =>
    sql`insert into hidden.items select * from unnest(${ids}::int[]) returning id, current_setting('plinth.mark') as mark`;
  const row = (id: number) => ({ id, mark: 'here' });
  const count = sql`select count(*)::int from hidden.items where id = any(${[1, 2, 3, 4]})`;
  expect(await run('service_role', [insert([1, 2]), count])).toEqual([[row(1), row(2)], [{ count: 2 }]]);
  expect(await run('service_role', [insert([3]), count])).toEqual([[row(3)], [{ count: 3 }]]);
  await expect(run('anon', [insert([4])])).rejects.toMatchObject({ code: '42501' });
  // A statement that fails when it is prepared also undoes the statements that were sent before it.
  const failing = sql`select from hidden.missing where id = any(${[1]})`;
  await expect(run('service_role', [insert([4]), failing])).rejects.toMatchObject({ code: '42P01' });
  expect(await run('service_role', [count])).toEqual([[{ count: 3 }]]);
  const seen: (string | null)[] = [];
  const list = sql`select id from hidden.items where id = any(${[2, 3]}) order by id`;
  await db.database.rowsAsRequest(request('service_role'), list, (each) => void seen.push(each.text(0)));
  expect(seen).toEqual(['2', '3']);
  await db.database.pool('postgres').exec('drop schema hidden cascade');
});

test('rows are passed on without copying, at any size, on several concurrent connections', async () => {
  const pool = open({ max: 4 });
  const read = async (seed: number): Promise<void> => {
    const seen: (readonly (string | null)[])[] = [];
    const sizes = Array.from({ length: 40 }, (_, index) => (index * 7919 * seed) % 150_000);
    const statement = sql`
      select n, repeat(chr(96 + ${seed}), size), null, '' from unnest(${sizes}::int[]) with ordinality as s (size, n)`;
    await pool.rows(statement, (row) => {
      seen.push([row.text(0), row.text(1), row.text(2), row.text(3)]);
      expect([row.start(2), row.end(2)]).toEqual([-1, -1]);
      expect(row.end(3)).toBe(row.start(3));
    });
    const letter = String.fromCharCode(96 + seed);
    expect(seen).toEqual(sizes.map((size, index) => [String(index + 1), letter.repeat(size), null, '']));
  };
  await Promise.all([1, 2, 3, 4].map(read));
});

test('rows before an error are passed on, and then the query fails', async () => {
  const pool = open({ max: 1 });
  let count = 0;
  const some = sql`select 1 / (50 - n) from generate_series(1, 100) n`;
  await expect(pool.rows(some, () => count++)).rejects.toMatchObject({ code: '22012' });
  expect(count).toBe(49);
  // The settings are reset, and setting them doesn't return a row.
  const settings = [['plinth.seen', 'yes']] as const;
  const seen: (string | null)[] = [];
  const setting = sql`select current_setting('plinth.seen', true)`;
  await pool.rows(setting, (row) => seen.push(row.text(0)), { settings, readOnly: true });
  await pool.rows(setting, (row) => seen.push(row.text(0)));
  expect(seen).toEqual(['yes', '']);
});
