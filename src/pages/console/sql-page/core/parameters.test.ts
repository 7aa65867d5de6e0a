import { describe, expect, test } from 'vitest';
import { numberParameters, parameterNames } from './parameters.ts';
import { splitStatements } from './statements.ts';

const namesIn = (script: string) => parameterNames(splitStatements(script));

describe('parameters', () => {
  test.each<[string, string[]]>([
    ['select $2, $1', ['2', '1']],
    ['select :a, :B, :a', ['a', 'B']],
    ['select 1::text, a[1:n], now() ::date', []],
    [`select ':a', $$ :b $1 $$, ":c" -- :d`, []],
    ['select x from t where a = :a; update t set b = :b where a = :a', ['a', 'b']],
    ['create function f(int) returns int begin atomic select $1; end', []],
    ['do $$ begin x := :y; end $$', []],
    ['select a[$1:2]', ['1']],
    ['select a ::text, :a::text', ['a']],
  ])('%s', (script, names) => {
    expect(namesIn(script)).toEqual(names);
  });

  test('are numbered from 1 in each statement, and offsets are converted back', () => {
    const [statement] = splitStatements('select :long_name, :b, :long_name, $9 from nonsense');
    if (statement === undefined) throw new Error('no statement');
    const numbered = numberParameters(statement);
    const text = numbered.print((number) => `$${number}`);
    expect(text).toBe('select $1, $2, $1, $3 from nonsense');
    for (const part of ['from', 'nonsense', 'select'])
      expect(numbered.ownOffset(text.indexOf(part))).toBe(statement.text.indexOf(part));
    expect(numbered.ownOffset(text.indexOf('$2'))).toBe(statement.text.indexOf(':b'));
  });
});
