/** Tests commands that don't require a server. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { cliDocument } from '../../src/entry/cli/document.ts';
import { main } from '../../src/entry/cli/main.ts';
import { aliases, registry } from '../../src/entry/cli/registry.ts';
import { restDocument } from '../../src/entry/rest-server/index.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

const read = (dir: string, path: string) => readFileSync(join(dir, path), 'utf8');

describe('the command line', () => {
  test('help lists every command', async () => {
    const { status, stdout, stderr } = await plinth(['--help'], { cwd: makeProject({}) });
    expect(status).toBe(0);
    expect(stderr).toBe('');
    for (const name of Object.keys(registry)) expect(stdout).toContain(`  ${name} `);
  });

  test.each(Object.keys(registry))('%s has help with an example', async (name) => {
    const command = await registry[name]?.load();
    expect(command?.name).toBe(name);
    expect(command?.examples.length).toBeGreaterThan(0);
    for (const [line] of command?.examples ?? []) expect(line).toContain(`plinth ${name}`);
  });

  test.each([
    ['gen', 'types'],
    ['db', 'dump'],
    ['db', 'query', 'select 1'],
    ['db', 'lint'],
    ['inspect', 'sizes'],
    ['migrate', 'to', '--to-files', 'out'],
  ])('%s %s outside of a project fails and creates no database', async (...args) => {
    const cwd = mkdtempSync(join(tmpdir(), 'plinth-test-'));
    try {
      const { status, stdout, stderr } = await plinth(args, { cwd });
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain('contains neither a project (supabase/) nor a database');
      expect(existsSync(join(cwd, '.plinth'))).toBe(false);
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  const names = [...Object.keys(registry), ...Object.keys(aliases)].map((name) => name.split(' '));
  const groups = names.flatMap((words) => words.slice(1).map((_word, index) => words.slice(0, index + 1)));
  const commandsAndGroups = [...new Set([...names, ...groups].map((words) => words.join(' ')))];

  test('every command, alias and group answers --help, -h and help', async () => {
    expect(commandsAndGroups).toEqual(
      expect.arrayContaining(['operators', 'operators token', 'db', 'db diff']),
    );
    let output = '';
    const write = (text: unknown) => {
      output += text;
      return true;
    };
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation(write),
    );
    try {
      for (const name of commandsAndGroups)
        for (const line of [
          [...name.split(' '), '--help'],
          [...name.split(' '), '-h'],
          ['help', ...name.split(' ')],
        ]) {
          output = '';
          const status = await main(line);
          expect([line, status, output]).toEqual([line, 0, expect.stringMatching(/^Usage: plinth /m)]);
        }
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  test('a command with --help prints its help', async () => {
    const { status, stdout } = await plinth(['migration', 'new', '--help'], { cwd: makeProject({}) });
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: plinth migration new NAME [options]');
    expect(stdout).toContain('Examples:');
  });

  test.each([
    [['strat'], 'Unknown command: strat.\nDid you mean "plinth start"?\n'],
    [['migraton', 'up'], 'Unknown command: migraton up.\nDid you mean "plinth migration up"?\n'],
    [
      ['migration', 'merge'],
      'Available commands: migration new, migration list, migration up, migration repair, migration fetch, migration down, migration squash.',
    ],
    [['xyzzy'], 'See "plinth --help".'],
    [['status', '--outptu', 'json'], "Unknown option '--outptu'; did you mean --output?"],
    [['status', '-o', 'xml'], '--output: xml must be one of pretty, env, json, yaml, toml'],
    [['status', '--override-name', 'api.ulr=X'], "isn't KEY=NAME with a known key (api.url?)"],
    [['start', '--port', 'http'], "--port: http isn't a port"],
    [['start', '-x', 'realtim'], '-x: unknown service realtim; did you mean realtime?'],
    [['start', '--workdir', '/no/such/folder'], "--workdir: the folder /no/such/folder doesn't exist"],
    [['stop', 'now'], `Unexpected argument now. "plinth stop" doesn't take arguments.`],
    [['init', '.'], 'To use another folder, add --workdir DIR'],
    [['migration', 'repair', '1'], '--status must be applied or reverted'],
    [['gen', 'types', 'cobol'], "cobol isn't supported"],
    [['gen', 'types', 'swift', '--swift-access-control', 'open'], 'open must be internal or public'],
  ])('%j is rejected with an explanation and exit status 2', async (args, message) => {
    const { status, stdout, stderr } = await plinth(args, { cwd: makeProject({}) });
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});

test('docs/cli.md and docs/rest.md are up to date (run: node scripts/docs-cli.ts)', async () => {
  const written = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  expect(written).toBe(await cliDocument());
  const settings = readFileSync(new URL('../../docs/rest.md', import.meta.url), 'utf8');
  expect(settings).toBe(restDocument());
});

describe('init', () => {
  test('creates a config.toml that loads, and doesn’t overwrite it', async () => {
    const cwd = makeProject({});
    mkdirSync(join(cwd, '.git'));
    expect((await plinth(['init'], { cwd })).status).toBe(0);
    const { config, warnings } = loadConfig({ projectDir: cwd, env: {} });
    expect(config.project_id).toBe('my-project');
    expect(warnings).toEqual([]);
    expect(read(cwd, 'supabase/.gitignore')).toBe(
      '.branches\n.temp\n.env.keys\n.env.local\n.env.*.local\nfunctions/.env\n',
    );

    const again = await plinth(['init'], { cwd });
    expect(again.status).toBe(1);
    expect(again.stderr).toContain('already exists.\nUse --force to replace it.');
    expect((await plinth(['init', '--force'], { cwd })).status).toBe(0);
    expect(read(cwd, 'supabase/.gitignore').match(/\.branches/g)).toHaveLength(1);
  });
});

describe('for files,', () => {
  test('migration new works in a subfolder', async () => {
    const dir = makeProject({ 'supabase/config.toml': '', 'src/x.ts': '' });
    const { status, stdout } = await plinth(['migration', 'new', 'add todos'], {
      cwd: join(dir, 'src'),
      stdin: 'create table todos ();\n',
    });
    expect(status).toBe(0);
    const [name = ''] = readdirSync(join(dir, 'supabase/migrations'));
    expect(name).toMatch(/^20\d{12}_add_todos\.sql$/);
    expect(stdout).toBe(`Created new migration at supabase/migrations/${name}\n`);
    expect(read(dir, `supabase/migrations/${name}`)).toBe('create table todos ();\n');
  });

  test('functions new creates a function', async () => {
    const cwd = makeProject({ 'supabase/config.toml': '' });
    expect((await plinth(['functions', 'new', 'hello'], { cwd })).status).toBe(0);
    expect(read(cwd, 'supabase/functions/hello/index.ts')).toContain('/functions/v1/hello');
    expect((await plinth(['functions', 'new', 'hello'], { cwd })).stderr).toContain('already exists');
    expect((await plinth(['functions', 'new', '1st'], { cwd })).status).toBe(2);
  });

  test('gen signing-key and gen bearer-jwt print a key and a token', async () => {
    const cwd = makeProject({ 'supabase/config.toml': '' });
    const printed = await plinth(['gen', 'signing-key', '--algorithm', 'RS256'], { cwd });
    expect(JSON.parse(printed.stdout)).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' });

    const withFile = makeProject({ 'supabase/config.toml': '[auth]\nsigning_keys_path = "./keys.json"' });
    expect((await plinth(['gen', 'signing-key'], { cwd: withFile })).status).toBe(0);
    expect((await plinth(['gen', 'signing-key', '--append'], { cwd: withFile })).status).toBe(0);
    const keys = JSON.parse(read(withFile, 'supabase/keys.json')) as { kid: string; crv: string }[];
    expect(keys.map(({ crv }) => crv)).toEqual(['P-256', 'P-256']);
    expect(statSync(join(withFile, 'supabase/keys.json')).mode & 0o777).toBe(0o600);

    const args = [
      'gen',
      'bearer-jwt',
      '--role',
      'authenticated',
      '--valid-for',
      '1h',
      '--payload',
      '{"team":"a"}',
    ];
    const { stdout } = await plinth(args, { cwd: withFile });
    const [header, claims] = stdout
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toMatchObject({ alg: 'ES256', kid: keys[0]?.kid });
    expect(claims).toMatchObject({ role: 'authenticated', is_anonymous: true, team: 'a' });
    expect(claims.exp - claims.iat).toBe(3600);
  });
});

describe('without a running server', () => {
  test.each([['status'], ['console'], ['users list'], ['seed buckets']])(
    '%s fails with a clear error',
    async (line) => {
      const cwd = makeProject({ 'supabase/config.toml': '' });
      const { status, stdout, stderr } = await plinth(line.split(' '), { cwd });
      expect(status).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toBe('Plinth isn\'t running in this folder.\nRun "plinth start" to start it.\n');
      expect(existsSync(join(cwd, '.plinth'))).toBe(false);
    },
  );

  test('stop reports this and exits with status 0', async () => {
    const { status, stderr } = await plinth(['stop'], { cwd: makeProject({}) });
    expect(status).toBe(0);
    expect(stderr).toContain("Plinth isn't running in this folder.");
  });

  test('the state file of a killed process is ignored', async () => {
    const state = {
      pid: 999_999,
      mode: 'development',
      startedAt: '',
      projectDir: '',
      controlPort: 9,
      token: 'x',
    };
    const cwd = makeProject({ '.plinth/state.json': JSON.stringify(state) });
    expect((await plinth(['status'], { cwd })).status).toBe(1);
  });

  test('doctor reports invalid settings and fails', async () => {
    const good = makeProject({
      'supabase/config.toml': '[api]\nport = 0\n[db]\nport = 0\n[inbucket]\nport = 0\n[studio]\nport = 0',
    });
    const fine = await plinth(['doctor'], { cwd: good });
    expect(fine.stdout).toContain('ok   Project my-project');
    expect(fine.status).toBe(0);
    const bad = await plinth(['doctor'], {
      cwd: makeProject({ 'supabase/config.toml': '[api]\nport = "x"' }),
    });
    expect(bad.stdout).toContain('BAD  supabase/config.toml:2: api.port: "x" isn\'t a port');
    expect(bad.status).toBe(1);
  });

  test('start reports all invalid settings', async () => {
    const cwd = makeProject({ 'supabase/config.toml': '[api]\nport = "x"\n[db]\nport = "y"' });
    const { status, stdout, stderr } = await plinth(['start', '--json'], { cwd });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('supabase/config.toml:2: api.port');
    expect(stderr).toContain('supabase/config.toml:4: db.port');
    expect(stderr).not.toContain('    at ');
  });
});
