/** Runs one postmaster: starts it, waits until it is ready, and stops it cleanly. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { DatabaseError } from '../errors.ts';
import type { Binaries } from './binaries.ts';
import { commandAs, type Identity } from './identity.ts';

export interface Server {
  readonly pid: number;
  /** Resolves when the postmaster has exited for any reason. */
  readonly ended: Promise<void>;
  /** Performs a fast shutdown: clients are disconnected and a checkpoint is written. */
  stop(): Promise<void>;
  /** Lets this process exit while the server is running. */
  unref(): void;
}

export type ServerLogLevel = 'debug' | 'warn';

/** Resolves when the server accepts connections. @throws {DatabaseError} start_failed, with PostgreSQL's own message */
export async function startServer(options: {
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly pgdata: string;
  readonly onLine: (level: ServerLogLevel, line: string) => void;
}): Promise<Server> {
  const { file, args, ids } = commandAs(options.identity, options.binaries.postgres, [
    '-D',
    options.pgdata,
    // Set on the command line because an error may be in the configuration file.
    '-c',
    'log_line_prefix=',
  ]);
  // Starts a separate session, so that Ctrl-C in a terminal only signals this process while requests in progress
  // finish.
  const child = spawn(file, args, {
    ...ids,
    cwd: '/',
    detached: true,
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  await untilReady(child, options.onLine);
  return {
    pid: child.pid as number,
    ended,
    stop: () => stopServer(child, ended),
    unref() {
      child.unref();
      (child.stderr as Socket).unref();
    },
  };
}

/**
 * PostgreSQL doesn't inherit this process's environment, because PG* variables and locales would change its behavior.
 */
export function serverEnvironment(): NodeJS.ProcessEnv | undefined {
  if (process.platform === 'win32') return undefined;
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C',
    TZ: 'UTC',
  };
}

function untilReady(
  child: ChildProcess,
  onLine: (level: ServerLogLevel, line: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const lastLines: string[] = [];
    const fail = (cause?: unknown) => {
      const telling = lastLines.filter((line) =>
        /^(FATAL|PANIC|HINT|DETAIL|LOG: .*(could not|invalid|unrecognized|error))/.test(line),
      );
      const reason =
        (telling.length > 0 ? telling : lastLines).join('\n') || String(cause ?? 'it ended without a word');
      reject(new DatabaseError('start_failed', { reason }, cause));
    };
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      if (lastLines.push(line) > 40) lastLines.shift();
      // Messages such as "the database system is starting up" are also FATAL. They are sent to clients that connect too
      // early.
      onLine(/^(FATAL|PANIC)/.test(line) && !/the database system is/.test(line) ? 'warn' : 'debug', line);
      if (line.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', fail);
    // The 'close' event is emitted after the last line was read.
    child.once('close', () => fail());
  });
}

async function stopServer(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const stages: [NodeJS.Signals, number][] = [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ];
  for (const [signal, timeoutMs] of stages) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), timeoutMs);
    });
    const outcome = await Promise.race([ended, timeout]);
    clearTimeout(timer);
    if (outcome !== 'late') return;
  }
}
