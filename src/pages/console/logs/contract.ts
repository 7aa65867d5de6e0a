import { z } from 'zod';
import {
  type FailureGroup,
  type GaugeReport,
  type LogCounts,
  type LogFailures,
  levels,
  type MetricsReport,
} from '../../../platform/telemetry/types.ts';
import { json, type RouteTable, raw } from '../core/contract.ts';
import type { AskedNodes } from '../nodes/contract.ts';
import {
  cursorPattern,
  type NodeLogEntry,
  parseCursor,
  parseStops,
  stopsPattern,
} from '../nodes/merge-logs.ts';
import type { HistoryMark } from '../statement-history/contract.ts';

const text = z.string().max(200).optional();
const instant = z.iso
  .datetime({ offset: true })
  .transform((time) => Date.parse(time))
  .optional();

const milliseconds = z.coerce.number<string | number>().min(0).max(1e9).optional();

const filter = {
  service: text,
  level: z.enum(levels).optional(),
  status: z
    .string()
    .regex(/^[1-5](\d\d)?$/, 'must be a status code or the first digit of a status class')
    .optional(),
  path: text,
  method: z
    .string()
    .regex(/^[A-Z]{1,20}$/, 'must be a method such as GET')
    .optional(),
  minMs: milliseconds,
  maxMs: milliseconds,
  user: text,
  requestId: text,
  search: text,
  /** The ID of a node. By default, the entries of all nodes are returned. */
  node: text,
};

const logFilter = z.object(filter);

const logPage = z.object({
  ...filter,
  since: instant,
  until: instant,
  limit: z.coerce.number<number>().int().min(1).max(500).default(100),
  /** `duration`: only requests, the slowest first. */
  sort: z.enum(['time', 'duration']).default('time'),
  /** The cursor returned with the previous page. */
  cursor: z.string().max(6000).regex(cursorPattern).transform(parseCursor).optional(),
});

const logRange = z.object({
  ...filter,
  /** Defaults to the time of the oldest entry. */
  since: instant,
  /** Defaults to now. */
  until: instant,
  /** Continues an earlier request, whose response contained this text. */
  next: z.string().max(6000).regex(stopsPattern).transform(parseStops).optional(),
});

const logExport = z.object({ ...filter, since: instant, until: instant, format: z.enum(['csv', 'ndjson']) });

/** The number of minutes for which metrics are returned. The counts of each half minute are kept for six hours. */
const metricsRange = z.object({
  minutes: z.coerce.number<number>().int().min(1).max(43_200).default(60),
  node: text,
});

export type { AskedNodes, MetricsReport, NodeLogEntry as LogEntry };
export type ServiceMetrics = MetricsReport['services'][number];
export type Totals = ServiceMetrics['total'];

export interface LogEntries {
  /** The log entries, newest first. */
  readonly entries: readonly NodeLogEntry[];
  /** The cursor for the next page. Null on the last page. */
  readonly next: string | null;
  /**
   * The time in milliseconds since the epoch, or the duration, up to which the log was searched. Null if the page is
   * complete.
   */
  readonly searchedTo: number | null;
  readonly nodes: AskedNodes;
}

/** What a chart and a list of groups have in common. */
interface Ranged {
  /** The text that continues the request. Null if the whole range was read. */
  readonly next: string | null;
  /** Earlier entries haven't been read by all nodes. Null if the whole range was read. */
  readonly searchedTo: number | null;
  readonly nodes: AskedNodes;
}

export interface LoadReport extends GaugeReport {
  readonly marks: readonly HistoryMark[];
  readonly nodes: AskedNodes;
}

export type { FailureGroup, HistoryMark };
export type LogChart = Omit<LogCounts, 'searchedTo'> & Ranged;
export type LogFailureGroups = Omit<LogFailures, 'searchedTo'> & Ranged;

export const contract = {
  'GET /logs': { query: logPage, response: json<LogEntries>() },
  /** Counts the entries of a range in steps. */
  'GET /logs/chart': { query: logRange, response: json<LogChart>() },
  'GET /logs/failures': { query: logRange, response: json<LogFailureGroups>() },
  /** A file with at most 100,000 entries, newest first. */
  'GET /logs/export': { query: logExport, response: raw },
  /** Server-sent events. Each event is a {@link NodeLogEntry}. */
  'GET /logs/tail': { query: logFilter, response: raw },
  'GET /logs/requests/:id': { response: json<{ readonly entries: readonly NodeLogEntry[] }>() },
  'GET /metrics': {
    query: metricsRange,
    response: json<MetricsReport & { readonly nodes: AskedNodes }>(),
  },
  /** The CPU time, memory, connections and free disk space over time, and events that can explain changes. */
  'GET /metrics/load': { query: metricsRange, response: json<LoadReport>() },
  /** A CSV file with the numbers of all charts. */
  'GET /metrics/export': { query: metricsRange, response: raw },
} as const satisfies RouteTable;
