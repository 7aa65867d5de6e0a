import { expect, test } from 'vitest';
import { upgradeScript } from './upgrade-script.ts';

test('functions and aggregates are replaced, and other objects are kept', () => {
  const script = `set local search_path = pg_catalog;
-- Adds the created function's result; for create function.
create function f(a int) returns int
language plpgsql as $$ begin return a; end $$;
create aggregate total(int) (sfunc = f, stype = int);
create operator + (leftarg = a, rightarg = a, function = f);`;
  expect(upgradeScript(script)).toBe(`set local search_path = pg_catalog;
-- Adds the created function's result; for create function.
create or replace function f(a int) returns int
language plpgsql as $$ begin return a; end $$;
create or replace aggregate total(int) (sfunc = f, stype = int);
do $upgrade$
begin
  create operator + (leftarg = a, rightarg = a, function = f);
exception when duplicate_object or duplicate_function then
  null;
end
$upgrade$;`);
});
