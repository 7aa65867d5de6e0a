/** Starts one project in a copy of its checkout, sends requests to its services, and stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Attempt {
  readonly isReady: boolean;
  readonly isTimedOut: boolean;
  /** The lines that the command printed for users. */
  readonly messages: readonly string[];
  /** Services whose response wasn't the expected one: `storage: 500`. */
  readonly unanswered: readonly string[];
  readonly seconds: number;
}

const program = fileURLToPath(new URL('../../bin/plinth.mjs', import.meta.url));
const leftOut = new Set(['.git', '.plinth', 'node_modules']);

/** @param checkout The repository's folder, which isn't changed. */
export async function tryProject(checkout: string, folder: string, timeoutMs: number): Promise<Attempt> {
  const copy = mkdtempSync(join(tmpdir(), 'plinth-project-'));
  try {
    cpSync(checkout, copy, { recursive: true, filter: (source) => !leftOut.has(basename(source)) });
    return await start(join(copy, folder), timeoutMs);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function start(workdir: string, timeoutMs: number): Promise<Attempt> {
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
  const unanswered = status === undefined ? [] : await ask(status);
  const messages = text.split('\n').filter((line) => line.trim() !== '');
  server.kill('SIGINT');
  await stopped;
  const isReady = status !== undefined;
  return { isReady, isTimedOut: !isReady && timeout.aborted, messages, unanswered, seconds };
}

/** Returns the JSON line with the addresses of all services, or undefined if startup fails or takes too long. */
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
