/** Tests the history of statements: samples, marks, hours, the lease of the sampler, and the notices on the home page. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { addUpHours, deleteOld } from '../../src/pages/console/statement-history/sample-queries.ts';
import { createSampler, type Sampler } from '../../src/pages/console/statement-history/sampler.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let dev: Operator;
let looker: Operator;

const postgres = () => backend.database.pool('postgres');
const superuser = () => backend.database.pool('supabase_admin');
/** Each sample that a page requests is a few seconds after the previous one. */
const patience = { timeout: 60_000, interval: 500 };

beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  dev = await operator(backend, 'dev');
  looker = await operator(backend, 'looker');
});
afterAll(() => backend?.stop());

interface Listed {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly calls: number;
  readonly rows: number;
  readonly meanMs: number;
  readonly before: { readonly calls: number } | null;
  readonly after: { readonly calls: number } | null;
}

const history = async (who: Operator, query = '') => {
  const { status, body } = await who.call('GET', `/queries/history${query}`);
  expect(status).toBe(200);
  return body;
};
const listed = async (part: string, query = ''): Promise<Listed | undefined> =>
  ((await history(dev, query)).statements as Listed[]).find(({ text }) => text.includes(part));

/** An expression that no other statement contains, because PostgreSQL counts statements with different names together. */
const uniqueSum = (): string =>
  `0 ${Array.from({ length: 40 }, () => (Math.random() < 0.5 ? '+ 1' : '- 1')).join(' ')}`;

/** A name that no other statement contains, also if the test is repeated. */
const uniqueName = (): string => `of_${randomUUID().replaceAll('-', '').slice(0, 12)}`;

test('a statement appears with its calls, and its text hides literals only from read-only operators', async () => {
  const name = uniqueName();
  await history(dev);
  const text = `select title as ${name}, ${uniqueSum()} from public.tasks where id < 11`;
  await expect
    .poll(async () => {
      // PostgreSQL can discard an entry, because all tests share its statistics.
      await postgres().exec(text);
      return listed(name);
    }, patience)
    .toMatchObject({ role: 'postgres', before: null, after: null });
  const found = await listed(name);
  expect(found?.rows).toBe((found?.calls ?? 0) * 10);
  expect(found?.meanMs).toBeGreaterThan(0);
  expect(found?.text).toContain('$1');
  const { since, roles, period, state, isRedacted } = await history(dev);
  expect({ state, isRedacted }).toEqual({ state: 'on', isRedacted: false });
  expect(Date.parse(since)).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(period.steps).toBe(72);
  const own = (roles as { role: string; totalMs: number[] }[]).find(({ role }) => role === 'postgres');
  expect(own?.totalMs.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(0);
  const path = `/queries/history/statement?id=${found?.id}&role=postgres&range=1h`;
  const { points, total } = (await looker.call('GET', path)).body;
  expect(points).toHaveLength(60);
  expect(total.calls).toBeGreaterThanOrEqual(found?.calls ?? 0);
  expect((await history(looker)).isRedacted).toBe(true);
});

test('the Console’s statements and passwords aren’t stored, and service roles are listed on request', async () => {
  const secret = uniqueName();
  await history(dev);
  await superuser().exec(`do $$ begin null; end $$; select 1 as ${secret}`);
  await postgres().exec(
    `create role ${secret}; alter role ${secret} password 'pw${secret}'; drop role ${secret}`,
  );
  const marker = uniqueName();
  const text = `select ${uniqueSum()} as ${marker}`;
  await expect
    .poll(async () => {
      await postgres().exec(text);
      return listed(marker);
    }, patience)
    .toBeDefined();
  const texts = await superuser().query<{ text: string }>(sql`select text from _plinth.history_statements`);
  expect(texts.some(({ text }) => text.includes(`pw${secret}`))).toBe(false);
  expect(texts.some(({ text }) => /_plinth|pg_catalog/.test(text))).toBe(false);
  const roles = async (query: string) =>
    new Set(((await history(dev, query)).statements as Listed[]).map(({ role }) => role));
  expect(await roles('')).not.toContain('supabase_admin');
  expect([...(await roles('?role=postgres'))]).toEqual(['postgres']);
});

const insertSamples = async (rows: readonly (readonly [string, string, number, number, number])[]) => {
  for (const [step, age, id, calls, meanMs] of rows)
    await superuser().query(sql`
      insert into _plinth.history_samples (step, at, id, role, calls, rows, total_ms, squares)
      values (${step}, pg_catalog.date_trunc('minute', pg_catalog.now()) - ${age}::interval, ${id}::bigint, 'authenticated',
        ${calls}::float8, 0, ${calls * meanMs}::float8, ${calls}::float8)
      on conflict (step, at, id, role) do update set calls = excluded.calls, total_ms = excluded.total_ms`);
};
const insertStatement = (id: number, text: string, age = '2 days') =>
  superuser().query(sql`
    insert into _plinth.history_statements (id, role, text, first_seen_at, last_seen_at)
    values (${id}::bigint, 'authenticated', ${text}, pg_catalog.now() - ${age}::interval, pg_catalog.now())
    on conflict (id, role) do update set first_seen_at = excluded.first_seen_at`);

test('statements are compared before and after a migration, which is marked', async () => {
  await superuser().query(sql`delete from _plinth.history_samples where id = 501`);
  await superuser().query(sql`delete from _plinth.history_marks where name = '20300101000000'`);
  await insertStatement(501, 'select compared_statement');
  await insertSamples([
    ['minute', '50 minutes', 501, 100, 10],
    ['minute', '5 minutes', 501, 30, 40],
  ]);
  await history(dev);
  await superuser().query(sql`
    insert into _plinth.history_marks (kind, name, at)
    values ('migration', '20300101000000', pg_catalog.now() - interval '20 minutes') on conflict do nothing`);
  const { period } = await history(dev, '?range=1h');
  const mark = (period.marks as { at: number; kind: string; name: string }[]).find(
    ({ name }) => name === '20300101000000',
  );
  expect(mark).toMatchObject({ kind: 'migration' });
  const split = new Date(mark?.at ?? 0).toISOString();
  const found = await listed('compared_statement', `?range=1h&split=${split}`);
  expect(found).toMatchObject({
    calls: 130,
    before: { calls: 100, meanMs: 10 },
    after: { calls: 30, meanMs: 40 },
  });
  expect((await dev.call('GET', '/queries/history?range=2h')).status).toBe(400);
  expect((await dev.call('GET', '/queries/history?split=yesterday')).status).toBe(400);
  expect((await dev.call('GET', '/queries/history/statement?id=x&role=anon')).status).toBe(400);
});

test('a migration that another program applies is marked once', async () => {
  await postgres().exec(`
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text primary key)`);
  await history(dev);
  const version = `2031${String(Date.now()).slice(-10)}`;
  await postgres().query(
    sql`insert into supabase_migrations.schema_migrations (version) values (${version})`,
  );
  const marks = async () =>
    ((await history(dev)).period.marks as { kind: string; name: string }[]).filter(
      ({ name }) => name === version,
    );
  await expect.poll(marks, patience).toMatchObject([{ kind: 'migration' }]);
});

test('a slower statement and a costly new one are problems on the home page', async () => {
  const other = await startBackend();
  try {
    const owner = await operator(other);
    const db = other.database.pool('supabase_admin');
    const problems = async () =>
      ((await owner.call('GET', '/home/problems')).body.problems as { kind: string }[]).filter(({ kind }) =>
        ['slower-statement', 'new-statement'].includes(kind),
      );
    await db.query(sql`
      insert into _plinth.history_sampler (holder, held_until, began_at)
      values (pg_catalog.gen_random_uuid(), pg_catalog.now(), pg_catalog.now() - interval '3 days')
      on conflict (is_only) do update set began_at = excluded.began_at`);
    await db.query(sql`
      insert into _plinth.history_statements (id, role, text, first_seen_at, last_seen_at) values
        (1, 'anon', 'select slower', pg_catalog.now() - interval '2 days', pg_catalog.now()),
        (2, 'anon', 'select new', pg_catalog.now() - interval '10 minutes', pg_catalog.now()),
        (3, 'anon', 'select steady', pg_catalog.now() - interval '2 days', pg_catalog.now())`);
    await db.query(sql`
      insert into _plinth.history_samples (step, at, id, role, calls, rows, total_ms, squares)
      select 'minute', pg_catalog.now() - age, id, 'anon', calls, calls, calls * mean, calls * mean
      from (values (interval '5 hours', 1, 1000, 10), (interval '20 minutes', 1, 500, 50),
        (interval '10 minutes', 2, 400, 20), (interval '5 hours', 3, 1000, 10), (interval '20 minutes', 3, 500, 11)
      ) as v (age, id, calls, mean)`);
    expect(await problems()).toEqual([
      {
        ...{ kind: 'slower-statement', severity: 'warning', id: '1', role: 'anon' },
        ...{ beforeMs: 10, meanMs: 50, calls: 500 },
      },
      {
        ...{ kind: 'new-statement', severity: 'warning', id: '2', role: 'anon' },
        ...{ beforeMs: null, meanMs: 20, calls: 400 },
      },
    ]);
  } finally {
    await other.stop();
  }
});

test('minutes are added up to hours, and old samples are deleted', async () => {
  const rows = () =>
    superuser().query<{ step: string; calls: number; ms: number }>(sql`
      select step, sum(calls)::float8 as calls, sum(total_ms)::float8 as ms from _plinth.history_samples
      where id = 601 group by 1 order by 1`);
  await superuser().query(sql`delete from _plinth.history_samples where id = 601 or step = 'hour'`);
  await insertSamples([
    ['minute', '1 day 2 hours', 601, 10, 1],
    ['minute', '3 hours', 601, 10, 2],
    ['hour', '40 days', 601, 10, 1],
  ]);
  await superuser().transaction(async (tx) => {
    await deleteOld(tx);
    await addUpHours(tx);
    await addUpHours(tx);
  });
  const [hours, minutes] = await rows();
  expect(minutes).toEqual({ step: 'minute', calls: 10, ms: 20 });
  expect(hours).toEqual({ step: 'hour', calls: 10, ms: 20 });
});

test('of several nodes, one takes samples, and another one continues when it stops', async () => {
  const other = await startBackend();
  const samplers: Sampler[] = [];
  try {
    const [pool, db] = [other.database.pool('postgres'), other.database.pool('supabase_admin')];
    const node = (): Sampler => {
      const options = { isShared: true, isEmbedded: false, startedAt: Date.now(), now: Date.now };
      const sampler = createSampler({ pool, db, log: silentLogger, ...options });
      samplers.push(sampler);
      return sampler;
    };
    const callsOf = async (name: string) =>
      (
        await db.query<{ calls: number }>(sql`
          select coalesce(sum(s.calls), 0)::float8 as calls from _plinth.history_samples s
          join _plinth.history_statements h using (id, role) where h.text like ${`%${name}%`}`)
      )[0]?.calls;
    const holder = async () =>
      (await db.query<{ holder: string }>(sql`select holder from _plinth.history_sampler`))[0]?.holder;
    await db.query(sql`delete from _plinth.history_sampler`);
    const [one, two] = [node(), node()];
    await one.refresh();
    const first = await holder();
    await two.refresh();
    expect(await holder()).toBe(first);
    await one.stop();
    const three = node();
    await three.refresh();
    expect(await holder()).not.toBe(first);
    const name = uniqueName();
    const text = `select ${uniqueSum()} as ${name}`;
    // The fourth node isn't the holder, so it doesn't count calls a second time.
    const four = node();
    let called = 0;
    await expect
      .poll(async () => {
        // PostgreSQL can discard an entry, because all tests share its statistics.
        await pool.exec(text);
        called += 1;
        await four.refresh();
        await three.refresh();
        return await callsOf(name);
      }, patience)
      .toBeGreaterThan(0);
    expect(await callsOf(name)).toBeLessThanOrEqual(called);
    expect(await holder()).not.toBe(first);
  } finally {
    for (const sampler of samplers) await sampler.stop();
    await other.stop();
  }
});
