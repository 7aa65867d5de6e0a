import { describe, expect, test } from 'vitest';
import { planFile } from './plan.ts';
import { splitStatements } from './split.ts';

/** Prints the steps in short form: `tx(a; b)`, `rollback(a)`, `alone(a)`. */
function plan(source: string, quiet = false): string[] {
  return planFile(splitStatements(source), { quiet, embedded: undefined }).map((step) => {
    if (step.kind === 'alone') return `alone(${step.statement.text})`;
    const name = step.end === 'commit' ? 'tx' : 'rollback';
    return `${name}(${step.statements.map(({ text }) => text).join('; ')})`;
  });
}

describe('the plan of a file', () => {
  test.each<[string, string[]]>([
    ['a; b', ['tx(a; b)']],
    ['', []],
    ['-- nothing', []],
    ['begin; a; b; commit;', ['tx(a; b)']],
    ['BEGIN TRANSACTION; a; END', ['tx(a)']],
    ['start transaction; a; commit work', ['tx(a)']],
    [
      'begin isolation level serializable; a; commit',
      ['tx(set transaction isolation level serializable; a)'],
    ],
    ['start transaction read only; a; commit', ['tx(set transaction read only; a)']],
    ['begin; a; commit; begin; b; commit', ['tx(a)', 'tx(b)']],
    ['a; commit; b', ['tx(a)', 'tx(b)']],
    ['begin; a; rollback; b', ['rollback(a)', 'tx(b)']],
    ['savepoint s; a; rollback to savepoint s; b', ['tx(savepoint s; a; rollback to savepoint s; b)']],
    ['a; vacuum t; b', ['tx(a)', 'alone(vacuum t)', 'tx(b)']],
    ['alter system set x = 1', ['alone(alter system set x = 1)']],
    ['create database x', ['alone(create database x)']],
    ['reindex index concurrently i', ['alone(reindex index concurrently i)']],
    ['reindex table t', ['tx(reindex table t)']],
    ['refresh materialized view concurrently v', ['tx(refresh materialized view concurrently v)']],
    ['a; create index concurrently on t (x)', ['tx(a)', 'alone(create index concurrently on t (x))']],
    [
      'alter table t detach partition p concurrently',
      ['alone(alter table t detach partition p concurrently)'],
    ],
    ['alter table t detach partition p', ['tx(alter table t detach partition p)']],
  ])('%j', (source, steps) => {
    expect(plan(source)).toEqual(steps);
  });

  test('CONCURRENTLY is replaced with spaces if no other client uses the database', () => {
    const source = 'a; create unique index Concurrently i on t (x); drop index concurrently j';
    expect(plan(source, true)).toEqual([
      `tx(a; create unique index ${' '.repeat(12)} i on t (x); drop index ${' '.repeat(12)} j)`,
    ]);
  });

  test('the word CONCURRENTLY in a comment is kept', () => {
    expect(plan('-- concurrently\ncreate index concurrently i on t (x)', true)).toEqual([
      `tx(-- concurrently\ncreate index ${' '.repeat(12)} i on t (x))`,
    ]);
  });

  test('statements keep their numbers from the file', () => {
    const [first] = planFile(splitStatements('begin; a; -- c\n; b; commit'), {
      quiet: false,
      embedded: undefined,
    });
    expect(first?.kind === 'transaction' && first.statements.map(({ index }) => index)).toEqual([1, 3]);
  });
});
