/**
 * The one stream of everything that happens: requests, their statements, log lines of every service, lines of functions.
 *
 * Glossary. *Entry*: a request or a line. *Ring*: the newest entries in memory. *Segment*: a log file of `.plinth/logs`.
 * *Cursor*: where a page ended: the time of its last entry, and how many of that millisecond it held.
 */
import type { Logger } from '../kernel/log.ts';
import type { RequestRecord, Span } from '../kernel/trace.ts';
import type { MetricsReport } from './core/metrics.ts';

export type { MetricsReport } from './core/metrics.ts';

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

export interface LogEntry {
  /** Milliseconds since the epoch. Of a request: when its answer was complete. */
  readonly at: number;
  readonly level: Level;
  readonly kind: 'request' | 'line';
  readonly service: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** Secrets are cut out. */
  readonly query?: string | undefined;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly databaseMs?: number | undefined;
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly role?: string | undefined;
  readonly userId?: string | undefined;
  /** Of a request to REST: the schema it named or meant. */
  readonly schema?: string | undefined;
  readonly operator?: string | undefined;
  readonly statements?: readonly Span[] | undefined;
  /** Whatever else a line carries. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

export interface LogFilter {
  /** `rest`, or all but one: `!console`. */
  readonly service?: string | undefined;
  /** This one and what is worse. */
  readonly level?: Level | undefined;
  /** `404`, or the first digit of a class: `4`. */
  readonly status?: string | undefined;
  /** Part of the path. */
  readonly path?: string | undefined;
  /** User id, or the name of an operator. */
  readonly user?: string | undefined;
  readonly requestId?: string | undefined;
  /** Part of anything that is shown. */
  readonly search?: string | undefined;
  /** How texts are shown; `path` and `search` look there, so that nobody finds out letter by letter what is cut. */
  readonly shown?: ((text: string) => string) | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface Cursor {
  readonly at: number;
  readonly skip: number;
}

export interface LogPage {
  /** Newest first. */
  readonly entries: readonly LogEntry[];
  /** Undefined: there is nothing older. */
  readonly next: Cursor | undefined;
}

export interface Telemetry {
  /** Writes to the log file and to the stream. */
  readonly log: Logger;
  requestEnded(record: RequestRecord): void;
  list(filter: LogFilter, limit: number, cursor?: Cursor): Promise<LogPage>;
  /** Every entry of a request, oldest first. */
  trace(requestId: string): Promise<readonly LogEntry[]>;
  /** Each new entry that fits; returns how to stop. */
  follow(filter: LogFilter, onEntry: (entry: LogEntry) => void): () => void;
  /** Of the last `rangeMs`. */
  metrics(rangeMs: number): MetricsReport;
  /** As Prometheus reads it (text format 0.0.4). */
  prometheus(): string;
}
