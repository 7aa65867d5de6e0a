/** Keeps a server running: one that is killed from outside (by the out-of-memory killer, say) is started again. */
import type { Logger } from '../../kernel/log.ts';
import type { Server } from './server.ts';

export interface Supervised {
  readonly pid: () => number;
  /** Ends the server for good; a restart on its way is waited for. */
  stop(): Promise<void>;
  unref(): void;
}

/** `relaunch` clears what the dead server left and starts the next one. */
export function supervise(first: Server, relaunch: () => Promise<Server>, log: Logger): Supervised {
  let server = first;
  let stopping = false;
  /** Settled unless a restart is under way. */
  let restarted: Promise<void> = Promise.resolve();

  const restart = async (): Promise<void> => {
    log.error({ service: 'postgres' }, 'PostgreSQL ended unexpectedly; starting it again');
    try {
      server = await relaunch();
      watch();
    } catch (error) {
      log.error({ service: 'postgres', error }, 'PostgreSQL could not be started again');
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
