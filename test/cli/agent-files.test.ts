/**
 * Tests the files that `plinth init` writes for AI agents and editors. Every command and path that these files name is
 * used here in a new project.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseInput } from '../../src/entry/cli/command.ts';
import { templateNames } from '../../src/entry/cli/core/templates.ts';
import { registry } from '../../src/entry/cli/registry.ts';
import { makeProject } from '../config/project-folder.ts';
import { bin, plinth, plinthInHook } from './run-plinth.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');
const instructions = read(root, 'templates/shared/AGENTS.md');
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

const agentFiles = [
  '.cursor/mcp.json',
  '.github/copilot-instructions.md',
  '.mcp.json',
  '.vscode/extensions.json',
  '.vscode/mcp.json',
  '.vscode/settings.json',
  'AGENTS.md',
  'CLAUDE.md',
];

/** Returns the rows of the tables in a page: the code in the first column, without the backticks. */
const rowsOf = (page: string): string[] =>
  [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell);
/** Returns the Plinth commands that a page names, each without `npx plinth`. */
const commandsIn = (page: string): string[] =>
  [...page.matchAll(/(?:`|^ {4,})(?:npx (?:--no )?)?plinth ([a-z][^`\n]*)/gm)].map(([, line = '']) => line);
/** Splits a command line, without its redirection. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ > .*/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );

describe('plinth init', () => {
  test('writes the files in an empty folder', async () => {
    const cwd = makeProject({});
    const { status, stdout } = await plinth(['init'], { cwd });
    expect([status, stdout]).toEqual([0, expect.stringContaining('AGENTS.md')]);
    expect(filesIn(cwd)).toEqual([...agentFiles, 'supabase/.gitignore', 'supabase/config.toml'].sort());
    expect(read(cwd, 'AGENTS.md')).toBe(instructions);
    expect(read(cwd, 'CLAUDE.md')).toBe('@AGENTS.md\n');
    const [, target = ''] = /\]\((.+?)\)/.exec(read(cwd, '.github/copilot-instructions.md')) ?? [];
    expect(existsSync(join(cwd, '.github', target))).toBe(true);
    expect(JSON.parse(read(cwd, '.vscode/settings.json'))).toEqual({
      'deno.enablePaths': ['supabase/functions'],
    });
  });

  test('writes the configuration that the documentation shows', async () => {
    const cwd = makeProject({});
    await plinth(['init', '--agents'], { cwd });
    const shown = [...read(root, 'docs/agents.md').matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
      ([, json = '']) => JSON.parse(json) as unknown,
    );
    for (const path of ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json'])
      expect(shown).toContainEqual(JSON.parse(read(cwd, path)));
  });

  test.each(templateNames)('adds the instructions for the app of %s', async (name) => {
    const cwd = makeProject({});
    expect((await plinth(['init', '--template', name], { cwd })).status).toBe(0);
    const page = read(cwd, 'AGENTS.md');
    expect(page.startsWith(instructions)).toBe(true);
    const app = page.slice(instructions.length);
    const { scripts } = JSON.parse(read(cwd, 'package.json')) as { scripts: Record<string, string> };
    const isRun = /^npm (?:run )?(\w+)$/;
    for (const command of rowsOf(app)) expect(Object.keys(scripts)).toContain(isRun.exec(command)?.[1]);
    for (const text of [app, read(cwd, 'README.md')]) {
      const paths = [...text.matchAll(/`([\w+./-]+\.(?:tsx?|m?js|svelte|sql|toml|md))`/g)].map(
        ([, path = '']) => path,
      );
      expect(paths.length).toBeGreaterThan(3);
      const missing = paths.filter((path) => !existsSync(join(cwd, path)));
      // The documentation is part of Plinth's package.
      expect(missing.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    }
  });

  test('keeps files that people wrote, and extends settings', async () => {
    const cwd = makeProject({
      'AGENTS.md': 'mine',
      '.mcp.json': '{ "mcpServers": { "other": { "command": "other" } } }',
      '.vscode/settings.json': '{ broken',
    });
    const { status, stdout } = await plinth(['init', '--force'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain("AGENTS.md already exists and wasn't changed.");
    expect(stdout).toContain('Add these entries to it: { "deno.enablePaths": [ "supabase/functions" ] }');
    expect(read(cwd, 'AGENTS.md')).toBe('mine');
    expect(existsSync(join(cwd, 'CLAUDE.md'))).toBe(false);
    expect(read(cwd, '.vscode/settings.json')).toBe('{ broken');
    expect(Object.keys(JSON.parse(read(cwd, '.mcp.json')).mcpServers)).toEqual(['other', 'plinth']);
  });

  test('keeps an existing CLAUDE.md, also if it is a broken link', async () => {
    const cwd = makeProject({ '.github/copilot-instructions.md': 'mine' });
    symlinkSync('missing.md', join(cwd, 'CLAUDE.md'));
    const { stdout } = await plinth(['init'], { cwd });
    expect(stdout).toContain('To let Claude Code read AGENTS.md, add this line: @AGENTS.md');
    expect(stdout).toContain('To let GitHub Copilot read AGENTS.md');
    expect(existsSync(join(cwd, 'missing.md'))).toBe(false);
    expect(read(cwd, '.github/copilot-instructions.md')).toBe('mine');
  });

  test('--agents adds the files to an existing project, and does nothing the second time', async () => {
    const cwd = makeProject({
      'supabase/config.toml': 'project_id = "mine"\n',
      '.git/HEAD': '',
      'app/x': '',
    });
    const first = await plinth(['init', '--agents'], { cwd });
    expect([first.status, filesIn(cwd).filter((path) => agentFiles.includes(path))]).toEqual([0, agentFiles]);
    expect(read(cwd, 'supabase/config.toml')).toBe('project_id = "mine"\n');
    const before = agentFiles.map((path) => read(cwd, path));
    const again = await plinth(['init', '--agents'], { cwd });
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining('AGENTS.md already exists')]);
    expect(agentFiles.map((path) => read(cwd, path))).toEqual(before);
    // GitHub doesn't read this folder below the top of a repository.
    await plinth(['init'], { cwd: join(cwd, 'app') });
    expect(existsSync(join(cwd, 'app', 'AGENTS.md'))).toBe(true);
    expect(existsSync(join(cwd, 'app', '.github'))).toBe(false);
    expect((await plinth(['init', '--agents', '--template', 'react'], { cwd })).status).toBe(2);
  });
});

test('every command in the instructions and READMEs exists, with its flags', async () => {
  const pages = ['shared', ...templateNames].flatMap((name) =>
    ['AGENTS.md', 'README.md'].map((file) => join(root, 'templates', name, file)).filter(existsSync),
  );
  for (const page of pages) {
    for (const line of commandsIn(readFileSync(page, 'utf8'))) {
      const words = wordsOf(line);
      const length = [3, 2, 1].find((count) => Object.hasOwn(registry, words.slice(0, count).join(' ')));
      expect([page, line, length]).toEqual([page, line, expect.any(Number)]);
      const command = await registry[words.slice(0, length).join(' ')]?.load();
      if (command !== undefined) parseInput(command, words.slice(length));
    }
  }
  for (const flag of ['--linked', '--db-url', '--write']) expect(instructions).toContain(`\`${flag}\``);
});

describe('in a new project', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'plinth-agents-'));
  const lines = rowsOf(instructions).flatMap((row) => commandsIn(`\`${row}\``));

  beforeAll(async () => {
    await plinthInHook(['init'], { cwd });
    writeFileSync(join(cwd, 'supabase/config.toml'), 'project_id = "agents"\n');
  });
  afterAll(async () => {
    await plinthInHook(['stop'], { cwd });
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  });

  test('the table contains the whole work on a project', () => {
    expect(lines.length).toBeGreaterThan(10);
  });

  test.each(lines)('"plinth %s" works', async (line) => {
    const words = wordsOf(line.replace('NAME', 'notes'));
    const free = words[0] === 'start' ? ['--port', '0'] : [];
    const { status, stdout, stderr } = await plinth([...words, ...free], {
      cwd,
      stdin: words[1] === 'new' && words[0] === 'migration' ? migration : '',
    });
    // The example test expects a table that doesn't exist.
    expect([0, words[0] === 'test' ? 1 : 0], stdout + stderr).toContain(status);
    if (words[0] === 'gen') expect(stdout).toContain('notes: {');
  });

  test('the paths exist', () => {
    const optional = ['supabase/seed.sql', 'supabase/functions/.env'];
    const paths = rowsOf(instructions).filter((row) => /^\.?\w+\//.test(row));
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths.filter((each) => !optional.includes(each)))
      expect([path, existsSync(join(cwd, path.replace('NAME', 'notes')))]).toEqual([path, true]);
  });

  test('agents reach the MCP server with the command in .mcp.json', async () => {
    const { command, args } = JSON.parse(read(cwd, '.mcp.json')).mcpServers.plinth as {
      command: string;
      args: string[];
    };
    // A package manager creates this file when it installs Plinth.
    const program = join(cwd, 'node_modules', '.bin', 'plinth');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 });
    await plinth(['start', '--detach', '--port', '0'], { cwd });
    const env = {
      ...getDefaultEnvironment(),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    };
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args, cwd, env, stderr: 'inherit' }));
    onTestFinished(() => client.close());
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    const [, section = ''] = instructions.split('## MCP');
    const named = [...section.matchAll(/`(\w+_\w+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(tools).toEqual(expect.arrayContaining(named));
    expect(tools).not.toContain('apply_migration');
  });
});

const migration = `
  create table public.notes (id bigint generated always as identity primary key, user_id uuid default auth.uid());
  alter table public.notes enable row level security;
  create policy "own" on public.notes to authenticated using (user_id = (select auth.uid()));
`;
