/**
 * Work that is woken by NOTIFY, and looked for now and then in case a notification was missed. Never twice at a time in
 * one process; a call during the work means once more.
 */
import type { Database } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';

export interface WorkerOptions {
  readonly database: Database;
  readonly channel: string;
  readonly log: Logger;
  /** What the log calls it, as in "pg_net". */
  readonly name: string;
  /** Looks after this long without a notification. */
  readonly pollMs: number;
  /** Does what there is; returns when to look again, in milliseconds, if earlier than the poll. */
  work(turn: Turn): Promise<number | undefined>;
}

export interface Turn {
  readonly signal: AbortSignal;
  /** Resolves at the next call, or when the work has to end. */
  called(): Promise<void>;
}

export interface Worker {
  start(): void;
  /** Ends the work and waits for its end. */
  stop(): Promise<void>;
  wake(): void;
}

const retryMs = 1_000;

export function createWorker({ database, channel, log, name, pollMs, work }: WorkerOptions): Worker {
  const stopping = new AbortController();
  let unlisten: Promise<() => Promise<void>> | undefined;
  let running: Promise<void> | undefined;
  let wanted = false;
  let timer: NodeJS.Timeout | undefined;
  /** In a row; what is in trouble is tried less and less often. */
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
    wanted = true;
    ring();
    running ??= run().finally(() => {
      running = undefined;
      // What came in while the last lines ran.
      if (wanted) wake();
    });
  };
  const wakeIn = (delayMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(wake, delayMs).unref();
  };
  async function run(): Promise<void> {
    let nextMs = pollMs;
    try {
      while (wanted) {
        wanted = false;
        nextMs = Math.min((await work(turn)) ?? pollMs, pollMs);
      }
      troubles = 0;
    } catch (error) {
      nextMs = Math.min(retryMs * 2 ** troubles++, pollMs);
      if (!stopping.signal.aborted) log.warn({ error }, `${name} is in trouble; it is tried again`);
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
          log.warn({ error }, `${name} cannot listen; it is tried again`);
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
