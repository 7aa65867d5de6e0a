import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asExternal, type ServerExtensions } from './external-extension.ts';
import { splitStatements } from './split.ts';

const server: ServerExtensions = {
  isSuperuser: true,
  available: new Map([
    ['pg_cron', { isInstalled: false, needsSuperuser: true }],
    ['file_fdw', { isInstalled: false, needsSuperuser: true }],
    ['hstore', { isInstalled: false, needsSuperuser: false }],
    ['pgjwt', { isInstalled: false, needsSuperuser: false }],
    ['pg_trgm', { isInstalled: true, needsSuperuser: false }],
  ]),
  provided: new Set(['pg_net']),
  scripts: new Map([
    ['pgmq', 'create table pgmq.meta ()'],
    ['pgjwt', 'select 1'],
  ]),
  optional: new Set(['pg_graphql']),
  allowed: new Set(['pg_cron']),
};

const adapted = (text: string, facts = server) =>
  asExternal(text, splitStatements(text)[0]?.words ?? [], facts);

test.each([
  ['create extension hstore', 'the server has it'],
  ['create extension pgjwt', "the server has it, so its script isn't used"],
  ['create extension if not exists pg_trgm with schema extensions', 'it is installed'],
  ['create extension postgis', 'nothing replaces it'],
  ['create extension file_fdw', 'only a superuser may create it'],
  ['drop extension pg_cron cascade', 'it would drop other objects'],
  ['drop extension pg_cron, pg_trgm', 'it drops several extensions'],
  ['drop extension hstore', 'the project owns it'],
  ['select 1', 'it has nothing to do with extensions'],
])('%s is sent unchanged, because %s', (statement) => {
  expect(adapted(statement)).toEqual({ text: statement });
});

test.each([
  ['create extension pg_net with schema extensions', 'provided by Plinth'],
  ['comment on extension "pg_net" is \'x\'', 'provided by Plinth'],
  ['drop extension if exists pg_net cascade', 'provided by Plinth'],
  ['alter extension pgmq update', 'provided by Plinth'],
  ['create extension if not exists "pg_graphql" with schema "graphql"', 'skipped'],
])('%s only prints a notice', (statement, outcome) => {
  const { text, privileged } = adapted(statement);
  expect([text.startsWith('do $plinth$ begin raise notice'), text.includes(outcome), privileged]).toEqual([
    true,
    true,
    undefined,
  ]);
});

test.each([
  ['create extension pg_cron', 'create extension "pg_cron"'],
  [
    'CREATE EXTENSION IF NOT EXISTS "pg_cron" /* jobs */ WITH SCHEMA "a""b" VERSION \'1.6\' CASCADE',
    'create extension if not exists "pg_cron" schema "a""b" version \'1.6\' cascade',
  ],
  ['drop extension if exists pg_cron', 'drop extension if exists "pg_cron" restrict'],
])('%s runs as the superuser', (statement, text) => {
  expect(adapted(statement).privileged).toEqual({ object: 'extension', name: '"pg_cron"', text });
  expect(adapted(statement, { ...server, isSuperuser: false }).privileged).toBeUndefined();
});

test('nothing else becomes part of a superuser’s statement', () => {
  const token = fc.constantFrom(
    'schema',
    'version',
    'cascade',
    'with',
    ';',
    '$$',
    "'x'",
    "E'x'",
    '"a"',
    'x',
    ',',
    '(',
    ')',
    '--',
    "'x''y'",
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 6 }), (tokens) => {
      const text = adapted(`create extension pg_cron ${tokens.join(' ')}`).privileged?.text;
      if (text === undefined) return;
      expect(text).toMatch(/^create extension "pg_cron"( schema "[^"]*")?( version '[^']*')?( cascade)?$/);
    }),
  );
});

test('a script leaves the project’s role as the owner, and its text can’t end the statement', () => {
  const { text } = adapted('create extension pgmq with schema pgmq');
  expect(text).toContain('create schema if not exists "pgmq"');
  expect(splitStatements(text)).toHaveLength(1);
});
