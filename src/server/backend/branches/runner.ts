/** Runs the server of one branch while it is used. */
import type { BranchServer } from './types.ts';

export interface Runner {
  /** Starts the server if necessary, and keeps it running until `work` has ended. */
  use<T>(work: (server: BranchServer) => Promise<T>): Promise<T>;
  /** Runs `work` if the server runs or is starting. In contrast to `use`, the server may stop in the meantime. */
  whileRunning(work: (server: BranchServer) => Promise<void>): Promise<void>;
  /** Whether the server runs or is starting. */
  readonly isRunning: boolean;
  /** The number of connections and calls that use the server. */
  readonly users: number;
  /** When the server was last used, in milliseconds since the epoch. */
  readonly usedAt: number;
  /** Stops the server. Later uses are rejected if `forever` is set. */
  stop(forever?: boolean): Promise<void>;
}

export interface RunnerOptions {
  /** Starts a server. */
  readonly launch: (signal: AbortSignal) => Promise<BranchServer>;
  readonly idleMs: () => number;
  /** Called when the server has been used. */
  readonly onUsed: () => void;
  readonly now: () => number;
}

export function createRunner({ launch, idleMs, onUsed, now }: RunnerOptions): Runner {
  let server: Promise<BranchServer> | undefined;
  let starting = new AbortController();
  let users = 0;
  let usedAt = now();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Resolves when no earlier server runs. Two servers can't use the same data folder. */
  let ended: Promise<unknown> = Promise.resolve();

  function start(): Promise<BranchServer> {
    starting = new AbortController();
    const { signal } = starting;
    const started = ended.then(() => {
      signal.throwIfAborted();
      return launch(signal);
    });
    server = started;
    const forget = (): void => {
      if (server === started) server = undefined;
    };
    started.then((running) => running.ended).then(forget, forget);
    return started;
  }

  async function stop(forever = false): Promise<void> {
    isClosed ||= forever;
    clearTimeout(timer);
    const stopping = server;
    server = undefined;
    starting.abort();
    // A server that failed to start has already ended.
    const stopped = stopping?.then(
      (running) => running.stop(),
      () => undefined,
    );
    ended = Promise.allSettled([ended, stopped]);
    await ended;
  }

  return {
    get isRunning() {
      return server !== undefined;
    },
    get users() {
      return users;
    },
    get usedAt() {
      return usedAt;
    },
    async use(work) {
      if (isClosed) throw new Error('the branch is being removed');
      users += 1;
      clearTimeout(timer);
      try {
        return await work(await (server ?? start()));
      } finally {
        users -= 1;
        usedAt = now();
        onUsed();
        if (users === 0 && !isClosed) {
          clearTimeout(timer);
          timer = setTimeout(() => void stop(), idleMs()).unref();
        }
      }
    },
    async whileRunning(work) {
      if (server !== undefined) await work(await server);
    },
    stop,
  };
}
