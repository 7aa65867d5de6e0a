/** Compares pg_hashids with the npm package `hashids`, another implementation of the same algorithm. */
import fc from 'fast-check';
import Hashids from 'hashids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Pool, Row } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
let postgres: Pool;
beforeAll(async () => {
  own = await createTestDatabase('pg-hashids');
  postgres = own.database.pool('postgres');
  await postgres.exec('create extension pg_hashids with schema extensions');
});
afterAll(() => own?.drop());

async function first(text: string): Promise<Row> {
  const [row] = await postgres.query<Row>(sql.raw(text));
  return row as Row;
}

const alphabets = [
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890',
  'abcdefghijABCDxFGHIJ1234567890',
  '0123456789abcdef',
  'cfhistuCFHISTU01',
] as const;

test('the strings are those of the npm package, and are decoded again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.bigInt({ min: 0n, max: 9223372036854775807n }), { minLength: 1, maxLength: 4 }),
      fc.string({ maxLength: 12 }).filter((salt) => !salt.includes('\0')),
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(...alphabets),
      async (numbers, salt, minLength, alphabet) => {
        const expected = new Hashids(salt, minLength, alphabet).encode(numbers);
        const [row] = await postgres.query(sql`
          select made.hash, extensions.id_decode(made.hash, ${salt}, ${minLength}, ${alphabet})::text as numbers
          from (select extensions.id_encode(${numbers.map(String)}::bigint[], ${salt}, ${minLength}, ${alphabet}) as hash) made`);
        expect(row).toEqual({ hash: expected, numbers: `{${numbers.join(',')}}` });
      },
    ),
    { numRuns: 60 },
  );
});

test('all overloads exist, with the defaults of the original', async () => {
  expect(
    await first(`select extensions.id_encode(1001) as a, extensions.id_encode(1234567, 'This is my salt') as b,
      extensions.id_encode(1234567, 'This is my salt', 10) as c, extensions.id_encode(array[1, 2, 3]::bigint[]) as d,
      extensions.id_encode(array[1, 2]::bigint[], 'x') as e, extensions.hash_encode(7) as f,
      extensions.hash_decode(extensions.hash_encode(7, 'x', 8), 'x', 8) as g,
      extensions.id_decode_once(extensions.id_encode(array[5, 6]::bigint[], 'x'), 'x')::int as h,
      extensions.id_encode(null::bigint) as i`),
  ).toEqual({
    a: new Hashids().encode(1001),
    b: new Hashids('This is my salt').encode(1234567),
    c: new Hashids('This is my salt', 10).encode(1234567),
    d: new Hashids().encode(1, 2, 3),
    e: new Hashids('x').encode(1, 2),
    f: new Hashids().encode(7),
    g: 7,
    h: 5,
    i: null,
  });
});

test.each([
  `select extensions.id_decode('zzzz')`,
  `select extensions.id_decode('')`,
  `select extensions.id_decode(extensions.id_encode(12, 'one'), 'another')`,
  `select extensions.id_decode('jNl; drop')`,
  `select extensions.id_decode(repeat('a', 100))`,
  `select extensions.id_encode(1, '', 0, 'abc')`,
  `select extensions.id_encode(1, '', 0, 'abcdefghijklmnop qrst')`,
])('%s is rejected', async (text) => {
  await expect(postgres.exec(text)).rejects.toMatchObject({ code: '22023' });
});

test('an index can use it', async () => {
  await postgres.exec(`
    create table public.orders (id bigint primary key, note text);
    create unique index on public.orders (extensions.id_encode(id, 'orders', 8));
    insert into public.orders (id) values (1), (2)`);
  expect(
    await first(
      `select id::int from public.orders where extensions.id_encode(id, 'orders', 8) = '${new Hashids('orders', 8).encode(2)}'`,
    ),
  ).toEqual({ id: 2 });
});
