/**
 * Tests that, for every upstream CLI command that Plinth has, each flag is either accepted or rejected with a
 * one-sentence error.
 */
import { describe, expect, test } from 'vitest';
import { type ParsedInput, parseInput, UsageError } from '../../src/entry/cli/command.ts';
import { commandFirst } from '../../src/entry/cli/core/upstream-flags.ts';
import { registry } from '../../src/entry/cli/registry.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

const onEvery = [
  '--debug',
  '--experimental',
  '--yes',
  '--create-ticket',
  '--workdir .',
  '--network-id net',
  '--profile supabase',
  '--dns-resolver https',
  '--agent no',
  '-o pretty',
  '--output json',
  '--output-format json',
  '--log-level debug',
];

/** The flags are from supabase/cli, 2.x and 3.1. */
const flags: Readonly<Record<string, readonly string[]>> = {
  start: [
    '-x kong',
    '--exclude vector',
    '--ignore-health-check',
    '--preview',
    '--mode auto',
    '--service-version auth=2',
    '--stack a',
    '--detach',
  ],
  stop: [
    '--backup',
    '--backup=false',
    '--no-backup',
    '--no-backup=true',
    '--all',
    '--project-id x',
    '--stack a',
  ],
  status: ['--override-name api.url=X', '--stack a'],
  init: [
    '--force',
    '-i',
    '--interactive',
    '--use-orioledb',
    '--with-vscode-workspace',
    '--with-vscode-settings',
    '--with-intellij-settings',
  ],
  'db reset': [
    '--local',
    '--local=true',
    '--linked',
    '--remote',
    '--db-url postgres://x',
    '--no-seed',
    '--version 1',
    '--last 1',
    '--sql-paths a.sql',
  ],
  'migration new': [],
  'migration list': [
    '--local',
    '--linked',
    '--remote',
    '--remote=x',
    '--db-url postgres://x',
    '-p x',
    '--password x',
  ],
  'migration up': ['--local', '--linked', '--remote', '--remote=x', '--db-url postgres://x', '--include-all'],
  'migration repair': [
    '--local',
    '--linked',
    '--remote',
    '--db-url postgres://x',
    '-p x',
    '--password x',
    '--status applied',
  ],
  'migration fetch': ['--local', '--linked', '--db-url postgres://x', '-p x'],
  'migration down': ['--local', '--last 2'],
  'db lint': [
    '--local',
    '--linked',
    '--db-url postgres://x',
    '-s a,b',
    '--schema a',
    '--level error',
    '--fail-on none',
  ],
  'db push': [
    '--local',
    '--linked',
    '--db-url postgres://x',
    '--dry-run',
    '--include-all',
    '--include-roles',
    '--include-seed',
    '-p x',
    '--password x',
  ],
  link: ['--project-ref x', '-p x', '--password x', '--skip-pooler'],
  unlink: [],
  'seed buckets': ['--local', '--linked', '--remote'],
  'gen types': [
    '--local',
    '--linked',
    '--remote',
    '--db-url postgres://x',
    '--project-id x',
    '--lang typescript',
    '-s a,b',
    '--schema a',
    '--swift-access-control public',
    '--postgrest-v9-compat',
    '--query-timeout 15s',
  ],
  'gen signing-key': ['--algorithm ES256', '--append'],
  'gen bearer-jwt': [
    '--role anon',
    '--sub x',
    '--exp 2030-01-01T00:00:00Z',
    '--valid-for 1h',
    '--payload {}',
  ],
  'functions new': ['--auth apikey'],
  'storage ls': ['--local', '--linked', '-r', '--recursive'],
  'storage cp': [
    '--local',
    '--linked',
    '-r',
    '--recursive',
    '-j 4',
    '--jobs 4',
    '--cache-control no-cache',
    '--content-type text/plain',
  ],
  'storage mv': ['--local', '--linked', '-r', '--recursive'],
  'storage rm': ['--local', '--linked', '-r', '--recursive'],
  'db query': [
    '--local',
    '--linked',
    '--db-url postgres://x',
    '-f x.sql',
    '--file x.sql',
    '-o csv',
    '--output table',
  ],
  'migration squash': ['--local', '--linked', '--db-url postgres://x', '--version 1', '-p x', '--password x'],
  'functions serve': [
    '--no-verify-jwt',
    '--env-file x',
    '--import-map x',
    '--inspect',
    '--inspect-mode run',
    '--inspect-main',
    '--all',
  ],
};

const refused = [
  '--linked',
  '--remote',
  '--remote=x',
  '--db-url postgres://x',
  '--project-id x',
  '-p x',
  '--password x',
  '--stack a',
];

async function parse(command: string, flag: string): Promise<ParsedInput> {
  const loaded = await registry[command]?.load();
  if (loaded === undefined) throw new Error(`no command ${command}`);
  return parseInput(loaded, flag.split(' '));
}

describe.each(Object.entries(flags))('%s', (command, own) => {
  test.each([...onEvery, ...own])('%s', async (flag) => {
    const isOwn =
      command === 'db push' ||
      command === 'db lint' ||
      command === 'link' ||
      (/^(stop|gen types)$/.test(command) && flag.startsWith('--project-id')) ||
      command === 'db query' ||
      command === 'migration squash' ||
      command.startsWith('storage ') ||
      (/^migration (list|repair|fetch)$/.test(command) && !flag.startsWith('--remote=')) ||
      (/^(test db|db test)$/.test(command) && !flag.startsWith('--remote=')) ||
      (command === 'gen types' && /^--(db-url|linked|remote$)/.test(flag));
    if (!refused.includes(flag) || isOwn) {
      await expect(parse(command, flag)).resolves.toBeDefined();
      return;
    }
    const error = await parse(command, flag).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toMatch(/^--[a-z-]+: [^.]+(\.[^.]+)*\.$/);
    expect((error as UsageError).message).not.toContain('Unknown');
  });
});

test('boolean flags can have values', async () => {
  const stopped = await parse('stop', '--backup=false');
  expect(stopped.flag('no-backup')).toBe(true);
  expect((await parse('db reset', '--no-seed=false')).flag('no-seed')).toBe(false);
  expect((await parse('db reset', '--no-seed=true')).flag('no-seed')).toBe(true);
});

test('--remote with the URL of a database is the same as --db-url', async () => {
  expect((await parse('gen types', '--remote=postgresql://x')).text('db-url')).toBe('postgresql://x');
  await expect(parse('db reset', '--remote=postgresql://x')).rejects.toThrow('--db-url: ');
});

test('a flag without effect is reported', async () => {
  expect((await parse('init', '--use-orioledb')).notes).toEqual([
    '--use-orioledb: the bundled PostgreSQL has only the default storage engine.',
  ]);
  expect((await parse('db reset', '--local')).notes).toEqual([]);
});

test.each([
  ['db reset --local', 'db reset --local'],
  ['--debug db reset', 'db reset --debug'],
  ['--workdir app --yes=true -o json status', 'status --workdir app --yes=true -o json'],
  ['--workdir=app status', 'status --workdir=app'],
  ['--help', '--help'],
  ['--version', '--version'],
  ['', ''],
])('%j is reordered so that the command comes first: %j', (line, expected) => {
  expect(commandFirst(line === '' ? [] : line.split(' ')).join(' ')).toBe(expected);
});

test('command lines of existing scripts work or are rejected with a reason', async () => {
  const cwd = makeProject({ 'supabase/config.toml': '' });
  const local = await plinth(['--debug', 'seed', 'buckets', '--local'], { cwd });
  expect(local.stderr).toBe('Plinth isn\'t running in this folder.\nRun "plinth start" to start it.\n');
  expect(local.status).toBe(1);
  const linked = await plinth(['db', 'reset', '--linked'], { cwd });
  expect(linked.stderr).toContain(
    '--linked: Plinth uses its own database; use the upstream CLI for a hosted project.\n',
  );
  expect(linked.status).toBe(2);
  const reset = await plinth(['db', 'reset', '--local', '--debug', '--yes'], { cwd });
  expect(reset.status).toBe(0);
});
