/** Runs the compression of full log files, one at a time. */
import type { ArchiveLimits } from './archive.ts';

export interface Archiving {
  /** Compresses the files that are full, and deletes old files. */
  start(): void;
  /** Calls {@link start} some time after startup, and then every hour. */
  startLater(): void;
  /** Stops without finishing the current file. */
  stop(): Promise<void>;
}

const firstAfterMs = 20_000;
const everyMs = 60 * 60 * 1000;

export function createArchiving(dir: string, limits: () => ArchiveLimits): Archiving {
  const stopping = new AbortController();
  const { signal } = stopping;
  const timers: NodeJS.Timeout[] = [];
  let running: Promise<void> | undefined;
  let isWanted = false;

  const start = (): void => {
    if (signal.aborted) return;
    if (running !== undefined) {
      isWanted = true;
      return;
    }
    running = import('./archive.ts')
      .then(({ archiveFullFiles }) => archiveFullFiles(dir, { limits, now: Date.now(), signal }))
      // The log can't report its own errors. The files stay readable, and the next run tries again.
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
        if (isWanted) {
          isWanted = false;
          start();
        }
      });
  };
  return {
    start,
    startLater() {
      timers.push(setTimeout(start, firstAfterMs).unref(), setInterval(start, everyMs).unref());
    },
    async stop() {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      await running;
    },
  };
}
