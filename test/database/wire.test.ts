/** Tests the client with a real server: values, statements, errors, cancellation and lost connections. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase, testTarget } from '../../src/platform/database/testing.ts';
import {
  Client,
  ConnectionError,
  type Notice,
  type Notification,
  PostgresError,
} from '../../src/platform/database/wire/index.ts';

let db: TestDatabase;
let client: Client;
const notices: Notice[] = [];
const notifications: Notification[] = [];

beforeAll(async () => {
  db = await createTestDatabase('wire');
  client = await Client.connect({
    ...testTarget(db),
    applicationName: 'wire test',
    onNotice: (notice) => notices.push(notice),
    onNotification: (notification) => notifications.push(notification),
  });
});

afterAll(async () => {
  await client?.connection.close();
  await db?.drop();
});

async function failure(promise: Promise<unknown>): Promise<PostgresError> {
  return promise.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error) => error,
  );
}

test('each type is parsed as documented', async () => {
  const [row] = await client.query(sql`
    select true as b, 1::int2 as i2, -2147483648 as i4, 9007199254740991::int8 as i8, 4294967295::oid as o, 1.5::float4 as f4,
      'NaN'::float8 as f8, '{"a":[1]}'::json as j, '[1]'::jsonb as jb, '\\x00ff'::bytea as y, 'ü'::text as t,
      12345678901234567890.10::numeric as n, date '2026-01-02' as d, timestamptz '2026-01-02 03:04:05.678+01' as ts,
      '{1,NULL}'::int[] as ia, array['a,b', null]::text[] as ta, array[true, false] as ba, array['{"a":1}'::jsonb] as ja,
      null::text as nothing, interval '1 day 2 hours' as iv, '127.0.0.1'::inet as other`);
  expect(row).toEqual({
    b: true,
    i2: 1,
    i4: -2147483648,
    i8: 9007199254740991,
    o: 4294967295,
    f4: 1.5,
    f8: Number.NaN,
    j: { a: [1] },
    jb: [1],
    y: Buffer.from([0, 255]),
    t: 'ü',
    n: '12345678901234567890.10',
    d: '2026-01-02',
    ts: '2026-01-02 02:04:05.678+00',
    ia: [1, null],
    ta: ['a,b', null],
    ba: [true, false],
    ja: [{ a: 1 }],
    nothing: null,
    iv: '1 day 02:00:00',
    other: '127.0.0.1',
  });
});

/** PostgreSQL's text type can't contain NUL, and a lone surrogate isn't a valid character. */
const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0') && value.isWellFormed());
/** jsonb can't contain NUL or negative zero. */
const json = fc
  .jsonValue({ stringUnit: 'grapheme' })
  .map((value): fc.JsonValue => JSON.parse(JSON.stringify(value)))
  .filter((value) => !JSON.stringify(value).includes('\\u0000'));

test('values are returned as they were sent', async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.uint8Array(),
      fc.array(fc.option(text)),
      fc.array(fc.integer()),
      json,
      fc.array(fc.oneof(fc.record({ of: json }), fc.array(json), fc.constant(null))),
      async (t, i, f, b, y, ta, ia, j, ja) => {
        const document = { document: j };
        const list = [j];
        const [row] = await client.query(sql`
          select ${t}::text as t, ${i}::int as i, ${f}::float8 as f, ${b}::bool as b, ${y}::bytea as y, ${ta}::text[] as ta,
            ${ia}::int[] as ia, ${document}::jsonb as j, ${ja}::jsonb[] as ja, ${list}::jsonb as list`);
        expect(row).toEqual({ t, i, f, b, y: Buffer.from(y), ta, ia, j: document, ja, list });
      },
    ),
    { numRuns: 60 },
  );
});

test('dates in any year are parsed', async () => {
  const dates = fc.date({
    min: new Date('-004000-01-01'),
    max: new Date('+020000-01-01'),
    noInvalidDate: true,
  });
  await fc.assert(
    fc.asyncProperty(dates, async (date) => {
      const [row] = await client.query<{ ms: number }>(
        sql`select round(extract(epoch from ${date}::timestamptz) * 1000)::int8 as ms`,
      );
      expect(row?.ms).toBe(date.getTime());
    }),
    { numRuns: 40 },
  );
});

test('queryText returns texts, column types and the command tag', async () => {
  const result = await client.queryText(
    sql`select 1 as a, null as b, oid from pg_class where relname = 'pg_class'`,
  );
  expect(result.rows).toEqual([['1', null, '1259']]);
  expect(result.commandTag).toBe('SELECT 1');
  expect(result.columns).toEqual([
    { name: 'a', typeOid: 23, tableOid: 0 },
    { name: 'b', typeOid: 25, tableOid: 0 },
    { name: 'oid', typeOid: 26, tableOid: 1259 },
  ]);
});

test('a script runs several statements, either all or none', async () => {
  await client.exec(
    'create temp table script (a int); insert into script values (1); insert into script values (2)',
  );
  await failure(client.exec('insert into script values (3); select 1/0'));
  expect(await client.query(sql`select array_agg(a) as all from script`)).toEqual([{ all: [1, 2] }]);
  await client.exec('');
});

test("an error contains the server's message", async () => {
  await client.exec('create temp table checked (a int constraint positive check (a > 0))');
  const refused = await failure(client.query(sql`insert into checked values (${-1}::int)`));
  expect(refused).toBeInstanceOf(PostgresError);
  expect(refused).toMatchObject({
    code: '23514',
    severity: 'ERROR',
    table: 'checked',
    constraint: 'positive',
    detail: expect.stringContaining('-1'),
  });
  expect(await failure(client.query(sql`select nothing`))).toMatchObject({ code: '42703', position: 8 });
  expect(await failure(client.query(sql`select 'x'::nonsense`))).toMatchObject({ code: '42704' });
});

test('pipelined statements return results in order, each with its own error', async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      client.query<{ a: number }>(sql`select 10 / (${index}::int % 10) as a`),
    ),
  );
  answers.forEach((response, index) => {
    if (index % 10 === 0) expect(response.status).toBe('rejected');
    else expect(response).toMatchObject({ value: [{ a: Math.trunc(10 / (index % 10)) }] });
  });
});

test('a large row and a large parameter are transferred completely', async () => {
  const large = 'äb'.repeat(2_000_000);
  const [row] = await client.query<{ back: string }>(sql`select ${large}::text as back`);
  expect(row?.back === large).toBe(true);
});

test('a statement is prepared again if its result type changed or it was deallocated', async () => {
  await client.exec('create temp table changing (a int); insert into changing values (1)');
  const read = () => client.query(sql`select * from changing`);
  expect(await read()).toEqual([{ a: 1 }]);
  await client.exec('alter table changing add b int default 2');
  expect(await read()).toEqual([{ a: 1, b: 2 }]);
  await client.exec('deallocate all');
  expect(await read()).toEqual([{ a: 1, b: 2 }]);
});

test('the number of prepared statements is limited', async () => {
  for (let index = 0; index < 150; index++) await client.query(sql`select ${sql.raw(String(index))} as a`);
  const [row] = await client.query<{ count: number }>(sql`select count(*) from pg_prepared_statements`);
  expect(row?.count).toBeLessThanOrEqual(100);
});

test('values that can’t be encoded leave the connection usable', async () => {
  await expect(client.query(sql`select ${'a'}::text, ${sql.raw("'\0'")}`)).rejects.toThrow(TypeError);
  const circular: Record<string, unknown> = {};
  circular.itself = circular;
  await expect(client.query(sql`select ${circular}::jsonb`)).rejects.toThrow(TypeError);
  await expect(client.query(sql`select ${'\0'}::text`)).rejects.toMatchObject({ code: '22021' });
  expect(await client.query(sql`select 1 as a`)).toEqual([{ a: 1 }]);
});

test('COPY FROM STDIN fails instead of waiting forever', async () => {
  await client.exec('create temp table copied (a int)');
  await expect(client.query(sql`copy copied from stdin`)).rejects.toThrow(/COPY FROM STDIN/);
  await expect(client.exec('copy copied from stdin')).rejects.toThrow(/COPY FROM STDIN/);
  expect(await client.query(sql`select 1 as a`)).toEqual([{ a: 1 }]);
});

test('notices and notifications are passed to their handlers', async () => {
  await client.exec(
    `do $$ begin raise warning 'careful' using hint = 'look'; end $$; listen here; notify here, 'payload'`,
  );
  expect(notices).toContainEqual(
    expect.objectContaining({ severity: 'WARNING', message: 'careful', hint: 'look' }),
  );
  expect(notifications).toEqual([{ processId: client.processId, channel: 'here', payload: 'payload' }]);
});

test('canceling a statement doesn’t end the connection', async () => {
  const sleeping = failure(client.query(sql`select pg_sleep(60)`));
  const asleep = sql`select from pg_stat_activity where pid = ${client.processId} and wait_event = 'PgSleep'`;
  for (let begun = false; !begun; ) {
    begun = (await db.database.pool('supabase_admin').query(asleep)).length === 1;
  }
  await client.connection.cancel();
  expect(await sleeping).toMatchObject({ code: '57014' });
  expect(await client.query(sql`select 1 as a`)).toEqual([{ a: 1 }]);
});

test('a terminated connection causes an error, and a queued statement is reported as not started', async () => {
  const doomed = await Client.connect(testTarget(db));
  const running = failure(doomed.query(sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(60)`));
  const behind = failure(doomed.query(sql`select 1`));
  expect(await running).toMatchObject({ name: 'ConnectionError', code: '57P01', untouched: false });
  expect(await behind).toMatchObject({ name: 'ConnectionError', code: '57P01', untouched: true });
  expect(await failure(doomed.query(sql`select 1`))).toBeInstanceOf(ConnectionError);
});

test('`close` waits for pending work', async () => {
  const closing = await Client.connect(testTarget(db));
  const last = closing.query(sql`select pg_sleep(0.02)::text, 7 as a`);
  await closing.connection.close();
  expect(await last).toMatchObject([{ a: 7 }]);
  expect(closing.connection.ended).toBe(true);
});

test('a wrong password, an unknown database and a closed port cause errors', async () => {
  const target = testTarget(db);
  expect(await failure(Client.connect({ ...target, database: 'nowhere' }))).toMatchObject({ code: '3D000' });
  expect(await failure(Client.connect({ ...target, port: 1 }))).toMatchObject({ code: '08001' });
  expect(await failure(Client.connect({ ...target, host: '/nowhere' }))).toMatchObject({ code: '08001' });
});
