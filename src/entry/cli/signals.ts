/** Ends servers and commands when a signal arrives. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Two signals within this time count as a single signal, because Ctrl-C reaches this process both from the terminal and
 * through npm.
 */
const sameStopMs = 1000;
const parentPollMs = 1000;

interface StopSignals {
  /** Whether the server stops when the npm process that started it exits. False for a server in the background. */
  readonly followsNpm: boolean;
  /** Called once, when the first signal arrives. */
  onStop(): void;
  /** Called for each signal after the first. */
  onForce(): void;
  onReload(): void;
  /** Called for SIGUSR2. */
  onRestartWorkers(): void;
}

/**
 * Starts watching. Returns a function that stops watching npm. Continues to handle signals until the process exits, so
 * that a second signal doesn't turn a clean exit into a failure.
 */
export function watchStopSignals({
  followsNpm,
  onStop,
  onForce,
  onReload,
  onRestartWorkers,
}: StopSignals): () => void {
  let stoppedAt: number | undefined;
  const stop = (): void => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      onStop();
    } else if (now - stoppedAt > sameStopMs) onForce();
  };
  const followsTerminal = hasTerminal() && !isHangupIgnored();
  const hangUp = (): void => {
    if (process.platform === 'win32' || (followsTerminal && !hasTerminal())) stop();
    else onReload();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', hangUp).on('SIGUSR2', onRestartWorkers);
  const parents = followsNpm ? npmAncestors() : [];
  const timer =
    parents.length === 0
      ? undefined
      : setInterval(() => {
          if (stoppedAt === undefined && parents.some(isGone)) stop();
        }, parentPollMs).unref();
  return () => clearInterval(timer);
}

/** Whether the process has a controlling terminal. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Whether the process was started with nohup. */
function isHangupIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return ignored !== undefined && (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

interface Ancestor {
  readonly pid: number;
  /**
   * A value that distinguishes the process from a later process with the same ID. Undefined if the value can't be read.
   */
  readonly startedAt: string | undefined;
}

/**
 * Returns the npm process and the shells between npm and this process. The result is empty if npm didn't start this
 * process or isn't waiting for it.
 */
function npmAncestors(): readonly Ancestor[] {
  if (process.env.npm_lifecycle_event === undefined || process.ppid === 1) return [];
  const found: Ancestor[] = [];
  for (let pid: number | undefined = process.ppid; pid !== undefined && pid > 1; ) {
    const facts = factsOf(pid);
    found.push({ pid, startedAt: facts?.startedAt });
    if (facts === undefined || !/^(sh|dash|bash)$/.test(facts.name)) break;
    pid = facts.parent;
  }
  return found;
}

function isGone({ pid, startedAt }: Ancestor): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const facts = factsOf(pid);
  return facts !== undefined && (facts.startedAt !== startedAt || facts.isZombie);
}

/** Reads `/proc/PID/stat`. Returns undefined on systems without `/proc`. */
function factsOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
      isZombie: fields[0] === 'Z',
      parent: Number(fields[1]),
      startedAt: fields[19],
    };
  } catch {
    return undefined;
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` and then `cleanUp`. If a signal arrives, runs `cleanUp` immediately and exits with the status that shells
 * use for the signal. A second signal terminates the process immediately.
 *
 * @example const server = await startServer(); await withCleanUp(() => use(server), () => server.stop());
 */
export async function withCleanUp<T>(work: () => Promise<T>, cleanUp: () => Promise<void>): Promise<T> {
  let cleaned: Promise<void> | undefined;
  const cleanUpOnce = () => {
    cleaned ??= cleanUp();
    return cleaned;
  };
  let isInterrupted = false;
  const onSignal = (signal: NodeJS.Signals) => {
    const exit = () => process.exit(128 + constants.signals[signal]);
    if (isInterrupted) exit();
    isInterrupted = true;
    cleanUpOnce().then(exit, exit);
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await work();
  } finally {
    // After a signal, the cleanup makes `work` fail. The failure of `work` isn't reported, because the process is about
    // to exit.
    if (isInterrupted) await new Promise(() => {});
    try {
      await cleanUpOnce();
    } finally {
      for (const signal of signals) process.off(signal, onSignal);
    }
  }
}

/**
 * Runs `work`. If the process receives a signal, aborts the AbortSignal, waits for `work`, and exits with the same
 * status as {@link withCleanUp}.
 */
export async function withAbort<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let running: Promise<T> | undefined;
  return await withCleanUp(
    () => {
      running = work(controller.signal);
      return running;
    },
    async () => {
      controller.abort();
      await running?.catch(() => undefined);
    },
  );
}
