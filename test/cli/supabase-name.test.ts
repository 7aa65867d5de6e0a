/** Tests `plinth alias supabase`, with which the scripts of an existing project run unchanged. */
import { exec } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

// The timeout is long, because each test starts several processes, some of which create a cluster.
const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = '{\n  "name": "app",\n  "devDependencies": {\n    "supabase": "^2.40.0"\n  }\n}\n';

/** Creates a project in which a package manager has installed the clone as `plinth`. */
function projectWithPlinth(files: Readonly<Record<string, string>>): string {
  const cwd = makeProject({ 'supabase/config.toml': '', 'package.json': manifest, ...files });
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(root, join(cwd, 'node_modules', 'plinth'));
  return cwd;
}

/** Links the project's `supabase` package, as package managers do for a dependency in a folder. */
function linkAlias(cwd: string): void {
  const { devDependencies } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  const folder = join(cwd, devDependencies.supabase.replace('file:', ''));
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  mkdirSync(join(cwd, 'node_modules', '.bin'));
  symlinkSync(folder, join(cwd, 'node_modules', 'supabase'));
  symlinkSync(join(folder, bin.supabase), join(cwd, 'node_modules', '.bin', 'supabase'));
}

/** Runs a script with the programs of the project's packages, as npm does. */
const runScript = (cwd: string, script: string) =>
  promisify(exec)(script, {
    cwd,
    env: {
      ...process.env,
      PATH: [join(cwd, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    },
  });

test('a script can start, reset, read from and stop a project', async () => {
  const cwd = projectWithPlinth({
    'supabase/migrations/001_init.sql': 'create table public.notes (id int primary key);',
  });
  const aliased = await plinth(['alias', 'supabase'], { cwd });
  expect(aliased).toMatchObject({ status: 0, stdout: expect.stringContaining('Run "npm install"') });
  linkAlias(cwd);
  onTestFinished(async () => {
    await runScript(cwd, 'supabase stop').catch(() => undefined);
  });
  // `start` returns when the project is ready, so the other commands of the script find it.
  const { stdout } = await runScript(
    cwd,
    'supabase link --project-ref abc && supabase start --port 0 && supabase status -o env && supabase db reset --local' +
      ' && supabase gen types typescript --local && supabase stop --no-backup',
  );
  expect(stdout).toMatch(/^API_URL="http:\/\/127\.0\.0\.1:\d+"$/m);
  expect(stdout).toContain('      notes: {');
});

test('functions and secrets are those of the linked server, as in upstream', async () => {
  const cwd = projectWithPlinth({
    'supabase/functions/hello/index.ts': 'Deno.serve(() => new Response());',
  });
  expect((await plinth(['alias', 'supabase'], { cwd })).status).toBe(0);
  linkAlias(cwd);
  for (const command of ['functions deploy', 'secrets list'])
    await expect(runScript(cwd, `supabase ${command}`)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Run "plinth link URL"'),
    });
});

test('the alias replaces the upstream CLI in package.json, and is removed again', async () => {
  const cwd = projectWithPlinth({ 'pnpm-lock.yaml': '' });
  const read = () => readFileSync(join(cwd, 'package.json'), 'utf8');
  const folder = join(cwd, 'supabase', 'cli');
  for (const _again of [1, 2]) {
    const { status, stdout } = await plinth(['alias', 'supabase'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain('Run "pnpm install"');
    expect(read()).toBe(manifest.replace('^2.40.0', 'file:supabase/cli'));
  }
  const removed = await plinth(['alias', 'supabase', '--remove'], { cwd });
  expect(removed).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Restored "supabase": "^2.40.0"'),
  });
  expect([read(), existsSync(folder)]).toEqual([manifest, false]);
  expect((await plinth(['alias', 'supabase', '--remove'], { cwd })).stdout).toContain(
    "doesn't contain the alias",
  );
});

test('in a monorepo, the package.json above the project is changed', async () => {
  const cwd = projectWithPlinth({ 'db/supabase/config.toml': '' });
  expect((await plinth(['alias', 'supabase', '--workdir', 'db'], { cwd })).status).toBe(0);
  expect(readFileSync(join(cwd, 'package.json'), 'utf8')).toContain('"file:db/supabase/cli"');
});

test('nothing is written if the project can’t use the alias', async () => {
  const cwd = makeProject({ 'supabase/config.toml': '', 'package.json': manifest });
  const run = (...args: string[]) => plinth(['alias', ...args], { cwd });
  expect(await run('supabase')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Plinth isn't installed in"),
  });
  writeFileSync(join(cwd, 'package.json'), '[');
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(root, join(cwd, 'node_modules', 'plinth'));
  expect(await run('supabase')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("isn't valid JSON"),
  });
  rmSync(join(cwd, 'package.json'));
  expect(await run('supabase')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('contains a package.json'),
  });
  expect((await run('other')).status).toBe(2);
  expect(existsSync(join(cwd, 'supabase', 'cli'))).toBe(false);
});

test('the npm package and a clone don’t install the upstream CLI’s command', () => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(bin)).toEqual(['plinth']);
});
