/**
 * Saves the data of the Console's charts in the data folder, so that the charts still show the time before a restart.
 * Only the process that owns the data folder writes the file. If the file can't be read, it is ignored.
 */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { isRecord } from '../../base/shared/json.ts';

/** Chart data that can be saved as JSON. */
export interface Savable {
  save(nowMs: number): unknown;
  /** Called before the server handles the first request. Ignores saved data that is too old or has another format. */
  load(saved: unknown, nowMs: number): void;
}

export interface RecentMetricsOptions {
  readonly dataDir: string;
  /** The data of each chart, by the name used in the file. */
  readonly figures: Readonly<Record<string, Savable>>;
  readonly now: () => number;
  readonly log: Logger;
}

export interface RecentMetrics {
  /** Loads the file, and then saves the file once a minute. */
  start(): void;
  /** Saves the file one last time. */
  stop(): void;
}

const fileName = 'recent-metrics.json';
const writeIntervalMs = 60_000;

export function createRecentMetrics({ dataDir, figures, now, log }: RecentMetricsOptions): RecentMetrics {
  const path = join(dataDir, fileName);
  let written = '';
  let timer: NodeJS.Timeout | undefined;

  const current = (): string => {
    const nowMs = now();
    const saved = Object.entries(figures).map(([name, each]) => [name, each.save(nowMs)]);
    return JSON.stringify(Object.fromEntries(saved));
  };

  /**
   * Doesn't flush the file to disk, because requests would have to wait for the flush. Therefore, the charts may be
   * empty after a power failure.
   */
  async function write(): Promise<void> {
    const text = current();
    if (text === written) return;
    const temporary = `${path}.tmp`;
    try {
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, path);
      written = text;
    } catch (error) {
      log.warn({ error }, `failed to write ${fileName}`);
    }
  }

  return {
    start() {
      const saved = readSaved(path);
      for (const [name, each] of Object.entries(figures)) each.load(saved[name], now());
      timer = setInterval(() => void write(), writeIntervalMs).unref();
    },
    stop() {
      // A server that failed to start hasn't loaded the file, so it must not overwrite the saved data.
      if (timer === undefined) return;
      clearInterval(timer);
      try {
        replaceFile(path, current());
      } catch (error) {
        log.warn({ error }, `failed to write ${fileName}`);
      }
    },
  };
}

function readSaved(path: string): Readonly<Record<string, unknown>> {
  try {
    const saved: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(saved) ? saved : {};
  } catch {
    return {};
  }
}
