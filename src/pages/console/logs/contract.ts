import { z } from 'zod';
import { levels, type MetricsReport } from '../../../platform/telemetry/types.ts';
import { json, type RouteTable, raw } from '../core/contract.ts';
import type { AskedNodes } from '../nodes/contract.ts';
import { cursorPattern, type NodeLogEntry, parseCursor } from '../nodes/merge-logs.ts';

const text = z.string().max(200).optional();
const instant = z.iso
  .datetime({ offset: true })
  .transform((time) => Date.parse(time))
  .optional();

const filter = {
  service: text,
  level: z.enum(levels).optional(),
  status: z
    .string()
    .regex(/^[1-5](\d\d)?$/, 'must be a status code or the first digit of a status class')
    .optional(),
  path: text,
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
  /** The cursor returned with the previous page. */
  cursor: z.string().max(6000).regex(cursorPattern).transform(parseCursor).optional(),
});

/** The number of minutes for which metrics are returned. Metrics are kept for six hours. */
const metricsRange = z.object({
  minutes: z.coerce.number<number>().int().min(1).max(360).default(60),
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
  readonly nodes: AskedNodes;
}

export const contract = {
  'GET /logs': { query: logPage, response: json<LogEntries>() },
  /** Server-sent events. Each event is a {@link NodeLogEntry}. */
  'GET /logs/tail': { query: logFilter, response: raw },
  'GET /logs/requests/:id': { response: json<{ readonly entries: readonly NodeLogEntry[] }>() },
  'GET /metrics': {
    query: metricsRange,
    response: json<MetricsReport & { readonly nodes: AskedNodes }>(),
  },
} as const satisfies RouteTable;
