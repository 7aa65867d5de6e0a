/**
 * Writes a project's log files to `.plinth/logs`. Each line is a JSON object, and the newest line is at the end of
 * `plinth.log`. A full file becomes `plinth.log.1`, which becomes `plinth.log.2`, and so on. The last of {@link
 * keptSegments} is deleted, as are files that haven't been written to for two weeks.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import pino from 'pino';
import type { Logger } from './kernel/log.ts';
import { keptSegments, segmentPath } from './telemetry/index.ts';

/** Lines are written in batches because each write wakes a thread, which costs more than formatting the lines. */
const batchBytes = 64 * 1024;
const flushMs = 500;
/** The maximum size of a file. */
const segmentBytes = 8 * 1024 * 1024;
const segmentAgeMs = 14 * 24 * 3600 * 1000;

export interface FileLogger extends Logger {
  /** Writes all buffered lines. Must be called before the process exits. */
  flush(): void;
}

/** @throws {Error} if the folder can't be created. */
export function createFileLogger(
  dir: string,
  { level = 'info', maxBytes = segmentBytes }: { level?: 'debug' | 'info' | 'warn'; maxBytes?: number } = {},
): FileLogger {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = segmentPath(dir, 0);
  let writtenBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (writtenBytes > maxBytes) {
    shiftSegments(dir);
    writtenBytes = 0;
  }
  removeOldSegments(dir, Date.now());
  const destination = pino.destination({
    dest: file,
    minLength: batchBytes,
    maxWrite: 2 * batchBytes,
    sync: false,
    mkdir: false,
    mode: 0o600,
  });
  destination.on('write', (bytes: number) => {
    writtenBytes += bytes;
    if (writtenBytes < maxBytes) return;
    writtenBytes = 0;
    shiftSegments(dir);
    removeOldSegments(dir, Date.now());
    // Until the new file is open, lines are appended to the old file under its new name.
    destination.reopen();
  });
  // A file that can't be written must not end the process. The first error is reported, the lines are lost.
  destination.once('error', ({ message }: Error) => {
    process.stderr.write(`The log file can't be written: ${message}\n`);
    destination.on('error', () => undefined);
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
        // The file wasn't open yet, so nothing had been written.
      }
    },
  });
}

function shiftSegments(dir: string): void {
  rmSync(segmentPath(dir, keptSegments), { force: true });
  for (let number = keptSegments - 1; number >= 0; number--) {
    const path = segmentPath(dir, number);
    if (existsSync(path)) renameSync(path, segmentPath(dir, number + 1));
  }
}

function removeOldSegments(dir: string, now: number): void {
  for (let number = 1; number <= keptSegments; number++) {
    const path = segmentPath(dir, number);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && now - found.mtimeMs > segmentAgeMs) rmSync(path, { force: true });
  }
}

/** Pino's isoTime, formatted once per millisecond. */
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
