/** Tests the Queries page's API: statistics, plans that don't run the statement, and running statements. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let dev: Operator;
let looker: Operator;

beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  dev = await operator(backend, 'dev');
  looker = await operator(backend, 'looker');
  await postgres().exec(`
    grant select, insert on public.tasks to anon;
    create table public.parents (id int primary key);
    create table public.children (id int primary key, parent_id int references public.parents, old_id int);
    create table public.big (id int primary key, kind text);
    insert into public.big select i, 'kind ' || i % 100 from generate_series(1, 20000) i;
    analyze public.big;
    create table public.marks (what text);
    create function public.mark() returns int language sql volatile as
      $$ insert into public.marks values ('ran') returning 1 $$;
    create function public.marking() returns int language plpgsql immutable as $$ begin return public.mark(); end $$;
  `);
});
afterAll(() => backend?.stop());

const postgres = () => backend.database.pool('postgres');
const audited = async (action: string) =>
  (
    await backend.database
      .pool('supabase_admin')
      .query<{ target: string }>(
        sql`select target from _plinth.audit_log where action = ${action} order by id`,
      )
  ).map(({ target }) => target);

interface Row {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly calls: number;
  readonly share: number;
}

const list = async (who: Operator, query = ''): Promise<readonly Row[]> => {
  const { status, body } = await who.call('GET', `/queries${query}`);
  expect(status).toBe(200);
  return body.statements;
};
const statement = async (who: Operator, part: string, query = ''): Promise<Row> => {
  const found = (await list(who, query)).find(({ text }) => text.includes(part));
  if (found === undefined) throw new Error(`no statement contains ${part}`);
  return found;
};
test('the Console’s own statements aren’t listed, but those that operators write are', async () => {
  const texts = async () => new Set((await list(dev)).map(({ text }) => text));
  const before = await texts();
  const why = { schema: 'public', table: 'tasks', as: 'anon', key: { id: '1' }, returned: ['id'] };
  for (const path of ['/policies', '/policies/public/tasks/choices', '/advisors', '/sql/names', '/reference'])
    expect((await dev.call('GET', path)).status).toBe(200);
  expect((await dev.call('POST', '/why', { ...why, operation: 'select' })).status).toBe(200);
  expect((await dev.call('POST', '/why', { ...why, operation: 'update', returned: [] })).status).toBe(200);
  expect((await dev.call('GET', '/tables/public/tasks')).status).toBe(200);
  await dev.call('POST', '/sql/run', {
    id: randomUUID(),
    text: 'select 42 as written_by_the_operator',
    maxRows: 10,
  });
  const added = [...(await texts())].filter(
    (text) => !before.has(text) && !text.includes('net._http_response'),
  );
  expect(added).toEqual(['select $1 as written_by_the_operator']);
});

const keyOf = ({ id, role }: Row): string => new URLSearchParams({ id, role }).toString();

describe('statistics', () => {
  test('are listed with their numbers, without the services’ own statements', async () => {
    for (let n = 0; n < 3; n++) await postgres().query(sql`select kind from public.big where id = ${n}::int`);
    const row = await statement(dev, 'select kind from public.big where id');
    expect(row).toMatchObject({ role: 'postgres', calls: 3 });
    expect(row.text).toContain('$1');
    expect(row.share).toBeGreaterThan(0);
    expect(row.share).toBeLessThanOrEqual(1);
    const texts = (await list(dev)).map(({ role }) => role);
    expect(texts.filter((role) => role.startsWith('supabase_'))).toEqual([]);
    expect((await list(dev, '?services=true')).some(({ role }) => role.startsWith('supabase_'))).toBe(true);
  });

  test.each(['total', 'mean', 'calls', 'rows', 'max'])('are sorted by %s', async (order) => {
    const field =
      { total: 'totalMs', mean: 'meanMs', calls: 'calls', rows: 'rows', max: 'maxMs' }[order] ?? '';
    // These statements run immediately before the check, because statements from other tests in the cluster can evict
    // older entries.
    for (const columns of [1, 2, 3, 4])
      await postgres().query(
        sql`select ${sql.raw('id, '.repeat(columns))} kind from public.big where id = 1`,
      );
    const values = (await list(dev, `?order=${order}`)).map((row) => (row as never)[field] as number);
    expect(values.length).toBeGreaterThan(3);
    expect(values).toEqual([...values].sort((left, right) => right - left));
  });

  test('can be filtered by text and role', async () => {
    await backend.fetch('/rest/v1/tasks?select=title&limit=1', {
      headers: { apikey: backend.keys.publishableKey },
    });
    expect((await list(dev, '?search=PUBLIC.BIG')).every(({ text }) => /public\.big/i.test(text))).toBe(true);
    const rows = await list(dev, '?role=anon');
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ role }) => role))).toEqual(new Set(['anon']));
    expect(await list(dev, "?search='%3B drop table public.tasks%3B --")).toEqual([]);
    expect((await dev.call('GET', '/queries?order=text')).status).toBe(400);
  });

  test('of one statement have its complete text', async () => {
    await postgres().query(
      sql`select ${'x'.repeat(10)}::text, '${sql.raw('y'.repeat(400))}'::text as "${sql.raw('c'.repeat(60))}"`,
    );
    const row = await statement(dev, 'cccc');
    const { body } = await dev.call('GET', `/queries/statement?${keyOf(row)}`);
    expect(body).toMatchObject({ id: row.id, role: 'postgres', hasPlan: true, calls: 1 });
    expect((await dev.call('GET', '/queries/statement?id=1&role=postgres')).status).toBe(404);
    expect((await dev.call('GET', '/queries/statement?id=1;&role=postgres')).status).toBe(400);
  });

  test('can be reset only with write permission, only for this database, and with an audit entry', async () => {
    await postgres().query(sql`select 'reset' as before_reset`);
    expect((await looker.call('POST', '/queries/reset')).status).toBe(403);
    await statement(dev, 'before_reset');
    expect((await dev.call('POST', '/queries/reset')).status).toBe(204);
    expect((await list(dev)).some(({ text }) => text.includes('before_reset'))).toBe(false);
    expect(await audited('statistics.reset')).toEqual(['pg_stat_statements']);
  });
});

describe('read-only operators', () => {
  const secret = 'hunter2secret';

  test('see no literals and can’t find them by searching', async () => {
    await postgres().exec(`create role leaky; alter role leaky password '${secret}'; drop role leaky;`);
    await postgres().exec(`do $$ begin perform '${secret}'; end $$`);
    expect(JSON.stringify(await list(dev, '?services=true'))).toContain(secret);
    expect(JSON.stringify(await list(looker, '?services=true'))).not.toContain(secret);
    expect(await list(looker, `?services=true&search=${secret}`)).toEqual([]);
    const row = await statement(dev, secret, '?services=true');
    const { body } = await looker.call('GET', `/queries/statement?${keyOf(row)}`);
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  test('see running statements without literals, and cannot end them or request plans', async () => {
    const session = await postgres().connect();
    const running = session.query(sql`select pg_sleep(30), ${sql.raw(`'${secret}'`)}`).catch(() => undefined);
    const sessionsOf = async (who: Operator) => (await who.call('GET', '/queries/activity')).body.sessions;
    await expect.poll(async () => JSON.stringify(await sessionsOf(dev))).toContain(secret);
    const seen = await sessionsOf(looker);
    expect(JSON.stringify(seen)).not.toContain(secret);
    const { pid, began } = seen.find(({ text }: Row) => text.includes('pg_sleep'));
    for (const signal of ['cancel', 'terminate'])
      expect((await looker.call('POST', `/queries/activity/${signal}`, { pid, began })).status).toBe(403);
    const row = await statement(dev, 'insert into public.big', '?services=true').catch(() => undefined);
    expect(
      (await looker.call('GET', `/queries/plan?${row === undefined ? 'id=1&role=anon' : keyOf(row)}`)).status,
    ).toBe(403);
    await session.cancel();
    await running;
    session.release();
  });
});

describe('plans', () => {
  const planOf = async (part: string, query = '') =>
    dev.call('GET', `/queries/plan?${keyOf(await statement(dev, part, query))}`);

  test('are generic, and report a sequential scan of a big table', async () => {
    await postgres().query(sql`select count(*) as planned from public.big where kind = ${'kind 1'}::text`);
    const { status, body } = await planOf('as planned from public.big');
    expect(status).toBe(200);
    expect(body.role).toBe('postgres');
    expect(JSON.stringify(body.plan)).toContain('$1');
    expect(body.advice).toEqual([
      expect.objectContaining({
        schema: 'public',
        table: 'big',
        rows: 20000,
        kept: 200,
        index: 'create index on "public"."big" ("kind");',
      }),
    ]);
  });

  test('don’t report a scan for which no index can be used', async () => {
    await postgres().query(
      sql`select count(*) as lowered from public.big where lower(kind) = ${'kind 1'}::text`,
    );
    const { body } = await planOf('as lowered from public.big');
    expect([JSON.stringify(body.plan).includes('Seq Scan'), body.advice]).toEqual([true, []]);
  });

  test('don’t report a scan that needs many of the rows', async () => {
    await postgres().query(
      sql`select count(*) as half from public.big where id < ${10}::int or kind > ${'kind 5'}::text`,
    );
    const { body } = await planOf('as half from public.big');
    expect([JSON.stringify(body.plan).includes('Seq Scan'), body.advice]).toEqual([true, []]);
  });

  test('contain the policies of the role that sent the request', async () => {
    await postgres().exec(`
      create table public.guarded (id int, owner text);
      alter table public.guarded enable row level security;
      create policy mine on public.guarded for select to anon using (owner = 'just anon');
      grant select on public.guarded to anon;`);
    await expect
      .poll(
        async () =>
          (await backend.fetch('/rest/v1/guarded', { headers: { apikey: backend.keys.publishableKey } }))
            .status,
      )
      .toBe(200);
    const { status, body } = await planOf('"guarded"', '?role=anon');
    expect([status, body.role]).toEqual([200, 'anon']);
    expect(JSON.stringify(body.plan)).toContain('just anon');
  });

  test('don’t execute the statement, or functions that are only declared immutable', async () => {
    const before = await postgres().query(sql`select count(*)::int as n from public.tasks`);
    await postgres().query(sql`insert into public.tasks (title) select ${'planned'}::text where false`);
    expect((await planOf('insert into public.tasks (title)')).status).toBe(200);
    expect(await postgres().query(sql`select count(*)::int as n from public.tasks`)).toEqual(before);

    await postgres().query(sql`select 1 as marked where public.marking() = ${2}::int`);
    await postgres().query(sql`truncate public.marks`);
    const { status, body } = await planOf('as marked where');
    // PostgreSQL evaluates the function during planning, and the read-only transaction prevents the function's write.
    expect([status, body.sqlstate]).toEqual([422, '25006']);
    expect(await postgres().query(sql`select what from public.marks`)).toEqual([]);
  });

  test('of a statement that takes a lock wait only briefly', async () => {
    await postgres().query(sql`select id as locked_out from public.parents where id = ${1}::int`);
    const holder = await postgres().connect();
    await holder.exec('begin; lock table public.parents in access exclusive mode');
    const { status, body } = await planOf('as locked_out');
    await holder.exec('rollback');
    holder.release();
    expect([status, body.sqlstate]).toEqual([422, '55P03']);
  });

  test.each([
    ['vacuum public.marks', 'vacuum public.marks'],
    ['create table public.made_once (id int)', 'create table public.made_once'],
    ['do $$ begin perform 1; end $$', 'do $$ begin perform 1'],
  ])('aren’t available for %s', async (text, part) => {
    await postgres().exec(text);
    const { status, body } = await planOf(part, '?services=true');
    expect([status, body.code]).toEqual([400, 'bad_request']);
  });

  test('don’t leave prepared statements or sessions behind', async () => {
    await planOf('as planned from public.big');
    for (let n = 0; n < 4; n++)
      expect(
        await postgres().query(sql`select name from pg_prepared_statements where name = 'plinth_plan'`),
      ).toEqual([]);
  });
});

describe('running statements', () => {
  const sessions = async () => (await dev.call('GET', '/queries/activity')).body.sessions;
  const running = async (part: string) =>
    (await sessions()).find(({ text }: { text: string }) => text.includes(part));

  test('show what they wait for and what blocks them, and can be canceled', async () => {
    const [holder, waiter] = [await postgres().connect(), await postgres().connect()];
    await holder.exec('begin; lock table public.children in access exclusive mode');
    const waiting = waiter.query(sql`select id as waits_here from public.children`).then(
      () => 'ended',
      (error: { code: string }) => error.code,
    );
    await expect.poll(async () => (await running('waits_here'))?.waitsFor).toBe('Lock: relation');
    const seen = await running('waits_here');
    expect(seen.blockedBy).toEqual([holder.processId]);
    const blocker = (await sessions()).find(({ pid }: { pid: number }) => pid === holder.processId);
    expect(blocker).toMatchObject({ state: 'idle in transaction', role: 'postgres', blockedBy: [] });

    const later = { pid: seen.pid, began: '2001-01-01T00:00:00Z' };
    expect((await dev.call('POST', '/queries/activity/cancel', later)).body.code).toBe('refused');
    const { status } = await dev.call('POST', '/queries/activity/cancel', {
      pid: seen.pid,
      began: seen.began,
    });
    expect([status, await waiting]).toEqual([204, '57014']);
    expect(await audited('session.cancel')).toEqual([String(seen.pid)]);

    expect(
      (await dev.call('POST', '/queries/activity/terminate', { pid: blocker.pid, began: blocker.began }))
        .status,
    ).toBe(204);
    await expect
      .poll(() =>
        holder.query(sql`select 1`).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    expect(await audited('session.terminate')).toEqual([String(blocker.pid)]);
    holder.destroy();
    waiter.release();
  });

  test('of superusers can’t be ended', async () => {
    const session = await backend.database.pool('supabase_admin').connect();
    const sleeping = session.query(sql`select pg_sleep(30) as of_superuser`).catch(() => undefined);
    await expect.poll(async () => (await running('of_superuser'))?.role).toBe('supabase_admin');
    const { pid, began } = await running('of_superuser');
    const { status, body } = await dev.call('POST', '/queries/activity/terminate', { pid, began });
    expect([status, body.sqlstate]).toEqual([422, '42501']);
    await session.cancel();
    await sleeping;
    session.release();
  });
});
