/** Tests the routes for triggers, views and indexes of the section "Database". */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let looker: Operator;
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-objects-'));

const schema = `
  create table public.sales (id int primary key, product text, amount int, tags json);
  insert into public.sales select i, 'p' || i % 3, i, '[]' from generate_series(1, 9) i;
  create view public.big_sales with (security_invoker = true) as select id, product from public.sales where amount > 5;
  grant select (id) on public.big_sales to anon;
  comment on view public.big_sales is 'It''s big';
  create materialized view public.totals as select product, sum(amount) as total from public.sales group by product;
  create index totals_total on public.totals (total);
  create view public.best as select * from public.totals where total > 10;
  create schema "We""ird; --";
  create materialized view "We""ird; --"."m v" as select 1 as "c ""1";
  create function public.note() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger noted after insert or update on public.sales for each row execute function public.note('sk_trigger_key');
  create trigger "T ""1" before delete on "public"."We""ird; --" for each statement execute function public.note();
  alter table public."We""ird; --" disable trigger "T ""1";
  create constraint trigger checked after insert on public.sales deferrable for each row execute function public.note();
  create table public.orders (id int primary key, sale int references public.sales, sale2 int references public.sales);
  create index orders_sale on public.orders (sale);
  create index orders_sale_id on public.orders (sale, id);
`;

beforeAll(async () => {
  backend = await startBackend({ projectDir });
  await backend.database.pool('postgres').exec(schema);
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  looker = await operator(backend, 'looker');
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const change = (changes: unknown[], more = {}) => owner.call('POST', '/schema/apply', { changes, ...more });
const view = (schema: string, name: string, by = owner) =>
  by.call('GET', `/database/view?${new URLSearchParams({ schema, name })}`);
const scalar = async (query: ReturnType<typeof sql>) =>
  Object.values((await backend.database.pool('postgres').query<Record<string, unknown>>(query))[0] ?? {})[0];

describe('triggers', () => {
  const list = async (by = owner) => (await by.call('GET', '/database/triggers')).body.triggers;
  const named = async (name: string, by = owner) =>
    (await list(by)).find((trigger: { name: string }) => trigger.name === name);

  test('are listed across tables', async () => {
    expect(await named('noted')).toMatchObject({
      schema: 'public',
      table: 'sales',
      timing: 'after',
      events: ['insert', 'update'],
      for_each: 'row',
      enabled: true,
      function: 'public.note()',
      has_arguments: true,
    });
    expect(await named('T "1')).toMatchObject({
      table: 'We"ird; --',
      timing: 'before',
      for_each: 'statement',
      enabled: false,
    });
  });

  test.each(['noted', 'T "1', 'checked'])('%s can be created again from its source', async (name) => {
    const before = await named(name);
    const text = before.source;
    expect(
      (
        await owner.call('POST', '/schema/preview', {
          changes: [{ kind: 'define', object: 'trigger', text }],
        })
      ).status,
    ).toBe(200);
    expect((await change([{ kind: 'define', object: 'trigger', text }])).status).toBe(200);
    expect(await named(name)).toEqual(before);
  });

  test('arguments, which can contain keys, aren’t shown to read-only operators or recorded', async () => {
    expect((await named('noted', looker)).source).toBeNull();
    expect(JSON.stringify(await list(looker))).not.toContain('sk_trigger_key');
    const log = await backend.database
      .pool('supabase_admin')
      .query(sql`select detail from _plinth.audit_log`);
    expect(JSON.stringify(log)).not.toContain('sk_trigger_key');
  });
});

describe('views', () => {
  test('are listed with what is needed for a refresh', async () => {
    const { views } = (await owner.call('GET', '/database/views')).body;
    const of = (name: string) => views.find((each: { name: string }) => each.name === name);
    expect(of('big_sales')).toMatchObject({ kind: 'view', security_invoker: true, comment: "It's big" });
    expect(of('totals')).toMatchObject({
      kind: 'materialized view',
      populated: true,
      can_refresh_concurrently: false,
    });
  });

  test('details contain the tables that it reads and the objects that use it', async () => {
    const { body } = await view('public', 'totals');
    expect(body.reads).toEqual([{ schema: 'public', name: 'sales', kind: 'table' }]);
    expect(body.dependents).toEqual([
      { kind: 'view', name: 'best', table: { schema: 'public', name: 'best' }, signature: null },
    ]);
    expect(body.indexes.map(({ name }: { name: string }) => name)).toEqual(['totals_total']);
    expect(body.source).toBeNull();
    expect((await view('public', 'nothing')).status).toBe(404);
    expect((await view('public', 'sales')).status).toBe(404);
  });

  test('a view can be replaced, and dropped and created again with its grants and comment', async () => {
    const { body } = await view('public', 'big_sales');
    const text = body.source.replace('> 5', '> 7');
    expect((await change([{ kind: 'define', object: 'view', text }])).status).toBe(200);
    expect(await scalar(sql`select count(*)::int from public.big_sales`)).toBe(2);
    const again = (await view('public', 'big_sales')).body;
    expect((await change([{ kind: 'define', object: 'view', text: again.recreation }])).status).toBe(200);
    expect((await view('public', 'big_sales')).body).toEqual(again);
    expect(again).toMatchObject({ security_invoker: true, comment: "It's big" });
    expect(again.grants).toContainEqual({
      role: 'anon',
      privileges: expect.arrayContaining(['SELECT (id)']),
    });
  });

  test('a materialized view is created again with its indexes', async () => {
    const name = 'm v';
    const { body } = await view('We"ird; --', name);
    const text = body.recreation.replace('SELECT 1 AS', 'SELECT 2 AS');
    expect((await change([{ kind: 'define', object: 'view', text }])).status).toBe(200);
    expect(await scalar(sql`select * from ${sql.id('We"ird; --', name)}`)).toBe(2);
  });

  test('a materialized view can be refreshed, concurrently with a unique index', async () => {
    await backend.database.pool('postgres').exec(`update public.sales set amount = amount + 100`);
    const refresh = (concurrently: boolean, by = owner) =>
      by.call('POST', '/database/view/refresh', { schema: 'public', name: 'totals', concurrently });
    expect((await refresh(false, looker)).status).toBe(403);
    expect((await refresh(false)).status).toBe(204);
    expect(await scalar(sql`select min(total)::int from public.totals`)).toBeGreaterThan(300);
    expect((await refresh(true)).body.sqlstate).toBe('55000');
    const keys = await owner.call('GET', '/database/view/keys?schema=public&name=totals');
    expect(keys.body.columns).toEqual(['product', 'total']);
    const index = {
      kind: 'create_index',
      schema: 'public',
      table: 'totals',
      name: 'totals_product_key',
      method: 'btree',
      unique: true,
      parts: [{ column: 'product' }],
    };
    expect((await change([index])).status).toBe(200);
    expect((await refresh(true)).status).toBe(204);
    const plain = { schema: 'public', name: 'big_sales', concurrently: false };
    expect((await owner.call('POST', '/database/view/refresh', plain)).status).toBe(400);
    const weird = { schema: 'We"ird; --', name: 'm v', concurrently: false };
    expect((await owner.call('POST', '/database/view/refresh', weird)).status).toBe(204);
  });

  test('a refresh doesn’t wait long for its lock, because queries would wait behind it', async () => {
    const reader = await backend.database.pool('postgres').connect();
    try {
      await reader.exec('begin; select from public.totals');
      const refresh = { schema: 'public', name: 'totals', concurrently: false };
      expect((await owner.call('POST', '/database/view/refresh', refresh)).body.sqlstate).toBe('55P03');
    } finally {
      reader.release();
    }
  });

  test('the query of a view isn’t run to find unique columns or to preview a definition', async () => {
    const keys = '/database/view/keys?schema=public&name=';
    expect((await owner.call('GET', `${keys}big_sales`)).status).toBe(400);
    expect((await owner.call('GET', `${keys}totals`)).status).toBe(200);
    expect((await looker.call('GET', `${keys}totals`)).status).toBe(403);
    const text = '/* Takes long */ create /**/ materialized view public.costly as select 1 / 0 as one';
    const { status } = await owner.call('POST', '/schema/preview', {
      changes: [{ kind: 'define', object: 'view', text }],
    });
    expect(status).toBe(200);
  });

  test('a view with dependents is dropped only with CASCADE and its typed name', async () => {
    const drop = {
      kind: 'drop_view',
      isMaterialized: true,
      schema: 'public',
      name: 'totals',
      cascade: false,
    };
    expect((await change([drop])).body.sqlstate).toBe('2BP01');
    expect((await change([{ ...drop, cascade: true }])).status).toBe(400);
    expect((await change([{ ...drop, cascade: true }], { confirmed: 'totals' })).status).toBe(200);
    expect(await scalar(sql`select to_regclass('public.best')::text`)).toBeNull();
  });
});

describe('indexes', () => {
  const list = async () => (await owner.call('GET', '/database/indexes')).body;

  test('are listed with their use, and with the index that makes them unnecessary', async () => {
    const { indexes, unindexed_keys } = await list();
    const of = (name: string) => indexes.find((each: { name: string }) => each.name === name);
    expect(of('orders_sale')).toMatchObject({ covered_by: 'orders_sale_id', scans: 0, last_scan: null });
    expect(of('orders_pkey')).toMatchObject({ constraint: 'orders_pkey', covered_by: null, unique: true });
    expect(unindexed_keys).toContainEqual({
      schema: 'public',
      table: 'orders',
      name: 'orders_sale2_fkey',
      columns: ['sale2'],
      rows: null,
    });
    expect(unindexed_keys.some(({ name }: { name: string }) => name === 'orders_sale_fkey')).toBe(false);
    expect((await looker.call('GET', '/database/indexes')).status).toBe(200);
  });

  const index = {
    kind: 'create_index',
    schema: 'public',
    table: 'We"ird; --',
    name: `i'x "1"`,
    method: 'btree',
    unique: false,
    parts: [{ column: 'col"umn; drop' }],
    concurrently: true,
  };

  test('can be built concurrently and saved as a migration', async () => {
    const { status, body } = await change([index], { migration: 'index_weird' });
    expect([status, body.file]).toEqual([200, expect.stringContaining('index_weird.sql')]);
    const [file = ''] = readdirSync(join(projectDir, 'supabase/migrations'));
    const path = join(projectDir, 'supabase/migrations', file);
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toContain(
      'create index concurrently "i\'x ""1""" on "public"."We""ird; --"',
    );
    expect((await list()).indexes).toContainEqual(expect.objectContaining({ name: `i'x "1"`, valid: true }));
    // The name exists, so the existing index isn't touched.
    expect((await change([index])).body.sqlstate).toBe('42P07');
    expect((await list()).indexes).toContainEqual(expect.objectContaining({ name: `i'x "1"`, valid: true }));
  });

  test('an index that can’t be completed isn’t left behind', async () => {
    await backend.database
      .pool('postgres')
      .exec(`drop table if exists public.twins; create table public.twins (a int);
        insert into public.twins values (1), (1)`);
    const unique = { ...index, table: 'twins', name: 'twins_a', unique: true, parts: [{ column: 'a' }] };
    expect((await change([unique])).body.sqlstate).toBe('23505');
    expect((await list()).indexes.some(({ name }: { name: string }) => name === 'twins_a')).toBe(false);
  });

  test('must have a name and be the only change', async () => {
    const { name: _name, ...nameless } = index;
    expect((await change([nameless])).status).toBe(400);
    expect(
      (
        await change([
          { ...index, name: 'x' },
          { kind: 'create_schema', name: 'y' },
        ])
      ).status,
    ).toBe(400);
    expect((await looker.call('POST', '/schema/apply', { changes: [index] })).status).toBe(403);
  });
});
