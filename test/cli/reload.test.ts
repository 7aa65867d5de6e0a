/**
 * Tests that changed settings apply while the server runs, with `plinth reload` and SIGHUP, without a failed request.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plinth } from './run-plinth.ts';

const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

let cwd: string;
let child: ChildProcess;
let url: string;
let publishableKey: string;

const settings = (config: string, own = ''): void => {
  writeFileSync(join(cwd, 'supabase', 'config.toml'), `project_id = "reload"\n${config}`);
  writeFileSync(join(cwd, 'supabase', 'plinth.toml'), own);
};
const logText = (): string => readFileSync(join(cwd, '.plinth', 'logs', 'plinth.log'), 'utf8');
const signUp = async (email: string): Promise<number> => {
  const { statusCode, body } = await request(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse battery' }),
  });
  await body.dump();
  return statusCode;
};
const reload = async () => {
  const { stdout, status } = await plinth(['reload', '--json'], { cwd });
  type Result = { applied: string[]; needsRestart: { key: string; reason: string }[] };
  return { status, ...(JSON.parse(stdout) as Result) };
};

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'plinth-reload-'));
  mkdirSync(join(cwd, 'supabase'));
  settings('');
  // The server runs in a separate session without a terminal, so SIGHUP doesn't stop it.
  child = spawn(process.execPath, [bin, 'start', '--port', '0', '--json'], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const status = await new Promise<Record<string, string>>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (data) => {
      text += data;
      if (text.includes('\n')) resolve(JSON.parse(text.split('\n')[0] ?? '{}'));
    });
    child.once('exit', () => reject(new Error('the server exited')));
  });
  url = status.API_URL ?? '';
  publishableKey = status.PUBLISHABLE_KEY ?? '';
});
afterAll(async () => {
  if (child.exitCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(cwd, { recursive: true, force: true });
});

test('settings that can change apply without a failed request, and the others are listed', async () => {
  expect(await signUp('one@example.com')).toBe(200);
  const agent = new Agent({ connections: 10 });
  const statuses: number[] = [];
  let isOver = false;
  const callers = Array.from({ length: 10 }, async () => {
    while (!isOver) {
      const { statusCode, body } = await request(`${url}/auth/v1/settings`, {
        dispatcher: agent,
        headers: { apikey: publishableKey },
      });
      await body.dump();
      statuses.push(statusCode);
    }
  });
  settings(
    '[api]\nmax_rows = 7\n[realtime]\nenabled = false\n[auth]\nenable_signup = false\n',
    '[log]\nlevel = "debug"\n',
  );
  const result = await reload();
  isOver = true;
  await Promise.all(callers);
  await agent.close();
  expect(result).toMatchObject({
    status: 0,
    needsRestart: [{ key: 'realtime.enabled', reason: 'services are assigned to ports at startup' }],
  });
  expect(statuses.length).toBeGreaterThan(10);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await signUp('two@example.com')).toBe(422);
  await expect
    .poll(logText)
    .toContain('realtime.enabled needs a restart because services are assigned to ports at startup');
  // The server also watches the files, so either the command or the watcher has applied the changes.
  await expect
    .poll(logText)
    .toMatch(/"applied":\["api\.max_rows","auth\.enable_signup","plinth\.log\.level"\]/);
});

test('a setting that is changed back no longer requires a restart', async () => {
  settings('');
  expect(await reload()).toMatchObject({ needsRestart: [] });
  expect(await signUp('three@example.com')).toBe(200);
});

test('SIGHUP reloads the settings', async () => {
  settings('[auth]\nenable_signup = false\n');
  child.kill('SIGHUP');
  await expect.poll(() => signUp('four@example.com')).toBe(422);
});

test('invalid settings change nothing, and the error contains the line', async () => {
  settings('[auth]\nenable_signup = true\njwt_expiry = 9999999\n');
  const { status, stderr } = await plinth(['reload'], { cwd });
  expect(status).toBe(1);
  const fault = 'supabase/config.toml:4: auth.jwt_expiry: 9999999 is not between 1 and 604800';
  expect(stderr).toContain(fault);
  await expect.poll(logText).toContain(`the configuration wasn't reloaded: ${fault}`);
  expect(await signUp('five@example.com')).toBe(422);
});
