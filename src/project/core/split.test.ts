import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lex } from './lex.ts';
import { splitStatements } from './split.ts';

const texts = (source: string) => splitStatements(source).map(({ text }) => text);

describe('splitStatements', () => {
  test.each<[string, string, string[]]>([
    ['two', 'select 1; select 2;', ['select 1', 'select 2']],
    ['no semicolon at the end', 'select 1;\nselect 2', ['select 1', 'select 2']],
    ['nothing', ' \n;;\n ; ', []],
    ['a string', "select 'a;b', 'it''s;';", ["select 'a;b', 'it''s;'"]],
    ['a backslash is nothing special', "select 'a\\'; select 2", ["select 'a\\'", 'select 2']],
    ['an escape string', "select E'a\\';b'; select 2", ["select E'a\\';b'", 'select 2']],
    ['a word that ends in e', "select name'x;y'", ["select name'x;y'"]],
    ['a quoted name', 'select "a;b""c;"', ['select "a;b""c;"']],
    [
      'dollar quotes',
      'do $$ begin; end $$; select $a$ $$;$ $a$',
      ['do $$ begin; end $$', 'select $a$ $$;$ $a$'],
    ],
    ['parameters are no quotes', 'select $1; select $2', ['select $1', 'select $2']],
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
    ['a transaction is no body', 'begin; select 1; end; select 2', ['begin', 'select 1', 'end', 'select 2']],
    [
      'a table named function',
      'create table function(begin int); select 1',
      ['create table function(begin int)', 'select 1'],
    ],
    ['psql lines', '\\restrict abc\nselect 1;\n  \\connect x;\nselect 2;', ['select 1', 'select 2']],
    ['a psql line inside a string', "select '\n\\x\n'; select 2", ["select '\n\\x\n'", 'select 2']],
    ['a byte order mark', '\uFEFFselect 1', ['select 1']],
    ['an open string', "select 1; select 'a;", ['select 1', "select 'a;"]],
    ['an open dollar quote', 'select 1; do $$ a;', ['select 1', 'do $$ a;']],
  ])('%s', (_, source, statements) => {
    expect(texts(source)).toEqual(statements);
  });

  test('knows the line on which each begins, and its first words', () => {
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

  /** Statements with every kind of semicolon that must not split. */
  const piece = fc.constantFrom(
    'select 1',
    "select 'a;''b'",
    "select E'\\';'",
    'select ";"',
    'do $$ a; $$',
    'do $x$ ; $$ $x$',
    'select /* ; /* ; */ */ 1',
    'select 1 -- ;\n',
    'create rule r as on insert to t do (a; b)',
    'create function f() begin atomic select case when a then b end; end',
  );

  test('joined statements come apart again', () => {
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(texts(pieces.join(';\n'))).toEqual(pieces.map((text) => text.trim()));
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

  test('tokens cover any text, in order', () => {
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

  test('nothing but space and semicolons is lost from any text', () => {
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
