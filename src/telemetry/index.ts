/**
 * Stores recent requests and log lines in memory, all log lines in files, and counts per service. A request costs one
 * record in a ring, a few additions and a line in the log file. The record is only made readable on demand
 * (docs/decisions/0017-logs.md).
 */
import type { LogFields, Logger } from '../kernel/log.ts';
import { type RequestRecord, traces } from '../kernel/trace.ts';
import { cutSecrets } from './core/cut-secrets.ts';
import {
  databaseMsOf,
  entryOfFileLine,
  fits,
  type LineRecord,
  lineEntry,
  requestEntry,
  rounded,
} from './core/entries.ts';
import { createMetrics } from './core/metrics.ts';
import { createRequestRing } from './core/request-ring.ts';
import { createRing } from './core/ring.ts';
import { linesBackward } from './segments.ts';
import type { Cursor, Level, LogEntry, LogFilter, LogPage, Telemetry } from './types.ts';

export { keptSegments, segmentPath } from './segments.ts';
export type { Cursor, Level, LogEntry, LogFilter, LogPage, MetricsReport, Telemetry } from './types.ts';
export { levels } from './types.ts';

/** Separate from requests so that a function with a lot of output doesn't evict them. */
const keptRequests = 3000;
const keptLines = 3000;
const keptLineChars = 8000;
/** The log file includes the statements of requests that took at least this long or failed. */
const slowMs = 250;
/** The amount of log data read per page. A rare match further back requires another page. */
const pageBytes = 24 * 1024 * 1024;
const metricPoints = 120;
/** The maximum length of statement text in the file. */
const statementChars = 1000;

export interface TelemetryOptions {
  /** Writes to the log file. */
  readonly log: Logger;
  /** The folder of the log file. If undefined, no entries from before this process are available. */
  readonly dir: string | undefined;
  /** Returns milliseconds since the epoch. */
  readonly now?: () => number;
}

export function createTelemetry({ log, dir, now = Date.now }: TelemetryOptions): Telemetry {
  const requests = createRequestRing(keptRequests);
  const lines = createRing<LineRecord>(keptLines);
  const metrics = createMetrics();
  const followers = new Set<(entry: LogEntry) => void>();
  const startedAt = now();

  const tell = (entry: () => LogEntry): void => {
    if (followers.size === 0) return;
    const shown = entry();
    for (const follower of followers) follower(shown);
  };

  /** The time before which only the files are complete. */
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
      // Most lines can be excluded without parsing them.
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
      const record = { at: now(), level, message: message.slice(0, keptLineChars), fields };
      lines.push(record);
      tell(() => lineEntry(record));
    }),
    requestEnded(record) {
      requests.push(record);
      metrics.count(record.service, record.status, record.durationMs, record.at);
      if (record.status >= 500) log.warn(fileFields(record), 'request');
      else log.info(fileFields(record), 'request');
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
    prometheus: () => metrics.prometheus(),
  };
}

function cursorAfter(entries: readonly LogEntry[], before: Cursor | undefined): Cursor {
  const at = entries.at(-1)?.at ?? 0;
  const skip = entries.filter((entry) => entry.at === at).length;
  return { at, skip: before?.at === at ? before.skip + skip : skip };
}

/**
 * Returns the fields of a request in the log file: enough to find the request, or all fields if it was slow or failed.
 */
function fileFields(record: RequestRecord): LogFields {
  const { requestId, service, method, url, status, durationMs, ip, trace } = record;
  const question = url.indexOf('?');
  const fields = {
    requestId,
    service,
    method,
    path: question < 0 ? url : url.slice(0, question),
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
    query: question < 0 ? undefined : cutSecrets(url.slice(question + 1)),
    userAgent: record.userAgent?.slice(0, 400),
    statements: trace?.spans?.map((span) => ({
      ...span,
      text: span.text.slice(0, statementChars),
      startMs: rounded(span.startMs),
      durationMs: rounded(span.durationMs),
    })),
  };
}

/** Logs to both the file and the stream. Debug lines are excluded from both. */
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
