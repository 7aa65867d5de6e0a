import { expect, test } from 'vitest';
import { registry } from '../registry.ts';
import { asUpstream, asUpstreamStarts, insteadOf } from './upstream-commands.ts';

test.each([['orgs list', 'hosted project']])('%s', (line, text) => {
  expect(insteadOf(line.split(' '))?.text).toContain(text);
});

test.each(Object.keys(registry))('%s is a Plinth command', (name) => {
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
])('supabase %s is the same as plinth %s', (line, expected) => {
  expect(asUpstreamStarts(line.split(' ')).join(' ')).toBe(expected);
});

test.each([
  ['db dump -f x.sql', 'db dump -f x.sql --schema-only'],
  ['db dump --role-only', 'db dump --role-only'],
  ['db dump --data-only', 'db dump --data-only --inserts'],
  ['db dump --data-only --use-copy', 'db dump --data-only --use-copy'],
  ['db reset', 'db reset'],
  ['functions deploy --use-api', 'functions deploy --linked --use-api'],
  ['functions deploy --local', 'functions deploy --local'],
  ['functions deploy --project-ref=abc', 'functions deploy --project-ref=abc'],
  ['functions serve', 'functions serve'],
  ['secrets set A=1', 'secrets set --linked A=1'],
  ['sso list', 'sso list --linked'],
])('supabase %s', (line, expected) => {
  expect(asUpstream(line.split(' ')).join(' ')).toBe(expected);
});
