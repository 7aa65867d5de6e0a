/** The log file of a project, `.plinth/logs/plinth.log`: one JSON object a line, newest at the end. */
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import type { Logger } from './kernel/log.ts';

/** Written at once; a write wakes a thread, which would cost more than the lines in it. */
const batchBytes = 64 * 1024;
const flushMs = 500;
/** Past this size the file becomes `plinth.log.1` at the next start. */
const rotateBytes = 20 * 1024 * 1024;

export interface FileLogger extends Logger {
  /** Writes what is still buffered; call before the process ends. */
  flush(): void;
}

/** @throws {Error} when the folder cannot be made. */
export function createFileLogger(dir: string, level: 'debug' | 'info' | 'warn' = 'info'): FileLogger {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'plinth.log');
  try {
    if (statSync(file).size > rotateBytes) renameSync(file, `${file}.1`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const destination = pino.destination({
    dest: file,
    minLength: batchBytes,
    maxWrite: 2 * batchBytes,
    sync: false,
    mkdir: false,
  });
  const flushSoon = setInterval(() => destination.flush(), flushMs);
  flushSoon.unref();
  const logger = pino(
    { level, base: null, timestamp: timestampOf(), errorKey: 'error', messageKey: 'message' },
    destination,
  );
  return Object.assign(logger as unknown as Logger, {
    flush: () => {
      clearInterval(flushSoon);
      try {
        destination.flushSync();
      } catch {
        // The file was not open yet: then nothing was written either.
      }
    },
  });
}

/** Pino's isoTime, written out once a millisecond. */
function timestampOf(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
