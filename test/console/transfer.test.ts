/** Tests the export and import of rows as CSV and JSON. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Logger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { sendTwice } from '../support/one-connection.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
const failures: string[] = [];
const pool = () => backend.database.pool('postgres');
const run = (text: string) => pool().exec(text);

const ignore = (): void => undefined;
const failureLog: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: (fields, message) => void failures.push(`${message} ${String(fields.error)}`),
  child: () => failureLog,
};

beforeAll(async () => {
  backend = await startBackend({ log: failureLog });
  owner = await operator(backend);
  await run(`
    create table public.odd (id int primary key, "te,xt" text, data jsonb, tags text[], big numeric);
    insert into public.odd values
      (1, 'plain', '{"a": [1, "x"]}', '{a,"b c"}', 12345678901234567890.5),
      (2, '', null, null, null),
      (3, null, null, '{}', 0),
      (4, E'two\nlines, "quoted"', null, null, null);
    create table public.goods (
      id bigint generated always as identity primary key,
      code varchar(5) not null unique,
      price numeric(10, 2) check (price >= 0),
      born date default '2020-02-02',
      tags text[],
      data jsonb,
      twice numeric generated always as (price * 2) stored);
  `);
});
afterAll(() => backend?.stop());

const exported = async (table: string, params: Record<string, string>) =>
  owner.call('GET', `/tables/public/${table}/export?${new URLSearchParams(params)}`);

/** Sends a file as the import page does. */
async function upload(
  path: string,
  params: Record<string, string>,
  file: string | Buffer,
  by: Operator = owner,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await backend.console.fetch(
    `/console/api/tables/public/${path}?${new URLSearchParams(params)}`,
    {
      method: 'POST',
      headers: {
        cookie: by.cookie,
        'x-plinth-csrf': by.csrfToken,
        'content-type': 'application/octet-stream',
      },
      body: typeof file === 'string' ? file : new Uint8Array(file),
    },
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const mapped = (...names: string[]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, name])));
const count = async (table: string): Promise<number> => {
  const [row] = await pool().query<{ count: number }>(sql`select count(*) from ${sql.id('public', table)}`);
  return row?.count ?? -1;
};

/** Sends a table definition and a file, as the page for a new table does. */
const create = async (definition: object, file: string, by: Operator = owner) => {
  const response = await backend.console.fetch('/console/api/schema/import', {
    method: 'POST',
    headers: { cookie: by.cookie, 'x-plinth-csrf': by.csrfToken, 'content-type': 'application/octet-stream' },
    body: `${JSON.stringify(definition)}\n${file}`,
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  return { status: response.status, body: (await response.json()) as any };
};

describe('a new table from a file', () => {
  const definition = (table: string, more: object = {}) => ({
    change: {
      kind: 'create_table',
      schema: 'public',
      table,
      columns: [
        { name: 'id', type: { name: 'bigint' }, nullable: false },
        { name: 'title', type: { name: 'text' }, nullable: true },
      ],
      constraints: [{ kind: 'primary key', columns: ['id'] }],
      rls: true,
    },
    mapping: { Number: 'id', Title: 'title' },
    format: 'csv',
    ...more,
  });
  const exists = async (table: string) =>
    (await pool().query(sql`select from pg_class where relname = ${table}`)).length > 0;

  test('has types that are inferred from the first rows', async () => {
    const response = await backend.console.fetch('/console/api/schema/import/head?format=csv', {
      method: 'POST',
      headers: {
        cookie: owner.cookie,
        'x-plinth-csrf': owner.csrfToken,
        'content-type': 'application/octet-stream',
      },
      body: 'Number,Title,Born\n1,a,2024-01-01\n2,b,\n',
    });
    expect(await response.json()).toEqual({
      columns: [
        { name: 'Number', type: 'bigint', nullable: false, unique: true },
        { name: 'Title', type: 'text', nullable: false, unique: true },
        { name: 'Born', type: 'date', nullable: true, unique: false },
      ],
      sample: [
        { Number: '1', Title: 'a', Born: '2024-01-01' },
        { Number: '2', Title: 'b', Born: null },
      ],
      rows: 2,
    });
  });

  test('is created, filled and saved as a migration, either completely or not at all', async () => {
    const file = 'Number,Title\n1,"a\nb"\n2,ü\n';
    const dry = await create(definition('albums', { dry: true, migration: 'create_albums' }), file);
    expect([dry.status, dry.body]).toEqual([
      200,
      expect.objectContaining({ rows: 2, written: false, groups: [] }),
    ]);
    expect(await exists('albums')).toBe(false);
    const bad = await create(definition('albums', { migration: 'create_albums' }), `${file}2,again\nx,y\n`);
    expect(bad.body).toMatchObject({ rows: 4, invalid: 2, written: false });
    expect(await exists('albums')).toBe(false);
    const { status, body } = await create(definition('albums', { migration: 'create_albums' }), file);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ written: true, file: expect.stringContaining('_create_albums.sql') }),
    ]);
    const rows = await pool().queryText(
      sql`select id, title, (select relrowsecurity from pg_class where relname = 'albums') from public.albums order by id`,
    );
    expect(rows.rows).toEqual([
      ['1', 'a\nb', 't'],
      ['2', 'ü', 't'],
    ]);
    const migrations = await backend.database
      .pool('supabase_admin')
      .query(sql`select from supabase_migrations.schema_migrations where name = 'create_albums'`);
    expect(migrations).toHaveLength(1);
    expect((await create(definition('albums'), file)).status).toBe(422);
  });

  test.each([
    ['no definition', 'x', 400],
    ['another change', { kind: 'drop_table', schema: 'public', table: 'odd', cascade: true }, 400],
  ])('%s is rejected', async (_name, change, expected) => {
    expect((await create({ ...definition('never'), change }, 'Number\n1\n')).status).toBe(expected);
    expect(await exists('odd')).toBe(true);
  });

  test('can’t be created by a read-only operator', async () => {
    await backend.operators.createOperator('viewer', 'read-only');
    const viewer = await operator(backend, 'viewer');
    expect((await create(definition('never'), 'Number\n1\n', viewer)).status).toBe(403);
  });
});

describe('export', () => {
  test('distinguishes NULL from the empty string in CSV, and quotes values if necessary', async () => {
    const { body, headers } = await exported('odd', { format: 'csv' });
    expect(body).toBe(
      'id,"te,xt",data,tags,big\r\n' +
        '1,plain,"{""a"": [1, ""x""]}","{a,""b c""}",12345678901234567890.5\r\n' +
        '2,"",,,\r\n3,,,{},0\r\n4,"two\nlines, ""quoted""",,,\r\n',
    );
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="odd.csv"; filename*=UTF-8''odd.csv`,
    );
  });

  test('contains an array of objects in JSON, with the types of the columns', async () => {
    const { body } = await exported('odd', {
      format: 'json',
      filters: JSON.stringify([{ column: 'id', operator: 'lte', value: '2' }]),
      sort: JSON.stringify([{ column: 'id', ascending: false }]),
    });
    expect(body).toEqual([
      { id: 2, 'te,xt': '', data: null, tags: null, big: null },
      { id: 1, 'te,xt': 'plain', data: { a: [1, 'x'] }, tags: ['a', 'b c'], big: expect.any(Number) },
    ]);
    const none = await exported('odd', {
      format: 'json',
      filters: JSON.stringify([{ column: 'id', operator: 'lt', value: '0' }]),
    });
    expect(none.body).toEqual([]);
  });

  test('disables formulas in CSV, unless the operator wants the exact text', async () => {
    await run(`create table public.formulas as select * from (values
      (1, '=1+1'), (2, E'\\n=1+1'), (3, ' @x'), (4, '-5'), (5, '+1e3'), (6, '-x')) as v (id, text)`);
    const sort = JSON.stringify([{ column: 'id', ascending: true }]);
    const { body } = await exported('formulas', { format: 'csv', sort });
    expect(body).toBe(`id,text\r\n1,'=1+1\r\n2,"'\n=1+1"\r\n3,' @x\r\n4,-5\r\n5,+1e3\r\n6,'-x\r\n`);
    const exact = await exported('formulas', { format: 'csv', sort, guarded: 'false' });
    expect(exact.body).toBe('id,text\r\n1,=1+1\r\n2,"\n=1+1"\r\n3, @x\r\n4,-5\r\n5,+1e3\r\n6,-x\r\n');
  });

  test('returns an error before the file begins', async () => {
    const { status, body } = await exported('odd', {
      format: 'csv',
      filters: JSON.stringify([{ column: 'id', operator: 'eq', value: 'x' }]),
    });
    expect([status, body.sqlstate]).toEqual([422, '22P02']);
    expect((await exported('nowhere', { format: 'csv' })).status).toBe(404);
    expect((await exported('odd', { format: 'xml' })).status).toBe(400);
  });

  test('contains all of many rows', async () => {
    await run(
      'create table public.many as select i as n, repeat(md5(i::text), 4) as text from generate_series(1, 30000) i',
    );
    const { body } = await exported('many', { format: 'csv' });
    const lines = (body as string).split('\r\n');
    expect(lines).toHaveLength(30_002);
    expect(lines[30_000]?.startsWith('30000,')).toBe(true);
  });

  test('ends its statement if the client disconnects', async () => {
    await run(
      `create view public.endless as
         with recursive n(i) as (select 1 union all select i + 1 from n) select i, repeat('x', 10000) as text from n`,
    );
    const { hostname, port } = new URL(backend.console.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /console/api/tables/public/endless/export?format=csv HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${owner.cookie}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    expect(await exporting()).toBe(true);
    socket.destroy();
    await expect.poll(exporting).toBe(false);
    // The response has begun, so its headers can't be sent again.
    expect((await owner.call('GET', '/home')).status).toBe(200);
    expect(failures).toEqual([]);
  });
});

async function exporting(): Promise<boolean> {
  const rows = await backend.database
    .pool('supabase_admin')
    .query(sql`select from pg_stat_activity where query like 'fetch %plinth_export%' and state <> 'idle'`);
  return rows.length > 0;
}

describe('import', () => {
  test('previews a file first', async () => {
    const { body } = await upload(
      'goods/import/head',
      { format: 'csv', delimiter: ';' },
      '\uFEFFa;b\n1;"x;y"\n2;\n',
    );
    expect(body).toEqual({
      columns: ['a', 'b'],
      sample: [
        { a: '1', b: 'x;y' },
        { a: '2', b: null },
      ],
    });
    const json = await upload(
      'goods/import/head',
      { format: 'json' },
      '[{"a": 1, "b": {"c": 2}}, {"d": "cut o',
    );
    expect(json.body).toEqual({ columns: ['a', 'b'], sample: [{ a: 1, b: { c: 2 } }] });
  });

  test('lists every invalid row with its line in a dry run, which doesn’t write anything', async () => {
    const file = 'code,price,born\na,1.50,2024-01-01\nb,-1,\ntoolong,2,\nc,x,\n"d\nd",3,\na,4,\ne,5\n';
    const params = { format: 'csv', mapping: mapped('code', 'price', 'born'), dry: 'true' };
    const { status, body } = await upload('goods/import', params, file);
    expect(status).toBe(200);
    expect(body).toMatchObject({ rows: 7, written: false, stopped: false });
    expect(
      (body.faults as { line: number; message: string; sqlstate?: string }[]).map((each) => [
        each.line,
        each.sqlstate ?? each.message,
      ]),
    ).toEqual(
      [
        [3, '23514'],
        [4, '22001'],
        [5, '22P02'],
        [9, 'has 2 fields, but the first line has 3'],
        [8, '23505'],
      ].sort((left, right) => Number(left[0]) - Number(right[0])),
    );
    expect(await count('goods')).toBe(0);
    // Without a dry run, either all rows are written or no rows are written.
    expect((await upload('goods/import', { ...params, dry: 'false' }, file)).body).toMatchObject({
      written: false,
    });
    expect(await count('goods')).toBe(0);
  });

  test('doesn’t take values from sequences in a dry run', async () => {
    await run(`
      create table public.numbered (id int generated by default as identity primary key check (id > 0),
        serial bigserial, code text unique, ref int references public.numbered);
      insert into public.numbered (code) values ('first')`);
    const file = `code\n${Array.from({ length: 40 }, (_none, index) => `c${index % 35}`).join('\n')}\n`;
    const params = { format: 'csv', mapping: mapped('code'), skip: 'true', dry: 'true' };
    const { body } = await upload('numbered/import', params, file);
    expect(body).toMatchObject({ rows: 40, invalid: 5, written: false });
    const json = { format: 'json', mapping: mapped('id', 'code'), dry: 'true' };
    const mixed = await upload('numbered/import', json, '[{"id": 5, "code": "x"}, {"code": "y"}, {}]');
    expect(mixed.body).toMatchObject({ rows: 3, invalid: 0 });
    const [next] = await pool().query(
      sql`insert into public.numbered (code) values ('second') returning id, serial::int as serial`,
    );
    expect(next).toEqual({ id: 2, serial: 2 });
  });

  test('an import that skips invalid rows takes sequence values only for the rows that it inserts', async () => {
    await run('create table public.counted (id serial primary key, code text unique)');
    const file = `code\n${Array.from({ length: 1200 }, (_none, index) => `c${index % 1190}`).join('\n')}\n`;
    const params = { format: 'csv', mapping: mapped('code'), skip: 'true', dry: 'false' };
    const { body } = await upload('counted/import', params, file);
    expect(body).toMatchObject({ rows: 1200, invalid: 10, written: true });
    const [ids] = await pool().query(
      sql`select count(*)::int as rows, max(id) as last, nextval('public.counted_id_seq')::int as next from public.counted`,
    );
    expect(ids).toEqual({ rows: 1190, last: 1190, next: 1191 });
    // The check for invalid rows uses placeholder values for the sequence's column. Rows aren't rejected if these
    // placeholder values violate a constraint.
    await run('create table public.few (id smallserial check (id < 100), price int check (price > 0))');
    const mixed = await upload('few/import', { ...params, mapping: mapped('price') }, 'price\n1\n-1\n2\n');
    expect(mixed.body).toMatchObject({ rows: 3, invalid: 1, written: true });
    expect(await pool().query(sql`select price from public.few order by id`)).toEqual([
      { price: 1 },
      { price: 2 },
    ]);
  });

  test('supports NULL, the empty string, defaults for omitted columns, and a mapping to other names in CSV', async () => {
    const file = 'Code,Price\nx1,2.5\n"",\n';
    const mapping = JSON.stringify({ Code: 'code', Price: 'price' });
    const { body } = await upload('goods/import', { format: 'csv', mapping }, file);
    expect(body).toMatchObject({
      rows: 2,
      invalid: 0,
      faults: [],
      groups: [],
      skipped: [],
      stopped: false,
      written: true,
    });
    const rows = await pool().queryText(
      sql`select code, price::text, born::text, twice::text from public.goods order by id`,
    );
    expect(rows.rows).toEqual([
      ['x1', '2.50', '2020-02-02', '5.00'],
      ['', null, '2020-02-02', null],
    ]);
  });

  test('supports arrays, objects and long numbers in JSON, where an absent key means the default and null means NULL', async () => {
    await run('truncate public.goods');
    const file = `[
      {"code": "j1", "price": 12345678.91, "tags": ["a", "b \\"c\\"", null], "data": {"n": 12345678901234567890}},
      {"code": "j2", "born": null},
      {"code": "j3"}
    ]`;
    const mapping = mapped('code', 'price', 'tags', 'data', 'born');
    expect((await upload('goods/import', { format: 'json', mapping }, file)).body).toMatchObject({
      rows: 3,
      written: true,
    });
    const rows = await pool().queryText(
      sql`select code, price::text, tags::text, data::text, born::text from public.goods order by id`,
    );
    expect(rows.rows).toEqual([
      ['j1', '12345678.91', '{a,"b \\"c\\"",NULL}', '{"n": 12345678901234567890}', '2020-02-02'],
      ['j2', null, null, null, null],
      ['j3', null, null, null, '2020-02-02'],
    ]);
    const lines = await upload(
      'goods/import',
      { format: 'json', mapping: mapped('code') },
      '{"code":"l1"}\n{"code":"l2"}\n',
    );
    expect(lines.body).toMatchObject({ rows: 2, written: true });
  });

  test('accepts an exported file', async () => {
    const { body } = await exported('odd', { format: 'csv' });
    await run('create table public.again (like public.odd including all)');
    const mapping = mapped('id', 'te,xt', 'data', 'tags', 'big');
    expect((await upload('again/import', { format: 'csv', mapping }, body)).body).toMatchObject({
      written: true,
    });
    expect((await exported('again', { format: 'csv' })).body).toBe(body);
  });

  test('rejects a file in another encoding instead of decoding it incorrectly', async () => {
    const before = await count('goods');
    const latin1 = Buffer.from('code,tags\nok,{}\nM\xfcl,{}\n', 'latin1');
    for (const [path, format] of [
      ['import/head', 'csv'],
      ['import', 'csv'],
      ['import', 'json'],
    ] as const) {
      const file = format === 'csv' ? latin1 : Buffer.from('\n\n{"code": "M\xfcl"}', 'latin1');
      const { status, body } = await upload(`goods/${path}`, { format, mapping: mapped('code') }, file);
      expect({ status, message: body.message }).toEqual({
        status: 400,
        message: "Line 3 of the file isn't UTF-8 text.",
      });
    }
    expect(await count('goods')).toBe(before);
    // The byte order mark identifies UTF-16.
    const utf16 = Buffer.from('\uFEFFcode\nMül16\n', 'utf16le');
    expect(
      (await upload('goods/import', { format: 'csv', mapping: mapped('code') }, utf16)).body,
    ).toMatchObject({
      rows: 1,
      written: true,
    });
    const [row] = await pool().query(sql`delete from public.goods where code = 'Mül16' returning code`);
    expect(row).toEqual({ code: 'Mül16' });
  });

  test('shows the progress of a long file', async () => {
    await run('create table public.long (n int, text text)');
    const file = `n,text\n${Array.from({ length: 60_000 }, (_, index) => `${index},row ${index}`).join('\n')}\n`;
    const sent = upload('long/import', { format: 'csv', mapping: mapped('n', 'text'), id: 'p1' }, file);
    const seen: (number | null)[] = [];
    const timer = setInterval(async () => seen.push((await owner.call('GET', '/imports/p1')).body.rows), 20);
    expect((await sent).body).toMatchObject({ rows: 60_000, written: true });
    clearInterval(timer);
    expect(seen.some((rows) => rows !== null && rows > 0)).toBe(true);
    expect((await owner.call('GET', '/imports/p1')).body).toEqual({ rows: null });
    expect(await count('long')).toBe(60_000);
  });

  test('also checks a deferred constraint in a dry run', async () => {
    await run(
      `create table public.child (id int primary key, parent int references public.child deferrable initially deferred)`,
    );
    const params = { format: 'csv', mapping: mapped('id', 'parent'), dry: 'true' };
    const { body } = await upload('child/import', params, 'id,parent\n1,2\n');
    expect(body).toMatchObject({ faults: [{ line: null, sqlstate: '23503' }], written: false });
    expect((await upload('child/import', params, 'id,parent\n1,2\n2,\n')).body).toMatchObject({ faults: [] });
  });

  test.each([
    ['an unclosed quote', 'csv', 'code\n"open', "isn't valid CSV"],
    ['a column twice', 'csv', 'code,code\n1,2\n', 'more than once'],
    ['nothing', 'csv', '', 'empty'],
    ['text', 'json', 'hello', 'Invalid JSON on line 1'],
    ['an incomplete object', 'json', '[{"code": "x"', 'cut off'],
    ['an incomplete array', 'json', '[{"code": "x"}', 'never closed'],
  ])('rejects %s, which isn’t a %s file', async (_name, format, file, message) => {
    const { status, body } = await upload('goods/import', { format, mapping: mapped('code') }, file);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test.each([
    ['no mapping', '{}'],
    ['a missing column', '{"code": "nope"}'],
    ['a generated column', '{"code": "twice"}'],
    ['a column twice', '{"code": "code", "x": "code"}'],
    ['SQL as a column', '{"code": "code) values (1); drop table public.goods; --"}'],
  ])('rejects %s', async (_name, mapping) => {
    expect((await upload('goods/import', { format: 'csv', mapping }, 'code,x\na,b\n')).status).toBe(400);
  });

  test('ends after too many invalid rows', async () => {
    const file = `code\n${'toolong\n'.repeat(1500)}`;
    const { body } = await upload(
      'goods/import',
      { format: 'csv', mapping: mapped('code'), dry: 'true' },
      file,
    );
    expect(body).toMatchObject({
      stopped: true,
      invalid: 1000,
      groups: [{ count: 1000, sqlstate: '22001' }],
    });
    expect(body.faults).toHaveLength(100);
  });

  test.each([
    [
      'CSV that ends early because of an error',
      'goods/import',
      'csv',
      `code\n"a"b\n${'x,y\n'.repeat(1_500_000)}`,
      400,
    ],
    ['JSON that ends early because of an error', 'goods/import', 'json', `]${' '.repeat(6_000_000)}`, 400],
    ['text in another encoding', 'goods/import', 'csv', Buffer.alloc(6_000_000, 0xe9), 400],
    ['a preview of a long CSV file', 'goods/import/head', 'csv', `code\n${'abc\n'.repeat(1_500_000)}`, 200],
    [
      'a preview of a long JSON file',
      'goods/import/head',
      'json',
      JSON.stringify(Array(400_000).fill({ code: 'a' })),
      200,
    ],
  ])(
    'the response to a file that isn’t read completely arrives: %s',
    async (_name, path, format, file, status) => {
      const query = new URLSearchParams({ format, mapping: mapped('code'), dry: 'true', id: '1' });
      const headers = {
        cookie: owner.cookie,
        'x-plinth-csrf': owner.csrfToken,
        'content-type': 'application/octet-stream',
      };
      const url = new URL(`/console/api/tables/public/${path}?${query}`, backend.console.url).href;
      const responses = await sendTwice(url, { method: 'POST', headers, body: file });
      expect(responses.map((response) => response.status)).toEqual([status, status]);
    },
  );

  test('groups equal errors, and can skip invalid rows and set a fixed value for a column', async () => {
    await run(
      "create table public.parcels (id int primary key, kg int not null, owner text not null, note text default 'x')",
    );
    const file = 'id,kg\n1,10\n2,heavy\n3,light\n1,5\n4,7\n';
    const params = { format: 'csv', mapping: mapped('id', 'kg') };
    const missing = await upload('parcels/import', { ...params, dry: 'true' }, file);
    expect((missing.body.groups as object[])[0]).toMatchObject({
      count: 3,
      column: 'owner',
      sqlstate: '23502',
    });
    const fixed = JSON.stringify({ owner: "o'; drop table public.parcels; --", note: null });
    const { body } = await upload('parcels/import', { ...params, fixed, skip: 'true' }, file);
    expect(body).toMatchObject({ rows: 5, invalid: 3, written: true, stopped: false });
    expect(body.groups).toEqual([
      {
        message: 'invalid input syntax for type integer',
        column: 'kg',
        sqlstate: '22P02',
        count: 2,
        examples: [
          { line: 3, detail: 'heavy' },
          { line: 4, detail: 'light' },
        ],
      },
      expect.objectContaining({ count: 1, sqlstate: '23505' }),
    ]);
    expect(body.skipped).toEqual([
      { line: 3, reason: 'invalid input syntax for type integer: "heavy"', values: { id: '2', kg: 'heavy' } },
      { line: 4, reason: 'invalid input syntax for type integer: "light"', values: { id: '3', kg: 'light' } },
      { line: 5, reason: expect.stringContaining('already exists'), values: { id: '1', kg: '5' } },
    ]);
    const rows = await pool().queryText(sql`select id, owner, note from public.parcels order by id`);
    expect(rows.rows).toEqual([
      ['1', "o'; drop table public.parcels; --", null],
      ['4', "o'; drop table public.parcels; --", null],
    ]);
    const twice = JSON.stringify({ kg: '1' });
    expect((await upload('parcels/import', { ...params, fixed: twice }, file)).status).toBe(400);
    // Nothing is written if every row is invalid, or if a deferred constraint fails.
    expect((await upload('parcels/import', { ...params, skip: 'true' }, file)).body).toMatchObject({
      written: false,
    });
    const childParams = { format: 'csv', mapping: mapped('id', 'parent'), skip: 'true' };
    expect((await upload('child/import', childParams, 'id,parent\n1,2\n')).body).toMatchObject({
      written: false,
    });
  });

  test('isn’t allowed for an operator with read access, not even as a dry run', async () => {
    await backend.operators.createOperator('reader', 'read-only');
    const reader = await operator(backend, 'reader');
    for (const path of ['goods/import', 'goods/import/head'])
      expect(
        (await upload(path, { format: 'csv', mapping: mapped('code'), dry: 'true' }, 'code\nx\n', reader))
          .status,
      ).toBe(403);
  });
});
