/** Tests `plinth status --group` with real server processes, one of which is killed. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { plinth, spawnPlinth } from '../cli/run-plinth.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

const secret = 'the secret that all of these servers have';
const folder = temporaryFolder();
let server: ExternalServer;
let url: string;
beforeAll(async () => {
  const [newest] = availableServers();
  const dir = join(folder.path, 'server');
  mkdirSync(dir, { mode: 0o755 });
  server = await startExternalServer(newest?.bin as string, dir);
  // The first of two hosts can't be reached, as after a failover.
  url = server.url('admin').replace('@', '@127.0.0.1:1,');
});
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

async function serve(name: string): Promise<{ readonly cwd: string; readonly process: ChildProcess }> {
  const cwd = join(folder.path, name);
  mkdirSync(join(cwd, 'supabase'), { recursive: true });
  writeFileSync(join(cwd, 'supabase', 'config.toml'), 'project_id = "status"\n');
  const args = ['--database-url', url, '--port', '0', '--exclude', 'storage,console'];
  const child = spawnPlinth(['serve', ...args], { cwd, env: { PLINTH_SECRET: secret } });
  const output: string[] = [];
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => output.push(String(chunk)));
  await expect
    .poll(
      async () => {
        if (child.exitCode !== null) throw new Error(`the server has exited: ${output.join('')}`);
        return (await plinth(['status', '-o', 'json'], { cwd })).status;
      },
      { timeout: 90_000 },
    )
    .toBe(0);
  return { cwd, process: child };
}

const groupOf = async (cwd: string) =>
  JSON.parse((await plinth(['status', '--group', '--json'], { cwd })).stdout) as {
    id: string;
    state: string;
    isSelf: boolean;
    isOtherVersion: boolean;
    version: string;
    facts: { status: string; memoryBytes: number; connections: { limit: number } } | null;
  }[];

test('status --group lists all nodes, and shows that one was killed', async () => {
  const one = await serve('one');
  const two = await serve('two');
  const nodes = await groupOf(one.cwd);
  expect(nodes.map(({ isSelf, isOtherVersion }) => [isSelf, isOtherVersion])).toEqual([
    [true, false],
    [false, false],
  ]);
  for (const { facts } of nodes) {
    expect(facts?.memoryBytes).toBeGreaterThan(20 * 1024 ** 2);
    expect(facts?.connections.limit).toBeGreaterThan(0);
    // Production servers without an SMTP server are degraded.
    expect(facts?.status).toBe('degraded');
  }
  const table = await plinth(['status', '--group'], { cwd: two.cwd });
  expect(table.status).toBe(0);
  const [headings = '', first = '', second = ''] = table.stdout.split('\n');
  expect(headings).toMatch(/^Node +Version +State +Started \(UTC\) +Last seen +Requests\/s/);
  for (const row of [first, second]) expect(row).toContain(nodes[0]?.version);
  expect(second).toMatch(/^\S+ \(\w{4}\) \* /);
  expect(table.stdout).toContain(': mail is degraded. No SMTP server is configured');

  two.process.kill('SIGKILL');
  const silent = await plinth(['status', '--group'], { cwd: one.cwd });
  expect(silent.stdout).toContain('no answer');
  expect(silent.stdout).toContain('1 of 2 nodes answered.');
  const database = await Client.connect(parseConnectionString(url));
  // A node counts as gone after 15 seconds. Another version writes its row in the same way.
  const killed = nodes.find(({ isSelf }) => !isSelf)?.id;
  await database.exec(`
    update _plinth.group_nodes set seen_at = now() - interval '20 seconds' where id = '${killed}';
    insert into _plinth.group_nodes (id, name, version, storage_kind)
    values (gen_random_uuid(), 'updated', '99.0.0', 'none')`);
  await database.connection.close();
  expect((await groupOf(one.cwd)).map(({ state }) => state)).toContain('gone');
  const after = await plinth(['status', '--group'], { cwd: one.cwd });
  expect(after.stdout).toMatch(/updated +99\.0\.0 ! +no answer/);
  expect(after.stdout).toContain('! marks a version that differs from the version of this node.');
});

test('status --group reports a stopped server and other formats', async () => {
  const cwd = join(folder.path, 'stopped');
  mkdirSync(join(cwd, 'supabase'), { recursive: true });
  const stopped = await plinth(['status', '--group'], { cwd });
  expect(stopped.status).toBe(1);
  const mixed = await plinth(['status', '--group', '-o', 'env'], { cwd });
  expect([mixed.status, mixed.stderr]).toEqual([
    2,
    expect.stringContaining('--group can be printed only as pretty or json'),
  ]);
});
