/**
 * Creates another spare copy of the prepared cluster after a new project has used the previous copy, so that the next
 * new project starts faster.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/kernel/log.ts';
import { makeSpare } from '../../platform/database/index.ts';

/**
 * The time between startup and the start of the copy, so that copying doesn't slow down a server that has just started.
 */
const delayMs = 2000;
/** The maximum time to wait for the copy when the server stops. */
const maxStopMs = 3000;

export interface SpareCopy {
  /** Returns the folder of the prepared cluster. Must be called only for a new data folder. */
  prepared(): Promise<string | undefined>;
  /** Starts to create a spare copy in the background if this process has used the prepared cluster. */
  start(): void;
  /** If the spare copy is still pending, creates it immediately. */
  stop(): Promise<void>;
}

export function createSpareCopy(options: {
  readonly dataDir: string;
  /** Returns the folder of the prepared cluster. */
  readonly prepared: () => Promise<string | undefined>;
  /** Whether another project is likely to be created on this machine. */
  readonly isWanted: boolean;
  readonly log: Logger;
}): SpareCopy {
  const { dataDir, prepared, isWanted, log } = options;
  const hurry = new AbortController();
  let source: string | undefined;
  let made: Promise<void> | undefined;

  const make = async (from: string): Promise<void> => {
    await sleep(delayMs, undefined, { ref: false, signal: hurry.signal }).catch(() => undefined);
    try {
      await makeSpare(from, join(dataDir, 'postgres'));
    } catch (error) {
      log.warn({ service: 'database', error }, 'failed to create a spare copy of the prepared database');
    }
  };

  return {
    async prepared() {
      source = await prepared();
      return source;
    },
    start() {
      if (isWanted && source !== undefined) made = make(source);
    },
    async stop() {
      hurry.abort();
      await Promise.race([made, sleep(maxStopMs, undefined, { ref: false })]);
    },
  };
}
