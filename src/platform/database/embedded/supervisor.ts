/**
 * Keeps a server running. If the server exits, for example because the disk is full or the out-of-memory killer ended
 * the process, restarts it and retries until it runs again.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import type { Server } from './server.ts';

export interface Supervised {
  readonly pid: () => number;
  /** Stops the server permanently. If a restart is in progress, first completes or abandons the restart. */
  stop(): Promise<void>;
  unref(): void;
}

const firstDelayMs = 100;
/**
 * The maximum delay between restarts. Once a full disk has free space again, the server is restarted within this delay.
 */
const maxDelayMs = 4000;
/** A server that has run for at least this duration is considered healthy, so its next restart isn't delayed. */
const healthyMs = 60_000;

/** Keeps a server running. `relaunch` cleans up after the server that exited and starts a new one. */
export function supervise(first: Server, relaunch: () => Promise<Server>, log: Logger): Supervised {
  let server = first;
  let startedAt = performance.now();
  let delayMs = 0;
  const stopped = new AbortController();
  /** Resolves when no restart is in progress. */
  let restarted: Promise<void> = Promise.resolve();

  const restart = async (): Promise<void> => {
    log.error({ service: 'postgres' }, 'PostgreSQL exited unexpectedly; restarting it');
    if (performance.now() - startedAt > healthyMs) delayMs = 0;
    for (let attempt = 1; !stopped.signal.aborted; attempt++) {
      await pause(delayMs, stopped.signal);
      if (stopped.signal.aborted) return;
      delayMs = Math.min(maxDelayMs, Math.max(firstDelayMs, 2 * delayMs));
      try {
        server = await relaunch();
      } catch (error) {
        log.error({ service: 'postgres', error, attempt }, 'failed to restart PostgreSQL; trying again');
        continue;
      }
      startedAt = performance.now();
      log.info({ service: 'postgres', attempt }, 'PostgreSQL is running again');
      watch();
      return;
    }
  };
  const watch = (): void => {
    void server.ended.then(() => {
      if (!stopped.signal.aborted) restarted = restart();
    });
  };
  watch();

  return {
    pid: () => server.pid,
    unref: () => server.unref(),
    async stop() {
      stopped.abort();
      await restarted;
      await server.stop();
    },
  };
}

/** Resolves after `delayMs` milliseconds or when `signal` is aborted. */
function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal.addEventListener('abort', end);
  });
}
