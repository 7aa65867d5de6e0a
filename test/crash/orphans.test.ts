/**
 * Tests that the function workers end if only the server is killed with kill -9, and that the workers' files are
 * removed soon afterwards.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const plinth = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-orphans-'));
const folder = join(projectDir, 'supabase', 'functions', 'idle');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'index.ts'), `Deno.serve(() => new Response('here'));`);

/**
 * Returns the IDs of this project's processes that run the given program. Their command lines contain the project's
 * folder.
 */
function below(program: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(projectDir) && command.split('\0')[0]?.endsWith(program);
      } catch {
        return false;
      }
    });
}

let child: ChildProcess | undefined;

afterAll(() => {
  child?.kill('SIGKILL');
  for (const pid of [...below('deno'), ...below('postgres')]) process.kill(pid, 'SIGKILL');
  rmSync(projectDir, { recursive: true, force: true });
});

/** The folder for the workers' sockets and temporary files. */
const temporary = join(projectDir, 't');
mkdirSync(temporary, { mode: 0o777 });

/** Starts the server and calls its function. */
async function callFunction(): Promise<ChildProcess> {
  const server = spawn(
    process.execPath,
    [plinth, 'start', '--workdir', projectDir, '--port', '0', '--json'],
    { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, TMPDIR: temporary } },
  );
  child = server;
  const ready = await new Promise<{ API_URL: string; ANON_KEY: string }>((resolve) => {
    createInterface({ input: server.stdout }).once('line', (line) => resolve(JSON.parse(line)));
  });
  const response = await fetch(`${ready.API_URL}/functions/v1/idle`, {
    headers: { authorization: `Bearer ${ready.ANON_KEY}` },
  });
  expect(await response.text()).toBe('here');
  expect(below('deno')).toHaveLength(1);
  return server;
}

it('workers end with the server, and the next server removes their files', async () => {
  const first = await callFunction();
  const folders = () => readdirSync(temporary).filter((name) => name.startsWith('plinth-fn-'));
  const [left] = folders();
  first.kill('SIGKILL');
  await expect.poll(() => below('deno')).toEqual([]);
  expect(folders()).toEqual([left]);
  await callFunction();
  expect(folders()).toEqual([expect.not.stringMatching(`^${left}$`)]);
});
