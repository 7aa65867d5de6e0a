/**
 * Calls a function when a notification arrives (NOTIFY), and also at regular intervals because a notification can be
 * missed. Two runs in one process never overlap. If a notification arrives during a run, another run starts afterward.
 */

import type { Logger } from '../kernel/log.ts';

/** The part of the database that a worker uses. */
interface Notifier {
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect?: () => void,
  ): Promise<() => Promise<void>>;
}

export interface WorkerOptions {
  readonly database: Notifier;
  readonly channel: string;
  readonly log: Logger;
  /** The name of the work in log messages, such as "pg_net". */
  readonly name: string;
  /** The interval between two runs if no notification arrives. */
  readonly pollMs: number;
  /**
   * Runs the pending work. Returns the delay until the next run, in milliseconds, if this delay is shorter than the
   * interval.
   */
  work(turn: Turn): Promise<number | undefined>;
}

export interface Turn {
  readonly signal: AbortSignal;
  /** Resolves when the next notification arrives or the work must stop. */
  called(): Promise<void>;
}

export interface Worker {
  start(): void;
  /** Stops the worker and waits until its current run has ended. */
  stop(): Promise<void>;
  wake(): void;
}

/** A worker that reports the start times of its running tasks, as `performance.now()` values. */
export interface CountedWorker extends Worker {
  startTimes(): readonly number[];
}

const retryMs = 1_000;

export function createWorker({ database, channel, log, name, pollMs, work }: WorkerOptions): Worker {
  const stopping = new AbortController();
  let unlisten: Promise<() => Promise<void>> | undefined;
  let running: Promise<void> | undefined;
  let needed = false;
  let timer: NodeJS.Timeout | undefined;
  /** The number of consecutive failed runs. Each failure increases the delay before the next run. */
  let troubles = 0;
  let bell = Promise.withResolvers<void>();
  const ring = (): void => {
    bell.resolve();
    bell = Promise.withResolvers();
  };
  const turn: Turn = {
    signal: stopping.signal,
    called: () => (stopping.signal.aborted ? Promise.resolve() : bell.promise),
  };

  const wake = (): void => {
    if (stopping.signal.aborted) return;
    needed = true;
    ring();
    running ??= run().finally(() => {
      running = undefined;
      // A notification arrived while the run was ending, so another run starts.
      if (needed) wake();
    });
  };
  const wakeIn = (delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(wake, delayMs).unref();
  };
  async function run(): Promise<void> {
    let nextMs = pollMs;
    try {
      while (needed) {
        needed = false;
        nextMs = Math.min((await work(turn)) ?? pollMs, pollMs);
      }
      troubles = 0;
    } catch (error) {
      nextMs = Math.min(retryMs * 2 ** troubles++, pollMs);
      if (!stopping.signal.aborted) log.warn({ error }, `${name} failed; retrying`);
    }
    if (!stopping.signal.aborted) wakeIn(nextMs);
  }

  return {
    wake,
    start() {
      const listen = (): void => {
        unlisten = database.listen(channel, wake, wake);
        unlisten.then(wake, (error) => {
          if (stopping.signal.aborted) return;
          log.warn({ error }, `${name} failed to listen; retrying`);
          timer = setTimeout(listen, retryMs).unref();
        });
      };
      listen();
    },
    async stop() {
      stopping.abort();
      ring();
      clearTimeout(timer);
      await running;
      await unlisten?.then(
        (undo) => undo(),
        () => undefined,
      );
    },
  };
}
