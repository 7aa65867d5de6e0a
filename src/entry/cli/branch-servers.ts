/** Starts the servers of branches, each in a process that ends with this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../platform/config/index.ts';
import { type BranchServer, ManagementError, type StartBranchServer } from '../main.ts';
import { findRunning, type Running } from './control.ts';
import { decodeFiles, encodeFiles } from './management/encoded-files.ts';

interface Options {
  readonly projectDir: string;
  /** The command line's file. */
  readonly program: string;
}

interface Ready {
  readonly status: Readonly<Record<string, string>>;
  readonly ports: BranchServer['ports'];
}

/** How long a branch server may take to stop before it is killed. */
const stopMs = 15_000;

/** Variables that would lead a branch server to the project's own database or ports. */
const foreign = /^(PLINTH_DATABASE_URL|PLINTH_ACCESS_TOKEN|SUPABASE_ACCESS_TOKEN|NODE_CHANNEL_FD)$/;

export function startBranchServers({ projectDir, program }: Options): StartBranchServer {
  return async (folders, signal) => {
    const child = launch(program, folders, environmentOf(projectDir));
    const ended = once(child, 'exit').then(() => undefined);
    const abort = (): void => void end(child, ended);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const { status, ports } = await readiness(child, ended, folders.dataDir);
      const running = await findRunning(folders.dataDir);
      if (running === undefined) throw new Error('The server of the branch ended as soon as it had started.');
      return { ports, status, ended, ...callsOf(running), stop: () => end(child, ended) };
    } catch (error) {
      await end(child, ended);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
}

/**
 * Returns the project's variables, to which settings refer with `env()`. The branch's folder has no dotenv files, so that
 * its functions don't receive the variables.
 */
function environmentOf(projectDir: string): NodeJS.ProcessEnv {
  const { environment } = loadConfig({ projectDir, mode: 'development' });
  return Object.fromEntries(
    Object.entries({ ...environment, ...process.env }).filter(([name]) => !foreign.test(name)),
  );
}

function launch(
  program: string,
  { projectDir, dataDir }: Parameters<StartBranchServer>[0],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const output = openSync(join(dataDir, 'logs', 'start.log'), 'w', 0o600);
  const location = ['--workdir', projectDir, '--data-dir', dataDir];
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      program,
      'serve',
      ...location,
      ...['--port', '0', '--db-port', '0', '--workers', '1'],
      '--daemon',
      '--follow',
    ],
    { env, stdio: ['pipe', output, output, 'ipc'] },
  );
  closeSync(output);
  return child;
}

/** Waits until the server is ready. @throws {Error} with the last progress message, if the process ends before */
async function readiness(child: ChildProcess, ended: Promise<void>, dataDir: string): Promise<Ready> {
  const { promise, resolve, reject } = Promise.withResolvers<Ready>();
  child.on('message', (message: { readonly progress: string } | Ready) => {
    if ('status' in message) resolve(message);
  });
  child.once('error', reject);
  void ended.then(() => {
    const text = readFileSync(join(dataDir, 'logs', 'start.log'), 'utf8').trim();
    reject(new Error(text === '' ? 'The process ended before it was ready.' : text.slice(-2000)));
  });
  return await promise;
}

function callsOf(running: Running): Pick<BranchServer, 'manage' | 'signInLink' | 'setOperators'> {
  return {
    async manage(name, input, operator) {
      const answer = await running.call<{
        readonly result?: unknown;
        readonly failed?: { readonly status: number; readonly message: string };
      }>('manageAs', { name, input: encodeFiles(input), operator });
      if (answer.failed !== undefined) throw new ManagementError(answer.failed.status, answer.failed.message);
      return decodeFiles(answer.result);
    },
    signInLink: (operator) => running.call<string>('admit', { operator }),
    setOperators: (operators) => running.call<void>('setOperators', { operators }),
  };
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    const killed = new AbortController();
    const late = sleep(stopMs, undefined, { signal: killed.signal, ref: false }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    await ended;
    killed.abort();
    await late;
  }
}
