import { describe, expect, test } from 'vitest';
import { formatSql } from './format.ts';

describe('formatting SQL', () => {
  test('clauses are on separate lines, and keywords keep their case', () => {
    expect(formatSql('select a, b FROM t where a = 1')).toBe('select\n  a,\n  b\nFROM\n  t\nwhere\n  a = 1');
  });

  test.each([
    "select 'two  spaces' as a, E'it\\'s', $$ body;  -- x $$",
    'select "odd  ""name""", data->>\'a\', data @> \'{}\' from "T able" -- why\n where id = $1',
    'create function f(a int) returns int language plpgsql as $body$ begin\n  return a;  end $body$',
    'select * from t where a = :name /* note */; delete from t where id = any (array[1, 2])',
    'select a<=>b, a=-1, f(x => 1), a ~~* b, a ?| b, a #>> c, -a, 2*-3, a->-1 from t',
    'select a::text[], b is distinct from c, x between 1 and 2, (t).f from t',
  ])('only the space between words changes: %s', (text) => {
    const formatted = formatSql(text);
    expect(formatted).toBeDefined();
    const parts = (each: string) => each.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$.*?\$\1\$/gs);
    expect(parts(formatted ?? '')).toEqual(parts(text));
    expect(formatSql(formatted ?? '')).toBe(formatted);
  });

  // In PostgreSQL, `||-` is one operator, which the library would split.
  test.each(['select (', "select 'open", 'select 1 )', 'select a||-b'])(
    'a text that can’t be formatted stays as it is: %s',
    (text) => {
      expect(formatSql(text) ?? text).toBe(text);
    },
  );
});
