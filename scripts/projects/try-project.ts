/** Starts a project in a copy of its checkout, sends requests to the project's services, and stops the project. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signInAndRead, writeBaseline } from './baseline.ts';

export interface Attempt {
  readonly isReady: boolean;
  readonly isTimedOut: boolean;
  /** The lines that the command printed. */
  readonly messages: readonly string[];
  /** The services that didn't return the expected response, such as `storage: 500`. */
  readonly unanswered: readonly string[];
  readonly seconds: number;
}

const program = fileURLToPath(new URL('../../bin/plinth.mjs', import.meta.url));
const skipped = new Set(['.git', '.plinth', 'node_modules']);

/**
 * Starts a project.
 * @param checkout The folder of the repository, which isn't changed.
 * @param isBaseline Whether the project starts with a baseline from its types.
 */
export async function tryProject(
  checkout: string,
  folder: string,
  timeoutMs: number,
  isBaseline = false,
): Promise<Attempt> {
  const copy = mkdtempSync(join(tmpdir(), 'plinth-project-'));
  try {
    cpSync(checkout, copy, { recursive: true, filter: (source) => !skipped.has(basename(source)) });
    const workdir = join(copy, folder);
    if (!isBaseline) return await start(workdir, timeoutMs, ask);
    await writeBaseline(program, workdir, timeoutMs);
    return await start(workdir, timeoutMs, (status) => signInAndRead(status, workdir));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function start(
  workdir: string,
  timeoutMs: number,
  check: (status: Record<string, string>) => Promise<string[]>,
): Promise<Attempt> {
  const began = performance.now();
  const args = [program, 'start', '--port', '0', '--json', '--workdir', workdir];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const stopped = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const timeout = AbortSignal.timeout(timeoutMs);
  let text = '';
  server.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const status = await statusOf(server, stopped, timeout);
  const seconds = (performance.now() - began) / 1000;
  const unanswered = status === undefined ? [] : await check(status);
  const messages = text.split('\n').filter((line) => line.trim() !== '');
  server.kill('SIGINT');
  await stopped;
  const isReady = status !== undefined;
  return { isReady, isTimedOut: !isReady && timeout.aborted, messages, unanswered, seconds };
}

/**
 * Returns the JSON line that contains the URLs of all services. Returns undefined if the start fails or takes too long.
 */
async function statusOf(
  server: ChildProcess,
  stopped: Promise<void>,
  timeout: AbortSignal,
): Promise<Record<string, string> | undefined> {
  const ready = new Promise<string>((resolve) => {
    let output = '';
    server.stdout?.on('data', (chunk) => {
      output += chunk;
      if (output.includes('\n')) resolve(output);
    });
  });
  const late = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve()));
  const output = await Promise.race([ready, stopped, late]);
  return output === undefined ? undefined : JSON.parse(output);
}

async function ask(status: Record<string, string>): Promise<string[]> {
  const { API_URL: url, SECRET_KEY: apikey = '' } = status;
  const paths = [
    ...(status.REST_URL === undefined ? [] : ['/rest/v1/']),
    ...(status.ANON_KEY === undefined ? [] : ['/auth/v1/settings']),
    ...(status.STORAGE_S3_URL === undefined ? [] : ['/storage/v1/bucket']),
  ];
  const answers = paths.map(async (path) => {
    const { status: code } = await fetch(`${url}${path}`, { headers: { apikey } });
    return code === 200 ? [] : [`${path}: ${code}`];
  });
  return (await Promise.all(answers)).flat();
}
