import { expect, test } from 'vitest';
import { registry } from '../registry.ts';
import { asUpstreamStarts, insteadOf } from './upstream-commands.ts';

test.each([
  ['link --project-ref x', 'Nothing is linked', true],
  ['db dump -f x.sql', 'pg_dump', undefined],
  ['db push', 'plinth migration up', undefined],
  ['functions deploy hello', 'nothing is deployed', undefined],
  ['secrets set A=b', 'hosted project', undefined],
  ['inspect db table-stats', 'upstream CLI', undefined],
])('%s', (line, text, isDone) => {
  const instead = insteadOf(line.split(' '));
  expect(instead?.text).toContain(text);
  expect(instead?.isDone).toBe(isDone);
});

test.each(Object.keys(registry))('%s is a command of Plinth', (name) => {
  expect(insteadOf(name.split(' '))).toBeUndefined();
});

test.each(['', 'xyzzy', 'constructor', 'db xyzzy'])('%j is no command of upstream either', (line) => {
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
