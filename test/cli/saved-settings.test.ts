/**
 * Tests `plinth serve` with an external database: the settings that another node saved are applied at startup, while the
 * server runs and by a restart, and `plinth status` and `plinth doctor` know them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { operator } from '../console/harness.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { freePort } from '../support/free-port.ts';
import { plinth } from './run-plinth.ts';

// The timeouts are long, because the tests create a cluster and run all of Plinth's migrations.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 180_000 });

const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));
const secret = 'the secret that both of these servers have';
const folder = temporaryFolder();
const cwd = join(folder.path, 'two');
let server: ExternalServer;
let databaseUrl: string;
/** The node that saves settings. */
let one: Backend;
/** The process of the other node. */
let child: ChildProcess;
let output = '';
let api: string;

const makeProject = (dir: string, config = ''): void => {
  mkdirSync(join(dir, 'supabase'), { recursive: true });
  writeFileSync(join(dir, 'supabase/config.toml'), `project_id = "demo"\n${config}`);
};
const push = (config: string) => one.manage('pushConfig', { config });
const statusText = async (): Promise<string> => (await plinth(['status'], { cwd })).stdout;
/** Returns the largest number of rows in a response of the other node. */
async function maxRows(): Promise<number> {
  const headers = { apikey: one.keys.secretKey };
  const response = await fetch(`${api}/rest/v1/numbers`, { headers });
  return ((await response.json()) as unknown[]).length;
}

beforeAll(async () => {
  vi.stubEnv('PLINTH_SECRET', secret);
  const [newest] = availableServers();
  server = await startExternalServer(newest?.bin as string, folder.path);
  const admin = await Client.connect(parseConnectionString(server.url('admin')));
  await admin.exec('create database nodes');
  await admin.connection.close();
  databaseUrl = server.url('admin', 'nodes');
  const first = join(folder.path, 'one');
  makeProject(first);
  one = await createBackend({
    ...{ projectDir: first, databaseUrl, mode: 'production', exclude: ['storage'] },
    ...{ port: 0, consolePort: 0, mailPort: 0 },
  });
  await one.start();
  await one.database.pool('postgres').exec(`
    create table public.numbers as select generate_series(1, 9) as n;
    grant select on public.numbers to service_role`);
  await push('[api]\nmax_rows = 7\n');
  const [apiPort, consolePort] = [await freePort(), await freePort()];
  api = `http://127.0.0.1:${apiPort}`;
  makeProject(cwd, `[api]\nport = ${apiPort}\n[studio]\nport = ${consolePort}\n`);
  const args = ['serve', '--json', '--workers', '2', '--exclude', 'storage', '--database-url', databaseUrl];
  child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...process.env, PLINTH_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      output += data;
    });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', () => resolve());
    child.once('exit', () => reject(new Error(`the server exited:\n${output}`)));
  });
});
afterAll(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  await one?.stop();
  await server?.stop();
  vi.unstubAllEnvs();
  folder.remove();
});

test('the node has the settings from its start, and nothing is pending', async () => {
  await expect.poll(maxRows, { timeout: 10_000 }).toBe(7);
  expect(await statusText()).not.toContain('settings were changed');
});

test('its API workers use a changed setting within two seconds', async () => {
  await push('[api]\nmax_rows = 5\n');
  await expect.poll(maxRows, { timeout: 2000, interval: 50 }).toBe(5);
  // The requests use new connections, which the workers accept in turn.
  for (let count = 0; count < 6; count++) expect(await maxRows()).toBe(5);
});

test('a restart applies a setting that needs one', async () => {
  const owner = await operator(one);
  const { stamps } = (await owner.call('GET', '/settings')).body;
  const changes = [{ file: 'config.toml', path: ['auth', 'enabled'], value: false }];
  expect((await owner.call('POST', '/settings', { changes, stamps })).status).toBe(200);
  await expect
    .poll(statusText, { timeout: 10_000 })
    .toMatch(/The settings were changed in the Console or by the management API at .+auth\.enabled/s);
  const health = async () =>
    (await fetch(`${api}/auth/v1/health`, { headers: { apikey: one.keys.publishableKey } })).status;
  expect(await health()).toBe(200);
  const { stdout, status } = await plinth(['reload', '--restart'], { cwd });
  expect([status, stdout]).toEqual([0, expect.stringContaining('Restarted.')]);
  expect(await health()).toBe(404);
  expect(await statusText()).not.toContain('settings were changed');
});

test('doctor reads the saved settings, and names their file in errors', async () => {
  const path = join(cwd, '.plinth/saved-settings/config.toml');
  const before = readFileSync(path, 'utf8');
  const copy = join(folder.path, 'copy');
  makeProject(copy);
  mkdirSync(join(copy, '.plinth/saved-settings'), { recursive: true });
  writeFileSync(join(copy, '.plinth/saved-settings/config.toml'), `${before}\n[db]\nport = "x"\n`);
  const args = ['doctor', '--database-url', databaseUrl];
  expect((await plinth(args, { cwd: copy, env: { PLINTH_SECRET: secret } })).stdout).toMatch(
    /BAD {2}\.plinth\/saved-settings\/config\.toml:\d+: db\.port: "x" isn't a port/,
  );
  expect((await plinth(['doctor'], { cwd: copy })).stdout).not.toContain('saved-settings');
});
