/**
 * Manages the process's log. The files are in `.plinth/logs`. Each line is a JSON object, and the newest line is at the
 * end of `plinth.log`. A full file is renamed and compressed (docs/decisions/0137-log-and-metric-history.md). A
 * destination that can't be written to never blocks or ends the process (`line-writer.ts`).
 */

import { appendFileSync, closeSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import pino from 'pino';
import type { Logger } from '../../base/kernel/log.ts';
import { escapedJson, jsonText, oneLine } from '../../base/shared/printable.ts';
import type { Config } from '../config/index.ts';
import { type Archiving, createArchiving } from './history/archiving.ts';
import { currentPath, freePath } from './history/files.ts';
import { LineWriter } from './line-writer.ts';

type LogSettings = Config['plinth']['log'];

export interface ProcessLogger extends Logger {
  /** Whether lines are also written to files. */
  readonly hasFiles: boolean;
  /** Returns the number of lines that were dropped because a destination couldn't be written to. */
  droppedLines(): number;
  /** Returns the code of the error that currently prevents writing, such as ENOSPC. */
  fault(): string | undefined;
  /** Changes the level, the format, and the maximum size and age of the files. */
  configure(settings: LogSettings): void;
  /** Writes all buffered lines. Must be called before the process exits. */
  end(): Promise<void>;
}

/** Creates the process's logger. @throws {Error} if the folder for the files can't be created */
export function createLogger(dir: string, settings: LogSettings): ProcessLogger {
  let limits = settings;
  /**
   * The child loggers that services have created. The loggers are stored because pino doesn't apply a changed level to
   * existing child loggers.
   */
  const children = new Set<{ level: string }>();
  const hasFiles = settings.to !== 'stdout';
  const archiving = hasFiles ? createArchiving(dir, () => limits) : undefined;
  const writers = [
    ...(archiving === undefined ? [] : [fileWriter(dir, () => limits, archiving)]),
    ...(settings.to === 'files' ? [] : [stdoutWriter()]),
  ];
  const [first, second] = writers as [LineWriter, LineWriter?];
  const stdout = hasFiles ? second : first;
  const write = (json: string): void => {
    // Terminals display the log, and clients choose paths, names and messages in it.
    const line = escapedJson(json);
    if (hasFiles) first.write(line);
    stdout?.write(limits.format === 'logfmt' ? logfmtOf(line) : line);
  };
  const logger = pino(
    {
      level: settings.level,
      base: null,
      timestamp: timestampOf(),
      errorKey: 'error',
      messageKey: 'message',
      onChild: (child) => void children.add(child),
    },
    { write },
  );
  return Object.assign(logger as unknown as Logger, {
    hasFiles,
    droppedLines: () => writers.reduce((sum, { droppedLines }) => sum + droppedLines, 0),
    fault: () => writers.find(({ fault }) => fault !== undefined)?.fault,
    configure(next: LogSettings) {
      limits = next;
      for (const one of [logger, ...children]) one.level = next.level;
    },
    async end() {
      await archiving?.stop();
      await Promise.all(writers.map((writer) => writer.end()));
    },
  });
}

/** The maximum size of a file that isn't compressed. */
const maxFileBytes = 8 * 1024 * 1024;
/** The number of files that the limit of the total size allows at least. */
const minFiles = 9;
/** A file is also renamed after this time, so that lines are deleted when they are too old. */
const maxFileMs = 24 * 60 * 60 * 1000;

/** Returns a writer for the log files. @param limits Returns the current settings. */
function fileWriter(dir: string, limits: () => LogSettings, archiving: Archiving): LineWriter {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const target = currentPath(dir);
  const fileBytes = (): number => Math.min(maxFileBytes, limits().max_size / minFiles);
  let { writtenBytes, startedAt } = stateOf(target);
  const rotate = (): void => {
    renameSync(target, freePath(dir, Date.now()));
    writtenBytes = 0;
    startedAt = Date.now();
    archiving.start();
  };
  const isFull = (): boolean =>
    writtenBytes >= fileBytes() || (writtenBytes > 0 && Date.now() - startedAt > maxFileMs);
  if (isFull()) rotate();
  else endLine(target, writtenBytes);
  archiving.startLater();
  return new LineWriter({
    target,
    onWritten(bytes) {
      writtenBytes += bytes;
      if (!isFull()) return false;
      rotate();
      return true;
    },
    droppedLine,
  });
}

function stateOf(path: string): { writtenBytes: number; startedAt: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  // Some file systems don't store when a file was created.
  const startedAt = found === undefined ? Date.now() : found.birthtimeMs || found.mtimeMs;
  return { writtenBytes: found?.size ?? 0, startedAt };
}

/** Ends a line that was cut off by a crash, so that the next line is readable. */
function endLine(path: string, size: number): void {
  if (size === 0) return;
  const last = Buffer.alloc(1);
  const file = openSync(path, 'r');
  try {
    readSync(file, last, 0, 1, size - 1);
  } finally {
    closeSync(file);
  }
  if (last[0] !== 10) appendFileSync(path, '\n');
}

const stdoutWriter = (): LineWriter => new LineWriter({ target: 1, droppedLine });

/** Formats the line that reports dropped lines in pino's format. */
const droppedLine = (count: number, reason: string): string =>
  `${JSON.stringify({
    level: pino.levels.values.warn,
    time: new Date().toISOString(),
    service: 'log',
    reason,
    count,
    message: `dropped ${count} log lines`,
  })}\n`;

/** Returns a replacement for Pino's `isoTime` that formats each millisecond only once. */
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

/** Converts a line of JSON that pino has written. The known fields come first in the converted line. */
export function logfmtOf(line: string): string {
  const { time, level, service, message, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const pairs = Object.entries({
    time,
    level: levelNames[String(level)] ?? level,
    service,
    message,
    ...rest,
  });
  return `${pairs
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${oneLine(key)}=${textOf(value)}`)
    .join(' ')}\n`;
}

const levelNames: Readonly<Record<string, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** Values that don't need quotes if they contain only visible characters. */
const plain = /^[^\s"=\\]+$/;

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return plain.test(text) && oneLine(text) === text ? text : jsonText(text);
}
