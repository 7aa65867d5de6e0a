/** Cleans up if a signal interrupts a command that has started a separate server. */
import { constants } from 'node:os';

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
