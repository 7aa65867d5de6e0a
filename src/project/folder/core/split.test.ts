import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lex } from '../../../base/shared/sql/lex.ts';
import { splitStatements } from './split.ts';

const texts = (source: string) => splitStatements(source).map(({ text }) => text);

describe('splitting a file into statements', () => {
  test.each<[string, string, string[]]>([
    ['two', 'select 1; select 2;', ['select 1', 'select 2']],
    ['no semicolon at the end', 'select 1;\nselect 2', ['select 1', 'select 2']],
    ['nothing', ' \n;;\n ; ', []],
    ['a string', "select 'a;b', 'it''s;';", ["select 'a;b', 'it''s;'"]],
    ['a backslash is nothing special', "select 'a\\'; select 2", ["select 'a\\'", 'select 2']],
    ['an escape string', "select E'a\\';b'; select 2", ["select E'a\\';b'", 'select 2']],
    [
      'a doubled quote in an escape string',
      "select E'a''b\\';c'; select 2;",
      ["select E'a''b\\';c'", 'select 2'],
    ],
    [
      'a string that continues on the next line',
      "select E'a' -- ;\n  '\\';b'; select 2",
      ["select E'a' -- ;\n  '\\';b'", 'select 2'],
    ],
    ['two strings on one line', "select E'a' '\\'; select 2", ["select E'a' '\\'", 'select 2']],
    ['a bit string', "select b'\\'; select x'\\'; select 2", ["select b'\\'", "select x'\\'", 'select 2']],
    ['a Unicode string', "select U&'\\'; select U&'a'';' ; 1", ["select U&'\\'", "select U&'a'';'", '1']],
    [
      'standard_conforming_strings = off',
      "set standard_conforming_strings = off; select 'a\\';b'; reset all; select '\\'; 1",
      ['set standard_conforming_strings = off', "select 'a\\';b'", 'reset all', "select '\\'", '1'],
    ],
    [
      'the same by set_config',
      "SELECT pg_catalog.set_config('standard_conforming_strings', 'off', false); select '\\';'; 1",
      ["SELECT pg_catalog.set_config('standard_conforming_strings', 'off', false)", "select '\\';'", '1'],
    ],
    ['a word that ends in e', "select name'x;y'", ["select name'x;y'"]],
    ['a quoted name', 'select "a;b""c;"', ['select "a;b""c;"']],
    [
      'dollar quotes',
      'do $$ begin; end $$; select $a$ $$;$ $a$',
      ['do $$ begin; end $$', 'select $a$ $$;$ $a$'],
    ],
    ['parameters don’t start a quoted string', 'select $1; select $2', ['select $1', 'select $2']],
    ['a dollar inside a name', 'select a$b$; select 1', ['select a$b$', 'select 1']],
    ['a line comment', '-- a; b\nselect 1; -- c;\n', ['-- a; b\nselect 1', '-- c;']],
    ['nested comments', '/* a /* ; */ ; */ select 1; select 2', ['/* a /* ; */ ; */ select 1', 'select 2']],
    [
      'a rule',
      'create rule r as on insert to t do (select 1; select 2); select 3',
      ['create rule r as on insert to t do (select 1; select 2)', 'select 3'],
    ],
    [
      'a SQL-standard body',
      'create function f() returns int begin atomic select 1; select 2; end; select 3',
      ['create function f() returns int begin atomic select 1; select 2; end', 'select 3'],
    ],
    [
      'CASE in such a body',
      'create or replace procedure p() BEGIN ATOMIC select case when true then 1 end; END; select 3',
      ['create or replace procedure p() BEGIN ATOMIC select case when true then 1 end; END', 'select 3'],
    ],
    [
      'names within such a body',
      'create function f(a text default (1)) returns int begin /* ; */ atomic select t.end, begin as case; end; 2',
      [
        'create function f(a text default (1)) returns int begin /* ; */ atomic select t.end, begin as case; end',
        '2',
      ],
    ],
    [
      'a parameter called begin',
      'create function f(begin int) as $$;$$; 2',
      ['create function f(begin int) as $$;$$', '2'],
    ],
    [
      'a function called begin',
      'create function begin() as $$;$$; 2',
      ['create function begin() as $$;$$', '2'],
    ],
    [
      'a transaction isn’t a function body',
      'begin; select 1; end; select 2',
      ['begin', 'select 1', 'end', 'select 2'],
    ],
    [
      'a table named function',
      'create table function(begin int); select 1',
      ['create table function(begin int)', 'select 1'],
    ],
    ['psql lines', '\\restrict abc\nselect 1;\n  \\connect x;\nselect 2;', ['select 1', 'select 2']],
    ['a psql line inside a string', "select '\n\\x\n'; select 2", ["select '\n\\x\n'", 'select 2']],
    ['a comment that a carriage return ends', '-- a\r;select 1;\r2', ['-- a', 'select 1', '2']],
    ['a space that is a letter to PostgreSQL', 'a\u00a0$$;$$', ['a\u00a0$$', '$$']],
    ['a psql line with a quote', "\\echo it's\nselect 1; \\. 2", ['select 1', '\\. 2']],
    [
      'rows for psql',
      "copy a (b) from stdin;\n1;'\n\\N\t$$\n\\.\nselect 2; COPY b FROM STDIN with csv;\n'",
      ['copy a (b) from stdin', 'select 2', 'COPY b FROM STDIN with csv'],
    ],
    [
      'COPY to a program',
      "copy (select 'from stdin') to stdout; 2",
      ["copy (select 'from stdin') to stdout", '2'],
    ],
    ['a byte order mark', '\uFEFFselect 1', ['select 1']],
    ['an open string', "select 1; select 'a;", ['select 1', "select 'a;"]],
    ['an open dollar quote', 'select 1; do $$ a;', ['select 1', 'do $$ a;']],
  ])('%s', (_, source, statements) => {
    expect(texts(source)).toEqual(statements);
  });

  test('returns the line on which each statement begins, and its first words', () => {
    expect(splitStatements('select 1;\n\n-- c\nCREATE  Table "t" (\nid int);\n-- end')).toEqual([
      { text: 'select 1', line: 1, words: ['select', '1'] },
      {
        text: '-- c\nCREATE  Table "t" (\nid int)',
        line: 3,
        words: ['create', 'table', '"t"', '(', 'id', 'int', ')'],
      },
      { text: '-- end', line: 6, words: [] },
    ]);
  });

  /** Statements that contain every kind of semicolon at which the splitter must not split. */
  const fragment = fc.constantFrom(
    'select 1',
    "select 'a;''b'",
    "select E'\\';'",
    "select E'a''b\\';c'",
    "select U&'\\'",
    "select 'a'\n';'",
    'select ";"',
    'do $$ a; $$',
    'do $x$ ; $$ $x$',
    'select /* ; /* ; */ */ 1',
    'select 1 -- ;\n',
    'create rule r as on insert to t do (a; b)',
    'create function f() begin atomic select case when a then b end; end',
    'create function f() returns int begin atomic select a.end; select 1; end',
  );

  test('splitting joined statements returns the same statements', () => {
    fc.assert(
      fc.property(fc.array(fragment), (fragments) => {
        expect(texts(fragments.join(';\n'))).toEqual(fragments.map((text) => text.trim()));
      }),
    );
  });

  const anything = fc.string({
    unit: fc.constantFrom(
      'a',
      'E',
      ' ',
      '\n',
      ';',
      "'",
      '"',
      '$',
      '$$',
      '--',
      '/*',
      '*/',
      '(',
      ')',
      '\\',
      'begin',
      '1',
    ),
  });

  test('rows after COPY … FROM stdin aren’t parsed as SQL', () => {
    fc.assert(
      fc.property(anything, (rows) => {
        const data = rows.replace(/^\\\.\s*$/gm, '');
        expect(texts(`copy a from stdin;\n${data}\n\\.\nselect 2`)).toEqual([
          'copy a from stdin',
          'select 2',
        ]);
      }),
    );
  });

  test('tokens cover any text in order', () => {
    fc.assert(
      fc.property(anything, (text) => {
        let at = 0;
        for (const { start, end } of lex(text)) {
          expect(start).toBe(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBe(text.length);
      }),
    );
  });

  test('only whitespace and semicolons are removed from any text', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const bare = (value: string) => value.replace(/[\s;]/g, '');
        const withoutPsql = text.replace(/^[ \t]*\\[a-zA-Z].*$/gm, '');
        fc.pre(withoutPsql === text);
        expect(bare(texts(text).join(''))).toBe(bare(text));
      }),
    );
  });
});
