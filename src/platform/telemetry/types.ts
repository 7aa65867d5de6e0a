/**
 * Defines the stream of all events: requests, their statements, all services' log lines, and functions' output.
 *
 * Glossary. *Entry*: a request or a line. *Ring*: the latest entries in memory. *Block*: a part of a log file, which is
 * compressed separately. *Cursor*: the position after a page, which consists of the time of the page's last entry and the
 * number of entries with that time up to there. *Budget*: the amount of text and time after which a query stops.
 */
import type { Logger } from '../../base/kernel/log.ts';
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { RequestRecord, Span } from '../../base/kernel/trace.ts';
import type { Metrics, MetricsReport } from './core/metrics.ts';

export type { MetricsReport } from './core/metrics.ts';

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

export interface LogEntry {
  /** When the line was logged or the response to the request was complete, in milliseconds since the epoch. */
  readonly at: number;
  readonly level: Level;
  readonly kind: 'request' | 'line';
  readonly service: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** The query string with secrets removed. */
  readonly query?: string | undefined;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly databaseMs?: number | undefined;
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly role?: string | undefined;
  readonly userId?: string | undefined;
  /** The schema that a REST request selected, or the default schema if it selected none. */
  readonly schema?: string | undefined;
  readonly operator?: string | undefined;
  readonly statements?: readonly Span[] | undefined;
  /** The additional fields of a log line. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

export interface LogFilter {
  /**
   * A service such as `rest`, or an excluded service such as `!console`. `!console` also excludes requests that the
   * Console sends to other services for an operator.
   */
  readonly service?: string | undefined;
  /** The minimum severity of the entries. */
  readonly level?: Level | undefined;
  /** A status such as `404`, or the first digit of a status class, such as `4`. */
  readonly status?: string | undefined;
  /** A substring of the request's path. */
  readonly path?: string | undefined;
  readonly method?: string | undefined;
  /** The ID of a user, or the name of an operator. */
  readonly user?: string | undefined;
  readonly requestId?: string | undefined;
  /** A substring of any text that is displayed for an entry. */
  readonly search?: string | undefined;
  /**
   * Returns the displayed form of a string. `path` and `search` match this form so that removed secrets can't be
   * guessed letter by letter.
   */
  readonly shown?: ((text: string) => string) | undefined;
  /** The texts that replace secrets in the displayed form. */
  readonly masks?: readonly string[] | undefined;
  /** The limits of a request's duration. Entries without a duration don't match. */
  readonly minMs?: number | undefined;
  readonly maxMs?: number | undefined;
  /** The earliest time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** `duration`: requests only, the longest first. */
export type LogSort = 'time' | 'duration';

export interface Cursor {
  readonly at: number;
  /** The number of entries at this position that earlier pages contained. */
  readonly skip: number;
  /** The duration of the last entry, if the page is sorted by duration. */
  readonly ms?: number | undefined;
}

export interface LogPage {
  /** The entries of the page, newest first or longest first. */
  readonly entries: readonly LogEntry[];
  /** The cursor of the next page. Undefined on the last page. */
  readonly next: Cursor | undefined;
  /**
   * The time or the duration up to which the log was searched, if the budget was spent before the page was full. The next
   * page continues there.
   */
  readonly searchedTo?: number | undefined;
}

/** A range of the log that is counted in steps. */
export interface LogRange {
  /** Defaults to the oldest entry. */
  readonly since?: number | undefined;
  readonly until: number;
  /** The time up to which an earlier query has read the log. */
  readonly before?: number | undefined;
}

/** The number of entries of each step: requests by the class of their status, and lines by their level. */
export interface LogCounts {
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
  /** Requests with a status below 400. */
  readonly succeeded: readonly number[];
  readonly refused: readonly number[];
  readonly failed: readonly number[];
  readonly lines: readonly number[];
  /** Lines with the level `warn` or `error`. */
  readonly warnings: readonly number[];
  /** Earlier entries weren't counted, because the budget was spent. */
  readonly searchedTo?: number | undefined;
}

/** Failures that differ only in numbers, IDs and quoted text. */
export interface FailureGroup {
  /** Identifies the group. */
  readonly key: string;
  readonly kind: 'request' | 'line';
  readonly service: string;
  readonly level: Level;
  readonly method?: string | undefined;
  readonly route?: string | undefined;
  readonly status?: number | undefined;
  /** The SQLSTATE or the code of the error. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The number of failures in each step. */
  readonly steps: readonly number[];
  /** The latest failure. */
  readonly example: LogEntry;
}

export interface LogFailures {
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
  /** The most frequent groups. */
  readonly groups: readonly FailureGroup[];
  /** The number of failures in other groups. */
  readonly others: number;
  readonly searchedTo?: number | undefined;
}

/** The values that are measured once a minute. */
export const gaugeNames = [
  'cpuCores',
  'memoryBytes',
  'connections',
  'databaseConnections',
  'sockets',
  'diskFreeBytes',
] as const;
export type GaugeName = (typeof gaugeNames)[number];
export type GaugeValues = { readonly [Name in GaugeName]?: number };

/** The steps of a chart. */
export interface MetricRange {
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
}

export interface GaugeReport {
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
  /** The average and the maximum in each step. Null in steps without samples. */
  readonly gauges: Readonly<
    Record<
      GaugeName,
      { readonly average: readonly (number | null)[]; readonly max: readonly (number | null)[] }
    >
  >;
}

/** Samples of metrics that are kept as long as the log. */
export interface MetricHistory {
  /** Stores the requests since the last sample, and values that were measured in the last minute. */
  sample(gauges: GaugeValues): Promise<void>;
  /** Returns samples for {@link report}, also of another node. */
  read(range: MetricRange): Promise<readonly unknown[]>;
  /** Builds a report from the samples of nodes. */
  report(
    nodes: readonly (readonly unknown[])[],
    range: MetricRange,
  ): Promise<{ readonly requests: MetricsReport; readonly gauges: GaugeReport }>;
}

export interface Telemetry {
  /** Writes to the log file and to the stream. */
  readonly log: Logger;
  requestEnded(record: RequestRecord): void;
  list(filter: LogFilter, limit: number, cursor?: Cursor, sort?: LogSort): Promise<LogPage>;
  /** Counts the entries of a range in steps. */
  counts(filter: LogFilter, range: LogRange): Promise<LogCounts>;
  /** Groups the failures of a range: responses with a status of at least 400, and lines that are warnings or errors. */
  failures(filter: LogFilter, range: LogRange): Promise<LogFailures>;
  /** Returns all entries of a request, oldest first. */
  trace(requestId: string): Promise<readonly LogEntry[]>;
  /** Calls `onEntry` for each new entry that matches the filter. Returns a function that stops the calls. */
  follow(filter: LogFilter, onEntry: (entry: LogEntry) => void): () => void;
  /** Returns a report about the last `rangeMs` milliseconds. */
  metrics(rangeMs: number): MetricsReport;
  /** Returns a report about the counts of several nodes, as saved by {@link recentMetrics}. */
  mergedMetrics(saved: readonly unknown[], rangeMs: number): MetricsReport;
  /** The counts that {@link metrics} is computed from. */
  readonly recentMetrics: Pick<Metrics, 'save' | 'load'>;
  readonly metricHistory: MetricHistory;
  /** Returns the totals of requests since startup, for `/metrics`. */
  requestMetrics(): MetricValues;
}
