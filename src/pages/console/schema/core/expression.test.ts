import { expect, test } from 'vitest';
import { expressionFault } from './expression.ts';

test.each([
  'now()',
  "'it''s'",
  "E'it\\'s;--'",
  "E'a'\n'b\\'c'",
  '"odd;name" + 1',
  '$$ ; -- $$',
  '$tag$ ) $tag$',
  "array['a', 'b'][1]",
  "'{}'::jsonb",
  "' -- no comment '",
  'a$b$c',
  '1 - -1',
])('%s is a complete expression', (text) => {
  expect(expressionFault(text)).toBeUndefined();
});

test.each([
  ['', 'is empty'],
  ['1; drop table x', 'contains a semicolon'],
  ['1) , add column x int default (1', 'has a ) without an opening one'],
  ['(1', 'is missing a )'],
  ['(1]', 'has a ] without an opening one'],
  ['1 -- x', 'contains a comment'],
  ['1 /* x', 'contains a comment'],
  ["'open", 'has a quote that is never closed'],
  ['"open', 'has a quote that is never closed'],
  ['$$ open', 'has a quote that is never closed'],
  ["E'open\\'", 'has a quote that is never closed'],
  // Here, E is the last letter of an identifier, so the backslash in the string is an ordinary character.
  ["éE'\\'; drop table x", 'contains a semicolon'],
  ["E'a'\n'b\\' || '; drop table x --'", 'contains a semicolon'],
  ['1\0', 'contains a null byte'],
])('%j %s', (text, fault) => {
  expect(expressionFault(text)).toBe(fault);
});
