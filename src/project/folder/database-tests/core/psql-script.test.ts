import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSelfContained, readScript, withVariables } from './psql-script.ts';

const short = (source: string) =>
  readScript(source).map((step) =>
    step.kind === 'statement'
      ? `${step.line} ${step.text}`
      : `${step.line} \\${[step.name, ...step.args].join(' ')}${step.pending && ` < ${step.pending}`}`,
  );

describe('a psql script', () => {
  test('contains statements and commands in order, with their lines', () => {
    expect(
      short(
        `\\set ON_ERROR_STOP 1\n\\pset format unaligned\nbegin;\nselect plan(1);\n\\i 'a b.sql'\nselect ok(true);\n\nrollback;\n`,
      ),
    ).toEqual([
      '1 \\set ON_ERROR_STOP 1',
      '2 \\pset format unaligned',
      '3 begin',
      '4 select plan(1)',
      '5 \\i a b.sql',
      '6 select ok(true)',
      '8 rollback',
    ]);
  });

  test('\\gset applies to the preceding statement', () => {
    expect(short(`begin;\nselect 1 as n \\gset my_\nselect :my_n;`)).toEqual([
      '1 begin',
      '2 \\gset my_ < select 1 as n',
      '3 select :my_n',
    ]);
  });

  test.each([`select '\\i x';`, `do $$ begin perform '\\i'; end $$;`, `-- \\i x\nselect 1;`])(
    '%j contains no command',
    (source) => expect(readScript(source).filter(({ kind }) => kind === 'command')).toEqual([]),
  );

  test('parsing never fails', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Array.isArray(readScript(text))).toBe(true);
      }),
    );
  });
});

test.each([
  ['select :n', 'select 1'],
  [`select :'word', :"word"`, `select 'it''s', "it's"`],
  ['select x::n, :unknown', 'select x::n, :unknown'],
  [`select ':n', $$:n$$ -- :n`, `select ':n', $$:n$$ -- :n`],
  [`select (a)[1:2], now()::text`, `select (a)[1:2], now()::text`],
])('variables in %j', (statement, expected) => {
  expect(
    withVariables(
      statement,
      new Map([
        ['n', '1'],
        ['word', "it's"],
      ]),
    ),
  ).toBe(expected);
});

describe('a file that can run concurrently', () => {
  test.each([
    'begin; select 1; rollback;',
    '-- a\nBEGIN;\nsavepoint a; rollback to savepoint a; select * from finish();\nROLLBACK;',
    '\\set QUIET 1\nstart transaction; select 1; abort;',
  ])('%j', (text) => expect(isSelfContained(readScript(text))).toBe(true));

  test.each([
    'select 1;',
    'begin; select 1; commit;',
    'begin; commit; begin; rollback;',
    'begin; rollback; create table a (); begin; rollback;',
    'begin; \\i setup.sql\nrollback;',
    '',
  ])('isn’t %j', (text) => expect(isSelfContained(readScript(text))).toBe(false));
});
