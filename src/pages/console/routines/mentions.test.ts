import { expect, test } from 'vitest';
import { calls } from './mentions.ts';

test.each([
  ['begin perform add_one(1); end', true],
  ['begin perform public.ADD_ONE(1); end', true],
  ['select "add_one"(1)', true],
  ['select "Add_one"(1)', false],
  ['select add_one_more(1)', false],
  ['-- add_one is obsolete\nselect 1', false],
  ['/* add_one */ select 1', false],
  ["begin execute 'select add_one(1)'; end", true],
  ["begin execute 'select add_one_more(1)'; end", false],
  ["select 'add_one'", false],
  ['select add_one from t', false],
  ['select add_one /* x */ (1)', true],
  ['begin execute $x$ select "add_one" (1) $x$; end', true],
])('%s', (source, expected) => {
  expect(calls(source, 'add_one')).toBe(expected);
});

test('names with quotes and spaces are found where they are quoted', () => {
  expect(calls('select "We""ird name"()', 'We"ird name')).toBe(true);
  expect(calls('select "we""ird name"()', 'We"ird name')).toBe(false);
});
