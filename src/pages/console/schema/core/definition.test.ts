import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DefinitionFault, definedName, definitionStatements } from './definition.ts';

const body =
  'create or replace function public.f(a int) returns int language sql as $$ select 1; select a; $$';

const trigger = 'create trigger t before insert on x for each row execute function f()';

test.each([
  ['routine', body, 1],
  ['routine', `${body};`, 1],
  ['routine', `-- adds\n${body}; -- done`, 1],
  ['routine', 'CREATE PROCEDURE p() LANGUAGE sql BEGIN ATOMIC select 1; select 2; END', 1],
  ['routine', `drop function public.f(int); ${body}; grant execute on function public.f(int) to anon;`, 3],
  ['view', 'create view v as select 1', 1],
  ['view', 'create or replace recursive view v (n) as select 1', 1],
  [
    'view',
    'drop materialized view m; create materialized view m as select 1 as a; create unique index on m (a)',
    3,
  ],
  ['trigger', 'create or replace trigger t before insert on x for each row execute function f()', 1],
  ['routine', `drop function if exists "a b"."c (" ("d".e, numeric(10, 2)[]) restrict; ${body}`, 2],
  [
    'trigger',
    `drop trigger "t ,1" on public."x y"; ${trigger}; alter table public."x y" disable trigger t`,
    3,
  ],
] as const)('%s: %s', (object, text, count) => {
  expect(definitionStatements(object, text)).toHaveLength(count);
});

test.each([
  ['routine', 'drop function f(int)'],
  ['routine', `${body}; drop table public.tasks`],
  ['routine', `${body}; delete from public.tasks`],
  ['routine', `${body}; grant all on table public.tasks to anon`],
  ['routine', 'create view v as select 1'],
  ['routine', 'select 1'],
  ['routine', ''],
  ['view', 'create table v as select 1'],
  ['view', 'create view v as select 1; update x set a = 1'],
  ['trigger', 'create event trigger e on ddl_command_end execute function f()'],
  ['trigger', `${trigger}; truncate x`],
  // These delete rows, columns or policies without a confirmation.
  ['routine', `drop function public.f(int) cascade; ${body}`],
  ['routine', `drop function public.f(int), public.g(int); ${body}`],
  ['view', 'drop view v cascade; create view v as select 1'],
  ['view', 'drop view v, w; create view v as select 1'],
  ['view', 'drop materialized view v cascade; create materialized view v as select 1'],
  ['trigger', `${trigger}; alter table x drop column a, enable trigger t`],
  ['trigger', `${trigger}; alter table x disable row level security, enable trigger t`],
  ['trigger', `${trigger}; alter table x add column " enable trigger " int`],
  ['trigger', `drop trigger t on x cascade; ${trigger}`],
  ['routine', `${body}; grant "x on function y" to anon`],
] as const)('%s rejects: %s', (object, text) => {
  expect(() => definitionStatements(object, text)).toThrow(DefinitionFault);
});

test('a name in a string or a comment is not a statement', () => {
  expect(() => definitionStatements('routine', `/* ${body} */ select 1`)).toThrow(DefinitionFault);
  expect(definitionStatements('routine', `${body.replace('select a', 'drop table x')}`)).toHaveLength(1);
});

test.each([
  ['routine', body, 'public.f'],
  [
    'routine',
    'create function "We""ird; --"."a b"() returns int language sql as $$select 1$$',
    '"We""ird; --"."a b"',
  ],
  ['view', 'create materialized view if not exists public.m as select 1', 'public.m'],
  ['view', 'drop view a; create view b as select 1', 'b'],
  ['trigger', 'create trigger t before insert on x execute function f()', 't'],
] as const)('%s: the name in %s', (object, text, name) => {
  expect(definedName(object, text)).toBe(name);
});

test('any text has statements or a fault', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(definitionStatements('routine', `${body};${text}`).length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(DefinitionFault);
      }
      definedName('routine', text);
    }),
  );
});
