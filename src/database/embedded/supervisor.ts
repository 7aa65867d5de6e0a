/** Keeps a server running. If it is killed, for example by the out-of-memory killer, it is restarted. */
import type { Logger } from '../../kernel/log.ts';
import type { Server } from './server.ts';

export interface Supervised {
  readonly pid: () => number;
  /** Stops the server permanently, after waiting for a pending restart. */
  stop(): Promise<void>;
  unref(): void;
}

/** `relaunch` cleans up after the dead server and starts a new one. */
export function supervise(first: Server, relaunch: () => Promise<Server>, log: Logger): Supervised {
  let server = first;
  let stopping = false;
  /** Pending only while a restart is in progress. */
  let restarted: Promise<void> = Promise.resolve();

  const restart = async (): Promise<void> => {
    log.error({ service: 'postgres' }, 'PostgreSQL exited unexpectedly; restarting it');
    try {
      server = await relaunch();
      watch();
    } catch (error) {
      log.error({ service: 'postgres', error }, 'failed to restart PostgreSQL');
    }
  };
  const watch = (): void => {
    void server.ended.then(() => {
      if (!stopping) restarted = restart();
    });
  };
  watch();

  return {
    pid: () => server.pid,
    unref: () => server.unref(),
    async stop() {
      stopping = true;
      await restarted;
      await server.stop();
    },
  };
}
