/** Runs drills in the running server, and stores the result of this data folder's last drill. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { messageOf } from './base-runs.ts';
import type { DrillRecord, DrillReport } from './types.ts';

export interface DrillsOptions {
  readonly dataDir: string;
  /** Restores and checks the newest recoverable state. `signal` aborts the drill. */
  readonly drill: (onProgress: (message: string) => void, signal: AbortSignal) => Promise<DrillReport>;
  readonly log: Logger;
}

export interface Drills {
  /** Starts a drill. Returns false if a drill is already running. */
  start(): boolean;
  /** Returns the current step of the running drill, or undefined if no drill is running. */
  progress(): string | undefined;
  last(): DrillRecord | undefined;
  /** Aborts the running drill and removes the restored copy. */
  stop(): Promise<void>;
}

export function createDrills({ dataDir, drill, log }: DrillsOptions): Drills {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let step = '';

  async function run(): Promise<void> {
    const onProgress = (message: string): void => {
      step = message;
    };
    try {
      const { problems } = await recordDrill(
        dataDir,
        () => drill(onProgress, stopping.signal),
        stopping.signal,
      );
      if (problems.length === 0) log.info({}, 'backup: the drill found no problems');
      else log.error({ problems }, 'backup: the drill found problems');
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ error: messageOf(error) }, 'backup: the drill failed');
    }
  }

  return {
    start() {
      if (running !== undefined) return false;
      step = 'Starting';
      running = run().finally(() => {
        running = undefined;
      });
      return true;
    },
    progress: () => (running === undefined ? undefined : step),
    last: () => readLastDrill(dataDir),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const fileOf = (dataDir: string): string => join(dataDir, 'backup', 'last-drill.json');

/** Runs a drill, and records the result or error as the last drill of the data folder. */
export async function recordDrill(
  dataDir: string,
  drill: () => Promise<DrillReport>,
  signal: AbortSignal,
): Promise<DrillReport> {
  const startedMs = Date.now();
  const write = (result: Pick<DrillRecord, 'report' | 'error'>): void => {
    mkdirSync(join(dataDir, 'backup'), { recursive: true, mode: 0o700 });
    replaceFile(fileOf(dataDir), JSON.stringify({ startedMs, endedMs: Date.now(), ...result }));
  };
  try {
    const report = await drill();
    write({ report });
    return report;
  } catch (error) {
    if (!signal.aborted) write({ error: messageOf(error) });
    throw error;
  }
}

/** Returns the last drill's record. Returns undefined if no drill was recorded or the file can't be read. */
export function readLastDrill(dataDir: string): DrillRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as DrillRecord;
  } catch {
    return undefined;
  }
}
