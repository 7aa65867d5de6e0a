/**
 * Tests `plinth serve` while its settings change: a restart from the Console, `[server] watch_config`, and the note
 * that `plinth status` prints.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Operator, operatorOf } from '../console/harness.ts';
import { freePort } from '../support/free-port.ts';
import { plinth } from './run-plinth.ts';

const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'plinth-restart-'));
const restartMs = 60_000;

let child: ChildProcess;
let output = '';
let ports: { api: number; other: number; console: number; database: number };

/**
 * Writes the settings. The ports are written to the file instead of being passed as flags, because flags would override
 * a changed port.
 */
const settings = (config: string, own = '', api = ports.api): void => {
  writeFileSync(
    join(cwd, 'supabase', 'config.toml'),
    `project_id = "restart"\n[studio]\nport = ${ports.console}\n[db]\nport = ${ports.database}\n[api]\nport = ${api}\n${config}`,
  );
  writeFileSync(join(cwd, 'supabase', 'plinth.toml'), own);
};
const url = (port = ports.api): string => `http://127.0.0.1:${port}`;
const readiness = async (port = ports.api): Promise<number> =>
  await fetch(`${url(port)}/health/ready`).then(
    ({ status }) => status,
    () => 0,
  );
const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
const statusText = async (): Promise<string> => (await plinth(['status'], { cwd })).stdout;

async function signIn(): Promise<Operator> {
  const { stdout } = await plinth(['console'], { cwd });
  const token = new URLSearchParams(new URL(stdout.trim()).hash.slice(1)).get('token') ?? '';
  const origin = url(ports.console);
  const console = {
    url: origin,
    routes: async () => [],
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${path}`, { ...init, headers: { origin, ...init.headers } }),
  };
  return await operatorOf({ console, consoleLink: async () => '' }, token);
}

beforeAll(async () => {
  const [api = 0, other = 0, consolePort = 0, database = 0] = await Promise.all(
    Array.from({ length: 4 }, freePort),
  );
  ports = { api, other, console: consolePort, database };
  mkdirSync(join(cwd, 'supabase'));
  settings('');
  child = spawn(process.execPath, [bin, 'serve', '--json'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
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
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(cwd, { recursive: true, force: true });
});

test('"plinth status" shows the command that applies changed files', async () => {
  expect(await statusText()).not.toContain('changed on disk');
  settings('max_rows = 7\n[realtime]\nenabled = false\n');
  const changed = await statusText();
  expect(changed).toMatch(/The settings were changed on disk at \d{4}-\d\d-\d\dT[\d:.]+Z\./);
  expect(changed).toContain('Run "plinth reload" to apply them.');
  expect(changed).toContain('Run "plinth reload --restart" to apply realtime.enabled.');
  settings('max_rows = "many"\n');
  expect(await statusText()).toMatch(/They are invalid:\nsupabase\/config\.toml:8: api\.max_rows: "many"/);
  settings('');
  expect(await statusText()).not.toContain('changed on disk');
});

test('a restart from the Console closes the port and opens it again with the changed setting', async () => {
  expect((await fetch(`${url()}/realtime/v1/api/ping`)).status).not.toBe(404);
  const owner = await signIn();
  const { run } = (await owner.call('GET', '/settings/running')).body;
  settings('[realtime]\nenabled = false\n');
  expect((await owner.call('GET', '/settings/running')).body.needsRestart).toEqual([
    expect.objectContaining({ key: 'realtime.enabled' }),
  ]);
  // The restart closes this connection. If the test checked the port instead, it could miss the moment when the port is
  // closed.
  const idle = connect(ports.api, '127.0.0.1');
  await once(idle, 'connect');
  const isClosed = once(idle, 'close');
  expect((await owner.call('POST', '/settings/restart')).status).toBe(204);
  await isClosed;
  await expect.poll(() => readiness(), { timeout: restartMs }).toBe(200);
  expect((await fetch(`${url()}/realtime/v1/api/ping`)).status).toBe(404);
  // The operator is still signed in, and the page detects the restart.
  await expect
    .poll(async () => (await owner.call('GET', '/settings/running')).status, { timeout: restartMs })
    .toBe(200);
  const after = (await owner.call('GET', '/settings/running')).body;
  expect(after).toMatchObject({ changedAt: null, needsRestart: [] });
  expect(after.run).not.toBe(run);
  expect(child.exitCode).toBeNull();
});

test('a restart moves the API to a changed port', async () => {
  settings('', '', ports.other);
  const owner = await signIn();
  expect((await owner.call('POST', '/settings/restart')).status).toBe(204);
  await expect.poll(() => readiness(ports.other), { timeout: restartMs }).toBe(200);
  expect(await isOpen(ports.api)).toBe(false);
  settings('');
  expect((await plinth(['reload', '--restart'], { cwd })).status).toBe(0);
  await expect.poll(() => readiness(), { timeout: restartMs }).toBe(200);
  expect(await isOpen(ports.other)).toBe(false);
});

test('[server] watch_config applies changed files and prints the result', async () => {
  const printed = (since: number): string => output.slice(since);
  // Changed files are applied automatically only while the setting is on, so the test applies this change with a
  // command.
  settings('', '[server]\nwatch_config = true\n');
  expect((await plinth(['reload'], { cwd })).stdout).toContain('server.watch_config');

  let since = output.length;
  settings('max_rows = 9\n', '[server]\nwatch_config = true\n');
  await expect.poll(() => printed(since), { timeout: 30_000 }).toContain('Changed settings: api.max_rows\n');

  since = output.length;
  settings('max_rows = 9\n[realtime]\nenabled = false\n', '[server]\nwatch_config = true\n');
  await expect
    .poll(() => printed(since), { timeout: 30_000 })
    .toContain(
      'realtime.enabled needs a restart because services are assigned to ports at startup.\nRun "plinth reload --restart" to restart the server.\n',
    );

  since = output.length;
  settings('max_rows = "many"\n', '[server]\nwatch_config = true\n');
  await expect
    .poll(() => printed(since), { timeout: 30_000 })
    .toMatch(
      /The changed settings are invalid, so nothing was changed:\n {2}supabase\/config\.toml:8: api\.max_rows/,
    );

  // Removing the setting turns off the watcher.
  since = output.length;
  settings('', '');
  await expect
    .poll(() => printed(since), { timeout: 30_000 })
    .toContain('Changed settings: api.max_rows, server.watch_config\n');
  settings('max_rows = 3\n', '');
  await expect.poll(statusText, { timeout: 30_000 }).toContain('Run "plinth reload" to apply them.');
});
