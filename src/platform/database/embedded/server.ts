/** Runs one postmaster. Starts the process, waits until the server is ready, and shuts the server down cleanly. */
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
  /** Performs a fast shutdown, which disconnects all clients and writes a checkpoint. */
  stop(): Promise<void>;
  /** Allows this process to exit while the server is running. */
  unref(): void;
}

/**
 * The servers that must stop when this process exits for any reason. SIGQUIT stops these servers without a checkpoint,
 * so their next start replays the WAL.
 */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGQUIT');
});

/**
 * Starts the server. Resolves when the server accepts connections.
 * @throws {DatabaseError} start_failed, with PostgreSQL's own message
 */
export async function startServer(options: {
  readonly binaries: Pick<Binaries, 'postgres'>;
  readonly identity: Identity;
  readonly pgdata: string;
  /** Additional command-line arguments, whose settings override those in the configuration file. */
  readonly args?: readonly string[];
  readonly onLine: (level: ServerLogLevel, line: string) => void;
  /** Stops a server that isn't ready yet. The signal doesn't affect a server that is ready. */
  readonly signal?: AbortSignal | undefined;
}): Promise<Server> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { file, args, ids } = commandAs(options.identity, options.binaries.postgres, [
    '-D',
    options.pgdata,
    // These settings are passed on the command line, because the configuration file may contain an error.
    '-c',
    'log_line_prefix=',
    ...(options.args ?? []),
  ]);
  // Runs the server in a separate session, so that Ctrl-C in a terminal signals only this process, and requests in
  // progress can finish.
  const child = spawn(file, args, {
    ...ids,
    cwd: '/',
    detached: true,
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      running.delete(child);
      resolve();
    });
    child.once('error', () => resolve());
  });
  const quit = (): void => void child.kill('SIGQUIT');
  signal?.addEventListener('abort', quit, { once: true });
  try {
    await untilReady(child, options.onLine);
  } finally {
    signal?.removeEventListener('abort', quit);
  }
  return {
    pid: child.pid as number,
    ended,
    stop: () => stopServer(child, ended),
    unref() {
      running.delete(child);
      child.unref();
      (child.stderr as Socket).unref();
    },
  };
}

/**
 * Returns the server's environment. The server doesn't inherit this process's environment, because PG* variables and
 * locales would change PostgreSQL's behavior.
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
      const relevant = lastLines.filter((line) =>
        /^(FATAL|PANIC|HINT|DETAIL|LOG: .*(could not|invalid|unrecognized|error))/.test(line),
      );
      const reason =
        (relevant.length > 0 ? relevant : lastLines).join('\n') ||
        String(cause ?? 'it exited without output');
      reject(new DatabaseError('start_failed', { reason }, cause));
    };
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      if (lastLines.push(line) > 40) lastLines.shift();
      onLine(serverLogLevel(line), line);
      if (line.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', fail);
    // The readline interface emits `close` after it has read the last line.
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

type ServerLogLevel = 'warn' | 'debug';

/**
 * The FATAL messages that don't report a failure. A client that connects during startup or shutdown receives "the
 * database system is …". Plinth reads the schema of a database with event triggers disabled if the login is allowed to
 * disable them, and PostgreSQL's answer shows whether it is.
 */
const expected = /the database system is|permission denied to set parameter "event_triggers"/;

/** Chooses the level at which the lines of PostgreSQL's log appear in Plinth's log. */
export const serverLogLevel = (line: string): ServerLogLevel =>
  /^(FATAL|PANIC)/.test(line) && !expected.test(line) ? 'warn' : 'debug';
