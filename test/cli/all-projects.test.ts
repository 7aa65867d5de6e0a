/** Tests `stop --all`, `stop --project-id` and `status --all`, which apply to all projects of a user. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth, spawnPlinth } from './run-plinth.ts';

interface Listed {
  project_id: string;
  folder: string;
  api_url: string;
  pid: number;
}

/** Simulates a separate user with a separate state folder. */
function user() {
  const home = mkdtempSync(join(tmpdir(), 'plinth-test-user-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: home };
  const elsewhere = makeProject({}, 'elsewhere');
  const run = (...args: string[]) => plinth(args, { cwd: elsewhere, env });
  return {
    entries: () => readdirSync(join(home, 'plinth/running')),
    writeEntry: (name: string, text: string) => writeFileSync(join(home, 'plinth/running', name), text),
    run,
    list: async () => JSON.parse((await run('status', '--all', '-o', 'json')).stdout) as Listed[],
    async start(id: string) {
      const cwd = makeProject({ 'supabase/config.toml': `project_id = "${id}"` }, id);
      onTestFinished(async () => {
        await plinth(['stop'], { cwd, env });
      });
      const { status, stderr } = await plinth(['start', '--detach', '--port', '0'], { cwd, env });
      expect([status, stderr]).toEqual([0, expect.stringContaining('Ready.')]);
      return cwd;
    },
    env,
  };
}

test('the commands list all projects, stop one by its ID, and then stop all', async () => {
  const { run, list, start, entries, writeEntry } = user();
  expect(await run('status', '--all')).toMatchObject({ status: 0, stderr: 'No project is running.\n' });
  const [first, second] = [await start('first'), await start('second')];
  expect((await list()).map(({ project_id, folder }) => [project_id, folder])).toEqual([
    ['first', first],
    ['second', second],
  ]);
  expect((await run('status', '--all')).stdout).toMatch(
    /^Project ID +Folder .*\nfirst .*http:\/\/127\.0\.0\.1:\d+ /,
  );
  expect((await run('status', '--all', '-o', 'env')).status).toBe(2);

  const unknown = await run('stop', '--project-id', 'third');
  expect([unknown.status, unknown.stderr]).toEqual([0, 'No running project has the ID third.\n']);
  const one = await run('stop', '--project-id', 'first');
  expect([one.status, one.stderr]).toEqual([0, `Stopping ${first}...\nStopped.\n`]);
  expect(existsSync(join(first, '.plinth/postgres'))).toBe(true);
  expect((await list()).map(({ project_id }) => project_id)).toEqual(['second']);

  // Invalid and outdated entries are removed from the list of projects.
  writeEntry(`${'0'.repeat(32)}.json`, '{');
  writeEntry(
    `${'1'.repeat(32)}.json`,
    JSON.stringify({ pid: 1, projectId: 'x', projectDir: '/x', dataDir: '/x' }),
  );
  const all = await run('stop', '--all', '--no-backup');
  expect(all.stderr).toBe(`Stopping ${second}...\nStopped.\nDeleted the database and the storage files.\n`);
  expect([existsSync(join(second, '.plinth/postgres')), entries()]).toEqual([false, []]);
  expect(await run('stop', '--all')).toMatchObject({ status: 0, stderr: 'No project is running.\n' });
  const both = await run('stop', '--all', '--project-id', 'x');
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("can't be used together")]);
});

test('a killed server is removed from the list', async () => {
  const { start, list, entries, env } = user();
  const cwd = makeProject({ 'supabase/config.toml': 'project_id = "killed"' }, 'killed');
  const server = spawnPlinth(['start', '--port', '0'], { cwd, env });
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => chunk.includes('Ready.') && resolve());
    server.once('exit', () => reject(new Error('the server exited')));
  });
  expect((await list()).map(({ project_id }) => project_id)).toEqual(['killed']);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await ended;
  expect(entries()).toHaveLength(1);
  expect(await list()).toEqual([]);
  expect(entries()).toEqual([]);
  const alive = await start('alive');
  expect((await list()).map(({ folder }) => folder)).toEqual([alive]);
});
