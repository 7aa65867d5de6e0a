/**
 * Keeps the latest log lines of every function in memory: the function's output and the platform's notes about the
 * function's worker. The number of lines per function, the length and the rate of lines, and the number of functions
 * are limited. A function with endless output therefore doesn't use more memory than other functions.
 */

import { systemClock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { LogLevel } from './core/log-frames.ts';

export type { LogLevel } from './core/log-frames.ts';

export interface FunctionLogLine {
  /** The number of the log line, counted across all functions since the server started. */
  readonly id: number;
  /** The time of the line, in milliseconds since the epoch. */
  readonly at: number;
  /** The function's slug. */
  readonly function: string;
  /**
   * The level of the console call that printed the line. Other lines on standard output have the level `info`, lines on
   * standard error have `error`, and the platform's notes have `warn`.
   */
  readonly level: LogLevel;
  readonly line: string;
  /**
   * The ID of the request during which the line was printed. For output that bypassed the console, the ID is set only
   * if the worker was processing a single request at that time.
   */
  readonly requestId: string | undefined;
}

export type NewLogLine = Omit<FunctionLogLine, 'id' | 'at'>;

/** The criteria for log lines. A line must match all criteria that are set. */
export interface LogFilter {
  readonly function?: string | undefined;
  /** The minimum level of a line. */
  readonly level?: LogLevel | undefined;
  readonly requestId?: string | undefined;
}

export interface FunctionLogs {
  /** Returns the matching lines after the line `afterId`, oldest first. */
  recent(filter?: LogFilter, afterId?: number): FunctionLogLine[];
  /**
   * Calls the listener with each new line that matches. Returns a function that removes the listener. The listener must
   * return quickly and must not throw an error.
   */
  follow(filter: LogFilter, listener: (line: FunctionLogLine) => void): () => void;
}

interface FunctionLogRing extends FunctionLogs {
  /**
   * Adds a line and returns it. Returns undefined if the function has exceeded the maximum number of lines per second.
   */
  add(line: NewLogLine, at: number): FunctionLogLine | undefined;
}

interface LogBounds {
  readonly linesPerFunction: number;
  readonly charsPerLine: number;
  readonly functions: number;
  /** The maximum number of lines per second for each function. */
  readonly linesPerSecond: number;
}

export const defaultLogBounds: LogBounds = {
  linesPerFunction: 500,
  charsPerLine: 4000,
  functions: 200,
  linesPerSecond: 500,
};

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * Returns a function that tests whether a line matches the filter.
 * @example
 * passes({ level: 'warn' })({ …, level: 'error' }); // true
 */
export function passes(filter: LogFilter): (line: FunctionLogLine) => boolean {
  const minLevel = filter.level === undefined ? 0 : levels.indexOf(filter.level);
  return (line) =>
    (filter.function === undefined || line.function === filter.function) &&
    levels.indexOf(line.level) >= minLevel &&
    (filter.requestId === undefined || line.requestId === filter.requestId);
}

interface Ring {
  readonly lines: FunctionLogLine[];
  /** The current second. `count` is the number of lines that were added in this second. */
  second: number;
  count: number;
}

/**
 * Creates the logs.
 *
 * @example
 * const logs = createFunctionLogs();
 * logs.add({ function: 'hello', level: 'info', line: 'hi', requestId: undefined }, Date.now());
 * logs.recent({ function: 'hello' }).length; // 1
 */
export function createFunctionLogs(bounds: LogBounds = defaultLogBounds): FunctionLogRing {
  // The function whose latest line is the oldest is the first entry, which is removed when the map is full.
  const rings = new Map<string, Ring>();
  const listeners = new Set<(line: FunctionLogLine) => void>();
  let lastId = 0;

  function ringOf(slug: string): Ring {
    const ring = rings.get(slug) ?? { lines: [], second: 0, count: 0 };
    rings.delete(slug);
    const [oldest] = rings.keys();
    if (rings.size >= bounds.functions && oldest !== undefined) rings.delete(oldest);
    rings.set(slug, ring);
    return ring;
  }

  function keep(ring: Ring, given: NewLogLine, at: number): FunctionLogLine {
    lastId += 1;
    const { charsPerLine } = bounds;
    const text = given.line.length > charsPerLine ? `${given.line.slice(0, charsPerLine)} …` : given.line;
    const line = { ...given, line: text, id: lastId, at };
    ring.lines.push(line);
    if (ring.lines.length > bounds.linesPerFunction) ring.lines.shift();
    for (const listener of listeners) listener(line);
    return line;
  }

  return {
    add(given, at) {
      const ring = ringOf(given.function);
      const second = Math.floor(at / 1000);
      if (second !== ring.second) {
        ring.second = second;
        ring.count = 0;
      }
      ring.count += 1;
      if (ring.count <= bounds.linesPerSecond) return keep(ring, given, at);
      if (ring.count > bounds.linesPerSecond + 1) return undefined;
      const line = `more than ${bounds.linesPerSecond} lines in one second, so the other lines are dropped`;
      return keep(ring, { function: given.function, level: 'warn', line, requestId: given.requestId }, at);
    },
    recent(filter = {}, afterId = 0) {
      const own = filter.function === undefined ? [...rings.values()] : [rings.get(filter.function)];
      const isWanted = passes(filter);
      const lines = own.flatMap((ring) => ring?.lines ?? []);
      const selected = lines.filter((line) => line.id > afterId && isWanted(line));
      return filter.function === undefined ? selected.sort((left, right) => left.id - right.id) : selected;
    },
    follow(filter, listener) {
      const isWanted = passes(filter);
      const hear = (line: FunctionLogLine): void => {
        if (isWanted(line)) listener(line);
      };
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}

/** Keeps the output of functions for the Console and also writes the output to the server's log. */
export const createLineLog =
  (logs: FunctionLogRing, log: Logger) =>
  (given: NewLogLine): void => {
    const line = logs.add(given, systemClock.now());
    if (line === undefined) return;
    const { function: slug, level, line: text, requestId } = line;
    const fields = { function: slug, ...(requestId ? { requestId } : {}) };
    log[level](fields, text);
  };
