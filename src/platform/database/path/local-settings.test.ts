import { expect, test } from 'vitest';
import { localStatement, localStatements } from './local-settings.ts';

test.each([
  ['request.jwt.claims', '{"sub":"a"}', `set local "request"."jwt"."claims" = '{"sub":"a"}'`],
  [
    'request.jwt.claims',
    `'; drop table x; --`,
    `set local "request"."jwt"."claims" = '''; drop table x; --'`,
  ],
  // The form E'' means the same whether or not standard_conforming_strings is on.
  ['request.path', `\\'; select 1`, `set local "request"."path" = E'\\\\''; select 1'`],
  ['request.path', 'a\nb\r$$', `set local "request"."path" = 'a\nb\r$$'`],
  ['timezone', 'UTC', `set local "timezone" = 'UTC'`],
  ['app.o"dd', '1', `set local "app"."o""dd" = '1'`],
  ['search_path', '"public", "ext, 1"', `set local "search_path" = 'public', 'ext, 1'`],
  ['search_path', `Public,"$user" , "a""b"`, `set local "search_path" = 'public', '$user', 'a"b'`],
  ['search_path', '', `set local "search_path" = ''`],
])('%s: %s', (name, value, expected) => {
  expect(localStatement(name, value)).toBe(expected);
});

test.each([
  ['search_path', 'a, , b'],
  ['search_path', '"a'],
  ['search_path', 'a b'],
  ['search_path', 'a,'],
  ['a..b', '1'],
  [`app.${'x'.repeat(64)}`, '1'],
])('PostgreSQL rejects or applies %s: %s by itself', (name, value) => {
  expect(localStatement(name, value)).toBe(`select pg_catalog.set_config('${name}', '${value}', true)`);
});

test('the workers don’t get the role and settings that it may not change', () => {
  expect(localStatement('log_statement', 'none')).toMatch(/^select /);
  expect(localStatement('role', `o'dd`)).toBe(`select pg_catalog.set_config('role', 'o''dd', true)`);
});

test('a null byte is rejected, not removed', () => {
  expect(() => localStatement('request.path', 'a\0b')).toThrow('null byte');
});

test('the statements that pass settings on come first, and only if there are settings', () => {
  expect(localStatements([])).toEqual([]);
  expect(localStatements([['role', 'anon']])).toEqual([
    `set local citus.propagate_set_commands = 'local'`,
    'set local citus.select_opens_transaction_block = on',
    `select pg_catalog.set_config('role', 'anon', true)`,
  ]);
});
