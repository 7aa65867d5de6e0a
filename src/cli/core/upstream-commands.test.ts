import { expect, test } from 'vitest';
import { registry } from '../registry.ts';
import { asUpstreamStarts, insteadOf } from './upstream-commands.ts';

test.each([
  ['db dump -f x.sql', 'pg_dump'],
  ['functions deploy hello', 'nothing is deployed'],
  ['secrets set A=b', 'hosted project'],
  ['inspect db table-stats', 'upstream CLI'],
])('%s', (line, text) => {
  expect(insteadOf(line.split(' '))?.text).toContain(text);
});

test.each(Object.keys(registry))('%s is a command of Plinth', (name) => {
  expect(insteadOf(name.split(' '))).toBeUndefined();
});

test.each(['', 'xyzzy', 'constructor', 'db xyzzy'])('%j isn’t an upstream command either', (line) => {
  expect(insteadOf(line.split(' '))).toBeUndefined();
});

test.each([
  ['start -x kong', 'start --detach -x kong'],
  ['start --detach', 'start --detach'],
  ['start --daemon', 'start --daemon'],
  ['start --help', 'start --help'],
  ['status', 'status'],
])('supabase %s is plinth %s', (line, expected) => {
  expect(asUpstreamStarts(line.split(' ')).join(' ')).toBe(expected);
});
