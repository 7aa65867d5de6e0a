/**
 * Tests pages of rows after a given row, in every sort order and for every kind of table. Also tests how rows are
 * identified.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, rowsPath, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
const pool = () => backend.database.pool('postgres');
const run = (text: string) => pool().exec(text);

beforeAll(async () => {
  backend = await startBackend();
  owner = await operator(backend);
  await run(`
    create table public.mixed (a int, b text not null, c int, id int primary key);
    insert into public.mixed
      select case when i % 3 = 0 then null else i % 4 end, chr(97 + i % 2), case when i % 5 = 0 then null else i % 3 end, i
      from generate_series(1, 60) i;
    create table public.heap (a int, b text);
    insert into public.heap select i, 'row ' || i from generate_series(1, 500) i;
    create index on public.heap (a);
    create table public.pairs (x int, y text, note text, primary key (x, y));
    insert into public.pairs select i / 10, chr(97 + i % 10), 'n' from generate_series(1, 100) i;
    create table public.unique_only (code text not null unique, note text, maybe text unique);
    insert into public.unique_only values ('a', 'x'), ('b', 'y');
    create table public.parted (id int, part int, note text, primary key (id, part)) partition by list (part);
    create table public.parted_1 partition of public.parted for values in (1);
    create table public.parted_2 partition of public.parted for values in (2);
    insert into public.parted select i, 1 + i % 2, 'p' from generate_series(1, 50) i;
    create view public.viewed as select * from public.mixed;
    create table public.counted (id int primary key, n int, twice int generated always as (n * 2) stored);
    insert into public.counted values (1, 2);
  `);
});
afterAll(() => backend?.stop());

interface Page {
  rows: string[][];
  keys: Record<string, string>[] | null;
  first: (string | null)[] | null;
  last: (string | null)[] | null;
  more: boolean;
}
const page = async (table: string, params: Record<string, unknown>): Promise<Page> =>
  (await owner.call('GET', rowsPath(table, params))).body;

async function forward(table: string, params: Record<string, unknown>, limit: number): Promise<string[][]> {
  const rows: string[][] = [];
  let after: unknown;
  for (;;) {
    const next = await page(table, {
      ...params,
      limit: String(limit),
      ...(after === undefined ? {} : { after }),
    });
    rows.push(...next.rows);
    if (!next.more) return rows;
    after = next.last;
  }
}

const columns = ['a', 'b', 'c', 'id'] as const;
const sorts = fc.uniqueArray(fc.record({ column: fc.constantFrom(...columns), ascending: fc.boolean() }), {
  selector: ({ column }) => column,
  maxLength: 3,
});

test('pages by cursor return the whole table in order, forwards and backwards', async () => {
  await fc.assert(
    fc.asyncProperty(sorts, fc.integer({ min: 3, max: 25 }), async (sort, limit) => {
      const whole = (await page('mixed', { sort, limit: '100' })).rows;
      expect(whole).toHaveLength(60);
      expect(await forward('mixed', { sort }, limit)).toEqual(whole);
      const second = await page('mixed', { sort, limit: String(limit), offset: String(limit) });
      const back = await page('mixed', { sort, limit: String(limit), before: second.first });
      expect(back.rows).toEqual(whole.slice(0, limit));
      const leap = await page('mixed', {
        sort,
        limit: '3',
        offset: '2',
        after: (await page('mixed', { sort, limit: '3' })).last,
      });
      expect(leap.rows).toEqual(whole.slice(5, 8));
    }),
    { numRuns: 40 },
  );
});

test.each([
  ['pairs', [{ column: 'y', ascending: false }], 100],
  ['heap', [], 500],
  ['heap', [{ column: 'b', ascending: true }], 500],
  ['parted', [], 50],
  ['unique_only', [], 2],
])('%s sorted by %j is returned completely and without duplicates', async (table, sort, count) => {
  const rows = await forward(table, { sort }, 7);
  expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(count);
  expect(rows).toHaveLength(count);
});

test('paging in a table without a key works with a condition that uses an index', async () => {
  const filters = [{ column: 'a', operator: 'gt', value: '450' }];
  expect((await forward('heap', { filters }, 7)).map(([a]) => Number(a))).toEqual(
    Array.from({ length: 50 }, (_, index) => 451 + index),
  );
});

test('a view doesn’t have a cursor, because its rows don’t have a key', async () => {
  const { first, last, keys } = await page('viewed', { limit: '5' });
  expect([first, last, keys]).toEqual([null, null, null]);
});

test.each([
  ['not JSON', 'x'],
  ['too few values', '[]'],
  ['a value that isn’t a list', '{}'],
])('a cursor that is %s is rejected', async (_name, after) => {
  expect((await owner.call('GET', rowsPath('mixed', { after }))).status).toBe(400);
});

test('a cursor is treated as a value, so it can’t contain SQL', async () => {
  const { status, body } = await owner.call(
    'GET',
    rowsPath('mixed', { after: ["1'); drop table public.mixed; --"] }),
  );
  expect([status, body.sqlstate]).toEqual([422, '22P02']);
});

describe('the identity of a row', () => {
  const edit = (table: string, key: object, changes: object, seen: object = {}) =>
    owner.call('PATCH', rowsPath(table), { edits: [{ key, changes, seen }] });

  test.each([
    ['pairs', { kind: 'columns', columns: ['x', 'y'] }],
    ['unique_only', { kind: 'columns', columns: ['code'] }],
    ['heap', { kind: 'place' }],
    ['parted', { kind: 'columns', columns: ['id', 'part'] }],
    ['viewed', { kind: 'none' }],
  ])('in %s', async (table, key) => {
    expect((await owner.call('GET', `/tables/public/${table}`)).body.key).toEqual(key);
  });

  test('is its location and version in a table without a key, and a version that no longer exists doesn’t match another row', async () => {
    const { keys, rows } = await page('heap', { limit: '2' });
    const [key = {}] = keys ?? [];
    const first = await edit('heap', key, { b: { value: 'changed' } }, { b: rows[0]?.[1] });
    expect(first.body.rows[0].row.b).toBe('changed');
    expect(first.body.rows[0].key).not.toEqual(key);
    expect((await edit('heap', key, { b: { value: 'again' } })).body.code).toBe('gone');
    const again = await edit('heap', first.body.rows[0].key, { b: { value: 'again' } });
    expect(again.body.rows[0].row.b).toBe('again');
    // Another transaction writes the row, so the version that was read doesn't exist anymore.
    await run(`update public.heap set b = 'theirs' where a = 1`);
    expect((await edit('heap', again.body.rows[0].key, { b: { value: 'mine' } })).body.code).toBe('gone');
    const second = { scope: { keys: [keys?.[1]] } };
    expect((await owner.call('DELETE', rowsPath('heap'), second)).body).toMatchObject({ deleted: 1 });
    expect((await owner.call('DELETE', rowsPath('heap'), second)).body).toMatchObject({ deleted: 0 });
  });

  test("a change to a generated column is rejected with the database's message", async () => {
    const { status, body } = await edit('counted', { id: '1' }, { twice: { value: '9' } });
    expect([status, body.sqlstate]).toEqual([422, '428C9']);
    expect((await edit('counted', { id: '1' }, { n: { value: '5' } })).body.rows[0].row.twice).toBe('10');
  });

  test('foreign keys with several columns are returned completely', async () => {
    await run('create table public.notes (a int, b text, foreign key (b, a) references public.pairs (y, x))');
    expect((await owner.call('GET', '/tables/public/notes')).body.foreign_keys).toEqual([
      {
        name: 'notes_b_a_fkey',
        columns: ['b', 'a'],
        schema: 'public',
        table: 'pairs',
        references: ['y', 'x'],
      },
    ]);
  });
});

describe('requests for many rows', () => {
  test('change or delete all matching rows only if their number is the confirmed number', async () => {
    const scope = { filters: [{ column: 'id', operator: 'lte', value: '10' }] };
    const path = '/tables/public/parted/change';
    const told = await owner.call('POST', path, { scope, rows: 9, changes: { note: { value: 'many' } } });
    expect([told.status, told.body.code]).toEqual([409, 'not_as_told']);
    const [untouched] = await pool().query<{ count: number }>(
      sql`select count(*) from public.parted where note = 'many'`,
    );
    expect(untouched?.count).toBe(0);
    const changed = await owner.call('POST', path, { scope, rows: 10, changes: { note: { value: 'many' } } });
    expect(changed.body).toMatchObject({ changed: 10 });
    const deleted = await owner.call('DELETE', rowsPath('parted'), { scope, rows: 10 });
    expect(deleted.body).toMatchObject({ deleted: 10 });
  });

  test('return whole cells, for copying', async () => {
    const whole = await page('tasks', { whole: 'true', limit: '5' });
    expect(whole.rows[4]?.[2]).toHaveLength(1000);
  });
});

describe('as another user', () => {
  const claims = (sub: string) =>
    `claims:${Buffer.from(JSON.stringify({ role: 'authenticated', sub })).toString('base64url')}`;
  const ada = '11111111-1111-4111-8111-111111111111';
  const as = (who: string, table = 'mine', params: Record<string, unknown> = {}) =>
    rowsPath(table, { ...params, as: who });

  beforeAll(() =>
    run(`
      create table public.mine (id int primary key, owner uuid, note text, shared boolean default false);
      alter table public.mine enable row level security;
      create policy read on public.mine for select using (owner = auth.uid() or shared);
      create policy change on public.mine for update using (owner = auth.uid());
      insert into public.mine values (1, '${ada}', 'hers', false), (2, null, 'unowned', true), (3, null, 'hidden', false);
    `),
  );

  test('rows, row counts and exports contain only what the persona can see', async () => {
    const ids = async (path: string) => (await owner.call('GET', path)).body.rows.map(([id]: [string]) => id);
    expect(await ids(as('operator'))).toEqual(['1', '2', '3']);
    expect(await ids(as('anon'))).toEqual(['2']);
    expect(await ids(as(claims(ada)))).toEqual(['1', '2']);
    const count = await owner.call('GET', as(claims(ada)).replace('/rows?', '/count?'));
    expect(count.body).toEqual({ count: 2 });
    const file = await owner.call('GET', as('anon', 'mine', { format: 'csv' }).replace('/rows?', '/export?'));
    expect(file.body).toBe('id,owner,note,shared\r\n2,,unowned,true\r\n');
  });

  test('edits that the database rejects are rejected', async () => {
    const edit = (id: string) => ({ edits: [{ key: { id }, changes: { note: { value: 'new' } } }] });
    expect((await owner.call('PATCH', as(claims(ada)), edit('1'))).body.rows[0].row.note).toBe('new');
    expect((await owner.call('PATCH', as(claims(ada)), edit('2'))).body.code).toBe('not_changed');
    expect((await owner.call('PATCH', as(claims(ada)), edit('3'))).body.code).toBe('gone');
    await run('revoke update on public.mine from anon');
    const anon = await owner.call('PATCH', as('anon'), edit('2'));
    expect([anon.status, anon.body.sqlstate]).toEqual([422, '42501']);
    const insert = await owner.call('POST', as(claims(ada)), { values: { id: { value: '9' } } });
    expect([insert.status, insert.body.sqlstate]).toEqual([422, '42501']);
    const gone = await owner.call('DELETE', as(claims(ada)), { scope: { filters: [] } });
    expect(gone.body).toMatchObject({ deleted: 0 });
  });

  test('a persona doesn’t extend an operator’s role', async () => {
    await backend.operators.createOperator('watcher', 'read-only');
    const watcher = await operator(backend, 'watcher');
    const service = `claims:${Buffer.from('{"role":"service_role"}').toString('base64url')}`;
    expect((await watcher.call('GET', `/tables/auth/users/rows?as=${service}`)).status).toBe(403);
    expect((await watcher.call('PATCH', as(service), { edits: [] })).status).toBe(403);
    expect((await owner.call('GET', as('postgres'))).status).toBe(400);
    const admin = `claims:${Buffer.from('{"role":"supabase_admin"}').toString('base64url')}`;
    expect((await owner.call('GET', as(admin))).status).toBe(422);
  });
});

test.each([
  [
    'PATCH',
    '/tables/public/pairs/rows',
    { edits: [{ key: { x: '1', y: 'a' }, changes: { note: { value: 'x' } } }] },
  ],
  ['POST', '/tables/public/pairs/rows', { values: { x: { value: '99' }, y: { value: 'z' } } }],
  ['DELETE', '/tables/public/pairs/rows', { scope: { filters: [] } }],
  ['POST', '/tables/public/pairs/change', { scope: { filters: [] }, changes: { note: { value: 'x' } } }],
])('%s %s requires write permission and a CSRF token', async (method, path, body) => {
  await backend.operators.createOperator('onlooker', 'read-only');
  const onlooker = await operator(backend, 'onlooker');
  const stored = async () =>
    JSON.stringify(await pool().query(sql`select * from public.pairs order by x, y`));
  const before = await stored();
  expect((await onlooker.call(method, path, body)).status).toBe(403);
  const forged = await owner.call(method, path, body, { 'x-plinth-csrf': '' });
  expect([forged.status, forged.body.code]).toEqual([403, 'csrf']);
  expect((await owner.call(method, path, body, { cookie: '' })).status).toBe(401);
  expect(await stored()).toBe(before);
});
