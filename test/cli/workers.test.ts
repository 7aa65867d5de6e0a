/**
 * Tests `plinth serve --workers 2` on the command line. The command uses one lock and one log, supports rolling
 * restarts, and leaves nothing behind after its process is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plinth } from './run-plinth.ts';

const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'plinth-workers-'));
const temporary = join(cwd, 't');

let lead: ChildProcess;
let url: string;

/** Returns the running processes with this parent whose command line contains this text. */
function children(parent: number, text: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [state, parentId] =
        readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      const isChild = Number(parentId) === parent && state !== 'Z';
      return isChild && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
const workers = (): number[] => children(lead.pid ?? 0, '--api-worker');
const isRunning = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const health = async (): Promise<number> => (await fetch(`${url}/health/ready`)).status;

async function serve(): Promise<void> {
  lead = spawn(process.execPath, [bin, 'serve', '--workers', '2', '--port', '0', '--json'], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TMPDIR: temporary },
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: lead.stdout as NonNullable<ChildProcess['stdout']> }).once('line', resolve);
    lead.once('exit', () => reject(new Error('the server exited')));
  });
  url = (JSON.parse(line) as { API_URL: string }).API_URL;
}

beforeAll(async () => {
  mkdirSync(join(cwd, 'supabase'));
  mkdirSync(temporary);
  writeFileSync(join(cwd, 'supabase', 'config.toml'), 'project_id = "workers"\n');
  await serve();
});
afterAll(async () => {
  if (lead.exitCode === null && lead.signalCode === null) {
    lead.kill('SIGTERM');
    await new Promise((resolve) => lead.once('exit', resolve));
  }
  rmSync(cwd, { recursive: true, force: true });
});

it('two workers start, and their command lines contain no secrets', async () => {
  expect(await health()).toBe(200);
  expect(workers()).toHaveLength(2);
  const lines = workers().map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(2));
  expect(lines).toEqual([
    ['serve', '--api-worker', ''],
    ['serve', '--api-worker', ''],
  ]);
});

it('all processes write one log', async () => {
  await fetch(`${url}/rest/v1/missing`, { headers: { 'x-request-id': 'one-log-for-all' } });
  const log = () => readFileSync(join(cwd, '.plinth', 'logs', 'plinth.log'), 'utf8');
  await expect.poll(log).toContain('one-log-for-all');
});

it('"plinth reload --workers" and SIGUSR2 replace the workers', async () => {
  for (const replace of [
    async () => expect((await plinth(['reload', '--workers'], { cwd })).stdout).toContain('Replaced'),
    async () => void lead.kill('SIGUSR2'),
  ]) {
    const before = workers();
    await replace();
    await expect
      .poll(() => workers().filter((pid) => !before.includes(pid)), { timeout: 60_000 })
      .toHaveLength(2);
    await expect.poll(() => before.some(isRunning), { timeout: 60_000 }).toBe(false);
    expect(await health()).toBe(200);
  }
});

it('the workers ignore signals from a terminal', async () => {
  const before = workers();
  for (const pid of before) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal);
  expect(await health()).toBe(200);
  expect(workers()).toEqual(before);
});

it('after the lead process is killed, all workers end and all sockets close', async () => {
  const before = workers();
  lead.kill('SIGKILL');
  await expect.poll(() => before.some(isRunning), { timeout: 20_000 }).toBe(false);
  await expect
    .poll(() => readdirSync(temporary).filter((name) => name.startsWith('plinth-api-')))
    .toEqual([]);
  await serve();
  expect(await health()).toBe(200);
});

it('SIGTERM stops all workers', async () => {
  const before = workers();
  const ended = new Promise((resolve) => lead.once('exit', resolve));
  lead.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(before.some(isRunning)).toBe(false);
});
