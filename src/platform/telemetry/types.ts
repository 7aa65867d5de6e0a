/**
 * Defines the stream of all events: requests, their statements, all services' log lines, and functions' output.
 *
 * Glossary. *Entry*: a request or a line. *Ring*: the latest entries in memory. *Segment*: a log file in
 * `.plinth/logs`. *Cursor*: the position after a page, which consists of the time of the page's last entry and the
 * number of entries with that time up to there.
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
  /** The earliest time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface Cursor {
  readonly at: number;
  readonly skip: number;
}

export interface LogPage {
  /** The entries of the page, newest first. */
  readonly entries: readonly LogEntry[];
  /** The cursor of the next page. Undefined on the last page. */
  readonly next: Cursor | undefined;
}

export interface Telemetry {
  /** Writes to the log file and to the stream. */
  readonly log: Logger;
  requestEnded(record: RequestRecord): void;
  list(filter: LogFilter, limit: number, cursor?: Cursor): Promise<LogPage>;
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
  /** Returns the totals of requests since startup, for `/metrics`. */
  requestMetrics(): MetricValues;
}
