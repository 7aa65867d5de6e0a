/** Runs queries over the log's files and the entries in memory. */
import type {
  Cursor,
  LogCounts,
  LogEntry,
  LogFailures,
  LogFilter,
  LogPage,
  LogRange,
  LogSort,
} from '../types.ts';
import { countEntries, oldestOf, type Steps, stepsOf } from './counts.ts';
import { groupFailures } from './failures.ts';
import { type Budget, createBudget } from './lines.ts';
import { findPage, type Source } from './pages.ts';
import { createLogFiles } from './segment.ts';

export interface LogQueries {
  page(
    filter: LogFilter,
    request: { readonly limit: number; readonly sort: LogSort; readonly cursor: Cursor | undefined },
  ): Promise<LogPage>;
  counts(filter: LogFilter, range: LogRange): Promise<LogCounts>;
  failures(filter: LogFilter, range: LogRange): Promise<LogFailures>;
}

export interface LogQueriesOptions {
  /** The folder of the log files, if there are any. */
  readonly dir: string | undefined;
  /** Returns the entries in memory that are later than the given time, newest first. */
  readonly memoryAfter: (time: number) => Iterable<LogEntry>;
  /** Returns the time after which all entries are in memory. */
  readonly memoryBeginsAt: () => number;
  /** The limits of a query. */
  readonly budget: { readonly bytes: number; readonly ms: number };
}

/** More queries would only take the time from each other and from requests. */
const maxRunning = 2;

export function createLogQueries({
  dir,
  memoryAfter,
  memoryBeginsAt,
  budget: limits,
}: LogQueriesOptions): LogQueries {
  const files = dir === undefined ? undefined : createLogFiles(dir);
  let running = 0;
  const waiting: (() => void)[] = [];

  async function run<T>(work: (source: Source, budget: Budget) => Promise<T>): Promise<T> {
    const budget = createBudget(limits);
    if (running >= maxRunning) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      if (files === undefined)
        return await work(
          { memory: memoryAfter(Number.NEGATIVE_INFINITY), blocks: [], filesUntil: 0 },
          budget,
        );
      const opened = await files.open();
      try {
        const filesUntil = memoryBeginsAt();
        const memory = [...memoryAfter(filesUntil)];
        return await work({ memory, blocks: opened.blocks, filesUntil }, budget);
      } finally {
        await opened.close();
      }
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  const steps = (source: Source, { since, until, before }: LogRange): Steps => ({
    ...stepsOf(since ?? oldestOf(source) ?? until, until),
    before,
  });

  return {
    page: (filter, request) => run((source, budget) => findPage(source, filter, request, budget)),
    counts: (filter, range) =>
      run((source, budget) =>
        countEntries(
          source,
          { ...filter, since: range.since, until: range.until },
          steps(source, range),
          budget,
        ),
      ),
    failures: (filter, range) =>
      run((source, budget) =>
        groupFailures(
          source,
          { ...filter, since: range.since, until: range.until },
          steps(source, range),
          budget,
        ),
      ),
  };
}
