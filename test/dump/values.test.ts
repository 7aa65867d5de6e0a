/** Tests that random values of all kinds of types are the same after a dump with COPY or INSERT. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createEmptyDatabase, dumpText, type EmptyDatabase, restoreText } from './helpers.ts';

// The timeouts are long because complete dumps of several databases are compared.
const columns = [
  'a text',
  'b bytea',
  'c jsonb',
  'd text[]',
  'e double precision',
  'f numeric',
  'g bigint',
  'h timestamptz',
  'i boolean',
  'j uuid',
  'k int4range',
  'l interval',
  'm inet',
  'n char(5)',
  'o pair',
  'p mood[]',
  'q json',
  'r bit varying',
].map((column) => column);

const setUp = `
  create type public.pair as (x text, y integer[]);
  create type public.mood as enum ('sad', 'it''s, "ok"', E'tab\\t');
  create table public.wide (id integer primary key, ${columns.map((column) => column.replace(' pair', ' public.pair').replace(' mood', ' public.mood')).join(', ')});`;

let source: EmptyDatabase;
let copy: EmptyDatabase;
beforeAll(async () => {
  source = await createEmptyDatabase();
  copy = await createEmptyDatabase();
  for (const each of [source, copy]) await each.run((client) => client.exec(setUp));
});
afterAll(async () => {
  await source?.drop();
  await copy?.drop();
});

/** PostgreSQL's text can't contain null bytes or lone surrogates. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...'\\\t\n\r.\'"N,{}()$;-\b\v\f'.split('')) }),
  )
  .map((value) => value.replaceAll('\0', ''));
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const json = fc.json().map((value) => value.replaceAll('\\u0000', ''));

const row = fc.record({
  a: nullable(text),
  b: nullable(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  c: nullable(json),
  d: nullable(fc.array(text)),
  e: nullable(fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -0))),
  f: nullable(fc.oneof(fc.bigInt().map(String), fc.constantFrom('NaN', '-0.000010', '1e-300', 'Infinity'))),
  g: nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  h: nullable(
    fc.constantFrom(
      'infinity',
      '-infinity',
      '0001-01-01 00:00:00.000001+00 BC',
      '2024-02-29 23:59:59.999999+05:45',
    ),
  ),
  i: nullable(fc.boolean()),
  j: nullable(fc.uuid()),
  k: nullable(fc.constantFrom('empty', '(,)', '[1,5)', '(,3]')),
  l: nullable(fc.constantFrom('-1 year 2 mons -3 days 04:05:06.789', '0', '178000000 years')),
  m: nullable(fc.constantFrom('10.0.0.0/8', '::1', '2001:db8::/32')),
  n: nullable(fc.constantFrom('a', '', ' b ', 'ééééé')),
  o: nullable(fc.tuple(text, fc.integer({ min: -99, max: 99 }))),
  p: nullable(fc.array(fc.constantFrom('sad', 'it\'s, "ok"', 'tab\t'))),
  q: nullable(json),
  r: nullable(fc.constantFrom('', '0', '101')),
});

test('rows are equal after a dump with COPY and after one with INSERT', async () => {
  const property = fc.asyncProperty(
    fc.array(row, { minLength: 1, maxLength: 30 }),
    fc.boolean(),
    async (rows, inserts) => {
      await source.run(async (client) => {
        await client.exec('truncate public.wide');
        for (const [id, { o, e, b, d, p, ...cells }] of rows.entries())
          await client.query(sql`
          insert into public.wide values (${id}, ${cells.a}::text, ${b}::bytea, ${cells.c}::text::jsonb, ${d}::text[], ${e === null ? null : Object.is(e, -0) ? '-0' : String(e)}::text::float8,
            ${cells.f}::text::numeric, ${cells.g}::text::bigint, ${cells.h}::text::timestamptz, ${cells.i}::boolean, ${cells.j}::text::uuid,
            ${cells.k}::text::int4range, ${cells.l}::text::interval, ${cells.m}::text::inet, ${cells.n}::text::char(5),
            case when ${o?.[0] ?? null}::text is not null then row(${o?.[0] ?? null}::text, array[${o?.[1] ?? null}::integer, null])::public.pair end,
            ${p}::text[]::public.mood[], ${cells.q}::text::json, ${cells.r}::text::varbit)`);
      });
      await copy.run((client) => client.exec('truncate public.wide'));
      await restoreText(copy.target, await dumpText(source.target, { content: 'data', inserts }));
      const read = (database: EmptyDatabase) =>
        database.run((client) => client.queryText(sql`select * from public.wide order by id`));
      expect((await read(copy)).rows).toEqual((await read(source)).rows);
    },
  );
  await fc.assert(property, { numRuns: 25 });
});
