import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { outlineOf, redactLiterals } from './outline.ts';

const long = 'one_column, another_column, a_third_column';

it.each([
  [`select ${long}\nfrom public.orders\nwhere id = $1`, 'select … from public.orders where id = $1'],
  ['select count(*) as n from t', 'select count(*) as n from t'],
  [`select (select ${long} from a where b), c from t`, 'select … from t'],
  [`select extract(year from one_column), another_column, x from t`, 'select … from t'],
  [`select one_column is not distinct from another_column, x from t`, 'select … from t'],
  [`select 'one from two', "a from b", another_column from t`, 'select … from t'],
  [`with s as (select ${long} from a) select ${long} from s`, 'with s as (select … from a) select … from s'],
  [`select ${long} union select ${long} from t`, 'select … from t'],
  [`insert into t (a) select ${long} from u`, 'insert into t (a) select … from u'],
  [`exists (select 1) and f(select ${long} from t)`, 'exists (select 1) and f(select … from t)'],
  [`select ${long}`, `select ${long}`],
  ['update t set a = 1', 'update t set a = 1'],
])('%s', (text, outline) => {
  expect(outlineOf(text)).toBe(outline);
});

it('returns one line for any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(outlineOf(text)).not.toMatch(/\n/);
    }),
  );
});

test.each([
  ["select * from t where token = 'secret' and n = 42", 'select * from t where token = … and n = …'],
  ["SELECT E'a\\'secret', $tag$secret$tag$, U&'secret', x'12'", 'SELECT …, …, …, …'],
  [
    'select $1, "secret column" -- secret\n from t /* secret */ limit $2',
    'select $1, "secret column"  \n from t   limit $2',
  ],
  ["alter role app password 'secret'", 'alter role …'],
  ["create user mapping for app server s options (password 'secret')", 'create user …'],
  ["select 'secret", 'select …'],
  ["select 'a\\'secret'", 'select secret …'],
  ['', '…'],
])('%s', (text, shown) => expect(redactLiterals(text)).toBe(shown));

test('no string literal remains in any statement', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (secret) => {
      const literal = `'${secret.replaceAll("'", "''")}'`;
      expect(redactLiterals(`select 1 where a = ${literal}`)).toBe('select … where a = …');
    }),
  );
});
