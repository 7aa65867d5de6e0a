import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactLiterals } from './redact.ts';

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
