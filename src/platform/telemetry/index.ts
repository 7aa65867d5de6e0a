/**
 * Stores recent requests and log lines in memory and all log lines in files, and counts requests per service. Each
 * request costs one record in a ring, a few additions and a line in the log file. The record is converted to a readable
 * form only on demand (docs/decisions/0017-logs.md).
 */

import type { LogFields, Logger } from '../../base/kernel/log.ts';
import { type RequestRecord, traces } from '../../base/kernel/trace.ts';
import { splitOnce } from '../../base/shared/http/split-once.ts';
import {
  cutSecrets,
  databaseMsOf,
  entryOfFileLine,
  fits,
  type LineRecord,
  lineEntry,
  requestEntry,
  rounded,
} from './core/entries.ts';
import { createMetrics } from './core/metrics.ts';
import { createRequestRing, createRing } from './core/request-ring.ts';
import { createRequestMetrics } from './metrics/requests.ts';
import type { TraceExporter } from './otlp/exporter.ts';
import { linesBackward } from './segments.ts';
import type { Cursor, Level, LogEntry, LogFilter, LogPage, Telemetry } from './types.ts';

export { mergeMetrics, metricsContentType, renderMetrics } from './metrics/render.ts';
export { createLogger, type ProcessLogger } from './process-log.ts';
export {
  type Cursor,
  type Level,
  type LogEntry,
  type LogFilter,
  type LogPage,
  levels,
  type MetricsReport,
  type Telemetry,
} from './types.ts';

/**
 * The buffer sizes. Requests and log lines have separate buffers so that a function with a lot of output doesn't evict
 * requests.
 */
const maxRequests = 3000;
const maxLines = 3000;
const maxLineChars = 8000;
/** Requests that took at least this long are slow. The log file includes the statements of slow and failed requests. */
const slowMs = 250;
/** The amount of log data that is read per page. Rare matches further back require more pages. */
const pageBytes = 24 * 1024 * 1024;
const metricPoints = 120;
/** The maximum length of a statement's text in the log file. */
const statementChars = 1000;

export { createTraceExporter, type TraceExporter } from './otlp/exporter.ts';

export interface TelemetryOptions {
  /** The logger that writes to the log file. */
  readonly log: Logger;
  /**
   * The folder that contains the log file. If the folder is undefined, entries from before the start of this process
   * aren't available.
   */
  readonly dir: string | undefined;
  /** Exports the traces of requests. Undefined if no collector is configured. */
  readonly traces?: Pick<TraceExporter, 'requestEnded'> | undefined;
  /** Returns milliseconds since the epoch. */
  readonly now?: () => number;
}

export function createTelemetry({ log, dir, traces: exporter, now = Date.now }: TelemetryOptions): Telemetry {
  const requests = createRequestRing(maxRequests);
  const lines = createRing<LineRecord>(maxLines);
  const metrics = createMetrics();
  const requestMetrics = createRequestMetrics();
  const followers = new Set<(entry: LogEntry) => void>();
  const startedAt = now();

  const tell = (entry: () => LogEntry): void => {
    if (followers.size === 0) return;
    const shown = entry();
    for (const follower of followers) follower(shown);
  };

  /**
   * Returns the time after which all log entries are in memory. Entries before this time may exist only in the log
   * files.
   */
  function memoryBeginsAt(): number {
    return Math.max(startedAt - 1, requests.oldestAt ?? 0, lines.oldestKept?.at ?? 0);
  }

  function* fromMemory(): Generator<LogEntry> {
    const begin = dir === undefined ? 0 : memoryBeginsAt();
    const first = requests.backward()[Symbol.iterator]();
    const second = lines.backward()[Symbol.iterator]();
    let request = first.next();
    let line = second.next();
    while (!request.done || !line.done) {
      const takesRequest = !request.done && (line.done || request.value.at >= line.value.at);
      if (takesRequest) {
        const record = request.value as RequestRecord;
        if (record.at > begin) yield requestEntry(record);
        request = first.next();
      } else {
        const record = line.value as LineRecord;
        if (record.at > begin) yield lineEntry(record);
        line = second.next();
      }
    }
  }

  async function* newestFirst(filter: LogFilter, from: number): AsyncGenerator<LogEntry> {
    const begin = memoryBeginsAt();
    if (from > begin || dir === undefined) yield* fromMemory();
    if (dir === undefined) return;
    for await (const line of linesBackward(dir, pageBytes)) {
      // Lines that can't match are skipped without being parsed.
      if (filter.requestId !== undefined && !line.includes(filter.requestId)) continue;
      const entry = entryOfFileLine(line);
      if (entry === undefined || entry.at > begin) continue;
      if (filter.since !== undefined && entry.at < filter.since) return;
      yield entry;
    }
  }

  async function list(filter: LogFilter, limit: number, cursor?: Cursor): Promise<LogPage> {
    const from = cursor?.at ?? Number.POSITIVE_INFINITY;
    const entries: LogEntry[] = [];
    let toSkip = cursor?.skip ?? 0;
    for await (const entry of newestFirst(filter, from)) {
      if (entry.at > from || !fits(filter, entry)) continue;
      if (entry.at === from && toSkip > 0) {
        toSkip--;
        continue;
      }
      if (entries.length === limit) return { entries, next: cursorAfter(entries, cursor) };
      entries.push(entry);
    }
    return { entries, next: undefined };
  }

  return {
    log: observed(log, {}, (level, fields, message) => {
      const record = { at: now(), level, message: message.slice(0, maxLineChars), fields };
      lines.push(record);
      tell(() => lineEntry(record));
    }),
    requestEnded(record) {
      requests.push(record);
      // The Console calls services on behalf of its operators. Such calls don't count as the project's traffic.
      if (record.trace?.operator === undefined || record.service === 'console')
        metrics.count(record.service, record.status, record.durationMs, record.at);
      requestMetrics.count(record);
      if (record.status >= 500) log.warn(fileFields(record), 'request');
      else log.info(fileFields(record), 'request');
      exporter?.requestEnded(record);
      tell(() => requestEntry(record));
    },
    list,
    async trace(requestId) {
      const { entries } = await list({ requestId }, 500);
      return entries.toReversed();
    },
    follow(filter, onEntry) {
      const follower = (entry: LogEntry): void => {
        if (fits(filter, entry)) onEntry(entry);
      };
      followers.add(follower);
      return () => followers.delete(follower);
    },
    metrics: (rangeMs) => metrics.report(rangeMs, metricPoints, now()),
    mergedMetrics(saved, rangeMs) {
      const all = createMetrics();
      for (const each of saved) all.load(each, now());
      return all.report(rangeMs, metricPoints, now());
    },
    recentMetrics: metrics,
    requestMetrics: () => requestMetrics.values(),
  };
}

function cursorAfter(entries: readonly LogEntry[], before: Cursor | undefined): Cursor {
  const at = entries.at(-1)?.at ?? 0;
  const skip = entries.filter((entry) => entry.at === at).length;
  return { at, skip: before?.at === at ? before.skip + skip : skip };
}

/**
 * Returns the fields of a request that are written to the log file. Slow and failed requests are logged with all
 * fields, and other requests only with the fields that identify them.
 */
function fileFields(record: RequestRecord): LogFields {
  const { requestId, service, method, url, status, durationMs, ip, trace } = record;
  const [path, query] = splitOnce(url, '?');
  const fields = {
    requestId,
    service,
    method,
    path,
    status,
    durationMs: rounded(durationMs),
    databaseMs: databaseMsOf(record),
    ip,
    role: trace?.role,
    userId: trace?.userId,
    schema: trace?.schema,
    operator: trace?.operator,
  };
  if (status < 400 && durationMs < slowMs) return fields;
  return {
    ...fields,
    query: query === undefined ? undefined : cutSecrets(query),
    userAgent: record.userAgent?.slice(0, 400),
    statements: trace?.spans?.map((span) => ({
      ...span,
      text: span.text.slice(0, statementChars),
      startMs: rounded(span.startMs),
      durationMs: rounded(span.durationMs),
    })),
  };
}

/**
 * Returns a logger that adds each line to both the log file and the stream of events. Debug lines are added to neither.
 */
function observed(
  inner: Logger,
  own: LogFields,
  note: (level: Level, fields: LogFields, message: string) => void,
): Logger {
  const both =
    (level: 'info' | 'warn' | 'error') =>
    (given: LogFields, message: string): void => {
      const requestId = given.requestId === undefined ? traces.getStore()?.requestId : undefined;
      const fields = requestId === undefined ? given : { ...given, requestId };
      note(level, { ...own, ...fields }, message);
      inner[level](fields, message);
    };
  return {
    debug: (fields, message) => inner.debug(fields, message),
    info: both('info'),
    warn: both('warn'),
    error: both('error'),
    child: (fields) => observed(inner.child(fields), { ...own, ...fields }, note),
  };
}
