/**
 * Manages the process's log. The files are in `.plinth/logs`. Each line is a JSON object, and the newest line is at the
 * end of `plinth.log`. A full file becomes `plinth.log.1`, which becomes `plinth.log.2`, and so on. Files beyond {@link
 * maxSegments} are deleted, as are files that haven't been written to for a while. A destination that can't be written
 * to never blocks or ends the process (`line-writer.ts`).
 */

import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import pino from 'pino';
import type { Logger } from '../../base/kernel/log.ts';
import { escapedJson, jsonText, oneLine } from '../../base/shared/printable.ts';
import type { Config } from '../config/index.ts';
import { LineWriter } from './line-writer.ts';
import { maxSegments, segmentPath } from './segments.ts';

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
  const writers = [
    ...(hasFiles ? [fileWriter(dir, () => limits)] : []),
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
    end: async () => void (await Promise.all(writers.map((writer) => writer.end()))),
  });
}

/** Returns a writer for the log files. @param limits Returns the current settings. */
function fileWriter(dir: string, limits: () => LogSettings): LineWriter {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const target = segmentPath(dir, 0);
  const segmentBytes = (): number => limits().max_size / (maxSegments + 1);
  let writtenBytes = statSync(target, { throwIfNoEntry: false })?.size ?? 0;
  const rotate = (): void => {
    writtenBytes = 0;
    shiftSegments(dir);
    removeOldSegments(dir, Date.now() - limits().max_age);
  };
  if (writtenBytes > segmentBytes()) rotate();
  else removeOldSegments(dir, Date.now() - limits().max_age);
  return new LineWriter({
    target,
    onWritten(bytes) {
      writtenBytes += bytes;
      if (writtenBytes < segmentBytes()) return false;
      rotate();
      return true;
    },
    droppedLine,
  });
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

function shiftSegments(dir: string): void {
  rmSync(segmentPath(dir, maxSegments), { force: true });
  for (let number = maxSegments - 1; number >= 0; number--) {
    const path = segmentPath(dir, number);
    if (existsSync(path)) renameSync(path, segmentPath(dir, number + 1));
  }
}

/** Removes rotated log files that were last written to before the given time. */
function removeOldSegments(dir: string, before: number): void {
  for (let number = 1; number <= maxSegments; number++) {
    const path = segmentPath(dir, number);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < before) rmSync(path, { force: true });
  }
}

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
