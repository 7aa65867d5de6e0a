import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenize } from '../../../../base/shared/sql/lex.ts';
import type { Danger } from '../contract.ts';
import { questionsOf } from './danger.ts';
import { controlsTransaction, needsNoTransaction, splitStatements } from './statements.ts';

const texts = (script: string) => splitStatements(script).map(({ text }) => text);

describe('splitting', () => {
  test.each<[string, string[]]>([
    ['select 1; select 2', ['select 1', 'select 2']],
    [' ; ;; -- nothing', []],
    [`select ';' ; select 2`, [`select ';'`, 'select 2']],
    [`select 'it''s; here'; x`, [`select 'it''s; here'`, 'x']],
    [`select E'\\'; drop'; x`, [`select E'\\'; drop'`, 'x']],
    [`select '\\'; x`, [`select '\\'`, 'x']],
    ['select ";"";" ; x', ['select ";"";"', 'x']],
    ['do $$ begin; end; $$; x', ['do $$ begin; end; $$', 'x']],
    ['do $a$ $$;$$ ; $a$; x', ['do $a$ $$;$$ ; $a$', 'x']],
    ['select $1; x', ['select $1', 'x']],
    ['select a$b$c; x$b$', ['select a$b$c', 'x$b$']],
    ['select /* ; /* ; */ ; */ 1; x', ['select /* ; /* ; */ ; */ 1', 'x']],
    ['select 1 -- ; no\n; x', ['select 1', 'x']],
    [
      'create rule r as on insert to t do (select 1; select 2); x',
      ['create rule r as on insert to t do (select 1; select 2)', 'x'],
    ],
    [
      'create function f() returns int begin atomic select case when a then 1 end; select 2; end; x',
      ['create function f() returns int begin atomic select case when a then 1 end; select 2; end', 'x'],
    ],
    ['begin; select 1; end; x', ['begin', 'select 1', 'end', 'x']],
    [`select U&'\\003b;' ; x`, [`select U&'\\003b;'`, 'x']],
    [`select E'a'\n'\\';b'; x`, [`select E'a'\n'\\';b'`, 'x']],
    [`select 'open; x`, [`select 'open; x`]],
  ])('%s', (script, expected) => {
    expect(texts(script)).toEqual(expected);
  });

  test('every character of any text is whitespace or part of a token, in order', () => {
    const fragments = fc.constantFrom(
      `'`,
      '"',
      '$$',
      '$a$',
      '--',
      '\n',
      '/*',
      '*/',
      ';',
      'select',
      'E',
      '\\',
      '(',
      ')',
      '$1',
      '1.5',
      'ä',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fragments).map((parts) => parts.join('')),
        ),
        (text) => {
          let at = 0;
          for (const { start, end } of tokenize(text)) {
            expect(text.slice(at, start).trim()).toBe('');
            expect(end).toBeGreaterThan(start);
            at = end;
          }
          expect(text.slice(at).trim()).toBe('');
        },
      ),
    );
  });
});

test.each([
  ['commit', true],
  ['/* hi */ -- there\n END', true],
  ['prepare transaction $$x$$', true],
  ['start transaction', true],
  ['select 1', false],
  ['"commit"', false],
])('%s controls the transaction: %s', (script, expected) => {
  expect(splitStatements(script).some(controlsTransaction)).toBe(expected);
});

test.each([
  ['vacuum full t', true],
  ['create unique index concurrently i on t (a)', true],
  ['drop database x', true],
  ['create index i on t (a)', false],
  [`select 'concurrently'`, false],
])('%s must run outside a transaction: %s', (script, expected) => {
  expect(splitStatements(script).some(needsNoTransaction)).toBe(expected);
});

describe('dangers', () => {
  test.each<[string, Danger | undefined]>([
    ['drop table t', 'drop'],
    ['/* x */ DROP schema s cascade', 'drop'],
    ['drop owned by x', 'drop'],
    ['truncate t', 'truncate'],
    ['delete from t', 'delete-all'],
    ['delete from t where true', 'delete-all'],
    ['delete from t where 1=1 returning *', 'delete-all'],
    ['delete from t where id = 1', undefined],
    ['delete from t using (select 1 where a) x', 'delete-all'],
    ['update t set a = (select 1 where x)', 'update-all'],
    ['update t set a = 1 where id = 1', undefined],
    [`update t set a = ' where '`, 'update-all'],
    ['update t set "where" = 1', 'update-all'],
    ['with d as (delete from t) select 1', 'delete-all'],
    ['with d as (delete from t where id = 1 returning *) select 1', undefined],
    ['with x as (select 1) delete from t', 'delete-all'],
    ['with x as (select 1 where a) update t set a = 1', 'update-all'],
    ['merge into t using s on true when matched then delete', 'delete-all'],
    ['insert into t values (1) on conflict (id) do update set a = 1', undefined],
    ['select * from t for update', undefined],
    ['select "delete" from t', undefined],
    [`select 'drop table t'`, undefined],
    ['select 1 -- drop table t', undefined],
    ['create table t (a int references s on delete cascade)', undefined],
    ['create function f() returns void language sql as $$ drop table t $$', undefined],
    ['alter table t drop column a', 'alter-drop'],
    ['alter table t alter a drop not null', 'alter-drop'],
    ['alter table t add column "drop" int', undefined],
    ['alter table t disable row level security', 'rls-off'],
    ['alter table t no force row level security', 'rls-off'],
    ['alter table t enable row level security', undefined],
    ['alter system set a = 1', 'unclear'],
    ['do $$ begin execute x; end $$', 'unclear'],
    ['call tidy()', 'unclear'],
    ['execute p', 'unclear'],
    ['prepare p as delete from t', 'delete-all'],
    ['explain delete from t', undefined],
    ['explain analyze delete from t', 'delete-all'],
    ['explain (analyze, format json) delete from t', 'delete-all'],
    ['explain (format json) select 1', undefined],
    ['reassign owned by a to b', 'unclear'],
    ['frobnicate t', 'unclear'],
  ])('%s', (script, expected) => {
    expect(questionsOf(script)[0]?.danger).toBe(expected);
  });

  test('contain their position', () => {
    const script = 'select 1;\n  drop table t ;';
    const [question] = questionsOf(script);
    expect(script.slice(question?.start, question?.end)).toBe('drop table t');
  });
});
