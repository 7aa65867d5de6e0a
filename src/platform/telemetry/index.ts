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
  fits,
  type LineRecord,
  lineEntry,
  requestEntry,
  rounded,
} from './core/entries.ts';
import { createMetrics, type Metrics } from './core/metrics.ts';
import { createRequestRing, createRing } from './core/request-ring.ts';
import type { LogQueries } from './history/queries.ts';
import { createRequestMetrics } from './metrics/requests.ts';
import type { TraceExporter } from './otlp/exporter.ts';
import type { Level, LogEntry, MetricHistory, Telemetry } from './types.ts';

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
/**
 * The text and the time after which a query stops. The time is shorter than the time that nodes wait for each other (1.5
 * s).
 */
const queryBudget = { bytes: 128 * 1024 * 1024, ms: 900 };
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
  /** Where samples of metrics are stored, and how long. If it is undefined, none are stored. */
  readonly samples?: { readonly dir: string; readonly keptMs: () => number };
  /** The limits of a query of the log. */
  readonly budget?: { readonly bytes: number; readonly ms: number };
}

export function createTelemetry({
  log,
  dir,
  traces: exporter,
  now = Date.now,
  samples,
  budget = queryBudget,
}: TelemetryOptions): Telemetry {
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

  function* memoryAfter(begin: number): Generator<LogEntry> {
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

  /** The code that reads files is loaded by the first query. */
  let loaded: Promise<LogQueries> | undefined;
  const queries = (): Promise<LogQueries> => {
    loaded ??= import('./history/queries.ts').then(({ createLogQueries }) =>
      createLogQueries({ dir, memoryAfter, memoryBeginsAt, budget }),
    );
    return loaded;
  };
  const list: Telemetry['list'] = async (filter, limit, cursor, sort = 'time') =>
    (await queries()).page(filter, { limit, sort, cursor });

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
    counts: async (filter, range) => (await queries()).counts(filter, range),
    failures: async (filter, range) => (await queries()).failures(filter, range),
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
    metricHistory: createMetricHistory(samples, { save: metrics.save, now }),
    requestMetrics: () => requestMetrics.values(),
  };
}

/** The code that stores and reads samples is loaded by the first sample. */
function createMetricHistory(
  samples: TelemetryOptions['samples'],
  { save, now }: { readonly save: Metrics['save']; readonly now: () => number },
): MetricHistory {
  const load = () => import('./metric-history/index.ts');
  let opened: Promise<MetricHistory> | undefined;
  const open = (): Promise<MetricHistory> => {
    opened ??= load().then(({ openMetricHistory }) => openMetricHistory(samples, { save, now }));
    return opened;
  };
  return {
    sample: async (gauges) => (await open()).sample(gauges),
    read: async (range) => (await open()).read(range),
    report: async (nodes, range) => (await open()).report(nodes, range),
  };
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
